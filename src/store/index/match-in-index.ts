import type { ParsedQuery } from '../../core/search/query.ts';
import type { Disk } from '../disk/disk.ts';
import { codeOf } from '../disk/disk-errors.ts';
import { type Sqlite, withSqlite } from '../disk/sqlite.ts';
import { CandidateFinder } from './candidates.ts';
import { newestIndex } from './index-files.ts';
import { hasOurSchema, isBeyondUse } from './schema.ts';

/** How well a question must match, and what is left out. */
export interface Matching {
  readonly least: number;
  /** Only what claims to be verified. */
  readonly isVerifiedOnly: boolean;
  /** Only memories of these projects and of none. */
  readonly within: readonly string[];
  readonly except: ReadonlySet<string>;
  /** How many candidates are weighed. */
  readonly weighed: number;
}

/**
 * Whether a memory may match a question this well, by the index that was used last; true where that cannot be known. It costs a tenth
 * of opening the store, and it decides nothing: what it lets through is searched in the store.
 */
export function mayMatch(cache: string, disk: Disk, wordings: readonly ParsedQuery[], matching: Matching): boolean {
  const path = newestIndex(cache, disk);
  // A store that was never scanned has nothing to be found.
  if (path === undefined) return false;
  try {
    return withSqlite(path, 0, (db) => !hasOurSchema(db) || matchesIn(db, wordings, matching));
  } catch (error) {
    // Another process writes it, or it is damaged: the store's own search copes with either.
    if (isBeyondUse(error) || codeOf(error).startsWith('SQLITE_')) return true;
    throw error;
  }
}

function matchesIn(db: Sqlite, wordings: readonly ParsedQuery[], matching: Matching): boolean {
  const { least, isVerifiedOnly, within, except, weighed } = matching;
  // In one transaction: by itself each query would lock the file, check for changes and unlock it.
  const find = db.transaction(() =>
    new CandidateFinder(db).find(
      wordings,
      weighed,
      ({ project, stem, claim }) =>
        (project === null || within.includes(project)) &&
        !except.has(stem) &&
        (!isVerifiedOnly || claim === 'verified'),
    ),
  );
  return find().some(({ match }) => match >= least);
}
