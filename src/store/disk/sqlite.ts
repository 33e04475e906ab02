import { chmodSync, closeSync, constants, lstatSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { codeOf, isShortage } from './disk-errors.ts';

export type Sqlite = Database.Database;
export type SqlStatement = Database.Statement;

/**
 * Opens one of our databases. `trusted_schema` is off because a planted file could carry triggers and views. Callers
 * trust nothing in the file and delete a database whose schema is not exactly ours.
 */
export function openSqlite(path: string, busyTimeout: number): Sqlite {
  for (const suffix of ['', '-wal', '-shm', '-journal']) refuseLink(path + suffix);
  makeOurs(path);
  const db = opened(path, busyTimeout);
  db.pragma('trusted_schema = OFF');
  return db;
}

/** Opens one of our databases for as long as `work` runs. */
export function withSqlite<T>(path: string, busyTimeout: number, work: (db: Sqlite) => T): T {
  const db = openSqlite(path, busyTimeout);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** Begins a transaction that keeps other writers out until the database is closed; false if another one has begun. */
export function beginsToWrite(db: Sqlite): boolean {
  try {
    db.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (codeOf(error).startsWith('SQLITE_BUSY')) return false;
    throw error;
  }
}

/** Reports a missing folder with the system's error code, because the library gives none. */
function opened(path: string, busyTimeout: number): Sqlite {
  try {
    return new Database(path, { timeout: busyTimeout });
  } catch (error) {
    // SQLite does not say why it could not open a file.
    if (isShortage(error))
      throw Object.assign(new Error('no more files can be opened', { cause: error }), { code: 'EMFILE' });
    if (!(error instanceof TypeError)) throw error;
    throw Object.assign(new Error('the folder of the database is missing', { cause: error }), { code: 'ENOENT' });
  }
}

/**
 * Creates the file with our mode, because SQLite would let everybody read it; its side files copy that mode. An
 * existing file is not opened: closing it would free this process's locks on it.
 */
function makeOurs(path: string): void {
  if (path === ':memory:') return;
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  try {
    const there = lstatSync(path, { throwIfNoEntry: false });
    if (there === undefined) closeSync(openSync(path, O_WRONLY | O_CREAT | O_EXCL, 0o600));
    else if ((there.mode & 0o077) !== 0) chmodSync(path, 0o600);
  } catch {
    // The caller that opens the database reports the failure.
  }
}

/** SQLite follows links; a planted link would make it write into somebody else's file. */
function refuseLink(path: string): void {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry !== undefined && (!entry.isFile() || entry.nlink > 1)) {
    throw Object.assign(new Error('not an ordinary file of one link'), { code: 'EMLINK' });
  }
}
