import { type SafeText, sanitize } from '../../core/text/safe-text.ts';
import { DAY_MS, dateOf } from '../../core/trust/clocks.ts';

const WEEK = 7 * DAY_MS;
/** At most 26 columns fit a picture; a longer time has columns of several weeks. */
const MOST = 26;

/** The time until now, in equal spans of whole weeks. The last one ends now. */
export class Weeks {
  /** How many weeks a span has. */
  readonly step: number;
  readonly count: number;
  readonly #now: number;

  /** From the first of these times. */
  constructor(times: readonly number[], now: number) {
    const first = times.reduce((a, b) => Math.min(a, b), now);
    const weeks = Math.floor((now - first) / WEEK) + 1;
    this.step = Math.max(1, Math.ceil(weeks / MOST));
    this.count = Math.max(1, Math.ceil(weeks / this.step));
    this.#now = now;
  }

  /** The number of the span in which a time lies; the last one for a time ahead. */
  at(time: number): number {
    const back = Math.floor(Math.max(0, this.#now - time) / (this.step * WEEK));
    return Math.max(0, this.count - 1 - back);
  }

  /** Counts of several parts for each span. */
  table(parts: number) {
    const values = Array.from({ length: this.count }, () => new Array<number>(parts).fill(0));
    return {
      add: (span: number, part: number) => {
        const row = values[span];
        if (row?.[part] !== undefined) row[part] += 1;
      },
      /** Each span is named by its last day. */
      points: (): { readonly label: SafeText; readonly values: readonly number[] }[] =>
        values.map((row, i) => ({ label: sanitize(dateOf(this.#endOf(i)), 'line'), values: row })),
    };
  }

  #endOf(span: number): number {
    return this.#now - (this.count - 1 - span) * this.step * WEEK;
  }
}
