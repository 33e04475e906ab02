import { createHash, type Hash } from 'node:crypto';

/** What is read of a ledger. What is past this was not written by this program, and would take the memory of the computer. */
export const LEDGER_LIMITS = {
  /**
   * At most 256 MiB, because that is 350,000 entries, three for each memory of the largest store that is supported, and
   * what is kept of the lines takes up to as much memory. So much of each ledger whose word counts, and of all others together.
   */
  bytes: 2 ** 28,
  /** At most 64 KiB a line, because ours take one, and a line is held in memory whole while it is read. */
  line: 2 ** 16,
} as const;

const LINE_FEED = 0x0a;

/** What lines are read from; undefined, as the last portion, where it cannot be read. */
export interface Portions {
  readPortions(offset: number): Iterable<Buffer | undefined>;
}

/** The whole lines of a ledger from an offset on, read in portions: a ledger of years is never held in memory whole. */
export class LedgerLines implements Iterable<string> {
  /** How many bytes the lines take that were last gone through. */
  bytes = 0;
  failed = false;
  readonly #source: Portions;
  readonly #from: number;
  readonly #to: number;
  readonly #sum: Hash;

  /** `sum` takes in the bytes of the lines; `to` is an offset that no byte is read behind. */
  constructor(source: Portions, from = 0, to: number = LEDGER_LIMITS.bytes, sum = createHash('sha256')) {
    this.#source = source;
    this.#from = from;
    this.#to = to;
    this.#sum = sum;
  }

  /** A line that is too long is given as an empty one, which is no entry. */
  *[Symbol.iterator](): Iterator<string> {
    this.bytes = 0;
    let room = this.#to - this.#from;
    let begun: Buffer[] = [];
    let length = 0;
    for (const read of this.#source.readPortions(this.#from)) {
      if (read === undefined) {
        this.failed = true;
        return;
      }
      const portion = read.subarray(0, room);
      room -= portion.length;
      const end = portion.lastIndexOf(LINE_FEED) + 1;
      if (end > 0) {
        const isTooLong = length > LEDGER_LIMITS.line;
        const whole = isTooLong ? portion.subarray(0, end) : Buffer.concat([...begun, portion.subarray(0, end)]);
        // What is left of a line that is too long was given already.
        const from = isTooLong ? whole.indexOf(LINE_FEED) + 1 : 0;
        if (from < whole.length) {
          for (const line of whole.toString('utf8', from, whole.length - 1).split('\n'))
            yield line.length > LEDGER_LIMITS.line ? '' : line;
        }
        this.#sum.update(whole);
        this.bytes += isTooLong ? length + end : whole.length;
        begun = [];
        length = 0;
      }
      const rest = portion.subarray(end);
      const before = length;
      length += rest.length;
      if (length <= LEDGER_LIMITS.line) begun.push(rest);
      else if (before <= LEDGER_LIMITS.line) {
        begun = [];
        yield '';
      }
      if (room <= 0) return;
    }
  }
}

/** Whether bytes can be a ledger's: no line of one is so long. */
export function hasLedgerLines(bytes: Buffer): boolean {
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, from);
    const next = end === -1 ? bytes.length : end + 1;
    if (next - from > LEDGER_LIMITS.line) return false;
    from = next;
  }
  return true;
}
