import type { Draft, Head } from '../../core/ledger/entry.ts';
import { TROUBLES, type Trouble } from '../../core/ledger/replay.ts';
import { Refusal } from '../../core/refusal.ts';

/** How a ledger stands, for the operator. */
export interface LedgerReport {
  readonly fingerprint: string;
  /** What the machine calls itself: its own words, and perhaps another's name. */
  readonly machine: string | undefined;
  readonly lastAt: number;
  readonly own: boolean;
  readonly trusted: boolean;
  readonly raises: boolean;
  readonly entries: number;
  readonly head: Head;
  readonly trouble: Trouble | undefined;
  /** Whether every line of it is; only then can a person take it as it is. */
  readonly whole: boolean;
  /** What happened and what to do; empty when all is well. */
  readonly advice: string;
}

/** A machine that has written a ledger of this store, with what it is called here. */
export interface KnownMachine extends LedgerReport {
  /** The operator's name for it. */
  readonly given: string | undefined;
  /** What it was called when it was trusted, and when that was. */
  readonly listed: { readonly name: string; readonly trustedAt: string } | undefined;
}

/** What is wrong with a ledger and what to do about it. */
export function adviceOn(trouble: Trouble, fingerprint: string): string {
  return `Ledger ${fingerprint.slice(0, 16)}… raises nothing: ${TROUBLES[trouble]}. Run surety doctor in a terminal: it tells what can be done, and asks before it does it.`;
}

/** While this machine's ledger is in trouble nothing but lowerings is written. */
export function refuseUnlessLowering(drafts: readonly Draft[], trouble: Trouble, fingerprint: string): void {
  if (drafts.every((draft) => draft.to === 'quarantined')) return;
  throw new Refusal('ledger-trouble', `Nothing was changed. ${adviceOn(trouble, fingerprint)}`);
}
