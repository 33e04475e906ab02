import { text } from '../core/text/safe-text.ts';
import { defineDecision } from './define-decision.ts';

export const adopt = defineDecision({
  verb: 'adopt',
  title: 'Ask a person whether they said this',
  description: `Ask the person whether a memory that you have just proposed is what they said, so that it counts at once. Call it right after propose_memory when they asked for something to be remembered; not for what you concluded yourself. Only their answer does it; you cannot. It takes ids that propose_memory returned in this session.
If the person said no, or the request was queued, do not call again unless they ask you to.`,
  ask: (id) => text`Did you say this? It will count as ${id}.`,
  askWithoutId: text`Did you say this? It will count from now on.`,
  done: 'The person said that these are their words. It is verified now.',
  takesOnlyProposed: true,
  needsPermission: true,
});
