import { join } from 'node:path';
import { Refusal } from '../../core/refusal.ts';
import type { Disk } from '../disk/disk.ts';
import type { Places } from './places.ts';

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
