import type { Head } from '../../core/ledger/entry.ts';
import { type LedgerTrouble, TROUBLES } from '../../core/ledger/replay.ts';
import { timeOf } from '../../core/ledger/statement.ts';
import { Refusal } from '../../core/refusal.ts';
import { dateOf, wholeDays } from '../../core/trust/clocks.ts';
import type { OpenLedger } from './ledger-file.ts';
import type { TrustedMachines } from './trusted-machines.ts';

/** The state of a ledger, for the operator. */
export interface LedgerReport {
  readonly fingerprint: string;
  /** The machine's name for itself. It may be another machine's name. */
  readonly machine: string | undefined;
  readonly lastAt: number;
  /** The time on the writer's clock at the last entry; the entry's time if it has none. */
  readonly lastClock: number;
  readonly own: boolean;
  readonly trusted: boolean;
  readonly raises: boolean;
  readonly entries: number;
  readonly head: Head;
  readonly trouble: LedgerTrouble | undefined;
  /** Whether every line is whole. Only then can a person accept the ledger. */
  readonly whole: boolean;
  /** What happened and what to do; empty if all is well. */
  readonly advice: string;
}

export function reportOf(
  fingerprint: string,
  { trust, file, trouble }: Readonly<OpenLedger>,
  machine: Pick<LedgerReport, 'own' | 'trusted'>,
): LedgerReport {
  return {
    fingerprint,
    machine: file.machine,
    lastAt: file.lastAt,
    lastClock: file.statements.lastTimes()?.clock ?? file.lastAt,
    ...machine,
    raises: trust.raises,
    entries: file.statements.count,
    head: file.head,
    trouble,
    whole: file.damage === undefined,
    advice: trouble === undefined ? '' : adviceOnLedger(trouble, fingerprint),
  };
}

/** A machine with a ledger in this store, and its names here. */
export interface KnownMachine extends LedgerReport {
  /** The operator's name for it. */
  readonly given: string | undefined;
  /** The machine's name when it was trusted, and the date. */
  readonly listed: { readonly name: string; readonly trustedAt: string } | undefined;
}

/** Each ledger's machine, with the names that the list of trusted machines has for it. */
export function knownMachines(
  reports: readonly LedgerReport[],
  machines: Pick<TrustedMachines, 'all' | 'nameOf'>,
): KnownMachine[] {
  const listed = machines.all();
  return reports.map((report) => ({
    ...report,
    given: machines.nameOf(report.fingerprint),
    listed: listed.get(report.fingerprint),
  }));
}

export function adviceOnLedger(trouble: LedgerTrouble, fingerprint: string): string {
  if (trouble === 'newer')
    return `Ledger ${fingerprint.slice(0, 16)}… raises nothing: ${TROUBLES[trouble]}. Update Surety on this machine.`;
  return `Ledger ${fingerprint.slice(0, 16)}… raises nothing: ${TROUBLES[trouble]}. Run surety doctor in a terminal: it tells what can be done, and asks before it does it.`;
}

/** The refusal of everything but lowerings after the clock has jumped. */
export function clockJumped(last: number, now: number): Refusal {
  return new Refusal(
    'clock-jump',
    `Nothing was changed. This computer’s clock says ${dateOf(now)}, and the last entry of this machine’s ledger is from ${dateOf(last)}: more than ${MOST_DAYS} days lie between. If the clock is wrong, set it right. If the date is right, run surety doctor in a terminal and confirm it.`,
  );
}

/** At most 400 days between two entries without a person's yes, because one wrong date would count for ever. */
const MOST_DAYS = 400;

/** The time of a ledger's last entry, if the clock is more than 400 days ahead of it. */
export function jumpFrom(last: { readonly at: number; readonly clock: number } | undefined, now: number) {
  const before = last && timeOf(last, now);
  return before !== undefined && wholeDays(before, now) > MOST_DAYS ? before : undefined;
}

/** The refusal of everything but lowerings while this machine's ledger is in trouble. */
export function inTrouble(trouble: LedgerTrouble, fingerprint: string): Refusal {
  return new Refusal('ledger-trouble', `Nothing was changed. ${adviceOnLedger(trouble, fingerprint)}`);
}

/** The refusal to trust a machine whose ledger cannot be read as a whole. */
export function notWhole(): Refusal {
  return new Refusal(
    'ledger-trouble',
    'That machine’s ledger is missing or not whole, so its word cannot be made to count.',
  );
}
