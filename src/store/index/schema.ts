import { createHash } from 'node:crypto';
import { codeOf, isShortage } from '../disk/disk-errors.ts';
import { openSqlite, type Sqlite } from '../disk/sqlite.ts';

/** Raise it whenever a text would give other terms, another term vector or other traits, or be blocked in other words. */
const TERMS_VERSION = 5;

/** At most 4 MiB of log stay on the disk after a checkpoint, because SQLite gathers that much before the next one. */
export const LARGEST_LOG = 4 * 1024 * 1024;

/** At most 5 seconds of waiting for other processes when opening. */
export const WAIT_MS = 5_000;

const SCHEMA = [
  `CREATE TABLE files (
    rowid INTEGER PRIMARY KEY, place TEXT NOT NULL, stem TEXT NOT NULL,
    inode TEXT NOT NULL, size INTEGER NOT NULL, modified TEXT NOT NULL,
    id TEXT, claim TEXT, digest TEXT, saying TEXT, rules TEXT NOT NULL, blocked TEXT, held TEXT, anchored INTEGER NOT NULL,
    seal BLOB,
    UNIQUE (place, stem)
  )`,
  // Sealed; see parse-cache.ts.
  'CREATE TABLE readings (rowid INTEGER PRIMARY KEY, reading BLOB NOT NULL)',
  'CREATE INDEX files_by_saying ON files (saying)',
  // The sayings of short bodies in quarantine without their names: a proposal is refused under any name.
  'CREATE TABLE short_quarantined (rowid INTEGER PRIMARY KEY, body TEXT NOT NULL)',
  'CREATE INDEX short_quarantined_by_body ON short_quarantined (body)',
  // Core makes the terms, and the tokenizer only separates them. Word positions are in the term vectors.
  `CREATE VIRTUAL TABLE texts USING fts5(terms, content='', contentless_delete=1, detail=none, tokenize='ascii')`,
  // The words of hints, apart: they find memories and take no place from what is found by its own text.
  `CREATE VIRTUAL TABLE hints USING fts5(terms, content='', contentless_delete=1, detail=none, tokenize='ascii')`,
  'CREATE TABLE term_vectors (rowid INTEGER PRIMARY KEY, type TEXT NOT NULL, project TEXT, vector BLOB NOT NULL)',
  // Traits that memories of mostly equal words share; see minhash.ts.
  'CREATE TABLE traits (trait INTEGER NOT NULL, memory INTEGER NOT NULL, PRIMARY KEY (trait, memory)) WITHOUT ROWID',
  'CREATE TABLE terms (term TEXT PRIMARY KEY, backwards TEXT) WITHOUT ROWID',
  'CREATE INDEX terms_by_end ON terms (backwards) WHERE backwards IS NOT NULL',
  // `complete` is 1 once a full scan of the files is in the index.
  `CREATE TABLE totals (
    memories INTEGER NOT NULL, words INTEGER NOT NULL, hinted INTEGER NOT NULL, complete INTEGER NOT NULL
  )`,
  // At most one row: which rows up to `last` are alike in what is counted; see survey-columns.ts.
  'CREATE TABLE survey (last INTEGER NOT NULL, made_for TEXT NOT NULL, columns BLOB NOT NULL)',
  // Rows of the survey that were dropped since.
  'CREATE TABLE dropped (row INTEGER PRIMARY KEY)',
  // At most one row, sealed: what the last full look at the folders' names found; see names-record.ts.
  'CREATE TABLE names_record (record TEXT NOT NULL)',
] as const;

/** Names what decides an index's rows: indexes of one name can use each other's rows. */
export function formatOf(rules: string): string {
  const parts = JSON.stringify([SCHEMA, TERMS_VERSION, rules]);
  return createHash('sha256').update(parts).digest('hex').slice(0, 16);
}

/** Opens an index with exactly our schema, or makes a new one; throws where the schema differs. */
export function openIndex(path: string): Sqlite {
  const db = openSqlite(path, WAIT_MS);
  try {
    shareIt(db);
    db.pragma('synchronous = OFF');
    db.pragma(`journal_size_limit = ${LARGEST_LOG}`);
    // A sixteenth of the library's default, because the system caches the file's pages anyway.
    db.pragma('cache_size = -1000');
    // One transaction, because several servers may start at once.
    db.transaction(() => ensureSchema(db)).immediate();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Retries, because several servers may start at once with a new file, and SQLite's busy timeout does not apply to this
 * step.
 */
function shareIt(db: Sqlite): void {
  for (const until = process.uptime() + WAIT_MS / 1000; ; pause()) {
    try {
      db.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!codeOf(error).startsWith('SQLITE_BUSY') || process.uptime() > until) throw error;
    }
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
}

function ensureSchema(db: Sqlite): void {
  if (schemaOf(db).length === 0) {
    for (const sql of SCHEMA) db.exec(sql);
    db.exec('INSERT INTO totals VALUES (0, 0, 0, 0)');
    db.pragma(`user_version = ${TERMS_VERSION}`);
  } else if (!hasOurSchema(db)) {
    throw Object.assign(new Error('the index has another schema'), { code: 'OTHER_SCHEMA' });
  }
}

export function hasOurSchema(db: Sqlite): boolean {
  return schemaOf(db).join('\n') === SCHEMA.join('\n') && db.pragma('user_version', { simple: true }) === TERMS_VERSION;
}

/** Leaves out the tables FTS5 makes for itself, which are named after ours. */
function schemaOf(db: Sqlite): string[] {
  return db
    .prepare<[], string>(
      `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'texts!_%' ESCAPE '!'
       AND name NOT LIKE 'hints!_%' ESCAPE '!' ORDER BY rowid`,
    )
    .pluck()
    .all();
}

/** Whether SQLite found no room on the disk, for a row or for the file that processes share beside the database. */
export function isOutOfRoom(error: unknown): boolean {
  return /^SQLITE_(?:FULL|IOERR_SHMSIZE)/.test(codeOf(error));
}

/**
 * Whether a new index would help: not when others are busy with this one, the disk is full, this process may open no
 * more files, or the fault is ours. Rows that contradict each other are damage, because each write first removes the
 * file's old row.
 */
export function isBeyondUse(error: unknown): boolean {
  const code = codeOf(error);
  return (
    code !== '' &&
    !isShortage(error) &&
    !isOutOfRoom(error) &&
    !/^SQLITE_(?:BUSY|LOCKED|NOMEM|INTERRUPT|MISUSE|RANGE)/.test(code) &&
    /^(?:SQLITE_|E[A-Z]|OTHER_SCHEMA)/.test(code)
  );
}
