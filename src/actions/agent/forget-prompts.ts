import { Disk } from '../../store/disk/disk.ts';
import { clientProcess } from '../../store/places/client-process.ts';
import { TypedTextHashes } from '../../store/records/typed-text-hashes.ts';
import { placesForRoot } from '../places-for-root.ts';

/** Removes what was kept of the prompts of the client that started this process. */
export function forgetPrompts(root: string | undefined): void {
  const client = clientProcess();
  if (client !== undefined) keptFor(root).forget(client);
}

/** Removes what was kept of the prompts of sessions that are over: one that was killed removes nothing itself. */
export function forgetEndedPrompts(root: string | undefined): void {
  try {
    keptFor(root).removeEnded(Date.now());
  } catch {
    // The next start tries again.
  }
}

function keptFor(root: string | undefined): TypedTextHashes {
  return new TypedTextHashes(placesForRoot(root).state, new Disk());
}
