import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../core/standing.ts';
import type { Tier } from '../core/tiers.ts';
import type { Disk, Stamp } from './disk.ts';
import { codeOf } from './failures.ts';
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
  /** What a search looks through, already fit to be seen; null for what is never found. */
  readonly text: Searchable | null;
}

export interface Searchable {
  readonly name: string;
  readonly description: string;
  readonly tags: string;
  readonly body: string;
}

const SCHEMA = [
  `CREATE TABLE files (
    rowid INTEGER PRIMARY KEY, place TEXT NOT NULL, stem TEXT NOT NULL,
    inode TEXT NOT NULL, size INTEGER NOT NULL, modified TEXT NOT NULL,
    id TEXT, claim TEXT, digest TEXT, saying TEXT, rules TEXT NOT NULL,
    UNIQUE (place, stem)
  )`,
  'CREATE INDEX files_by_saying ON files (saying)',
  `CREATE VIRTUAL TABLE texts USING fts5(name, description, tags, body,
    content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2')`,
] as const;

interface Stored extends Omit<Row, 'stamp' | 'text'> {
  readonly rowid: number;
  readonly inode: string;
  readonly size: number;
  readonly modified: string;
}

/** Prepared once for each opening of the database: preparing costs more than most of them take. */
type Statements = ReturnType<typeof prepare>;

interface Opened {
  readonly sqlite: Sqlite;
  readonly statements: Statements;
}

/** A row as it comes back: the text is only ever written. */
export type Known = Omit<Row, 'text'>;

/**
 * Derived from the files, shared by all processes of this machine, and worth nothing by itself: it may be deleted at any
 * time, and whatever it finds is read from its file again before anyone sees it.
 */
export class IndexDb {
  readonly #path: string;
  #db: Opened | undefined;

  constructor(cacheFolder: string, disk: Disk) {
    disk.makeFolder(cacheFolder);
    this.#path = join(cacheFolder, 'index.db');
  }

  get(place: Place, stem: string): Known | undefined {
    const stored = this.#with(({ one }) => one.get(place, stem));
    return stored && knownOf(stored);
  }

  put(rows: readonly Row[]): void {
    if (rows.length === 0) return;
    this.#with((on, db) => {
      db.transaction(() => {
        for (const { stamp, text, ...row } of rows) {
          drop(on, row.place, row.stem);
          const values = { ...row, inode: String(stamp.inode), size: stamp.size, modified: String(stamp.modified) };
          const { lastInsertRowid } = on.insert.run(values);
          if (text) on.say.run(lastInsertRowid, text.name, text.description, text.tags, text.body);
        }
      }).immediate();
    });
  }

  drop(place: Place, stem: string): void {
    this.#with((on, db) => db.transaction(() => drop(on, place, stem)).immediate());
  }

  /** Everything known of a place, by stem. */
  all(place: Place): Known[] {
    return this.#with(({ all }) => all.all(place)).map(knownOf);
  }

  /** Files that say the same, spacing and case aside. */
  saying(saying: string): Known[] {
    return this.#with(({ bySaying }) => bySaying.all(saying)).map(knownOf);
  }

  /** Files with any of these words, best first. Each word is quoted, so nothing in it can be an operator. */
  matching(words: readonly string[], limit: number): Known[] {
    if (words.length === 0) return [];
    const query = words.map((word) => `"${word.replaceAll('"', '""')}"*`).join(' OR ');
    return this.#with(({ matching }) => matching.all(query, limit)).map(knownOf);
  }

  close(): void {
    this.#db?.sqlite.close();
    this.#db = undefined;
  }

  /** One new start for an index that is damaged, foreign or gone; it costs a rebuild and loses nothing. */
  #with<T>(work: (statements: Statements, db: Sqlite) => T): T {
    try {
      const { statements, sqlite } = this.#open();
      return work(statements, sqlite);
    } catch (error) {
      if (codeOf(error).startsWith('SQLITE_BUSY')) throw error;
      this.close();
      for (const suffix of ['', '-wal', '-shm']) rmSync(this.#path + suffix, { force: true });
      const { statements, sqlite } = this.#open();
      return work(statements, sqlite);
    }
  }

  #open(): Opened {
    if (this.#db === undefined) {
      const db = openSqlite(this.#path, 5000);
      try {
        db.pragma('journal_mode = WAL');
        db.pragma('synchronous = OFF');
        // Several servers start at once: looking and creating must be one step.
        db.transaction(() => ensureSchema(db)).immediate();
        this.#db = { sqlite: db, statements: prepare(db) };
      } catch (error) {
        db.close();
        throw error;
      }
    }
    return this.#db;
  }
}

function prepare(db: Sqlite) {
  return {
    one: db.prepare<[string, string], Stored>('SELECT * FROM files WHERE place = ? AND stem = ?'),
    all: db.prepare<[string], Stored>('SELECT * FROM files WHERE place = ? ORDER BY stem'),
    bySaying: db.prepare<[string], Stored>('SELECT * FROM files WHERE saying = ? ORDER BY place, stem'),
    matching: db.prepare<[string, number], Stored>(
      `SELECT files.* FROM texts JOIN files ON files.rowid = texts.rowid
       WHERE texts MATCH ? ORDER BY bm25(texts, 5.0, 3.0, 3.0, 1.0), stem LIMIT ?`,
    ),
    insert: db.prepare(
      `INSERT INTO files (place, stem, inode, size, modified, id, claim, digest, saying, rules)
       VALUES (@place, @stem, @inode, @size, @modified, @id, @claim, @digest, @saying, @rules)`,
    ),
    say: db.prepare('INSERT INTO texts (rowid, name, description, tags, body) VALUES (?, ?, ?, ?, ?)'),
    unsay: db.prepare('DELETE FROM texts WHERE rowid = ?'),
    remove: db.prepare('DELETE FROM files WHERE rowid = ?'),
  };
}

function drop({ one, unsay, remove }: Statements, place: Place, stem: string): void {
  const found = one.get(place, stem);
  if (found === undefined) return;
  unsay.run(found.rowid);
  remove.run(found.rowid);
}

function ensureSchema(db: Sqlite): void {
  // The tables FTS5 makes for itself are named after ours.
  const found = db
    .prepare<[], string>(
      `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'texts!_%' ESCAPE '!' ORDER BY rowid`,
    )
    .pluck()
    .all();
  if (found.length === 0) for (const sql of SCHEMA) db.exec(sql);
  else if (found.join('\n') !== SCHEMA.join('\n')) throw new Error('the index has another schema');
}

function knownOf({ rowid: _, inode, size, modified, ...row }: Stored): Known {
  return { ...row, stamp: { inode: BigInt(inode), size, modified: BigInt(modified) } };
}
