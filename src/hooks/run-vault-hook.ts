import type { HookClient } from '../core/clients/hook-answers.ts';
import { runHook } from './run.ts';
import { sessionStart } from './session-start.ts';
import { userPromptSubmit } from './user-prompt-submit.ts';

const HOOKS = { 'session-start': sessionStart, 'user-prompt-submit': userPromptSubmit } as const;

/** The hooks that look into the store, with all that they load: in the bundle they are one file, because people wait for them (build.ts). */
export function runVaultHook(name: keyof typeof HOOKS, client: HookClient, root: string | undefined): Promise<void> {
  return runHook(name, client, root, async () => HOOKS[name]);
}
