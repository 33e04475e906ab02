import type { Session } from '../actions/session.ts';
import { CATEGORIES } from '../core/categories.ts';
import { sanitize } from '../core/text.ts';
import type { Resource } from './define.ts';

/** Enough to begin with; the tool review_queue pages through the rest. */
const SHOWN = 50;

export const review: Resource<{ session(): Promise<Session> }> = {
  name: 'review',
  uri: 'memory://review',
  title: 'What waits for the person',
  description:
    'How many memories wait for the person’s decision and which: requests, ready to be verified, changed, stale, held, quarantined. Ids, reasons and dates only; the tool review_queue lists all of them.',
  mimeType: 'application/json',
  read: async (context) => {
    const { reviewQueue } = await import('../actions/queue.ts');
    const { waiting, counts } = reviewQueue(await context.session());
    const categories = CATEGORIES.map((category) => {
      const here = waiting.filter((each) => each.category === category);
      const shown = here.slice(0, SHOWN).map(({ id, reason, since }) => ({
        id: sanitize(id, 'line'),
        reason: sanitize(reason, 'line'),
        since: since === null ? null : sanitize(since, 'line'),
      }));
      return [category, { count: counts[category], waiting: shown, more: here.length - shown.length }] as const;
    });
    return Object.fromEntries(categories);
  },
};
