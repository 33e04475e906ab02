import type { HookInput } from './input.ts';

/** Undefined means no answer: Claude Code continues as if there were no hook. */
export type Hook = (input: HookInput, root: string | undefined) => Promise<object | undefined>;
