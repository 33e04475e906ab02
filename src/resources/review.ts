import type { Session } from '../actions/session.ts';
import { sanitize } from '../core/text/safe-text.ts';
import { CATEGORIES } from '../core/trust/review-categories.ts';
import type { Resource } from './define.ts';

/** At most 50; the tool review_queue pages through the rest. */
const SHOWN = 50;

export const review: Resource<{ session(): Promise<Session> }> = {
  name: 'review',
  uri: 'memory://review',
  title: 'What waits for the person',
  description:
    'How many memories wait for the person’s decision and which: requests, displaced by another text, ready to be verified, changed, stale, held, quarantined. Ids, reasons and dates only; the tool review_queue lists all of them. And what syncing brought up that the person has not seen.',
  mimeType: 'application/json',
  read: async (context) => {
    const { READ_FOR_OVERVIEW, reviewQueue } = await import('../actions/review-queue.ts');
    const { syncNews } = await import('../actions/sync/sync-notices.ts');
    const session = await context.session();
    const { waiting, counts } = reviewQueue(session, READ_FOR_OVERVIEW);
    const line = (ours: string) => sanitize(ours, 'line');
    const categories = CATEGORIES.map((category) => {
      const here = waiting.filter((each) => each.category === category);
      const shown = here.slice(0, SHOWN).map(({ id, reason, since }) => ({
        id: line(id),
        reason: line(reason),
        since: since === null ? null : line(since),
      }));
      return [category, { count: counts[category], waiting: shown, more: here.length - shown.length }] as const;
    });
    const { news, more } = syncNews(session);
    return { ...Object.fromEntries(categories), sync: { count: news.length + more, news, more } };
  },
};
