import type { Disk } from '../disk/disk.ts';
import { attempt, codeOf } from '../disk/disk-errors.ts';
import type { Sqlite } from '../disk/sqlite.ts';
import { CandidateFinder } from './candidates.ts';
import { IndexFiles, inodeOf, sizeOfDatabase } from './index-files.ts';
import { NearDuplicateFinder } from './near-duplicates.ts';
import { RowWriter } from './row-writer.ts';
import { prepareRows, type RowStatements } from './rows.ts';
import { isBeyondUse, isOutOfRoom, openIndex } from './schema.ts';

/** An open index with its prepared statements. */
export interface IndexConnection {
  readonly sqlite: Sqlite;
  readonly statements: RowStatements;
  readonly writer: RowWriter;
  readonly candidates: CandidateFinder;
  readonly duplicates: NearDuplicateFinder;
  readonly inode: bigint | undefined;
}

const openAtExit = new Set<OpenedIndex>();

/** The last process to close an index checkpoints its log and removes it. */
function closeAll(): void {
  for (const opened of openAtExit)
    attempt(
      () => {},
      '',
      () => opened.forget(),
    );
}

/**
 * Which database is open: the file in the cache folder, its replacement, or one in memory where the disk allows no
 * file.
 */
export class OpenedIndex {
  readonly #files: IndexFiles;
  readonly #makeFolder: () => void;
  /** Reports what happened to the index. */
  readonly complain: (line: string) => void;
  /** Undefined where the index is in memory. */
  #path: string | undefined;
  #db: IndexConnection | undefined;
  #openings = 0;
  /** Whether the reason for an empty index was reported. */
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

  /** Starts over once with a damaged, foreign or missing index; that costs a rebuild and loses nothing. */
  with<T>(work: (opened: IndexConnection) => T): T {
    try {
      return work(this.#openOrElse());
    } catch (error) {
      if (!isBeyondUse(error)) throw error;
      this.forget();
      this.complain(`surety: the search index could not be used (${codeOf(error)}); it is built again from the files`);
      return work(this.#rebuild());
    }
  }

  isStill(opened: IndexConnection): boolean {
    return this.#db === opened;
  }

  /** The number of this opening: a scan that began in an earlier one has not filled this index. */
  get opening(): number {
    this.with(() => undefined);
    return this.#openings;
  }

  /** Its size on the disk; null where it is in memory. */
  get bytes(): number | null {
    return this.#path === undefined ? null : sizeOfDatabase(this.#path);
  }

  /** Another process may have deleted a damaged index: this one would then use a file nobody else sees. */
  lookForAnother(): void {
    if (this.#path === undefined || this.#db === undefined) return;
    if (this.#files.isReplaced(this.#path)) {
      this.forget();
      this.#path = this.#files.current;
    } else if (this.#db.inode !== inodeOf(this.#path)) this.forget();
  }

  /**
   * Deletes the indexes of all versions, because deleted rows stay in a database's pages. The next scan fills a new
   * one, even where an old file could not be deleted; then this throws.
   */
  discard(): void {
    this.forget();
    // The command that discards it says so.
    this.explained = true;
    if (this.#path === undefined) return;
    this.#path = this.#files.replace(this.#path);
    this.#files.removeAll();
  }

  forget(): void {
    openAtExit.delete(this);
    this.#db?.sqlite.close();
    this.#db = undefined;
  }

  moveIntoMemory(error: unknown): void {
    this.forget();
    this.#inMemory(error);
  }

  /** On a full disk an existing index still answers, but a new one has no room. */
  #openOrElse(): IndexConnection {
    try {
      return this.#open();
    } catch (error) {
      const isFull = isOutOfRoom(error) || (codeOf(error) === 'SQLITE_CANTOPEN' && this.#files.takesNoFile());
      if (this.#path === undefined || !isFull) throw error;
      return this.#inMemory(error);
    }
  }

  #rebuild(): IndexConnection {
    try {
      if (this.#path !== undefined) this.#path = this.#files.replace(this.#path);
      return this.#openOrElse();
    } catch (error) {
      if (!isBeyondUse(error)) throw error;
      return this.#inMemory(error);
    }
  }

  #inMemory(error: unknown): IndexConnection {
    this.complain(`surety: the cache folder takes no index (${codeOf(error)}); this process keeps one in memory`);
    this.#path = undefined;
    return this.#open();
  }

  #open(): IndexConnection {
    if (this.#db === undefined) {
      const path = this.#path;
      if (path !== undefined) {
        // The whole cache may be deleted, also while servers run.
        this.#makeFolder();
        // Only before the first scan: the copied rows are as old as the other version's last scan.
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
        candidates: new CandidateFinder(sqlite),
        duplicates: new NearDuplicateFinder(sqlite),
        inode,
      };
    }
    return this.#db;
  }

  /** Marks this index as used, closes it at exit and deletes unused ones. */
  #keep(path: string): void {
    process.off('exit', closeAll).on('exit', closeAll);
    openAtExit.add(this);
    this.#files.touch(path);
    this.#files.removeUnused(path, Date.now());
  }
}
