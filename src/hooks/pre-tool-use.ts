import { homedir } from 'node:os';
import { violationOf } from '../actions/agent/tool-guard.ts';
import { isOwnTool } from '../core/clients/own-tools.ts';
import { accountHome } from '../store/places/base-folders.ts';
import type { Hook } from './hook.ts';
import { folderOf, textIn } from './input.ts';

/**
 * Keeps an agent's tools from Surety's own files and from commands meant for the person. It denies or says nothing: an
 * `allow` would skip Claude Code's own question.
 */
export const preToolUse: Hook = async (input, root) => {
  const tool = textIn(input, 'tool_name');
  // Surety's own tools do their own checks.
  if (tool === undefined || isOwnTool(tool)) return undefined;
  const { env, platform, argv } = process;
  const scene = { root, env, home: homedir(), account: accountHome(), platform, program: argv[1] };
  const violation = violationOf({ tool, input: input.tool_input, cwd: folderOf(input) }, scene);
  if (violation === undefined) return undefined;
  // Loaded only when needed: this hook runs before every tool call, and nearly every call is let through.
  const [{ recordViolation }, { REFUSALS }] = await Promise.all([
    import('../actions/audit-without-session.ts'),
    import('./own-sentences.ts'),
  ]);
  recordViolation(root, tool, violation);
  return { refusal: REFUSALS[violation] };
};
