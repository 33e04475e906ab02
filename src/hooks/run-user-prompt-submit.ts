import type { HookClient } from '../core/clients/hook-answers.ts';
import { runHook } from './run.ts';
import { userPromptSubmit } from './user-prompt-submit.ts';

/** The hook with all that it loads: in the bundle it is in a small script, because every prompt waits for it (build.ts). */
export function runUserPromptSubmit(client: HookClient, root: string | undefined): Promise<void> {
  return runHook('user-prompt-submit', client, root, async () => userPromptSubmit);
}
