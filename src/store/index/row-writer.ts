import type { Place } from '../../core/ledger/standing.ts';
import { minHashesOf } from '../../core/search/minhash.ts';
import { hasHints, type Indexed, type TermVector, termVectorOf, wordsIn } from '../../core/search/term-vector.ts';
import type { Sqlite } from '../disk/sqlite.ts';
import { numbersIn } from './candidates.ts';
import type { IndexRow, RowStatements, Searchable } from './rows.ts';

/** What is written of a text so that it can be found. */
interface Findable extends Pick<Searchable, 'type' | 'project'>, Indexed {
  readonly rowid: number | bigint | undefined;
  readonly traits: readonly number[];
}

const MOST_REMEMBERED = 50_000;
const LONG_TERM = 8;
/** Merge FTS5's segments only after this many rows: every search reads each segment. */
const WORTH_TIDYING = 1_000;
/** At most 64 pages per merge step. */
const TIDIED_AT_ONCE = 64;

/** Writes rows with their search terms. One writer for each opening of the database. */
export class RowWriter {
  readonly #sqlite: Sqlite;
  readonly #on: RowStatements;
  /** Terms already in the table, so that most are not written again. */
  readonly #remembered = new Set<string>();
  /** Rows written since the last merge. */
  #loose = 0;
  #tidying = false;

  constructor(sqlite: Sqlite, statements: RowStatements) {
    this.#sqlite = sqlite;
    this.#on = statements;
  }

  /**
   * Writes all rows or none, and replaces the files' old rows. The words of all are found first, because others wait for the lock
   * meanwhile, and one table is written after the other: so the processor and SQLite have at hand what the next row needs.
   */
  put(given: readonly IndexRow[]): void {
    // Of a file that was read twice the last reading counts.
    const rows = [...new Map(given.map((row) => [`${row.place}/${row.stem}`, row])).values()];
    const words = rows.map(({ text }) => text && { type: text.type, project: text.project, ...termVectorOf(text) });
    const findable = words.map((each) => each && { ...each, traits: minHashesOf(each.vector) });
    const written = new Set<string>();
    const on = this.#on;
    this.#sqlite
      .transaction(() => {
        const totals = new TotalsChange();
        for (const { place, stem } of rows) this.#drop(place, stem, totals);
        const rowids = rows.map((row) => {
          const { inode, size, modified } = row.stamp;
          return on.insert.run({ ...row, inode: `${inode}`, size, modified: `${modified}` }).lastInsertRowid;
        });
        for (const [i, { reading, shortQuarantined }] of rows.entries()) {
          if (reading) on.read.run(rowids[i], reading);
          if (shortQuarantined) on.putShort.run(rowids[i], shortQuarantined);
        }
        this.#say(
          findable.flatMap((each, i) => (each ? [{ ...each, rowid: rowids[i] }] : [])),
          totals,
          written,
        );
        totals.write(on);
      })
      .immediate();
    this.#loose += rows.length;
    // Only after the commit: a transaction that was rolled back has written nothing.
    if (this.#remembered.size > MOST_REMEMBERED) this.#remembered.clear();
    for (const term of written) this.#remembered.add(term);
  }

  /** One merge step after many rows were written; returns whether more is left. */
  tidy(): boolean {
    if (this.#loose < WORTH_TIDYING) return false;
    const before = this.#on.changes.get() ?? 0;
    // A negative number starts a merge of all segments, and positive ones continue it.
    const pages = this.#tidying ? TIDIED_AT_ONCE : -TIDIED_AT_ONCE;
    this.#on.merge.run(pages);
    this.#on.mergeHints.run(pages);
    // Two steps without work still count as two changes.
    this.#tidying = (this.#on.changes.get() ?? 0) - before > 2;
    if (!this.#tidying) this.#loose = 0;
    return this.#tidying;
  }

  drop(place: Place, stem: string): void {
    const totals = new TotalsChange();
    this.#sqlite
      .transaction(() => {
        this.#drop(place, stem, totals);
        totals.write(this.#on);
      })
      .immediate();
  }

  #say(texts: readonly Findable[], totals: TotalsChange, written: Set<string>): void {
    const on = this.#on;
    for (const { rowid, terms } of texts) on.say.run(rowid, terms.join(' '));
    for (const { rowid, hinted } of texts) if (hinted.length > 0) on.hint.run(rowid, hinted.join(' '));
    for (const { rowid, type, project, vector } of texts) {
      on.addVector.run(rowid, type, project, Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength));
      totals.add(1, vector);
    }
    for (const { rowid, traits } of texts) on.traits.run(rowid, JSON.stringify(traits));
    for (const { terms, hinted } of texts) for (const term of [...terms, ...hinted]) this.#addTerm(term, written);
  }

  #addTerm(term: string, written: Set<string>): void {
    if (this.#remembered.has(term) || written.has(term)) return;
    this.#on.term.run(term, term.length >= LONG_TERM ? [...term].reverse().join('') : null);
    written.add(term);
  }

  #drop(place: Place, stem: string, totals: TotalsChange): void {
    const on = this.#on;
    const found = on.one.get(place, stem);
    if (found === undefined) return;
    const bytes = on.vectorOf.get(found.rowid);
    if (bytes !== undefined) {
      const vector = numbersIn(bytes);
      totals.add(-1, vector);
      for (const trait of minHashesOf(vector)) on.untrait.run(trait, found.rowid);
      on.unsay.run(found.rowid);
      if (hasHints(vector)) on.unhint.run(found.rowid);
      on.removeVector.run(found.rowid);
    }
    if (place === 'quarantine') on.dropShort.run(found.rowid);
    on.unread.run(found.rowid);
    on.noteDropped.run({ row: found.rowid });
    on.remove.run(found.rowid);
  }
}

/** Changes the totals once for many rows, because FTS5 writes out all its pending terms before every update of a table. */
class TotalsChange {
  #memories = 0;
  #words = 0;
  #hinted = 0;

  add(sign: 1 | -1, vector: TermVector): void {
    this.#memories += sign;
    this.#words += sign * wordsIn(vector);
    this.#hinted += sign * Number(hasHints(vector));
  }

  write({ count }: RowStatements): void {
    count.run(this.#memories, this.#words, this.#hinted);
  }
}
