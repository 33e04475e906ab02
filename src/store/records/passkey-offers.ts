import { join } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import { diskTrouble } from '../disk/disk-errors.ts';

/** Where a person is offered to enrol a passkey. */
export type OfferPlace = 'init' | 'page';

/**
 * Whether this is the first offer of a passkey in this place. It is made once for each store and machine: who passed it over
 * is not asked again. Where the disk cannot remember that, no offer is made.
 */
export function isFirstOffer(state: string, disk: Disk, place: OfferPlace): boolean {
  const file = join(state, `passkey-offered-${place}`);
  if (disk.exists(file)) return false;
  try {
    disk.replace(file, '');
    return true;
  } catch (error) {
    if (diskTrouble(error) === undefined) throw error;
    return false;
  }
}
