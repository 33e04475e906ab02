import type { LedgerEnd } from '../passkeys/change.ts';
import type { LedgerTrust, PasskeyStatement, Statement } from './statement.ts';

/** What is asked of the ledgers to tell what is older. */
export interface OrderLookup {
  /** Whether the entry of this number has this hash, in the ledger as it is here. */
  readonly hasAt: (ledger: LedgerTrust, line: number, hash: string) => boolean;
  /** Whether all of these entries are in one whole ledger of this name, as it is here or as this machine keeps it. */
  readonly isInWhole: (fingerprint: string, entries: readonly (readonly [line: number, hash: string])[]) => boolean;
}

/**
 * Which statements are older than a change of the passkeys, by what the change proves: it names the end of every ledger that
 * its writer knew. Dates prove nothing.
 */
export class ProvenOrder {
  readonly #lookup: OrderLookup;
  /** Which ledgers had an end when it was first asked for, and which had not. */
  readonly #ends = new Map<LedgerEnd, Map<LedgerTrust, boolean>>();

  constructor(lookup: OrderLookup) {
    this.#lookup = lookup;
  }

  /** Whether a ledger has an end that it did not have: it can arrive after the change that names it. */
  get isOutdated(): boolean {
    return this.#ends
      .entries()
      .some(([[, count, hash], ledgers]) =>
        ledgers.entries().some(([ledger, had]) => !had && this.#lookup.hasAt(ledger, count - 1, hash)),
      );
  }

  /** Whether the writer of a change states, under the passkey's signature, that another statement is older. */
  knows(change: PasskeyStatement, other: Statement): boolean {
    return this.isWithin(other, change.passkeys.ledgers);
  }

  /** Whether a change is later than another statement. A change that no passkey signed is later than what stands before it. */
  follows(change: PasskeyStatement, other: Statement): boolean {
    const { ledger, line } = change;
    const isBefore = other.ledger === ledger && !ledger.isDamaged && other.line < line;
    return isBefore || this.knows(change, other);
  }

  /**
   * Whether a statement lies before these ends of ledgers. An end that its ledger does not have proves nothing, nor does a
   * ledger that is damaged; unless this machine keeps a whole one that has both: a cut makes nothing unknown that was known.
   */
  isWithin({ ledger, line, hash }: Statement, ends: readonly LedgerEnd[]): boolean {
    return ends.some((end) => {
      const [fingerprint, count, last] = end;
      if (fingerprint !== ledger.fingerprint || line >= count) return false;
      const both = [[line, hash] as const, [count - 1, last] as const];
      return (!ledger.isDamaged && this.#has(ledger, end)) || this.#lookup.isInWhole(fingerprint, both);
    });
  }

  /** Lines are only ever added to what was read of a ledger, so an end that it has is looked up once. */
  #has(ledger: LedgerTrust, end: LedgerEnd): boolean {
    const [, count, hash] = end;
    const known = this.#ends.get(end) ?? new Map<LedgerTrust, boolean>();
    if (known.get(ledger)) return true;
    const has = this.#lookup.hasAt(ledger, count - 1, hash);
    // The first answer stays: the changes were judged by it.
    if (!known.has(ledger)) this.#ends.set(end, known.set(ledger, has));
    return has;
  }
}
