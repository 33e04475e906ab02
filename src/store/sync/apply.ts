import { dirname, join } from 'node:path';
import { quarantineStem } from '../../core/memory/ids.ts';
import { Refusal } from '../../core/refusal.ts';
import { pathOfMemory, SHARED_FOLDERS, sharedAt } from '../../core/sync/shared-paths.ts';
import { insideOf } from '../vault/inside.ts';
import type { Parts } from '../vault/parts.ts';
import type { Vault } from '../vault/vault.ts';
import type { LocalFiles } from './local-files.ts';
import type { Step } from './plan.ts';

/** So many files are written at a time; then the store's lock is held while they are put in place, and others get their turn. */
const PORTION = 128;

/**
 * Carries steps out in the store's folder, under its lock, each only if the file still is what was seen. Every file is
 * replaced whole, so a kill in between leaves some done and some not, and doing them again finds those that are.
 * False: somebody changed one of the files meanwhile; then the rest is left, and it is all to be thought over again.
 */
export async function carryOut(
  vault: Vault,
  local: LocalFiles,
  steps: readonly Step[],
  stays: ReadonlySet<string>,
): Promise<boolean> {
  const { disk, places } = insideOf(vault);
  for (let next = 0; next < steps.length; next += PORTION) {
    const portion = steps.slice(next, next + PORTION);
    const prepared = new Map<Step, string>();
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

/** A folder that is a link leads out of the store, and one that is gone was somebody's mistake. */
function refuseLinkedFolders({ disk, places }: Pick<Parts, 'disk' | 'places'>): void {
  if (SHARED_FOLDERS.every((folder) => disk.isFolder(places[folder]))) return;
  throw new Refusal('root-unusable', 'A folder of the store is missing or a link; sync stopped. Put the folder back.');
}

/** One sync is at work at a time, so the names need not differ from those of the last one, which may have died. */
function preparedName(n: number): string {
  return `.tmp-${n.toString(16).padStart(16, '0')}`;
}

/** Takes away what was prepared and not used: the file had become something else, or the process died. */
export function clearPrepared({ disk, places }: Pick<Parts, 'disk' | 'places'>): void {
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
  step: Step,
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
 * The living file goes where its quarantined text is to be, and becomes that. A copy there and the file still here would be
 * two texts for whoever looks in between, and again after a kill.
 */
function putAway(
  vault: Vault,
  local: LocalFiles,
  step: Step,
  { path, before }: NonNullable<Step['from']>,
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

function write(vault: Vault, local: LocalFiles, { path, before, after }: Step, prepared: string | undefined): boolean {
  const { disk, places } = insideOf(vault);
  const file = join(places.root, path);
  const bytes = local.bytes(path);
  if (bytes === undefined && local.isThere(path)) return false;
  if (after === undefined ? bytes === undefined : bytes?.equals(after)) return true;
  const seen = bytes === undefined ? undefined : local.oid(bytes);
  if (seen !== before) return false;
  if (after === undefined) disk.remove(file);
  else if (bytes !== undefined && path.startsWith('ledger/') && after.subarray(0, bytes.length).equals(bytes)) {
    // What a crash left behind the last whole line would become part of the next one.
    if (disk.stamp(file)?.size !== bytes.length) disk.truncate(file, bytes.length);
    disk.append(file, after.subarray(bytes.length));
  } else if (prepared === undefined) disk.replace(file, after);
  else disk.putInPlace(prepared, file);
  return true;
}

/** A file that stays on this machine keeps its place, except that in quarantine another name is as good. */
function makeRoom(vault: Vault, path: string): boolean {
  const { disk, places, files } = insideOf(vault);
  const what = sharedAt(path);
  if (what?.kind !== 'memory' || what.place !== 'quarantine') return false;
  const taken = (stem: string) => disk.exists(join(places.root, pathOfMemory('quarantine', stem)));
  if (taken(what.stem)) files.move(what, { place: 'quarantine', stem: quarantineStem(what.id, taken) });
  return true;
}
