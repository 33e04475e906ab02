import { closeSync, copyFileSync, constants as fsConstants, lstatSync, openSync, rmSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DAY_MS } from '../../core/trust/clocks.ts';
import { type Disk, HELD_OPEN } from '../disk/disk.ts';
import { codeOf } from '../disk/disk-errors.ts';
import { randomHex } from '../disk/random.ts';
import { withSqlite } from '../disk/sqlite.ts';
import { formatOf, hasOurSchema } from './schema.ts';

/** The files SQLite keeps beside an open database. */
const BESIDE = ['-wal', '-shm', '-journal'];
/** The oldest versions named theirs index.db. */
const INDEX = /^index(?:-[0-9a-f]{16}(?:-[1-9][0-9]{0,5})?)?\.db$/;
/** Beside each index: whether a process fills it, see scan-once.ts. */
const LOOK = /^look-[0-9a-f]{16}\.db$/;
/** An index that no process has opened or written for this long is deleted. */
const UNUSED_MS = 30 * DAY_MS;
/** A copy left by a killed process is deleted after this long. */
const ABANDONED_MS = 3_600_000;

/**
 * The index files in a cache folder. Each is named after what decides its rows: the schema, how texts become terms, and
 * the rules. So two versions side by side have separate files, and neither deletes or rewrites the other's.
 */
export class IndexFiles {
  readonly #folder: string;
  readonly #name: string;
  readonly #disk: Disk;

  constructor(folder: string, rules: string, disk: Disk) {
    this.#folder = folder;
    this.#name = `index-${formatOf(rules)}`;
    this.#disk = disk;
  }

  /** The file to open. Where one could not be deleted, its replacements are numbered; the highest number counts. */
  get current(): string {
    const numbered = this.#disk.names(this.#folder).flatMap((name) => this.#numberOf(name) ?? []);
    return this.#path(Math.max(1, ...numbered));
  }

  /** Whether the disk takes no further file. SQLite then says of a sound index only that it cannot be opened. */
  takesNoFile(): boolean {
    const path = join(this.#folder, `.tmp-${randomHex(8)}`);
    try {
      closeSync(openSync(path, 'wx', 0o600));
      rmSync(path, { force: true });
      return false;
    } catch (error) {
      return ['ENOSPC', 'EDQUOT'].includes(codeOf(error));
    }
  }

  /** Whether another process could not delete this file and began one with the next number. */
  isReplaced(path: string): boolean {
    return inodeOf(this.#after(path)) !== -1n;
  }

  /** Deletes a useless index. Returns the name to use next: the next number, where somebody keeps the file open. */
  replace(path: string): string {
    try {
      this.#remove(path);
      return path;
    } catch (error) {
      if (!HELD_OPEN.includes(codeOf(error))) throw error;
      return this.#after(path);
    }
  }

  /** Deletes all versions' indexes and copies of one that a killed process left, or throws the first error. */
  removeAll(): void {
    const failures: unknown[] = [];
    for (const name of this.#disk.names(this.#folder).filter((each) => INDEX.test(each) || isCopy(each))) {
      try {
        this.#remove(join(this.#folder, name));
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Sets the file's time, which shows others that it is in use. */
  touch(path: string): void {
    try {
      const now = new Date();
      utimesSync(path, now, now);
    } catch {
      // Another process has just deleted it, or the disk cannot be written.
    }
  }

  /**
   * Fills a new index with the rows of another version that has an equal schema. They are searchable at once, and each
   * is rewritten after its file is read under the current rules. Otherwise searches would be incomplete for minutes.
   */
  takeOver(path: string): void {
    if (inodeOf(path) !== -1n) return;
    const newest = newestIndex(this.#folder, this.#disk);
    // Another process may have made this one meanwhile.
    if (newest === undefined || newest === path) return;
    const copy = `${path}.new`;
    try {
      this.#removeFile(copy);
      if (copyOf(newest, copy)) this.#disk.renameCache(copy, path);
    } catch {
      // Without a copy, the index is filled from the files.
      this.#disk.discard(copy);
    }
  }

  /** Deletes indexes unused for a month, never one that is open. Nothing here may fail. */
  removeUnused(path: string, now: number): void {
    for (const name of this.#disk.names(this.#folder)) {
      const file = join(this.#folder, name);
      try {
        if (isCopy(name)) {
          if (now - lastUseOf(file) > ABANDONED_MS) this.#removeFile(file);
        } else if (
          (INDEX.test(name) || LOOK.test(name)) &&
          file !== path &&
          now - lastUseOf(file) > UNUSED_MS &&
          !isOpenElsewhere(file)
        ) {
          this.#remove(file);
        }
      } catch {
        // The next process that opens its index tries again.
      }
    }
  }

  #numberOf(name: string): number | undefined {
    if (name === `${this.#name}.db`) return 1;
    if (!INDEX.test(name) || !name.startsWith(`${this.#name}-`)) return undefined;
    return Number(name.slice(this.#name.length + 1, -'.db'.length));
  }

  #path(number: number): string {
    return join(this.#folder, number === 1 ? `${this.#name}.db` : `${this.#name}-${number}.db`);
  }

  #after(path: string): string {
    return this.#path((this.#numberOf(basename(path)) ?? 1) + 1);
  }

  #remove(path: string): void {
    for (const suffix of ['', ...BESIDE]) this.#removeFile(path + suffix);
  }

  #removeFile(path: string): void {
    try {
      this.#disk.removeCache(path);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
}

function isCopy(name: string): boolean {
  return name.startsWith('index-') && name.endsWith('.db.new');
}

/** The index that was used last, of whatever version; undefined where there is none. */
export function newestIndex(folder: string, disk: Disk): string | undefined {
  const paths = disk.names(folder).flatMap((name) => (INDEX.test(name) ? [join(folder, name)] : []));
  return paths.sort((a, b) => lastUseOf(b) - lastUseOf(a))[0];
}

/** Distinguishes a file from its replacement; -1 where there is none. */
export function inodeOf(path: string): bigint {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? -1n;
}

/** Without the -shm file, which exists only while processes run. */
export function sizeOfDatabase(path: string): number {
  const sizeOf = (file: string) => lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return sizeOf(path) + sizeOf(`${path}-wal`);
}

function lastUseOf(path: string): number {
  return Math.max(...['', '-wal'].map((suffix) => lstatSync(path + suffix, { throwIfNoEntry: false })?.mtimeMs ?? 0));
}

/** Copies a whole database of our schema; false where the schema differs, or somebody is reading or writing it. */
function copyOf(from: string, to: string): boolean {
  return withSqlite(from, 0, (db) => {
    if (!hasOurSchema(db)) return false;
    const [checkpoint] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    if (checkpoint?.busy !== 0) return false;
    // Nobody writes during this transaction, so the file alone is the whole database.
    db.exec('BEGIN IMMEDIATE');
    copyFileSync(from, to, fsConstants.COPYFILE_EXCL | fsConstants.COPYFILE_FICLONE);
    return true;
  });
}

/** Whether a process has the database open: leaving the shared write-ahead log needs exclusive access. */
function isOpenElsewhere(path: string): boolean {
  try {
    withSqlite(path, 0, (db) => db.pragma('journal_mode = DELETE'));
    return false;
  } catch (error) {
    // A file that is no database is useful to nobody.
    return !/^SQLITE_(?:NOTADB|CORRUPT)/.test(codeOf(error));
  }
}
