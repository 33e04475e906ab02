import { Refusal } from '../../core/refusal.ts';
import { maskSecrets } from '../../core/secrets/detect.ts';
import { sentenceRuns } from '../../core/text/sentence-runs.ts';
import { Disk } from '../../store/disk/disk.ts';
import { clientProcess } from '../../store/places/client-process.ts';
import type { Places } from '../../store/places/places.ts';
import { refuseMissing, refuseStranger } from '../../store/places/refuse-root.ts';
import { PromptedRuns } from '../../store/records/prompted-runs.ts';
import { settlePlaces } from '../settle-places.ts';

/**
 * Keeps hashes of what came through the prompt of the client that started this process; nothing of a prompt that may hold a
 * secret. False if there is no store here.
 */
export function keepPrompt(root: string | undefined, prompt: string, at: number): boolean {
  const disk = new Disk();
  const places = existingStore(root, disk);
  if (places === undefined) return false;
  const runs = sentenceRuns(prompt);
  if (runs.length === 0 || maskSecrets(prompt) !== prompt) return true;
  const client = clientProcess();
  if (client !== undefined) new PromptedRuns(places.state, disk).keep(client, runs, at);
  return true;
}

/** Removes what was kept of the prompts of the client that started this process. */
export function forgetPrompts(root: string | undefined): void {
  const client = clientProcess();
  if (client !== undefined) new PromptedRuns(settlePlaces(root).state, new Disk()).forget(client);
}

function existingStore(root: string | undefined, disk: Disk): Places | undefined {
  const places = settlePlaces(root);
  try {
    refuseMissing(places, disk);
    refuseStranger(places, disk);
    return places;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'no-store') return undefined;
    throw error;
  }
}
