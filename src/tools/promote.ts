import { text } from '../core/text/safe-text.ts';
import { defineDecision } from './define-decision.ts';

export const promote = defineDecision({
  verb: 'promote',
  title: 'Ask a person to verify a memory',
  description: `Ask the person to make an inferred memory verified. Only their answer does it; you cannot. Use it when they tell you that a memory is right. It is refused while the text is still under observation; review_queue gives the day on which that ends.
If the person said no, or the request was queued, do not call again unless they ask you to.`,
  ask: (id) => text`Make ${id} verified?`,
  done: 'The person confirmed it. It is verified now.',
  needsPermission: true,
});
