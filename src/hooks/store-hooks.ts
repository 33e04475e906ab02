import { type Prompt, recallFor } from '../actions/agent/recall.ts';
import { recalledMemories } from '../actions/agent/recalled-memories.ts';
import type { HookClient } from '../core/clients/hook-answers.ts';
import { runHook } from './run.ts';
import { sessionStart } from './session-start.ts';

// What hooks do with an open store. In the bundle this is one file, because sessions and prompts wait for it (build.ts).

export function runSessionStart(client: HookClient, root: string | undefined): Promise<void> {
  return runHook('session-start', client, root, async () => sessionStart);
}

/** What the store has on a prompt. It looks again, because the caller may have another copy of all these modules. */
export async function recalledFor(root: string | undefined, prompt: Prompt): Promise<string | undefined> {
  const recall = recallFor(root, prompt);
  return recall && recalledMemories(recall);
}
