import type { ActorKind, Tier } from '../trust/tiers.ts';
import type { By } from './entry.ts';

/** A ledger as others may rely on it. One object for all its statements, so that what it may do changes in one place. */
export interface LedgerFace {
  readonly fingerprint: string;
  /** Trusted here, whole, and continuing what this machine remembers: only then can it raise or supersede others. */
  raises: boolean;
  /** Which of its entries were written in this store; without it all were. */
  scope?: Scope;
}

/** What belongs to a store, of all that a ledger holds. */
export interface Scope {
  /** The store's id and every id that means the same store. */
  readonly ids: ReadonlySet<string>;
  /** As many first entries count although they name no store, because they were here before stores had ids. */
  readonly unnamed: number;
}

/** What one ledger line states, as far as trust needs it. */
export interface Statement {
  readonly ledger: LedgerFace;
  readonly hash: string;
  /** This ledger's key signed exactly this line. */
  readonly authentic: boolean;
  /** The number of the entry in its ledger. Several statements can be of one entry. */
  readonly line: number;
  readonly at: number;
  /** What the writer's clock said: counts instead of `at` where that is ahead of the reader's now. */
  readonly clock: number;
  /** The store it was written in; null where the entry names none. */
  readonly store: string | null;
  readonly action: string;
  readonly actor: ActorKind;
  readonly level: number;
  /** How it came in, where the entry names a way this version knows; for showing only. */
  readonly channel?: By['channel'] | undefined;
  readonly id: string;
  readonly from: Tier | null;
  readonly to: Tier | null;
  /** The rules the text had been checked against. */
  readonly rules: string;
  readonly digest: string | null;
  readonly saying: string | null;
  readonly settled: readonly string[];
  /** The memory it takes the place of; in a `store` record another id that means the same store. */
  readonly replaces: string | null;
  readonly after: readonly string[];
}

/** Whether this can raise, or supersede what other machines said: by its ledger, and in this store. */
export function raises({ ledger, store, line }: Pick<Statement, 'ledger' | 'store' | 'line'>): boolean {
  const { scope } = ledger;
  if (!ledger.raises || scope === undefined) return ledger.raises;
  return store === null ? line < scope.unnamed : scope.ids.has(store);
}

/** When it was made, for somebody whose clock says `now`: an entry that one wrong moment dated ahead does not stay there. */
export function timeOf({ at, clock }: Pick<Statement, 'at' | 'clock'>, now: number): number {
  return at > now ? clock : at;
}
