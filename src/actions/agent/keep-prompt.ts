import { maskSecrets } from '../../core/secrets/detect.ts';
import { sentenceRuns } from '../../core/text/sentence-runs.ts';
import { Disk } from '../../store/disk/disk.ts';
import { clientProcess } from '../../store/places/client-process.ts';
import { isStoreHere } from '../../store/places/refuse-root.ts';
import { TypedTextHashes } from '../../store/records/typed-text-hashes.ts';
import { placesForRoot } from '../places-for-root.ts';

/**
 * Keeps hashes of what came through the prompt of the client that started this process; nothing of a prompt that may hold a
 * secret. False if there is no store here.
 */
export function keepPrompt(root: string | undefined, prompt: string, at: number): boolean {
  const disk = new Disk();
  const places = placesForRoot(root);
  if (!isStoreHere(places, disk)) return false;
  const runs = sentenceRuns(prompt);
  if (runs.length === 0 || maskSecrets(prompt) !== prompt) return true;
  const client = clientProcess();
  if (client !== undefined) new TypedTextHashes(places.state, disk).keep(client, runs, at);
  return true;
}
