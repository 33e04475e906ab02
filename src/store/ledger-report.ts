import { basename } from 'node:path';
import type { Head } from '../core/ledger.ts';
import { TROUBLES, type Trouble } from '../core/replay.ts';

/** How a ledger stands, for the operator. */
export interface LedgerReport {
  readonly fingerprint: string;
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
export function adviceOn(trouble: Trouble, ledger: string, copy: string | undefined): string {
  const what = `Ledger ${basename(ledger).slice(0, 16)}… raises nothing: ${TROUBLES[trouble]}.`;
  const mend =
    copy === undefined || trouble === 'unremembered'
      ? 'If you know why, a person can accept the ledger as it is; else take the file from a backup.'
      : `This machine’s copy of it is ${copy}: put it back as ${ledger}, or take the file from a backup.`;
  return `${what} ${mend}`;
}
