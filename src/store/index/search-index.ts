import type { Place } from '../../core/ledger/standing.ts';
import type { ParsedQuery } from '../../core/search/query.ts';
import { type Fields, termVectorOf } from '../../core/search/term-vector.ts';
import type { Disk } from '../disk/disk.ts';
import type { Candidate, Wants } from './candidates.ts';
import { type Opened, OpenedIndex } from './connection.ts';
import type { Alike } from './near-duplicates.ts';
import { type Entry, inPortions, type Known, knownOf, type Row, type Scoped } from './rows.ts';

const PORTION = 128;
/** Where nobody is kept waiting by it. */
const LARGE_PORTION = 1024;

/**
 * Derived from the files, shared by all processes of this machine, and worth nothing by itself: it may be deleted at any
 * time, and whatever it finds is read from its file again before anyone sees it.
 */
export class IndexDb {
  readonly #opened: OpenedIndex;

  constructor(cacheFolder: string, rules: string, disk: Disk, complain: (line: string) => void = () => {}) {
    this.#opened = new OpenedIndex(cacheFolder, rules, disk, complain);
  }

  get(place: Place, stem: string): Known | undefined {
    const stored = this.#with(({ statements }) => statements.one.get(place, stem));
    return stored && knownOf(stored);
  }

  /** What was read in a file when its row was written, sealed. */
  reading(place: Place, stem: string): Buffer | undefined {
    return this.#with(({ statements }) => statements.reading.get(place, stem));
  }

  /** The same of a row that a search has met. */
  readingAt(rowid: number): Buffer | undefined {
    return this.#with(({ statements }) => statements.readingAt.get(rowid));
  }

  /** What is known of some files of a place, by their stems. */
  some(place: Place, stems: readonly string[]): Map<string, Known> {
    const stored = this.#with(({ statements }) => statements.some.all(place, JSON.stringify(stems)));
    return new Map(stored.map((row) => [row.stem, knownOf(row)]));
  }

  put(rows: readonly Row[]): void {
    if (rows.length === 0) return;
    this.#opened.lookForAnother();
    this.#with(({ writer }) => writer.put(rows));
  }

  /** A step of what makes questions quicker once many rows were written; whether there is more to do. */
  tidy(): boolean {
    try {
      return this.#with(({ writer }) => writer.tidy());
    } catch {
      // Others are at work, or the disk is full: it answers as it is.
      return false;
    }
  }

  drop(place: Place, stem: string): void {
    this.#with(({ writer }) => writer.drop(place, stem));
  }

  /** Everything known of a place, by stem; read in portions, so that anything may be asked and written meanwhile. */
  each(place: Place): Generator<Known> {
    return inPortions(PORTION, (last?: Known) =>
      this.#with(({ statements }) => statements.from.all(place, last?.stem ?? '', PORTION)).map(knownOf),
    );
  }

  /** How many files of a place are known. */
  count(place: Place): number {
    return this.#with(({ statements }) => statements.many.get(place)) ?? 0;
  }

  /** The same sooner, what was written last first; for `atOnce`, since what is written anew meanwhile would be left out. */
  scoped(place: Place): Generator<Scoped> {
    return inPortions(LARGE_PORTION, (last?: Scoped) =>
      this.#with(({ statements }) =>
        statements.scoped.all(last?.rowid ?? Number.MAX_SAFE_INTEGER, place, LARGE_PORTION),
      ),
    );
  }

  /** The stems of all files of a place that are known. */
  stems(place: Place): Set<string> {
    return new Set(this.#with(({ statements }) => statements.stems.all(place)));
  }

  /** Files that say the same, spacing and case aside. */
  saying(saying: string): Known[] {
    return this.#with(({ statements }) => statements.bySaying.all(saying)).map(knownOf);
  }

  /** Many questions as one reading: by itself each would lock the file, look for changes and unlock it. */
  atOnce<T>(work: () => T): T {
    const opened = this.#with((opened) => opened);
    const { begin, end } = opened.statements;
    begin.run();
    try {
      return work();
    } finally {
      // An index that turned out to be damaged meanwhile was closed, and another opened in its place.
      if (this.#opened.isStill(opened)) end.run();
    }
  }

  /** What may answer a question, best first. */
  find(question: ParsedQuery, wanted: number, wants?: Wants): Candidate[] {
    this.#opened.lookForAnother();
    return this.#with(({ lookup }) => lookup.find(question, wanted, wants));
  }

  /** The files that candidates stand for, in one question. */
  entries(rowids: readonly number[]): Map<number, Entry> {
    const found = this.#with(({ statements }) => statements.entries.all(JSON.stringify(rowids)));
    return new Map(found.map((entry) => [entry.rowid, entry]));
  }

  /** What is about the same as this text, by most of its words or by those of its name; most alike first. */
  alike(fields: Fields, named: readonly string[], least: number): Alike[] {
    const { vector, terms } = termVectorOf(fields);
    return this.#with(({ resemblance }) => resemblance.find(vector, terms, named, least));
  }

  /** Every text that can be found, as it is compared with others. */
  imprints(): { readonly id: string; readonly vector: Uint32Array }[] {
    return this.#with(({ lookup }) => lookup.imprints());
  }

  /** The file a candidate stands for. */
  at(rowid: number): Known | undefined {
    const stored = this.#with(({ statements }) => statements.at.get(rowid));
    return stored && knownOf(stored);
  }

  /** Whether a whole look at the files is in it: a new one is empty until then. */
  get isComplete(): boolean {
    this.#opened.lookForAnother();
    return this.#with(({ statements }) => statements.complete.get()) === 1;
  }

  /** How large it is on the disk; null where it is kept in memory. */
  get bytes(): number | null {
    return this.#opened.bytes;
  }

  /** Tells which opening of the index this is; a look that began in another has not filled this one. */
  get opening(): number {
    return this.#opened.opening;
  }

  /** For a store that was in use before: an index with nothing in it was deleted. */
  tellIfMissing(): void {
    const isEmpty = this.count('memories') === 0 && this.count('quarantine') === 0;
    if (this.isComplete || !isEmpty || this.#opened.explained) return;
    this.#opened.complain('surety: there is no search index; it is made from the files');
  }

  completed(since: number): void {
    // Asked in this order: looking whether it is whole finds out that another process has put an empty one in its place.
    if (!this.isComplete && since === this.opening) this.#with(({ statements }) => statements.completed.run());
    this.#opened.explained = false;
  }

  close(): void {
    this.#opened.forget();
  }

  /** Throws the index of every version away, and with them what deleted rows have left in their pages. */
  discard(): void {
    this.#opened.discard();
  }

  #with<T>(work: (opened: Opened) => T): T {
    return this.#opened.with(work);
  }
}
