import { text } from '../core/text/safe-text.ts';
import { defineDecision } from './define-decision.ts';

export const demote = defineDecision({
  verb: 'demote',
  title: 'Ask a person to quarantine a memory',
  description: `Ask the person to take a memory out of use because it is wrong, outdated or suspicious. Say why in reason. Only their answer does it. A quarantined memory is kept but never served again unless a person restores it.
If the person said no, or the request was queued, do not call again unless they ask you to.`,
  ask: (id) => text`Put ${id} into quarantine?`,
  done: 'The person confirmed it. It is quarantined now and no longer served.',
});
