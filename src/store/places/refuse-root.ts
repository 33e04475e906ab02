import { join } from 'node:path';
import { Refusal } from '../../core/refusal.ts';
import type { Disk } from '../disk/disk.ts';
import { shownPath } from '../disk/display-path.ts';
import { canRead } from '../disk/reading-disk.ts';
import type { Places } from './places.ts';

/** Refuses where there is nothing to look at, or where it cannot be: whoever only reads makes no store. */
export function refuseMissing({ root, memories, quarantine, ledger }: Places, disk: Disk): void {
  if (!disk.isFolder(memories) && !disk.isFolder(ledger)) {
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
 * A repository can bring its own `memories/` and, through its client settings, name itself as the root. Such a store is
 * the top of its own work tree, as a synced store also is; what tells them apart is that somebody at this machine has
 * chosen it before. Everything in it would be inferred at most, but inferred memories reach an agent too.
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
