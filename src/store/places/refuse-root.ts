import { join } from 'node:path';
import { Refusal } from '../../core/refusal.ts';
import type { Disk } from '../disk/disk.ts';
import { shownPath } from '../disk/display-path.ts';
import { canRead } from '../disk/reading-disk.ts';
import type { Places } from './places.ts';

/** Refuses a missing or unreadable store, because a reader must not create one. */
export function refuseMissing({ root, memories, quarantine, ledger, state }: Places, disk: Disk): void {
  if (!disk.isFolder(memories) && !disk.isFolder(ledger)) {
    const wasHere = disk.names(join(state, 'ledgers')).length > 0;
    throw new Refusal('no-store', `There is no store at ${shownPath(root)}${wasHere ? GONE : NEVER_MADE}`);
  }
  for (const folder of [memories, quarantine, ledger]) {
    if (!disk.isFolder(folder) || canRead(folder)) continue;
    throw new Refusal(
      'root-unusable',
      `The store’s folder ${shownPath(folder)} cannot be read. Give yourself the right to read and enter it, then try again.`,
    );
  }
}

const NEVER_MADE = '. Run surety init to create it, or name another folder with --root or SURETY_ROOT.';
/** Advice to create one would put an empty store in the place of one that was moved. */
const GONE =
  ' any more: this machine has used one there. If its folder was moved, move it back. If it is lost, get it from a backup or its git remote; surety init would create an empty one.';

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
    `The store ${places.root} came with a repository, and this machine has never used it. ` +
      'If it is yours, run surety init with the same --root once; if not, remove the setting that names it.',
  );
}
