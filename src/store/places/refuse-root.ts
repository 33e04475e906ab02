import { join } from 'node:path';
import { Refusal } from '../../core/refusal.ts';
import type { Disk } from '../disk/disk.ts';
import { shownPath } from '../disk/display-path.ts';
import { canRead } from '../disk/reading-disk.ts';
import type { Places } from './places.ts';

/** Refuses a missing or unreadable store, because a reader must not create one. */
export function refuseMissing(places: Places, disk: Disk): void {
  refuseGone(places, disk);
  const { root, memories, quarantine, ledger } = places;
  if (isNoStore(places, disk)) {
    throw new Refusal(
      'no-store',
      `There is no store at ${shownPath(root)}. Run surety init to create it, or name another folder with --root or SURETY_ROOT.`,
    );
  }
  for (const folder of [memories, quarantine, ledger]) {
    if (!disk.isFolder(folder) || canRead(folder)) continue;
    throw new Refusal(
      'root-unusable',
      `The store’s folder ${shownPath(folder)} cannot be read. Give yourself the right to read and enter it, then try again.`,
    );
  }
}

/**
 * Refuses to create a store where this machine has used one before: its folder was moved, or its disk is not mounted, and an
 * empty store would take its place. Only `surety init` creates one there.
 */
export function refuseGone(places: Places, disk: Disk): void {
  if (!isNoStore(places, disk) || disk.names(join(places.state, 'ledgers')).length === 0) return;
  throw new Refusal(
    'store-gone',
    `There is no store at ${shownPath(places.root)} any more: this machine has used one there. ` +
      'If its folder was moved, move it back, or name the new place with --root or SURETY_ROOT; ' +
      // Without init a store that has a repository, as each that syncs, is refused in a place where this machine never used it.
      'there run surety init once, and then surety doctor, which asks whether to accept the ledgers: until then what you vouched for is advisory. ' +
      'If it is lost, get it from a backup or its git remote; surety init would create an empty one.',
  );
}

function isNoStore({ memories, ledger }: Places, disk: Disk): boolean {
  return !disk.isFolder(memories) && !disk.isFolder(ledger);
}

/** Whether there is a store. A hook does nothing without one, and is refused one that must not be used. */
export function isStoreHere(places: Places, disk: Disk): boolean {
  try {
    refuseMissing(places, disk);
  } catch (error) {
    if (error instanceof Refusal && (error.code === 'no-store' || error.code === 'store-gone')) return false;
    throw error;
  }
  refuseStranger(places, disk);
  return true;
}

/**
 * A repository can bring its own `memories/` and name itself as the root through its client settings. It looks like a
 * synced store, which is also the top of its own work tree. So a store counts only if somebody at this machine chose it
 * before; even inferred memories would reach an agent.
 */
export function refuseStranger(places: Places, disk: Disk): void {
  const isRepository = disk.exists(join(places.root, '.git'));
  const bringsMemories = disk.exists(places.memories) || disk.exists(places.ledger);
  if (!isRepository || !bringsMemories || disk.exists(places.state)) return;
  throw new Refusal(
    'root-unusable',
    `The store ${shownPath(places.root)} came with a repository, and this machine has never used it. ` +
      `If it is yours, run ${initOnce(places)}; if not, remove the setting that names it.`,
  );
}

/** What takes a store into use here. */
export function initOnce({ isRootGiven }: Places): string {
  return `surety init ${isRootGiven ? 'with the same --root ' : ''}once`;
}
