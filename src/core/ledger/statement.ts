import type { ActorKind, Tier } from '../trust/tiers.ts';
import type { By } from './entry.ts';

/** A ledger as others may rely on it. One object for all its statements, so that what it may do changes in one place. */
export interface LedgerFace {
  readonly fingerprint: string;
  /** Trusted here, whole, and continuing what this machine remembers: only then can it raise or supersede others. */
  raises: boolean;
}

/** What one ledger line states, as far as trust needs it. */
export interface Statement {
  readonly ledger: LedgerFace;
  readonly hash: string;
  /** This ledger's key signed exactly this line. */
  readonly authentic: boolean;
  readonly at: number;
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
  readonly replaces: string | null;
  readonly after: readonly string[];
}
