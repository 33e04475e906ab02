import type { Assertion } from '../passkeys/assertion.ts';
import type { PasskeyChange } from '../passkeys/change.ts';
import type { ActorKind, Tier } from '../trust/tiers.ts';
import type { By } from './entry.ts';

/** What a ledger may do here. All its statements share one object, so that this changes in one place. */
export interface LedgerTrust {
  readonly fingerprint: string;
  /**
   * Whether it is trusted here, whole, and continues what this machine remembers. Only then can it raise or supersede
   * others.
   */
  raises: boolean;
  /** Whether its lines are no whole chain. Then what stands before what in it proves nothing. */
  isDamaged?: boolean;
  /** Which of its entries were written in this store; undefined if all were. */
  scope?: StoreScope;
}

/** Which entries of a ledger belong to a store. */
export interface StoreScope {
  /** Every id of the store. */
  readonly ids: ReadonlySet<string>;
  /**
   * The number of first entries that count although they name no store, because they were written before stores had
   * ids.
   */
  readonly unnamed: number;
}

/** What one ledger line states, as far as trust depends on it. */
export interface Statement {
  readonly ledger: LedgerTrust;
  readonly hash: string;
  /** Whether this ledger's key signed exactly this line. */
  readonly authentic: boolean;
  /** The number of the entry in its ledger. One entry can have several statements. */
  readonly line: number;
  readonly at: number;
  /** The time on the writer's clock. It counts instead of `at` if `at` is ahead of the reader's now. */
  readonly clock: number;
  /** The store that it was written in; null if the entry names none. */
  readonly store: string | null;
  readonly action: string;
  readonly actor: ActorKind;
  /**
   * How hard the yes is to forge. As a ledger states it at most 3; as `Evidence` gives it 4 with a passkey's assertion that
   * counts, and 0 for a yes that needs one and has none.
   */
  readonly level: number;
  /** The channel, if this version knows it; for display only. */
  readonly channel?: By['channel'] | undefined;
  readonly id: string;
  readonly from: Tier | null;
  readonly to: Tier | null;
  /** The version of the rules that the text was checked against. */
  readonly rules: string;
  readonly digest: string | null;
  readonly saying: string | null;
  /** The digest before, where a person reworded the text; null everywhere else. */
  readonly was: string | null;
  readonly settled: readonly string[];
  /** The memory that it replaces; in a `store` record another id of the same store. */
  readonly replaces: string | null;
  readonly after: readonly string[];
  /** What it changes about the passkeys of the store, if anything. */
  readonly passkeys: PasskeyChange | null;
  /** What a passkey signed, if one did. */
  readonly assertion: Assertion | null;
}

/** A statement that changes the passkeys. */
export interface PasskeyStatement extends Statement {
  readonly passkeys: PasskeyChange;
}

/**
 * Whether a statement can raise, or supersede other machines' statements: its ledger must raise, and it must be of this
 * store.
 */
export function raises({ ledger, store, line }: Pick<Statement, 'ledger' | 'store' | 'line'>): boolean {
  const { scope } = ledger;
  if (!ledger.raises || scope === undefined) return ledger.raises;
  return store === null ? line < scope.unnamed : scope.ids.has(store);
}

/**
 * When a statement was made, for a reader whose clock says `now`. A wrong clock that dated an entry ahead once does not
 * keep it there.
 */
export function timeOf({ at, clock }: Pick<Statement, 'at' | 'clock'>, now: number): number {
  return at > now ? clock : at;
}

/** By the order of their ledger; between two ledgers there is only the clock. */
export function isAfter(later: Statement, earlier: Statement): boolean {
  if (later.ledger.fingerprint === earlier.ledger.fingerprint) return later.line > earlier.line;
  return later.at >= earlier.at;
}
