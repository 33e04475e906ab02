import type { HookAnswer, HookClient } from '../core/clients/hook-answers.ts';
import type { HookInput } from './input.ts';

/** Undefined means no answer: the client continues as if there were no hook. */
export type Hook = (input: HookInput, root: string | undefined, client: HookClient) => Promise<HookAnswer | undefined>;
