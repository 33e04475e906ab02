import { type OverviewRow, OverviewSurvey, overviewName } from '../../actions/report/overview.ts';
import type { Session } from '../../actions/session.ts';
import type { SafeText } from '../../core/text/safe-text.ts';
import { keyOf, type RowJson, rowJson } from './row-json.ts';

/** What changed in the list since the browser got it. */
export interface RowChanges {
  /** How many changes came before this one. A tab that knows fewer has missed one, and loads all rows. */
  readonly after: number;
  readonly set: readonly RowJson[];
  readonly gone: readonly string[];
}

interface KeptRow {
  readonly row: OverviewRow;
  readonly json: string;
}

/** At most 60 names at once, because each is read from its file and a window shows about 20. */
const MOST_NAMES = 60;
/** After a survey comes at least 4 times its duration of rest, because a large store takes long to survey. */
const REST = 4;

/**
 * The list of all memories. The whole store is surveyed when the page opens, so that the first view waits for nothing;
 * after that only what changed, unless nobody can say what did. What the list says chooses only what is shown: each sheet
 * is made from its file.
 */
export class Rows {
  readonly #session: Session;
  readonly #changed: (changes: RowChanges) => void;
  readonly #survey: OverviewSurvey;
  #rows = new Map<string, KeptRow>();
  #changes = 0;
  /** Memories that changed while a survey ran, which may have read them before. */
  readonly #changedMeanwhile = new Set<string>();
  #surveying: Promise<void> | undefined;
  #isDue = false;
  #rested = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #ended = new AbortController();

  constructor(session: Session, changed: (changes: RowChanges) => void) {
    this.#session = session;
    this.#survey = new OverviewSurvey(session);
    this.#changed = changed;
  }

  get(key: string): OverviewRow | undefined {
    return this.#rows.get(key)?.row;
  }

  /** How many changes were reported so far. */
  get changes(): number {
    return this.#changes;
  }

  /** All rows as one JSON text, put together from the rows' own. */
  json(): string {
    return `[${[...this.#rows.values()].map(({ json }) => json).join(',')}]`;
  }

  /** The keys of the rows that a person sees first: what waits, else the newest. */
  first(): string[] {
    const all = [...this.#rows].map(([key, { row }]) => ({ key, row }));
    const waiting = all.filter(({ row }) => row.category !== null && row.category !== 'new');
    const shown = waiting.length > 0 ? waiting : all.toSorted((a, b) => (b.row.since ?? 0) - (a.row.since ?? 0));
    return shown.slice(0, MOST_NAMES).map(({ key }) => key);
  }

  /** The names in the files of these rows. */
  names(keys: readonly string[]): Record<string, SafeText> {
    const found: [string, SafeText][] = keys.slice(0, MOST_NAMES).flatMap((key) => {
      const row = this.get(key);
      const name = row && overviewName(this.#session, row);
      return name === undefined ? [] : [[key, name]];
    });
    return Object.fromEntries(found);
  }

  /** Takes in what changed: these memories, and what the ledgers say since. Undefined if every memory may have changed. */
  async update(ids: readonly string[] | undefined): Promise<void> {
    if (this.#ended.signal.aborted) return;
    if (ids === undefined) return this.survey();
    for (const id of ids) this.#changedMeanwhile.add(id);
    if (this.#surveying === undefined && !this.#takeIn()) return this.survey();
  }

  /** Surveys the store now, or once the survey that runs has ended and some rest is over. */
  async survey(): Promise<void> {
    this.#isDue = true;
    if (this.#surveying !== undefined || this.#timer !== undefined) return this.#surveying;
    const rest = this.#rested - performance.now();
    if (rest > 0) {
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        void this.survey();
      }, rest).unref();
      return;
    }
    this.#isDue = false;
    this.#surveying = this.#look();
    try {
      await this.#surveying;
    } finally {
      this.#surveying = undefined;
    }
    if (!this.#ended.signal.aborted && (!this.#takeIn() || this.#isDue)) await this.survey();
  }

  /** Nothing reads the store after this. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#ended.abort();
  }

  async #look(): Promise<void> {
    const began = performance.now();
    const { signal } = this.#ended;
    const rows = await this.#survey.all(signal).catch((error) => {
      if (!signal.aborted) throw error;
    });
    if (rows === undefined || signal.aborted) return;
    this.#rested = performance.now() + (performance.now() - began) * REST;
    this.#put(kept(rows), [...this.#rows.keys()]);
  }

  /** Makes the rows of changed memories again. False if only a survey of all finds what changed. */
  #takeIn(): boolean {
    const changed = this.#survey.changed(this.#changedMeanwhile);
    if (changed === undefined) return false;
    this.#changedMeanwhile.clear();
    if (changed.ids.size === 0) return true;
    const before = [...this.#rows].filter(([, { row }]) => changed.ids.has(row.id)).map(([key]) => key);
    this.#put(kept(changed.rows), before);
    return true;
  }

  /** Puts these rows in the place of those with the keys `before`, and reports what differs. */
  #put(rows: ReadonlyMap<string, KeptRow>, before: readonly string[]): void {
    const set = [...rows].filter(([key, { json }]) => this.#rows.get(key)?.json !== json);
    const gone = before.filter((key) => !rows.has(key));
    for (const key of gone) this.#rows.delete(key);
    for (const [key, row] of set) this.#rows.set(key, row);
    if (set.length === 0 && gone.length === 0) return;
    const after = this.#changes++;
    this.#changed({ after, set: set.map(([, { row }]) => rowJson(row)), gone });
  }
}

function kept(rows: readonly OverviewRow[]): Map<string, KeptRow> {
  return new Map(rows.map((row) => [keyOf(row), { row, json: JSON.stringify(rowJson(row)) }]));
}
