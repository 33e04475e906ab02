import { keepPrompt } from '../actions/agent/keep-prompt.ts';
import { isHookForPerson } from '../core/clients/agent-shells.ts';
import { asksToRemember } from '../core/text/sentence-runs.ts';
import type { Hook } from './hook.ts';
import { textIn } from './input.ts';

const REMEMBER =
  'The person asks to remember this. Propose it with propose_memory, in their own words as the body and nothing added, with a name and a description of at most three words each so that the question fits their dialog. Then call adopt with its id and no reason.';

/** Notes what a person typed before the model reads it, and tells the model what to do with what is to be remembered. */
export const userPromptSubmit: Hook = async (input, root) => {
  const prompt = textIn(input, 'prompt');
  // A client's own messages, such as the end of a task, begin with a tag and hold what tools said.
  if (prompt === undefined || /^\s*</.test(prompt) || !isHookForPerson(process.env)) return undefined;
  if (!keepPrompt(root, prompt, Date.now()) || !asksToRemember(prompt)) return undefined;
  return { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: REMEMBER } };
};
