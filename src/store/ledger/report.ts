import type { Draft, Head } from '../../core/ledger/entry.ts';
import { TROUBLES, type Trouble } from '../../core/ledger/replay.ts';
import { timeOf } from '../../core/ledger/statement.ts';
import { Refusal } from '../../core/refusal.ts';
import { dateOf, wholeDays } from '../../core/trust/clocks.ts';

/** How a ledger stands, for the operator. */
export interface LedgerReport {
  readonly fingerprint: string;
  /** What the machine calls itself: its own words, and perhaps another's name. */
  readonly machine: string | undefined;
  readonly lastAt: number;
  /** What the clock said at the last entry, where it says so. */
  readonly lastClock: number;
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
  if (trouble === 'newer')
    return `Ledger ${fingerprint.slice(0, 16)}… raises nothing: ${TROUBLES[trouble]}. Update Surety on this machine.`;
  return `Ledger ${fingerprint.slice(0, 16)}… raises nothing: ${TROUBLES[trouble]}. Run surety doctor in a terminal: it tells what can be done, and asks before it does it.`;
}

/** What is said where a clock is further from the last entry than anybody leaves a store alone, or than a clock may err. */
export function refuseUnlessDated(drafts: readonly Draft[], last: number, now: number): void {
  if (drafts.every((draft) => draft.to === 'quarantined')) return;
  throw new Refusal(
    'clock-jump',
    `Nothing was changed. This computer’s clock says ${dateOf(now)}, and the last entry of this machine’s ledger is from ${dateOf(last)}: more than ${MOST_DAYS} days lie between. If the clock is wrong, set it right. If the date is right, run surety doctor in a terminal and confirm it.`,
  );
}

/** At most 400 days from one entry to the next without a person's word, because one wrong date would count for ever. */
const MOST_DAYS = 400;

/** The time of a ledger's last entry, where the clock is further ahead of it than goes without a person's word. */
export function jumpFrom(last: { readonly at: number; readonly clock: number } | undefined, now: number) {
  const before = last && timeOf(last, now);
  return before !== undefined && wholeDays(before, now) > MOST_DAYS ? before : undefined;
}

/** While this machine's ledger is in trouble nothing but lowerings is written. */
export function refuseUnlessLowering(drafts: readonly Draft[], trouble: Trouble, fingerprint: string): void {
  if (drafts.every((draft) => draft.to === 'quarantined')) return;
  throw new Refusal('ledger-trouble', `Nothing was changed. ${adviceOn(trouble, fingerprint)}`);
}
