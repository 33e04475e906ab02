import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type ClaudeMemRow, COLUMNS } from '../../core/import/claude-mem.ts';
import { LIMITS_OF_A_FILE } from '../../core/memory/document.ts';
import { Refusal } from '../../core/refusal.ts';
import type { Disk } from '../disk/disk.ts';
import { asDiskRefusal, codeOf } from '../disk/disk-errors.ts';
import { type Sqlite, withSqlite } from '../disk/sqlite.ts';

const MAGIC = 'SQLite format 3\0';
/** The tables, by what a row of each is called. */
const TABLES = { observation: 'observations', summary: 'session_summaries' } as const;
const SIDE_FILES = ['', '-wal', '-journal'];
/** At most 256 MiB, because the file is copied before it is read. */
const LARGEST = 256 * 1024 * 1024;
/** As for other sources: at most 100,000 memories and 64 MiB of text. */
const MOST_ROWS = 100_000;
const MOST_TEXT = 64 * 1024 * 1024;
const NOT_ITS = 'this database is not one of claude-mem';
/** At most 5 copies of a file that another program keeps writing to. */
const MOST_TRIES = 5;

export function isDatabase(disk: Disk, path: string): boolean {
  const start = disk.readStart(path, MAGIC.length);
  return start.kind === 'file' && start.bytes.toString('latin1') === MAGIC;
}

/**
 * Every observation and summary of a claude-mem database. SQLite opens a copy: even to read, it would write files beside
 * the database and could meet a writer.
 */
export function readClaudeMem(disk: Disk, path: string): ClaudeMemRow[] {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(tmpdir(), 'surety-import-'));
    const copy = join(folder, 'copy.db');
    copyUnchanged(disk, path, copy);
    return withSqlite(copy, 0, rowsIn);
  } catch (error) {
    const refusal = asDiskRefusal(error);
    // The library's errors may quote the file's schema, so they are not passed on.
    if (refusal !== error || !codeOf(error).startsWith('SQLITE_')) throw refusal;
    throw unread('it is damaged, or no database that Surety can read');
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
  }
}

/** Copies the database with what is not yet merged into it. Both must be the same before and after. */
function copyUnchanged(disk: Disk, path: string, copy: string): void {
  const look = () => SIDE_FILES.map((suffix) => disk.stamp(path + suffix));
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const before = look();
    for (const [i, suffix] of SIDE_FILES.entries()) {
      const stamp = before[i];
      if (stamp === undefined && disk.exists(path + suffix))
        throw unread('a file beside it is a link or no regular file');
      if ((stamp?.size ?? 0) > LARGEST) throw unread('it is larger than 256 MiB');
      rmSync(copy + suffix, { force: true });
      if (stamp !== undefined) copyFile(disk, path + suffix, copy + suffix);
    }
    if (isDeepStrictEqual(look(), before)) return;
  }
  throw unread('it is being written to; end what uses it and try again');
}

function copyFile(disk: Disk, from: string, to: string): void {
  const fd = openSync(to, 'wx', 0o600);
  try {
    let left = LARGEST;
    for (const portion of disk.readPortions(from, 0)) {
      if (portion === undefined) throw unread('it cannot be read; check its permissions');
      left -= portion.length;
      // A file that grows meanwhile is copied again.
      if (left < 0) return;
      writeSync(fd, portion);
    }
  } finally {
    closeSync(fd);
  }
}

function rowsIn(db: Sqlite): ClaudeMemRow[] {
  const rows = [...rowsOf(db, 'observation'), ...rowsOf(db, 'summary')];
  if (rows.length > MOST_ROWS) throw unread(`it holds more than ${MOST_ROWS} memories`);
  return rows;
}

function* rowsOf(db: Sqlite, table: ClaudeMemRow['table']): Generator<ClaudeMemRow> {
  const name = TABLES[table];
  // A view, a virtual table or a computed column could run for ever, or make gigabytes of nothing. The pragma table_list would
  // look into every view of the file.
  const kinds = db.prepare('SELECT "sql" FROM main.sqlite_schema WHERE "name" = ?').pluck().all(name);
  if (kinds.length !== 1 || !/^CREATE TABLE\b/i.test(String(kinds[0]))) throw unread(NOT_ITS);
  const columns = db.pragma(`main.table_xinfo('${name}')`) as { name: string; hidden: number }[];
  const has = (column: string) => columns.some(({ name: each, hidden }) => each === column && hidden === 0);
  if (!['id', 'project'].every(has)) throw unread(NOT_ITS);
  const texts = COLUMNS[table].filter(has);
  const bytes = texts.map((column) => `coalesce(octet_length("${column}"), 0)`).join(' + ');
  const read = texts.map((column) => `iif(${bytes} <= ${LIMITS_OF_A_FILE.bytes}, "${column}", NULL) AS "${column}"`);
  const made = has('created_at_epoch') ? numberIn('created_at_epoch') : '0';
  const select = `SELECT ${numberIn('id')} AS id, ${made} AS made, ${bytes} AS bytes, ${read.join(', ')} FROM main."${name}" NOT INDEXED LIMIT ${MOST_ROWS + 1}`;
  let total = 0;
  for (const row of db.prepare(select).iterate() as Iterable<Record<string, unknown>>) {
    const size = Number(row.bytes);
    const isTooLarge = size > LIMITS_OF_A_FILE.bytes;
    total += isTooLarge ? 0 : size;
    if (total > MOST_TEXT) throw unread('it holds more than 64 MiB of text');
    yield { table, id: Number(row.id), isTooLarge, made: Number(row.made), texts: new Map(textsIn(row, texts)) };
  }
}

/** A text or a blob in the place of a number could be as large as the file, in every row. */
function numberIn(column: string): string {
  return `iif(typeof("${column}") IN ('integer', 'real'), "${column}", 0)`;
}

function* textsIn(row: Record<string, unknown>, columns: readonly string[]): Generator<[string, string]> {
  for (const column of columns) {
    const value = row[column];
    if (typeof value === 'string' && value.trim() !== '') yield [column, value];
  }
}

/** Why nothing can be taken from what a person named. */
export function unread(why: string): Refusal {
  return new Refusal('unreadable-file', `Nothing was imported: ${why}.`);
}
