import { dirname, join } from 'node:path';
import { quarantineStem } from '../../core/memory/ids.ts';
import { Refusal } from '../../core/refusal.ts';
import { pathOfMemory, SHARED_FOLDERS, sharedAt } from '../../core/sync/shared-paths.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';
import type { VaultParts } from '../vault/vault-parts.ts';
import type { LocalFiles } from './local-files.ts';
import type { SyncStep } from './plan.ts';

/**
 * At most 128 files are written before the store's lock is taken to put them in place, because other processes wait for
 * that lock.
 */
const PORTION = 128;

/**
 * Carries out steps in the store's folder, under its lock. Each step is taken only if its file is still what the plan
 * saw. Every file is replaced whole, so after a kill the same steps can be carried out again: those already done change
 * nothing. Returns false if a file changed meanwhile; the remaining steps are then skipped, and the caller plans again.
 */
export async function carryOut(
  vault: Vault,
  local: LocalFiles,
  steps: readonly SyncStep[],
  stays: ReadonlySet<string>,
): Promise<boolean> {
  const { disk, places } = insideOf(vault);
  for (let next = 0; next < steps.length; next += PORTION) {
    const portion = steps.slice(next, next + PORTION);
    const prepared = new Map<SyncStep, string>();
    for (const step of portion) {
      if (step.after === undefined || step.path.startsWith('ledger/')) continue;
      prepared.set(step, join(places.root, dirname(step.path), preparedName(prepared.size)));
    }
    refuseLinkedFolders(insideOf(vault));
    try {
      await disk.prepareAll([...prepared].map(([step, path]) => [path, step.after ?? Buffer.alloc(0)]));
      const going = await vault.exclusively(() => {
        refuseLinkedFolders(insideOf(vault));
        return disk.together(() => portion.every((step) => apply(vault, local, step, stays, prepared.get(step))));
      });
      if (!going) return false;
    } finally {
      clearPrepared(insideOf(vault));
    }
  }
  return true;
}

/** Refuses a link, because it leads out of the store, and a missing folder, because only a mistake removes one. */
function refuseLinkedFolders({ disk, places }: Pick<VaultParts, 'disk' | 'places'>): void {
  if (SHARED_FOLDERS.every((folder) => disk.isFolder(places[folder]))) return;
  throw new Refusal('root-unusable', 'A folder of the store is missing or a link; sync stopped. Put the folder back.');
}

/** The names repeat in every sync, because one sync runs at a time and its start clears what a dead one left. */
function preparedName(n: number): string {
  return `.tmp-${n.toString(16).padStart(16, '0')}`;
}

/** Removes prepared files that were not used, because their target changed or the process died. */
export function clearPrepared({ disk, places }: Pick<VaultParts, 'disk' | 'places'>): void {
  for (const folder of ['memories', 'quarantine'] as const) {
    for (let n = 0; n < PORTION; n++) {
      const path = join(places[folder], preparedName(n));
      if (disk.exists(path)) disk.discard(path);
    }
  }
}

function apply(
  vault: Vault,
  local: LocalFiles,
  step: SyncStep,
  stays: ReadonlySet<string>,
  prepared: string | undefined,
): boolean {
  const { path, from } = step;
  if (stays.has(path) && !makeRoom(vault, path)) return true;
  if (from !== undefined && !stays.has(from.path) && local.isThere(from.path))
    return putAway(vault, local, step, from, prepared);
  return write(vault, local, step, prepared);
}

/**
 * Moves the file from `memories/` into quarantine and then replaces its content there. Writing a copy first would show
 * two texts of one memory to a reader in between, and to everyone after a kill.
 */
function putAway(
  vault: Vault,
  local: LocalFiles,
  step: SyncStep,
  { path, before }: NonNullable<SyncStep['from']>,
  prepared: string | undefined,
): boolean {
  const { disk, places } = insideOf(vault);
  const living = local.bytes(path);
  if (living === undefined || local.oid(living) !== before) return false;
  if (local.isThere(step.path)) {
    if (!write(vault, local, step, prepared)) return false;
    disk.remove(join(places.root, path));
    return true;
  }
  disk.move(join(places.root, path), join(places.root, step.path));
  return write(vault, local, { ...step, before }, prepared);
}

function write(
  vault: Vault,
  local: LocalFiles,
  { path, before, after }: SyncStep,
  prepared: string | undefined,
): boolean {
  const { disk, places } = insideOf(vault);
  const file = join(places.root, path);
  const bytes = local.bytes(path);
  if (bytes === undefined && local.isThere(path)) return false;
  if (after === undefined ? bytes === undefined : bytes?.equals(after)) return true;
  const seen = bytes === undefined ? undefined : local.oid(bytes);
  if (seen !== before) return false;
  if (after === undefined) disk.remove(file);
  else if (bytes !== undefined && path.startsWith('ledger/') && after.subarray(0, bytes.length).equals(bytes)) {
    // Bytes after the last whole line are left by a crash and would become part of the next line.
    if (disk.stamp(file)?.size !== bytes.length) disk.truncate(file, bytes.length);
    disk.append(file, after.subarray(bytes.length));
  } else if (prepared === undefined) disk.replace(file, after);
  else disk.putInPlace(prepared, file);
  return true;
}

/**
 * Whether the step at this path may go on. A file that stays on this machine keeps its path in `memories/`. In
 * quarantine it is renamed, because the name there means nothing.
 */
function makeRoom(vault: Vault, path: string): boolean {
  const { disk, places, files } = insideOf(vault);
  const what = sharedAt(path);
  if (what?.kind !== 'memory' || what.place !== 'quarantine') return false;
  const taken = (stem: string) => disk.exists(join(places.root, pathOfMemory('quarantine', stem)));
  if (taken(what.stem)) files.move(what, { place: 'quarantine', stem: quarantineStem(what.id, taken) });
  return true;
}
