import { chmodSync, closeSync, constants, lstatSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';

export type Sqlite = Database.Database;
export type Statement = Database.Statement;

/**
 * Opens a database of our own. `trusted_schema` is off because a planted file could carry triggers and views; nothing in
 * it is ever believed, and what does not look exactly like ours is thrown away by its owner.
 */
export function openSqlite(path: string, busyTimeout: number): Sqlite {
  for (const suffix of ['', '-wal', '-shm', '-journal']) refuseLink(path + suffix);
  makeOurs(path);
  const db = opened(path, busyTimeout);
  db.pragma('trusted_schema = OFF');
  return db;
}

/** A folder that is missing, or goes away at this very moment, is said as the system says it; the library has no code for it. */
function opened(path: string, busyTimeout: number): Sqlite {
  try {
    return new Database(path, { timeout: busyTimeout });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw Object.assign(new Error('the folder of the database is missing', { cause: error }), { code: 'ENOENT' });
  }
}

/**
 * The files SQLite makes beside a database have its mode; a database that it makes itself could be read by everybody. One
 * that is there is not opened for it: closing it again would free the locks this process has on it.
 */
function makeOurs(path: string): void {
  if (path === ':memory:') return;
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  try {
    const there = lstatSync(path, { throwIfNoEntry: false });
    if (there === undefined) closeSync(openSync(path, O_WRONLY | O_CREAT | O_EXCL, 0o600));
    else if ((there.mode & 0o077) !== 0) chmodSync(path, 0o600);
  } catch {
    // Whether it can be used is told by whoever opens it.
  }
}

/** SQLite follows links; a planted one would have it write into somebody else's file. */
function refuseLink(path: string): void {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry !== undefined && (!entry.isFile() || entry.nlink > 1)) {
    throw Object.assign(new Error('not an ordinary file of one link'), { code: 'EMLINK' });
  }
}
