import type { Disk } from '../disk/disk.ts';
import { attempt, codeOf } from '../disk/disk-errors.ts';
import type { Sqlite } from '../disk/sqlite.ts';
import { Lookup } from './candidates.ts';
import { IndexFiles, inodeOf, sizeOfDatabase } from './index-files.ts';
import { Resemblance } from './near-duplicates.ts';
import { RowWriter } from './row-writer.ts';
import { prepareRows, type RowStatements } from './rows.ts';
import { isBeyondUse, openIndex } from './schema.ts';

/** An index that is open, with everything that was prepared for it. */
export interface Opened {
  readonly sqlite: Sqlite;
  readonly statements: RowStatements;
  readonly writer: RowWriter;
  readonly lookup: Lookup;
  readonly resemblance: Resemblance;
  readonly inode: bigint | undefined;
}

const openAtExit = new Set<OpenedIndex>();

/** Whoever closes an index last puts what is in its log into the database, and removes the log. */
function closeAll(): void {
  for (const opened of openAtExit)
    attempt(
      () => {},
      '',
      () => opened.forget(),
    );
}

/**
 * Which database is open: the file in the cache folder, another one that took its place, one made anew where that was of no
 * use, or one in memory where the disk does not let it have a file.
 */
export class OpenedIndex {
  readonly #files: IndexFiles;
  readonly #makeFolder: () => void;
  /** Says what happened to the index, which is then no surprise. */
  readonly complain: (line: string) => void;
  /** Undefined where it is kept in memory. */
  #path: string | undefined;
  #db: Opened | undefined;
  #openings = 0;
  /** Whether it was said why this index begins with nothing. */
  explained = false;

  constructor(cacheFolder: string, rules: string, disk: Disk, complain: (line: string) => void) {
    this.#makeFolder = () => disk.makeFolder(cacheFolder);
    this.#files = new IndexFiles(cacheFolder, rules, disk);
    this.complain = (line) => {
      this.explained = true;
      complain(line);
    };
    const otherwise = 'the cache folder cannot be made; this process keeps its search index in memory';
    attempt(this.complain, otherwise, () => {
      this.#makeFolder();
      this.#path = this.#files.current;
    });
  }

  /** One new start for an index that is damaged, foreign or gone; it costs a rebuild and loses nothing. */
  with<T>(work: (opened: Opened) => T): T {
    try {
      return work(this.#openOrElse());
    } catch (error) {
      if (!isBeyondUse(error)) throw error;
      this.forget();
      this.complain(`surety: the search index could not be used (${codeOf(error)}); it is made anew from the files`);
      return work(this.#anew());
    }
  }

  isStill(opened: Opened): boolean {
    return this.#db === opened;
  }

  /** Tells which opening this is; a look that began in another has not filled this one. */
  get opening(): number {
    this.with(() => undefined);
    return this.#openings;
  }

  /** How large it is on the disk; null where it is kept in memory. */
  get bytes(): number | null {
    return this.#path === undefined ? null : sizeOfDatabase(this.#path);
  }

  /** Another process may have thrown a damaged index away: what is open here would then be a file nobody else sees. */
  lookForAnother(): void {
    if (this.#path === undefined || this.#db === undefined) return;
    if (this.#files.isReplaced(this.#path)) {
      this.forget();
      this.#path = this.#files.current;
    } else if (this.#db.inode !== inodeOf(this.#path)) this.forget();
  }

  /**
   * Throws the index away, and those of other versions with it: deleted rows stay in the pages of a database. The next look
   * fills a new one, also where an old file could not be deleted; then it throws.
   */
  discard(): void {
    this.forget();
    if (this.#path === undefined) return;
    this.#path = this.#files.replace(this.#path);
    this.#files.removeAll();
  }

  forget(): void {
    openAtExit.delete(this);
    this.#db?.sqlite.close();
    this.#db = undefined;
  }

  /** On a full disk an index that is there still answers, and a new one has no room. */
  #openOrElse(): Opened {
    try {
      return this.#open();
    } catch (error) {
      if (this.#path === undefined || !codeOf(error).startsWith('SQLITE_FULL')) throw error;
      return this.#inMemory(error);
    }
  }

  #anew(): Opened {
    try {
      if (this.#path !== undefined) this.#path = this.#files.replace(this.#path);
      return this.#openOrElse();
    } catch (error) {
      if (!isBeyondUse(error)) throw error;
      return this.#inMemory(error);
    }
  }

  #inMemory(error: unknown): Opened {
    this.complain(`surety: the cache folder takes no index (${codeOf(error)}); this process keeps one in memory`);
    this.#path = undefined;
    return this.#open();
  }

  #open(): Opened {
    if (this.#db === undefined) {
      const path = this.#path;
      if (path !== undefined) {
        // A cache may be deleted whole, also while servers run.
        this.#makeFolder();
        // Only before the first look: what it begins with is as old as the other version's last one.
        if (this.#openings === 0) this.#files.takeOver(path);
      }
      const sqlite = openIndex(path ?? ':memory:');
      this.#openings += 1;
      const inode = path === undefined ? undefined : inodeOf(path);
      if (path !== undefined) this.#keep(path);
      const statements = prepareRows(sqlite);
      this.#db = {
        sqlite,
        statements,
        writer: new RowWriter(sqlite, statements),
        lookup: new Lookup(sqlite),
        resemblance: new Resemblance(sqlite),
        inode,
      };
    }
    return this.#db;
  }

  /** Says that this index is in use, has it closed when the process ends however it does, and clears away those that are not any more. */
  #keep(path: string): void {
    process.off('exit', closeAll).on('exit', closeAll);
    openAtExit.add(this);
    this.#files.touch(path);
    this.#files.removeUnused(path, Date.now());
  }
}
