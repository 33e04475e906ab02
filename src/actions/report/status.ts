import { type MemoryType, TYPES } from '../../core/memory/limits.ts';
import { reviewCommand } from '../../core/trust/review-command.ts';
import { Disk } from '../../store/disk/disk.ts';
import { passkeysNow } from '../../store/maintenance/passkeys.ts';
import { looserThanDefaults, readSettings } from '../../store/places/settings.ts';
import type { LedgerReport, Surveyed, Vault } from '../../store/vault/vault.ts';
import { isStaleNow } from '../memory-state.ts';
import { memoriesByProject, type NotLoaded, notLoaded, projectHere } from '../project-here.ts';
import { whyNoPasskeyCounts } from '../review/first-passkey.ts';
import { type ReviewQueue, reviewQueue } from '../review-queue.ts';
import type { ReadSession } from '../session.ts';
import { restoredElsewhere } from '../sync/restored-elsewhere.ts';
import { type LastSync, lastSync } from '../sync/sync-notices.ts';

/** How many memories there are of which standing. */
export interface StatusCounts {
  readonly verified: number;
  readonly stale: number;
  readonly inferred: number;
  readonly changed: number;
  readonly quarantined: number;
}

export interface Status {
  readonly store: string;
  /** `trouble` says why the key cannot be used, and what to do; null when all is well. */
  readonly key: { readonly fingerprint: string; readonly machine: string; readonly trouble: string | null };
  readonly memories: StatusCounts;
  readonly types: Readonly<Record<MemoryType, number>>;
  readonly waiting: ReviewQueue['counts'];
  /** The command that goes through what waits. */
  readonly reviewedWith: string;
  /** Memories in observation, which wait for nobody yet, and the day on which the first of them is ready. */
  readonly inObservation: { readonly count: number; readonly until: string | null };
  /** Files in the folders that are not served: for what they are, where they lead, or whose word took them out of quarantine. */
  readonly notServed: number;
  readonly ledgers: readonly LedgerReport[];
  /** `bytes` is null where the index is kept in memory. */
  readonly index: ReturnType<Vault['indexState']>;
  readonly looserThanDefaults: readonly string[];
  /** What in config.json is not understood, and so not in force. */
  readonly settingsUnclear: readonly string[];
  /** Whether a yes counts only with a passkey, in the whole store. */
  readonly passkeyRequired: boolean;
  /** Why no passkey counts, and what to do; null where they do. */
  readonly passkeysContested: string | null;
  readonly checks: string;
  /** Null for a store that never synced. */
  readonly sync: LastSync | null;
  /** The project of the folder in which the command runs, and those whose memories are not loaded though they may be its own. */
  readonly project: { readonly name: string | null; readonly notLoaded: readonly NotLoaded[] };
}

export function countsOf(vault: Vault, all: Iterable<Surveyed>): StatusCounts {
  const counts = { verified: 0, stale: 0, inferred: 0, changed: 0, quarantined: 0 };
  for (const { standing } of all) {
    counts[standing.tier] += 1;
    if (isStaleNow(vault, standing)) counts.stale += 1;
    if (standing.reason === 'changed') counts.changed += 1;
  }
  return counts;
}

/** Every memory, wherever its file lies. */
export function* everyMemory(vault: Vault): Generator<Surveyed> {
  yield* vault.survey();
  yield* vault.survey('quarantine');
}

/** How the store is, on one screen. */
export function statusOf(look: ReadSession): Status {
  const { vault, notices } = look;
  // Going through a large store takes long, so it is done once.
  const served = [...vault.survey()];
  const all = [...served, ...vault.survey('quarantine')];
  const ofType = (type: MemoryType) => all.filter(({ id }) => id.startsWith(`${type}_`)).length;
  const quarantined = all.filter(({ standing }) => standing.tier === 'quarantined');
  const { counts, fresh } = reviewQueue(look, served);
  const here = projectHere(vault.places);
  const [until = null] = fresh.flatMap((each) => each.until ?? []).sort();
  return {
    store: vault.places.root,
    key: { ...vault.self, trouble: vault.keyTrouble?.message ?? null },
    memories: countsOf(vault, all),
    types: Object.fromEntries(TYPES.map((type) => [type, ofType(type)])) as Status['types'],
    waiting: counts,
    reviewedWith: reviewCommand(vault.settings),
    inObservation: { count: fresh.length, until },
    notServed: notices.length + restoredElsewhere(vault, quarantined).length,
    ledgers: vault.reports(),
    index: vault.indexState(),
    looserThanDefaults: looserThanDefaults(vault.settings),
    settingsUnclear: readSettings(vault.places.config, new Disk()).warnings,
    passkeyRequired: passkeysNow(vault).isRequired,
    passkeysContested: whyNoPasskeyCounts(vault) ?? null,
    checks: vault.rules,
    sync: lastSync(look) ?? null,
    project: { name: here.name ?? null, notLoaded: notLoaded(here, memoriesByProject(vault)) },
  };
}
