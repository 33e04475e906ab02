// What hooks say to a model in Surety's own words. Loaded only where there is something to say, because a hook must load little.
import type { Violation } from '../actions/agent/tool-guard.ts';
import { type SafeText, text } from '../core/text/safe-text.ts';

/** Sent to the model in place of the tool's result. */
export const REFUSALS: Readonly<Record<Violation, SafeText>> = {
  'own-files': text`These are Surety’s own files, and they are closed to tools. Read memories with search_memories and read_memory, propose one with propose_memory; only the person changes anything else, in a terminal of their own.`,
  'persons-command': text`This command of Surety asks the person or takes their place, so only they run it, in a terminal of their own. Tell them what you would like and why; adopt, promote, demote, reaffirm and restore ask them for you.`,
};

/** For the model, where a prompt asks to remember something. */
export const REMEMBER = text`The person asks to remember this. Propose it with propose_memory, in their own words as the body and nothing added, with a name and a description of at most three words each so that the question fits their dialog. Then call adopt with its id and no reason.`;
