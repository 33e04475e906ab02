import type { HookClient } from '../core/clients/hook-answers.ts';
import { runHook } from './run.ts';
import { sessionStart } from './session-start.ts';

/** The hook with all that it loads: in the bundle it is in a small script, because every session waits for it (build.ts). */
export function runSessionStart(client: HookClient, root: string | undefined): Promise<void> {
  return runHook('session-start', client, root, async () => sessionStart);
}
