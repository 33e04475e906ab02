import { dirname, join } from 'node:path';
import { quarantineStem } from '../core/ids.ts';
import { Refusal } from '../core/refusal.ts';
import { pathOfMemory, sharedAt } from '../core/tree-paths.ts';
import type { LocalFiles } from './sync-local.ts';
import type { Step } from './sync-plan.ts';
import type { Vault } from './vault.ts';

/** How long the store's lock is held at a time: others get their turn between two portions. */
const TURN_MS = 200;

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
  let next = 0;
  while (next < steps.length) {
    const going = await vault.exclusively(() => {
      const end = performance.now() + TURN_MS;
      for (; next < steps.length && performance.now() < end; next++) {
        const step = steps[next];
        if (step !== undefined && !apply(vault, local, step, stays)) return false;
      }
      return true;
    });
    if (!going) return false;
  }
  return true;
}

function apply(vault: Vault, local: LocalFiles, step: Step, stays: ReadonlySet<string>): boolean {
  const { path, from } = step;
  const { disk, places } = vault.parts;
  for (const each of [path, from?.path ?? path]) {
    if (disk.isFolder(dirname(join(places.root, each)))) continue;
    throw new Refusal(
      'root-unusable',
      'A folder of the store is missing or a link; sync stopped. Put the folder back.',
    );
  }
  if (stays.has(path) && !makeRoom(vault, path)) return true;
  if (from !== undefined && !stays.has(from.path) && local.isThere(from.path)) return putAway(vault, local, step, from);
  return write(vault, local, step);
}

/**
 * The living file goes where its quarantined text is to be, and becomes that. A copy there and the file still here would be
 * two texts for whoever looks in between, and again after a kill.
 */
function putAway(vault: Vault, local: LocalFiles, step: Step, { path, before }: NonNullable<Step['from']>): boolean {
  const { disk, places } = vault.parts;
  const living = local.bytes(path);
  if (living === undefined || local.oid(living) !== before) return false;
  if (local.isThere(step.path)) {
    if (!write(vault, local, step)) return false;
    disk.remove(join(places.root, path));
    return true;
  }
  disk.move(join(places.root, path), join(places.root, step.path));
  return write(vault, local, { ...step, before });
}

function write({ parts: { disk, places } }: Vault, local: LocalFiles, { path, before, after }: Step): boolean {
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
  } else disk.replace(file, after);
  return true;
}

/** A file that stays on this machine keeps its place, except that in quarantine another name is as good. */
function makeRoom({ shelf, parts: { disk, places } }: Vault, path: string): boolean {
  const what = sharedAt(path);
  if (what?.kind !== 'memory' || what.place !== 'quarantine') return false;
  const taken = (stem: string) => disk.exists(join(places.root, pathOfMemory('quarantine', stem)));
  if (taken(what.stem)) shelf.move(what, { place: 'quarantine', stem: quarantineStem(what.id, taken) });
  return true;
}
