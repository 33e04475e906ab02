import type { LedgerRepair } from '../../store/maintenance/repair-ledger.ts';

/** Something a doctor found: what it is, what it means, and what to do about it. */
export interface Ailment {
  /** Stable: programs name these. */
  readonly code: string;
  /** A note is worth knowing and harms nobody. */
  readonly severity: 'problem' | 'note';
  /** Paths, ids or fingerprints, as they are: to be made visible before they are shown. */
  readonly about: readonly string[];
  readonly what: string;
  readonly means: string;
  readonly advice: string;
  readonly repairs: readonly Repair[];
}

/** What can be done about it, each with its own yes. */
export type Repair = PlainRepair | MendLedger;

export interface PlainRepair {
  readonly name: string;
  /** The memory it is for, where each of several has its own. */
  readonly id?: string;
  readonly question: string;
  readonly done: string;
  readonly apply: () => void | Promise<void>;
}

/** Makes a ledger count again, which raises: it takes a witness's yes and not just an answer. */
export interface MendLedger {
  readonly name: 'put-back-ledger' | 'accept-ledger';
  readonly ledger: LedgerRepair;
}
