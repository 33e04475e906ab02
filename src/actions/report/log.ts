import { inCausalOrder } from '../../core/ledger/causal-order.ts';
import { parseTimestamp } from '../../core/trust/clocks.ts';
import type { KnownMachine, ReadableEntry, Vault } from '../../store/vault/vault.ts';

/** A ledger entry, whose it is, and whether it can raise a memory here. */
export interface Logged extends ReadableEntry {
  readonly own: boolean;
  /** What the writer's machine is called here, else what it called itself; two machines may call themselves the same. */
  readonly machine: string;
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
  const machines = new Map(vault.machines().map((machine) => [machine.fingerprint, machine]));
  const found = vault.ledgerLines((entry) => id === undefined || entry.id === id);
  const lines = byAuthors(found, ({ fingerprint, kept }) => !kept && machines.get(fingerprint)?.whole === true);
  const sorted = inCausalOrder(lines, ({ entry, hash, fingerprint, kept }) => ({
    hash,
    after: entry.after,
    // What is kept comes from several files, whose order says nothing.
    ledger: kept ? undefined : fingerprint,
    clock: parseTimestamp(entry.clock ?? entry.at) ?? 0,
  }));
  // An assertion takes longer to verify than an entry to read, so only those are verified that are shown.
  const entries = sorted.slice(-limit).map((line) => withLedger(vault, line, machines.get(line.fingerprint)));
  return { entries, earlier: sorted.length - entries.length };
}

/**
 * Leaves out lines that somebody repeats. The author of a line is the whole ledger that has it: two whole ledgers share no
 * line, because each line commits to all before it, and the first one has the key.
 */
function byAuthors(lines: readonly ReadableEntry[], isInWhole: (line: ReadableEntry) => boolean): ReadableEntry[] {
  const authors = new Map(lines.filter(isInWhole).map(({ hash, fingerprint }) => [hash, fingerprint]));
  return lines.filter(({ hash, fingerprint }) => (authors.get(hash) ?? fingerprint) === fingerprint);
}

function withLedger(vault: Vault, line: ReadableEntry, machine: KnownMachine | undefined): Logged {
  const counts = machine?.raises === true && !line.kept;
  const called = machine?.given ?? machine?.listed?.name ?? line.entry.machine;
  return { ...line, own: machine?.own === true, machine: called, counts, level: levelOf(vault, line) };
}

/** The level that a person's answer has here; what nobody answered has the level that it states. */
export function levelOf({ evidence }: Vault, { entry: { id, by }, hash }: ReadableEntry): number {
  if (by.actor !== 'operator') return by.level;
  return evidence.of(id).find((statement) => statement.hash === hash)?.level ?? Math.min(by.level, 3);
}
