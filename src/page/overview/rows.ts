import { type OverviewName, type OverviewRow, overviewName, overviewRows } from '../../actions/report/overview.ts';
import type { Session } from '../../actions/session.ts';
import { keyOf, type RowJson, rowJson } from './row-json.ts';

/** What changed in the list since the browser got it. */
export interface RowChanges {
  readonly set: readonly RowJson[];
  readonly gone: readonly string[];
}

/** At most 60 names at once, because each is read from its file and a window shows about 20. */
const MOST_NAMES = 60;
/** After a survey comes at least 4 times its duration of rest, because a large store takes long to survey. */
const REST = 4;

/**
 * The list of all memories. It is surveyed when the page opens and after each change, so that the first view waits for
 * nothing. What it says chooses only what is shown: each sheet is made from its file.
 */
export class Rows {
  readonly #session: Session;
  readonly #changed: (changes: RowChanges) => void;
  #rows = new Map<string, { readonly row: OverviewRow; readonly json: string }>();
  #surveying: Promise<void> | undefined;
  #isDue = false;
  #rested = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(session: Session, changed: (changes: RowChanges) => void) {
    this.#session = session;
    this.#changed = changed;
  }

  get(key: string): OverviewRow | undefined {
    return this.#rows.get(key)?.row;
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
  names(keys: readonly string[]): Record<string, OverviewName> {
    const found: [string, OverviewName][] = keys.slice(0, MOST_NAMES).flatMap((key) => {
      const row = this.get(key);
      const name = row && overviewName(this.#session, row);
      return name === undefined ? [] : [[key, name]];
    });
    return Object.fromEntries(found);
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
    await this.#surveying;
    this.#surveying = undefined;
    if (this.#isDue) await this.survey();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const began = performance.now();
    const rows = await overviewRows(this.#session);
    const before = this.#rows;
    this.#rows = new Map(rows.map((row) => [keyOf(row), { row, json: JSON.stringify(rowJson(row)) }]));
    const took = performance.now() - began;
    this.#rested = performance.now() + took * REST;
    const set = [...this.#rows].filter(([key, { json }]) => before.get(key)?.json !== json);
    const gone = [...before.keys()].filter((key) => !this.#rows.has(key));
    if (set.length > 0 || gone.length > 0) this.#changed({ set: set.map(([, { row }]) => rowJson(row)), gone });
  }
}
