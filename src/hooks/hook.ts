import type { HookInput } from './input.ts';

/** What a hook answers; undefined says nothing, and Claude Code goes on as if there were no hook. */
export type Hook = (input: HookInput, root: string | undefined) => Promise<object | undefined>;
