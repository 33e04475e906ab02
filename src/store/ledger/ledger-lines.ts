/**
 * Limits for reading a ledger. This program writes nothing beyond them, and reading more could use up the computer's
 * memory.
 */
export const LEDGER_LIMITS = {
  /**
   * At most 256 MiB, because that is 350,000 entries: three for each memory of the largest supported store. The rows
   * kept in memory take up to the same space. The limit holds for each ledger that counts, and for all others together.
   */
  bytes: 2 ** 28,
  /**
   * At most 64 KiB a line, because this program's lines have about 1 KiB, and a line is held in memory whole while it
   * is read.
   */
  line: 2 ** 16,
} as const;

const LINE_FEED = 0x0a;

/** A source of lines. The last portion is undefined if the source cannot be read. */
interface Portions {
  readPortions(offset: number): Iterable<Buffer | undefined>;
}

/**
 * The whole lines of a ledger from an offset on. They are read in portions, because a ledger of years must never be in
 * memory whole.
 */
export class LedgerLines implements Iterable<string> {
  /** The size of the lines that the last iteration read. */
  bytes = 0;
  failed = false;
  readonly #source: Portions;
  readonly #from: number;
  readonly #to: number;
  readonly #sum: { update(bytes: Buffer): void } | undefined;

  /** `sum` gets the bytes of the lines. No byte after the offset `to` is read. */
  constructor(source: Portions, from = 0, to: number = LEDGER_LIMITS.bytes, sum?: { update(bytes: Buffer): void }) {
    this.#source = source;
    this.#from = from;
    this.#to = to;
    this.#sum = sum;
  }

  /** A line that is too long is returned as an empty line, which is no entry. */
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
        // The rest of a line that is too long: it was already returned as an empty line.
        const from = isTooLong ? whole.indexOf(LINE_FEED) + 1 : 0;
        if (from < whole.length) {
          for (const line of whole.toString('utf8', from, whole.length - 1).split('\n'))
            yield line.length > LEDGER_LIMITS.line ? '' : line;
        }
        this.#sum?.update(whole);
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

/** Whether bytes can be a ledger's: every line must be within the limit. */
export function hasLedgerLines(bytes: Buffer): boolean {
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, from);
    const next = end === -1 ? bytes.length : end + 1;
    if (next - from > LEDGER_LIMITS.line) return false;
    from = next;
  }
  return true;
}
