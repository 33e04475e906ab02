import { parseTimestamp } from '../../core/trust/clocks.ts';
import type { LedgerLine, LedgerReport, Vault } from '../../store/vault/vault.ts';

/** A ledger entry, whose it is, and whether it can raise a memory here. */
export interface Logged extends LedgerLine {
  readonly own: boolean;
  readonly counts: boolean;
}

/** Ledger entries of one memory or all, oldest first. Machines' clocks may differ. */
export function log(vault: Vault, id?: string): Logged[] {
  const reports = new Map(vault.reports().map((report) => [report.fingerprint, report]));
  const lines = vault.ledgerLines((entry) => id === undefined || entry.id === id);
  const at = ({ entry }: LedgerLine) => parseTimestamp(entry.at) ?? 0;
  return lines.map((line) => withLedger(line, reports.get(line.fingerprint))).sort((a, b) => at(a) - at(b));
}

function withLedger(line: LedgerLine, report: LedgerReport | undefined): Logged {
  return { ...line, own: report?.own === true, counts: report?.raises === true && !line.kept };
}
