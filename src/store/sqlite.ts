import Database from 'better-sqlite3';

export type Sqlite = Database.Database;

/**
 * Opens a database of our own. `trusted_schema` is off because a planted file could carry triggers and views; nothing in
 * it is ever believed, and what does not look exactly like ours is thrown away by its owner.
 */
export function openSqlite(path: string, busyTimeout: number): Sqlite {
  const db = new Database(path, { timeout: busyTimeout });
  db.pragma('trusted_schema = OFF');
  return db;
}
