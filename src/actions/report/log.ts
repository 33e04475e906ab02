import { inCausalOrder } from '../../core/ledger/causal-order.ts';
import { parseTimestamp } from '../../core/trust/clocks.ts';
import type { LedgerReport, ReadableEntry, Vault } from '../../store/vault/vault.ts';

/** A ledger entry, whose it is, and whether it can raise a memory here. */
export interface Logged extends ReadableEntry {
  readonly own: boolean;
  readonly counts: boolean;
  /** The level that a person's answer has here, whatever the entry claims: 4 only with an assertion that counts. */
  readonly level: number;
}

/** Ledger entries of one memory or all, in the order in which they happened, without the `earlier` ones. */
export function log(
  vault: Vault,
  id?: string,
  limit = Number.POSITIVE_INFINITY,
): { readonly entries: Logged[]; readonly earlier: number } {
  const reports = new Map(vault.reports().map((report) => [report.fingerprint, report]));
  const lines = vault.ledgerLines((entry) => id === undefined || entry.id === id);
  const sorted = inCausalOrder(lines, ({ entry, hash, fingerprint, kept }) => ({
    hash,
    after: entry.after,
    // What is kept comes from several files, whose order says nothing.
    ledger: kept ? undefined : fingerprint,
    clock: parseTimestamp(entry.clock ?? entry.at) ?? 0,
  }));
  // An assertion takes longer to verify than an entry to read, so only those are verified that are shown.
  const entries = sorted.slice(-limit).map((line) => withLedger(vault, line, reports.get(line.fingerprint)));
  return { entries, earlier: sorted.length - entries.length };
}

function withLedger(vault: Vault, line: ReadableEntry, report: LedgerReport | undefined): Logged {
  const counts = report?.raises === true && !line.kept;
  return { ...line, own: report?.own === true, counts, level: levelOf(vault, line) };
}

/** The level that a person's answer has here; what nobody answered has the level that it states. */
export function levelOf({ evidence }: Vault, { entry: { id, by }, hash }: ReadableEntry): number {
  if (by.actor !== 'operator') return by.level;
  return evidence.of(id).find((statement) => statement.hash === hash)?.level ?? Math.min(by.level, 3);
}
