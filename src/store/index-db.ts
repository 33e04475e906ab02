import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../core/standing.ts';
import type { Tier } from '../core/tiers.ts';
import { codeOf, type Disk, type Stamp } from './disk.ts';
import { openSqlite, type Sqlite } from './sqlite.ts';

/** What the index knows of a file: where it is, when it was read, and what it said then. Facts, never a verdict. */
export interface Row {
  readonly place: Place;
  readonly stem: string;
  readonly stamp: Stamp;
  readonly id: string | null;
  readonly claim: Tier | null;
  readonly digest: string | null;
  readonly saying: string | null;
  /** The rules under which it was last looked at. */
  readonly rules: string;
}

const SCHEMA = [
  `CREATE TABLE files (
    place TEXT NOT NULL, stem TEXT NOT NULL,
    inode TEXT NOT NULL, size INTEGER NOT NULL, modified TEXT NOT NULL,
    id TEXT, claim TEXT, digest TEXT, saying TEXT, rules TEXT NOT NULL,
    PRIMARY KEY (place, stem)
  ) WITHOUT ROWID`,
  'CREATE INDEX files_by_saying ON files (saying)',
] as const;

interface Stored extends Omit<Row, 'stamp'> {
  readonly inode: string;
  readonly size: number;
  readonly modified: string;
}

/**
 * Derived from the files, shared by all processes of this machine, and worth nothing by itself: it may be deleted at any
 * time, and whatever it finds is read from its file again before anyone sees it.
 */
export class IndexDb {
  readonly #path: string;
  #db: Sqlite | undefined;

  constructor(cacheFolder: string, disk: Disk) {
    disk.makeFolder(cacheFolder);
    this.#path = join(cacheFolder, 'index.db');
  }

  get(place: Place, stem: string): Row | undefined {
    return this.#with((db) => {
      const stored = db
        .prepare<[string, string], Stored>('SELECT * FROM files WHERE place = ? AND stem = ?')
        .get(place, stem);
      return stored && rowOf(stored);
    });
  }

  put(rows: readonly Row[]): void {
    this.#with((db) => {
      const insert = db.prepare(
        'INSERT OR REPLACE INTO files VALUES (@place, @stem, @inode, @size, @modified, @id, @claim, @digest, @saying, @rules)',
      );
      db.transaction(() => {
        for (const { stamp, ...row } of rows) {
          insert.run({ ...row, inode: String(stamp.inode), size: stamp.size, modified: String(stamp.modified) });
        }
      }).immediate();
    });
  }

  drop(place: Place, stem: string): void {
    this.#with((db) => db.prepare('DELETE FROM files WHERE place = ? AND stem = ?').run(place, stem));
  }

  stems(place: Place): string[] {
    return this.#with((db) =>
      db.prepare<[string], string>('SELECT stem FROM files WHERE place = ? ORDER BY stem').pluck().all(place),
    );
  }

  /** Files that say the same, spacing and case aside. */
  saying(saying: string): Row[] {
    return this.#with((db) =>
      db.prepare<[string], Stored>('SELECT * FROM files WHERE saying = ? ORDER BY place, stem').all(saying),
    ).map(rowOf);
  }

  close(): void {
    this.#db?.close();
    this.#db = undefined;
  }

  /** One new start for an index that is damaged, foreign or gone; it costs a rebuild and loses nothing. */
  #with<T>(work: (db: Sqlite) => T): T {
    try {
      return work(this.#open());
    } catch (error) {
      if (codeOf(error).startsWith('SQLITE_BUSY')) throw error;
      this.close();
      for (const suffix of ['', '-wal', '-shm']) rmSync(this.#path + suffix, { force: true });
      return work(this.#open());
    }
  }

  #open(): Sqlite {
    if (this.#db === undefined) {
      const db = openSqlite(this.#path, 5000);
      try {
        db.pragma('journal_mode = WAL');
        db.pragma('synchronous = OFF');
        // Several servers start at once: looking and creating must be one step.
        db.transaction(() => ensureSchema(db)).immediate();
      } catch (error) {
        db.close();
        throw error;
      }
      this.#db = db;
    }
    return this.#db;
  }
}

function ensureSchema(db: Sqlite): void {
  const found = db
    .prepare<[], string>('SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid')
    .pluck()
    .all();
  if (found.length === 0) for (const sql of SCHEMA) db.exec(sql);
  else if (found.join('\n') !== SCHEMA.join('\n')) throw new Error('the index has another schema');
}

function rowOf({ inode, size, modified, ...row }: Stored): Row {
  return { ...row, stamp: { inode: BigInt(inode), size, modified: BigInt(modified) } };
}
