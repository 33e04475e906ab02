import type { Place } from '../../core/ledger/standing.ts';
import { eachOnce } from '../../core/once.ts';
import type { Fields } from '../../core/search/term-vector.ts';
import type { Tier } from '../../core/trust/tiers.ts';
import type { Stamp } from '../disk/disk.ts';
import type { Sqlite } from '../disk/sqlite.ts';

/** What the index knows of a file: its place, when it was read and what it said. Facts, never a verdict. */
export interface IndexedFacts {
  readonly place: Place;
  readonly stem: string;
  readonly stamp: Stamp;
  readonly id: string | null;
  readonly claim: Tier | null;
  readonly digest: string | null;
  readonly saying: string | null;
  /** The rules under which it was last checked. */
  readonly rules: string;
  /** The rules that block it, by name; null where none does. */
  readonly blocked: string | null;
  /** The rules that hold it back until a person has looked at it, by name; null where none does. */
  readonly held: string | null;
  /** 1 where the memory names places in a project's files. */
  readonly anchored: 0 | 1;
}

/** A row as read; the columns of `IndexRow` are only written, or read by themselves. */
export interface SealedFacts extends IndexedFacts {
  /** Proves that this machine wrote these facts (parse-cache.ts); without it they do not count. */
  readonly seal: Buffer | null;
}

/** A row as written. */
export interface IndexRow extends SealedFacts {
  /** The sealed parse result; null where the file must be parsed again. */
  readonly reading: Buffer | null;
  /** Of a short body in quarantine, what it says without its name (`shortSayingOf`). */
  readonly shortQuarantined?: string | null;
  /** The searchable text, already sanitized; null for what is never found. */
  readonly text: Searchable | null;
}

/** Type and project narrow a search; the file decides both. */
export interface Searchable extends Fields {
  readonly type: string;
  readonly project: string | null;
}

/** What a search needs of every row it may load. */
export interface SearchEntry extends Pick<IndexRow, 'place' | 'stem' | 'claim'> {
  readonly rowid: number;
  /** In milliseconds. */
  readonly modified: number;
}

/** What a scan over all rows of a place needs to choose the few to read, and no more: it reads every row of the store. */
export interface ScopedRow extends Omit<IndexedFacts, 'stamp' | 'place' | 'rules'> {
  readonly rowid: number;
  readonly project: string | null;
}

/** What is needed of a row to load its file, or to say why not. */
export interface CandidateRow extends Pick<ScopedRow, 'rowid' | 'stem' | 'digest' | 'held'> {
  readonly id: string;
}

/** A survey as it was kept: of the rows up to `last`. */
export interface StoredSurvey {
  readonly last: number;
  readonly madeFor: string;
  readonly columns: Buffer;
}

interface StoredRow extends Omit<SealedFacts, 'stamp'> {
  readonly rowid: number;
  readonly inode: string;
  readonly size: number;
  readonly modified: string;
}

/**
 * Prepared once per opening, because preparing takes longer than running most of them, and each at its first use, because a hook
 * needs a few of them.
 */
export type RowStatements = ReturnType<typeof prepareRows>;

export function prepareRows(db: Sqlite) {
  return eachOnce({
    one: () => db.prepare<[string, string], StoredRow>('SELECT * FROM files WHERE place = ? AND stem = ?'),
    at: () => db.prepare<[number], StoredRow>('SELECT * FROM files WHERE rowid = ?'),
    entries: () =>
      db.prepare<[string], SearchEntry>(
        `SELECT rowid, place, stem, claim, CAST(modified AS INTEGER) / 1000000 AS modified
       FROM files WHERE rowid IN (SELECT value FROM json_each(?)) AND id IS NOT NULL`,
      ),
    stems: () => db.prepare<[string], string>('SELECT stem FROM files WHERE place = ?').pluck(),
    // The plus keeps SQLite from using the index on places: reading rows in stored order is three times as fast.
    scoped: () =>
      db.prepare<[number, string, number], ScopedRow>(
        `SELECT files.rowid, stem, id, claim, digest, saying, blocked, held, anchored, project
       FROM files LEFT JOIN term_vectors USING (rowid)
       WHERE files.rowid < ? AND +place = ? ORDER BY files.rowid DESC LIMIT ?`,
      ),
    scopedAt: () =>
      db.prepare<[string, string], ScopedRow>(
        `SELECT files.rowid, stem, id, claim, digest, saying, blocked, held, anchored, project
       FROM files LEFT JOIN term_vectors USING (rowid)
       WHERE files.rowid IN (SELECT value FROM json_each(?)) AND +place = ? ORDER BY files.rowid DESC`,
      ),
    candidatesAt: () =>
      db.prepare<[string], CandidateRow>(
        `SELECT rowid, stem, id, digest, held FROM files
       WHERE rowid IN (SELECT value FROM json_each(?)) AND id IS NOT NULL`,
      ),
    rowidsOf: () =>
      db
        .prepare<[string, string], number>(
          'SELECT rowid FROM files WHERE place = ? AND stem IN (SELECT value FROM json_each(?))',
        )
        .pluck(),
    rowidsSaying: () =>
      db.prepare<[string], number>('SELECT rowid FROM files WHERE saying IN (SELECT value FROM json_each(?))').pluck(),
    rowidsAfter: () => db.prepare<[number], number>('SELECT rowid FROM files WHERE rowid > ?').pluck(),
    lastRowid: () => db.prepare<[], number | null>('SELECT max(rowid) FROM files').pluck(),
    survey: () => db.prepare<[], StoredSurvey>('SELECT last, made_for AS madeFor, columns FROM survey'),
    putSurvey: () => db.prepare('INSERT INTO survey (last, made_for, columns) VALUES (?, ?, ?)'),
    removeSurvey: () => db.prepare('DELETE FROM survey'),
    dropped: () => db.prepare<[], number>('SELECT row FROM dropped').pluck(),
    noteDropped: () =>
      db.prepare<{ row: number }>('INSERT OR IGNORE INTO dropped SELECT @row WHERE @row <= (SELECT last FROM survey)'),
    forgetDropped: () => db.prepare('DELETE FROM dropped'),
    namesRecord: () => db.prepare<[], string>('SELECT record FROM names_record').pluck(),
    putNamesRecord: () => db.prepare<[string]>('INSERT INTO names_record VALUES (?)'),
    removeNamesRecord: () => db.prepare('DELETE FROM names_record'),
    isOver: () => db.prepare<[string, number], 1>('SELECT 1 FROM files WHERE place = ? LIMIT 1 OFFSET ?').pluck(),
    projects: () =>
      db.prepare<[string], { stem: string; project: string }>(
        'SELECT stem, project FROM files JOIN term_vectors USING (rowid) WHERE +place = ? AND project IS NOT NULL',
      ),
    bySaying: () => db.prepare<[string], StoredRow>('SELECT * FROM files WHERE saying = ? ORDER BY place, stem'),
    byShortQuarantined: () =>
      db.prepare<[string], StoredRow>(
        'SELECT * FROM files WHERE rowid IN (SELECT rowid FROM short_quarantined WHERE body = ?) ORDER BY stem',
      ),
    insert: () =>
      db.prepare(
        `INSERT INTO files (place, stem, inode, size, modified, id, claim, digest, saying, rules, blocked, held, anchored, seal)
       VALUES (@place, @stem, @inode, @size, @modified, @id, @claim, @digest, @saying, @rules, @blocked, @held, @anchored, @seal)`,
      ),
    some: () =>
      db.prepare<[string, string], StoredRow>(
        'SELECT * FROM files WHERE place = ? AND stem IN (SELECT value FROM json_each(?))',
      ),
    from: () =>
      db.prepare<[string, string, number], StoredRow>(
        'SELECT * FROM files WHERE place = ? AND stem > ? ORDER BY stem LIMIT ?',
      ),
    many: () => db.prepare<[string], number>('SELECT count(*) FROM files WHERE place = ?').pluck(),
    read: () => db.prepare('INSERT INTO readings (rowid, reading) VALUES (?, ?)'),
    putShort: () => db.prepare('INSERT INTO short_quarantined (rowid, body) VALUES (?, ?)'),
    dropShort: () => db.prepare('DELETE FROM short_quarantined WHERE rowid = ?'),
    unread: () => db.prepare('DELETE FROM readings WHERE rowid = ?'),
    reading: () =>
      db
        .prepare<[string, string], Buffer>(
          'SELECT reading FROM readings WHERE rowid = (SELECT rowid FROM files WHERE place = ? AND stem = ?)',
        )
        .pluck(),
    readingsAt: () =>
      db
        .prepare<[string], [number, Buffer]>(
          'SELECT rowid, reading FROM readings WHERE rowid IN (SELECT value FROM json_each(?))',
        )
        .raw(),
    say: () => db.prepare('INSERT INTO texts (rowid, terms) VALUES (?, ?)'),
    hint: () => db.prepare('INSERT INTO hints (rowid, terms) VALUES (?, ?)'),
    addVector: () => db.prepare('INSERT INTO term_vectors (rowid, type, project, vector) VALUES (?, ?, ?, ?)'),
    term: () => db.prepare('INSERT OR IGNORE INTO terms (term, backwards) VALUES (?, ?)'),
    // All traits of a memory at once, because calling SQLite takes longer than reading a number.
    traits: () => db.prepare('INSERT OR IGNORE INTO traits (memory, trait) SELECT ?, value FROM json_each(?)'),
    vectorOf: () => db.prepare<[number], Buffer>('SELECT vector FROM term_vectors WHERE rowid = ?').pluck(),
    count: () => db.prepare('UPDATE totals SET memories = memories + ?, words = words + ?, hinted = hinted + ?'),
    unsay: () => db.prepare('DELETE FROM texts WHERE rowid = ?'),
    unhint: () => db.prepare('DELETE FROM hints WHERE rowid = ?'),
    untrait: () => db.prepare('DELETE FROM traits WHERE trait = ? AND memory = ?'),
    removeVector: () => db.prepare('DELETE FROM term_vectors WHERE rowid = ?'),
    remove: () => db.prepare('DELETE FROM files WHERE rowid = ?'),
    merge: () => db.prepare<[number]>(`INSERT INTO texts (texts, rank) VALUES ('merge', ?)`),
    mergeHints: () => db.prepare<[number]>(`INSERT INTO hints (hints, rank) VALUES ('merge', ?)`),
    changes: () => db.prepare<[], number>('SELECT total_changes()').pluck(),
    begin: () => db.prepare('BEGIN'),
    end: () => db.prepare('COMMIT'),
    complete: () => db.prepare<[], number>('SELECT complete FROM totals').pluck(),
    completed: () => db.prepare('UPDATE totals SET complete = 1'),
  });
}

export function knownOf({ rowid: _, inode, size, modified, ...row }: StoredRow): SealedFacts {
  return { ...row, stamp: { inode: BigInt(inode), size, modified: BigInt(modified) } };
}

/** Yields rows in portions, each starting where the previous one ended. */
export function* inPortions<T>(size: number, next: (last: T | undefined) => readonly T[]): Generator<T> {
  for (let last: T | undefined; ; ) {
    const portion = next(last);
    yield* portion;
    if (portion.length < size) return;
    last = portion.at(-1);
  }
}
