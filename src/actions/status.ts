import { type MemoryType, TYPES } from '../core/limits.ts';
import type { LedgerReport } from '../store/ledger-report.ts';
import { looserThanDefaults } from '../store/settings.ts';
import type { Vault } from '../store/vault.ts';
import { type Queue, reviewQueue } from './queue.ts';
import type { Look } from './session.ts';
import { isStaleNow, type Surveyed, survey } from './survey.ts';
import { type LastSync, lastSync } from './sync-notices.ts';

/** How many memories there are of which standing. */
export interface Counts {
  readonly verified: number;
  readonly stale: number;
  readonly inferred: number;
  readonly changed: number;
  readonly quarantined: number;
}

export interface Status {
  readonly store: string;
  readonly key: { readonly fingerprint: string; readonly machine: string };
  readonly memories: Counts;
  readonly types: Readonly<Record<MemoryType, number>>;
  readonly waiting: Queue['counts'];
  /** Files in the folders that are not served, for what they are or where they lead. */
  readonly notServed: number;
  readonly ledgers: readonly LedgerReport[];
  /** `bytes` is null where the index is kept in memory. */
  readonly index: { readonly complete: boolean; readonly bytes: number | null };
  readonly looserThanDefaults: readonly string[];
  readonly checks: string;
  /** Null for a store that never synced. */
  readonly sync: LastSync | null;
}

export function countsOf(vault: Vault, all: readonly Surveyed[]): Counts {
  const count = (is: (each: Surveyed) => boolean) => all.filter(is).length;
  return {
    verified: count(({ standing }) => standing.tier === 'verified'),
    stale: count(({ standing }) => isStaleNow(vault, standing)),
    inferred: count(({ standing }) => standing.tier === 'inferred'),
    changed: count(({ standing }) => standing.reason === 'changed'),
    quarantined: count(({ standing }) => standing.tier === 'quarantined'),
  };
}

/** Every memory, wherever its file lies. */
export function everyMemory(vault: Vault): Surveyed[] {
  return [...survey(vault), ...survey(vault, 'quarantine')];
}

/** How the store is, on one screen. */
export function statusOf(look: Look): Status {
  const { vault, notices } = look;
  const { places, key, ledgers, index, settings, rules } = vault.parts;
  const all = everyMemory(vault);
  const perType = TYPES.map((type) => [type, all.filter(({ id }) => id.startsWith(`${type}_`)).length] as const);
  return {
    store: places.root,
    key: { fingerprint: key.fingerprint, machine: key.machine },
    memories: countsOf(vault, all),
    types: Object.fromEntries(perType) as Record<MemoryType, number>,
    waiting: reviewQueue(look).counts,
    notServed: notices.length,
    ledgers: ledgers.reports(),
    index: { complete: index.isComplete, bytes: index.bytes },
    looserThanDefaults: looserThanDefaults(settings()),
    checks: rules,
    sync: lastSync(look) ?? null,
  };
}
