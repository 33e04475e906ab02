import type { Head } from '../../core/ledger/entry.ts';
import { againstMemory, TROUBLES, type Trouble } from '../../core/ledger/replay.ts';
import type { LedgerFile } from './ledger-file.ts';

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
  /** What happened and what to do; empty when all is well. */
  readonly advice: string;
}

/** What is wrong with a ledger and what to do about it. */
export function adviceOn(trouble: Trouble, fingerprint: string): string {
  return `Ledger ${fingerprint.slice(0, 16)}… raises nothing: ${TROUBLES[trouble]}. Run surety doctor in a terminal: it tells what can be done, and asks before it does it.`;
}

/** What this machine knows of a ledger besides the file. */
export interface Recollection {
  readonly remembered: Head | undefined;
  /** Whether this machine's copy goes on where the ledger ends. */
  readonly goesOn: boolean;
  /** Whether the ledger is this machine's own, or on the list of those whose word counts. */
  readonly listed: boolean;
}

/** The one place that says why a ledger can raise nothing. */
export function troubleOf(file: LedgerFile, { remembered, goesOn, listed }: Recollection): Trouble | undefined {
  if (file.damage !== undefined) return file.damage;
  const differs = remembered && againstMemory(file.statements, remembered);
  if (differs !== undefined) return differs;
  if (goesOn) return file.size === 0 ? 'missing' : 'shorter';
  // A machine never seen before is simply not trusted yet; one whose word counts must be remembered for it to count.
  return listed && file.statements.count > 0 && remembered === undefined ? 'unremembered' : undefined;
}
