import { keepPrompt } from '../actions/agent/keep-prompt.ts';
import { isHookForPerson } from '../core/clients/agent-shells.ts';
import type { HookClient } from '../core/clients/hook-answers.ts';
import { asksToRemember } from '../core/text/sentence-runs.ts';
import type { Hook } from './hook.ts';
import { folderOf, type HookInput, sessionOf, textIn } from './input.ts';

/** Without a terminal, Gemini CLI puts what hooks gave at the session's start before the first prompt. */
const HOOK_CONTEXT = /^<hook_context>[^<]*(?:<(?!\/hook_context>)[^<]*)*<\/hook_context>\s*/;

/**
 * How messages begin that Claude Code hands on like prompts and that nobody typed: elements such as the end of a task, events,
 * what other sessions and hooks say, and summaries. They hold what tools and models said.
 */
const CLIENTS_OWN =
  /^\s*(?:<|\[SYSTEM NOTIFICATION|Another Claude session sent a message|Stop hook feedback:|This session is being continued)/;

/** Inside a subagent, where what is submitted is what another agent told it. Claude Code and Codex name that agent there. */
const isInSubagent = (input: HookInput) => Object.hasOwn(input, 'agent_id');

/**
 * Where a client puts what was submitted. Qwen Code starts the hook also before it goes on by itself, after a tool's result or with what
 * another hook said, and then has text in `prompt` that nobody typed.
 */
const submittedIn = (input: HookInput, client: HookClient) =>
  textIn(input, client === 'qwen-code' ? 'submitted_prompt' : 'prompt');

/**
 * Notes what a person typed before the model reads it, tells the model what to do with what is to be remembered, and gives it the
 * memories that match the prompt well.
 */
export const userPromptSubmit: Hook = async (input, root, client) => {
  const prompt = submittedIn(input, client)?.replace(HOOK_CONTEXT, '');
  if (prompt === undefined || CLIENTS_OWN.test(prompt)) return undefined;
  const isPersons = isHookForPerson(process.env) && !isInSubagent(input);
  if (isPersons && !keepPrompt(root, prompt, Date.now())) return undefined;
  if (asksToRemember(prompt)) return isPersons ? { context: (await import('./own-sentences.ts')).REMEMBER } : undefined;
  const session = sessionOf(input);
  if (session === undefined) return undefined;
  // Loaded only where they are needed: what is to be remembered asks for nothing, and most prompts bring nothing.
  const { recallFor } = await import('../actions/agent/recall.ts');
  const recall = recallFor(root, { prompt, session, folder: folderOf(input) });
  if (recall === undefined) return undefined;
  const { recalledMemories } = await import('../actions/agent/recalled-memories.ts');
  return { context: await recalledMemories(recall) };
};
