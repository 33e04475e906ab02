import { Refusal } from '../../core/refusal.ts';
import type { Disk } from '../disk/disk.ts';
import { shownPath } from '../disk/display-path.ts';
import { canRead } from '../disk/open-file.ts';
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
