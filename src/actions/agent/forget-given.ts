import { Disk } from '../../store/disk/disk.ts';
import { GivenMemories } from '../../store/records/given-memories.ts';
import { placesForRoot } from '../places-for-root.ts';

/** Forgets what a client's session was given, because the session has forgotten it. */
export function forgetGiven(root: string | undefined, session: string): void {
  const { state } = placesForRoot(root);
  const disk = new Disk();
  // Without the folder there is nothing to forget, and a session must not make one.
  if (disk.isFolder(state)) new GivenMemories(state, session, disk).begin([], Date.now());
}
