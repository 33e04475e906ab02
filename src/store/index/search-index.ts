import type { Place } from '../../core/ledger/standing.ts';
import type { ParsedQuery } from '../../core/search/query.ts';
import { type Fields, termVectorOf } from '../../core/search/term-vector.ts';
import type { Disk } from '../disk/disk.ts';
import { codeOf } from '../disk/disk-errors.ts';
import type { CandidateFilter, SearchCandidate } from './candidates.ts';
import { type IndexConnection, OpenedIndex } from './connection.ts';
import type { NearDuplicate, RareWordOptions } from './near-duplicates.ts';
import {
  type CandidateRow,
  type IndexRow,
  inPortions,
  knownOf,
  type ScopedRow,
  type SealedFacts,
  type SearchEntry,
  type StoredSurvey,
} from './rows.ts';
import { WAIT_MS } from './schema.ts';

const PORTION = 128;
/** For scans that keep nobody waiting. */
const LARGE_PORTION = 1024;

/**
 * Derived from the files and shared by all processes of this machine. It may be deleted at any time, and nobody sees a
 * result before its file is read again.
 */
export class SearchIndex {
  readonly #opened: OpenedIndex;
  #unwritten = 0;

  constructor(cacheFolder: string, rules: string, disk: Disk, complain: (line: string) => void = () => {}) {
    this.#opened = new OpenedIndex(cacheFolder, rules, disk, complain);
  }

  get(place: Place, stem: string): SealedFacts | undefined {
    const stored = this.#with(({ statements }) => statements.one.get(place, stem));
    return stored && knownOf(stored);
  }

  /** The sealed parse result from when the file's row was written. */
  reading(place: Place, stem: string): Buffer | undefined {
    return this.#with(({ statements }) => statements.reading.get(place, stem));
  }

  /** Like `reading`, by the rowids that a search returned. */
  readingsAt(rowids: readonly number[]): Map<number, Buffer> {
    return new Map(this.#with(({ statements }) => statements.readingsAt.all(JSON.stringify(rowids))));
  }

  /** The known rows of some files of a place, by their stems. */
  some(place: Place, stems: readonly string[]): Map<string, SealedFacts> {
    const stored = this.#with(({ statements }) => statements.some.all(place, JSON.stringify(stems)));
    return new Map(stored.map((row) => [row.stem, knownOf(row)]));
  }

  put(rows: readonly IndexRow[]): void {
    if (rows.length === 0) return;
    this.#opened.lookForAnother();
    this.#with(({ writer }) => writer.put(rows));
  }

  /** One step of merging after many rows were written, which speeds up searches; returns whether more is left. */
  tidy(): boolean {
    try {
      return this.#with(({ writer }) => writer.tidy());
    } catch {
      // Other processes are busy, or the disk is full: the index works without merging.
      return false;
    }
  }

  drop(place: Place, stem: string): void {
    this.#with(({ writer }) => writer.drop(place, stem));
  }

  /** Every known row of a place, by stem; in portions, so that other reads and writes can run meanwhile. */
  each(place: Place): Generator<SealedFacts> {
    return inPortions(PORTION, (last?: SealedFacts) =>
      this.#with(({ statements }) => statements.from.all(place, last?.stem ?? '', PORTION)).map(knownOf),
    );
  }

  /** How many files of a place are known. */
  count(place: Place): number {
    return this.#with(({ statements }) => statements.many.get(place)) ?? 0;
  }

  /** Whether more files of a place are known than this. It is faster than counting them. */
  hasMore(place: Place, count: number): boolean {
    return this.#with(({ statements }) => statements.isOver.get(place, count)) === 1;
  }

  /** Rows newest first. Call inside `atOnce`: rows rewritten meanwhile would be missed. */
  scoped(place: Place): Generator<ScopedRow> {
    return inPortions(LARGE_PORTION, (last?: ScopedRow) =>
      this.#with(({ statements }) =>
        statements.scoped.all(last?.rowid ?? Number.MAX_SAFE_INTEGER, place, LARGE_PORTION),
      ),
    );
  }

  /** Some of these rows, newest first. */
  scopedAt(place: Place, rowids: Iterable<number>): ScopedRow[] {
    return this.#with(({ statements }) => statements.scopedAt.all(JSON.stringify([...rowids]), place));
  }

  /** These rows, as far as they have an id. */
  candidatesAt(rowids: readonly number[]): CandidateRow[] {
    return this.#with(({ statements }) => statements.candidatesAt.all(JSON.stringify(rowids)));
  }

  /** The rows of these files of a place, and of all files that say one of these sayings. */
  rowidsOf(place: Place, stems: Iterable<string>, sayings: readonly string[]): number[] {
    return this.#with(({ statements }) => [
      ...statements.rowidsOf.all(place, JSON.stringify([...stems])),
      ...(sayings.length === 0 ? [] : statements.rowidsSaying.all(JSON.stringify(sayings))),
    ]);
  }

  /** The survey that was kept, and the rows that were dropped or added since then. Call inside `atOnce`. */
  keptSurvey(): (StoredSurvey & { readonly changed: readonly number[] }) | undefined {
    return this.#with(({ statements }) => {
      const kept = statements.survey.get();
      return kept && { ...kept, changed: [...statements.dropped.all(), ...statements.rowidsAfter.all(kept.last)] };
    });
  }

  /**
   * Keeps a survey of all rows instead of the one before. Call inside the `atOnce` in which it was made: SQLite refuses it if
   * somebody has written since that began.
   */
  keepSurvey(madeFor: string, columns: Buffer): void {
    this.#keepIfFree(({ statements }) => {
      statements.removeSurvey.run();
      statements.forgetDropped.run();
      statements.putSurvey.run(statements.lastRowid.get() ?? 0, madeFor, columns);
    });
  }

  /** What the last look at the folders' names found, as its writer sealed it. */
  namesRecord(): string | undefined {
    return this.#with(({ statements }) => statements.namesRecord.get());
  }

  keepNamesRecord(record: string): void {
    this.#keepIfFree(({ statements, sqlite }) =>
      sqlite
        .transaction(() => {
          statements.removeNamesRecord.run();
          statements.putNamesRecord.run(record);
        })
        .immediate(),
    );
  }

  /** Writes what only saves work. It is written another time where somebody else is writing or the disk is full. */
  #keepIfFree(write: (opened: IndexConnection) => void): void {
    const opened = this.#with((opened) => opened);
    try {
      opened.sqlite.pragma('busy_timeout = 0');
      write(opened);
    } catch (error) {
      if (codeOf(error) === '') throw error;
    } finally {
      opened.sqlite.pragma(`busy_timeout = ${WAIT_MS}`);
    }
  }

  /** The stems of all known files of a place. */
  stems(place: Place): Set<string> {
    return new Set(this.#with(({ statements }) => statements.stems.all(place)));
  }

  /** The project of each searchable memory of a place that names one, by stem. */
  projects(place: Place): Map<string, string> {
    const rows = this.#with(({ statements }) => statements.projects.all(place));
    return new Map(rows.map(({ stem, project }) => [stem, project]));
  }

  /** Files whose texts are equal except for spacing and case. */
  saying(saying: string): SealedFacts[] {
    return this.#with(({ statements }) => statements.bySaying.all(saying)).map(knownOf);
  }

  /** Files in quarantine with this short body, whatever their names. */
  shortQuarantined(shortSaying: string): SealedFacts[] {
    return this.#with(({ statements }) => statements.byShortQuarantined.all(shortSaying)).map(knownOf);
  }

  /** Runs many queries in one transaction: by itself each would lock the file, check for changes and unlock it. */
  atOnce<T>(work: () => T): T {
    const opened = this.#with((opened) => opened);
    const { begin, end } = opened.statements;
    begin.run();
    try {
      return work();
    } finally {
      // A damaged index was closed meanwhile, and another opened in its place; or a failed write has ended the transaction.
      if (this.#opened.isStill(opened) && opened.sqlite.inTransaction) end.run();
    }
  }

  /** Candidates for the wordings of one question, best first. */
  find(wordings: readonly ParsedQuery[], wanted: number, wants?: CandidateFilter): SearchCandidate[] {
    this.#opened.lookForAnother();
    return this.#with(({ candidates }) => candidates.find(wordings, wanted, wants));
  }

  /** The candidates' files, in one query. */
  entries(rowids: readonly number[]): Map<number, SearchEntry> {
    const found = this.#with(({ statements }) => statements.entries.all(JSON.stringify(rowids)));
    return new Map(found.map((entry) => [entry.rowid, entry]));
  }

  /** Near duplicates of this text, by most of its words or by its name's words; most similar first. */
  nearDuplicates(fields: Fields, named: readonly string[], least: number): NearDuplicate[] {
    const { vector, terms } = termVectorOf(fields);
    return this.atOnce(() => this.#with(({ duplicates }) => duplicates.find(vector, terms, named, least)));
  }

  /**
   * Memories that share rare words with this text, those that share most first. The words of its title are looked for by themselves:
   * a long body has enough rare words of its own.
   */
  withRareWords(fields: Fields, options: RareWordOptions): number[] {
    const parts = [{ ...fields, body: '' }, fields].map((part) => termVectorOf(part).terms);
    return this.atOnce(() => this.#with(({ duplicates }) => duplicates.withRareWords(parts, options)));
  }

  /** The term vector of every searchable text, for comparing texts. */
  termVectors(): { readonly id: string; readonly vector: Uint32Array }[] {
    return this.#with(({ candidates }) => candidates.termVectors());
  }

  /** The candidate's file. */
  at(rowid: number): SealedFacts | undefined {
    const stored = this.#with(({ statements }) => statements.at.get(rowid));
    return stored && knownOf(stored);
  }

  /** Whether it holds a full scan of the files: a new index is empty until then. */
  get isComplete(): boolean {
    this.#opened.lookForAnother();
    return this.#with(({ statements }) => statements.complete.get()) === 1;
  }

  /** Its size on the disk; null where it is in memory. */
  get bytes(): number | null {
    return this.#opened.bytes;
  }

  /** The number of this opening: a scan that began in an earlier one has not filled this index. */
  get opening(): number {
    return this.#opened.opening;
  }

  /** Reports an empty index in a store that was in use before: somebody deleted it. */
  tellIfMissing(): void {
    const isEmpty = this.count('memories') === 0 && this.count('quarantine') === 0;
    if (this.isComplete || !isEmpty || this.#opened.explained) return;
    this.#opened.complain('surety: there is no search index; it is made from the files');
  }

  completed(since: number): void {
    // In this order: `isComplete` may notice another process's empty index and reopen, which changes `opening`.
    if (!this.isComplete && since === this.opening) this.#with(({ statements }) => statements.completed.run());
    this.#opened.explained = false;
  }

  /** How many files the last scan of this process could not take in, because the disk was full. */
  get unwritten(): number {
    return this.#unwritten;
  }

  /** Says it once until a scan has taken in everything: a server scans at every change, and for days. */
  lacks(files: number): void {
    if (files > 0 && this.#unwritten === 0) {
      const what = files === 1 ? '1 memory file' : `${files} memory files`;
      const sentence = `what is new in ${what} is not listed and not found`;
      this.#opened.complain(
        `surety: the disk is full, so ${sentence}; make room, and the next look at the files takes it in`,
      );
    }
    this.#unwritten = files;
  }

  /** Goes on with an empty index in memory; false where it is there already. */
  moveIntoMemory(error: unknown): boolean {
    if (this.bytes === null) return false;
    this.#opened.moveIntoMemory(error);
    return true;
  }

  close(): void {
    this.#opened.forget();
  }

  /** Deletes the indexes of all versions, because deleted rows stay in a database's pages. */
  discard(): void {
    this.#opened.discard();
  }

  #with<T>(work: (opened: IndexConnection) => T): T {
    return this.#opened.with(work);
  }
}
