import type { Session } from '../actions/session.ts';
import { sanitize } from '../core/text/safe-text.ts';
import { CATEGORIES, WHY_WAITING } from '../core/trust/review-categories.ts';
import type { Resource } from './define.ts';

/** At most 50; the tool review_queue pages through the rest. */
const SHOWN = 50;

export const review: Resource<{ session(): Promise<Session> }> = {
  name: 'review',
  uri: 'memory://review',
  title: 'What waits for the person',
  description: `How many memories wait for the person’s decision and which: ${WHY_WAITING}. Behind these, not counted as waiting: new ones, with the day on which their observation ends. Ids, reasons and dates only; the tool review_queue lists all of them. And what syncing brought up that the person has not seen.`,
  mimeType: 'application/json',
  read: async (context) => {
    const { reasonCodeOf, reviewQueue } = await import('../actions/review-queue.ts');
    const { syncNews } = await import('../actions/sync/sync-notices.ts');
    const session = await context.session();
    const { waiting, fresh } = reviewQueue(session);
    const line = (ours: string) => sanitize(ours, 'line');
    const lineOrNull = (ours: string | null) => (ours === null ? null : line(ours));
    const first = <T, E>(all: readonly T[], entry: (each: T) => E) => {
      const shown = all.slice(0, SHOWN);
      return { count: all.length, waiting: shown.map(entry), more: all.length - shown.length };
    };
    const categories = CATEGORIES.map((category) => {
      const here = waiting.filter((each) => each.category === category);
      const entry = first(here, (each) => ({
        id: line(each.id),
        reason: line(reasonCodeOf(session, each)),
        since: lineOrNull(each.since),
      }));
      return [category, entry] as const;
    });
    const inObservation = first(fresh, ({ id, until }) => ({ id: line(id), until: lineOrNull(until) }));
    const { news, more } = syncNews(session);
    return { ...Object.fromEntries(categories), new: inObservation, sync: { count: news.length + more, news, more } };
  },
};
