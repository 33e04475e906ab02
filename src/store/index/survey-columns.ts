/** What is looked at each time, because no other row is known to be alike. */
export const APART = 0;
/** At most 65,535 kinds, because a kind takes two bytes. */
export const MOST_KINDS = 65_535;
const BYTES = Float64Array.BYTES_PER_ELEMENT + Uint32Array.BYTES_PER_ELEMENT + Uint16Array.BYTES_PER_ELEMENT;

/**
 * Which rows of the index are alike in everything that is counted, and when each became what it is; the newest first. It holds numbers only: what
 * a kind is shows in any row of it. So who can write into the index can change a count and an order, and nothing else.
 */
export interface SurveyColumns {
  readonly times: Float64Array;
  readonly rows: Uint32Array;
  readonly kinds: Uint16Array;
}

export function columnsIn(bytes: Buffer): SurveyColumns {
  const count = Math.floor(bytes.length / BYTES);
  // Copied, because the buffer can begin where no number may.
  const { buffer } = new Uint8Array(bytes);
  const times = new Float64Array(buffer, 0, count);
  const rows = new Uint32Array(buffer, times.byteLength, count);
  return { times, rows, kinds: new Uint16Array(buffer, times.byteLength + rows.byteLength, count) };
}

interface SurveyedRow {
  readonly row: number;
  readonly kind: number;
  readonly time: number;
  readonly id: string;
}

/** Makes columns of the rows of a store, the newest first, and by id where they are as old. */
export class SurveyWriter {
  readonly #rows: SurveyedRow[] = [];
  readonly #numbers = new Map<string, number>();

  /** `kind` is all that the row shares with others that are counted alike; undefined for one that is looked at each time. */
  add(row: number, id: string, kind: string | undefined, time: number): void {
    let number = kind === undefined ? APART : this.#numbers.get(kind);
    if (number === undefined) {
      number = this.#numbers.size + 1;
      this.#numbers.set(kind ?? '', number);
    }
    this.#rows.push({ row, kind: number, time, id });
  }

  /** Undefined where so many differ that it is as quick to look at every row. */
  packed(): Buffer | undefined {
    const apart = this.#rows.filter(({ kind }) => kind === APART).length;
    const different = this.#numbers.size + apart;
    if (different > MOST_KINDS || different > this.#rows.length / 4) return undefined;
    const sorted = this.#rows.sort((a, b) => b.time - a.time || (a.id < b.id ? -1 : 1));
    const columns = [
      new Float64Array(sorted.map(({ time }) => time)),
      new Uint32Array(sorted.map(({ row }) => row)),
      new Uint16Array(sorted.map(({ kind }) => kind)),
    ];
    return Buffer.concat(columns.map(({ buffer }) => new Uint8Array(buffer)));
  }
}
