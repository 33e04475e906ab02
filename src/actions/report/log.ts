import { parseTimestamp } from '../../core/trust/clocks.ts';
import type { LedgerLine, LedgerReport, Vault } from '../../store/vault/vault.ts';

/** An entry with whose it is and whether it can raise anything here. */
export interface Logged extends LedgerLine {
  readonly own: boolean;
  readonly counts: boolean;
}

/** What was written down, oldest first; of one memory or of all. Clocks of different machines may differ. */
export function log(vault: Vault, id?: string): Logged[] {
  const reports = new Map(vault.reports().map((report) => [report.fingerprint, report]));
  const lines = vault.ledgerLines((entry) => id === undefined || entry.id === id);
  const at = ({ entry }: LedgerLine) => parseTimestamp(entry.at) ?? 0;
  return lines.map((line) => withLedger(line, reports.get(line.fingerprint))).sort((a, b) => at(a) - at(b));
}

function withLedger(line: LedgerLine, report: LedgerReport | undefined): Logged {
  return { ...line, own: report?.own === true, counts: report?.raises === true && !line.kept };
}
