import { text } from '../core/text/safe-text.ts';
import { defineDecision } from './define-decision.ts';

export const reaffirm = defineDecision({
  verb: 'reaffirm',
  title: 'Ask a person whether a memory still holds',
  description: `Ask the person whether a verified memory that has grown stale still holds. Only their answer renews it. A memory whose text changed since it was confirmed is settled outside of this conversation and is queued.
If the person said no, or the request was queued, do not call again unless they ask you to.`,
  ask: (id) => text`Does ${id} still hold?`,
  done: 'The person confirmed that it still holds.',
});
