import { forgetGiven } from '../actions/agent/forget-given.ts';
import type { Hook } from './hook.ts';
import { sessionOf } from './input.ts';

/**
 * Prompts may bring again what the session forgets now. For clients that compact without starting the session again, as Claude Code
 * and Codex do.
 */
export const preCompact: Hook = async (input, root) => {
  const session = sessionOf(input);
  if (session !== undefined) forgetGiven(root, session);
  return undefined;
};
