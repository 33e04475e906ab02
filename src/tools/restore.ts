import { text } from '../core/text/safe-text.ts';
import { defineDecision } from './define-decision.ts';

export const restore = defineDecision({
  verb: 'restore',
  title: 'Ask a person to restore a memory',
  description: `Ask the person to bring a quarantined memory back as verified. You are not shown its text, and neither is your client's dialog: the person reads and decides it on a page of their own, or later in a terminal.
Do not call again unless the person asks you to.`,
  ask: (id) => text`Restore ${id}?`,
  done: 'The person confirmed it. It is verified again.',
  needsPermission: true,
});
