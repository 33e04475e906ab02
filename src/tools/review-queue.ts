import * as z from 'zod';
import type { Session } from '../actions/session.ts';
import { sanitize } from '../core/text/safe-text.ts';
import { CATEGORIES } from '../core/trust/review-categories.ts';
import { defineTool } from './define.ts';

export const reviewQueueTool = defineTool({
  name: 'review_queue',
  title: 'What waits for the person',
  description: `List what waits for the person's decision: requests, verified texts that another one displaced, inferred memories whose observation is over, changed and stale ones, quarantined ones (only id, reason and date), and what syncing with other machines brought up that they have not seen. Use it when the person wants to review memory; they decide, one memory at a time.`,
  risk: 'reads',
  input: z
    .object({
      category: z.enum(CATEGORIES).optional().describe('Only this category'),
      limit: z.number().int().min(1).max(50).default(20).describe('How many, 1 to 50'),
      offset: z.number().int().min(0).max(1_000_000).default(0).describe('How many to pass over, 0 to 1000000'),
    })
    .strict(),
  output: z.object({
    counts: z.record(z.enum(CATEGORIES), z.number()),
    waiting: z.array(
      z.object({
        category: z.enum(CATEGORIES),
        id: z.string(),
        tier: z.enum(['verified', 'inferred', 'quarantined']),
        reason: z.string(),
        since: z.string().nullable(),
      }),
    ),
    more: z.number(),
    sync: z.array(z.object({ kind: z.string(), about: z.string().nullable(), what: z.string(), at: z.string() })),
  }),
  handle: async ({ category, limit, offset }, context: { session(): Promise<Session> }) => {
    const { READ_FOR_OVERVIEW, reviewQueue } = await import('../actions/review-queue.ts');
    const { syncNews } = await import('../actions/sync/sync-notices.ts');
    const session = await context.session();
    const { waiting, counts } = reviewQueue(session, READ_FOR_OVERVIEW);
    const asked = waiting.filter((each) => category === undefined || each.category === category);
    const shown = asked.slice(offset, offset + limit);
    return {
      counts,
      waiting: shown.map(({ id, reason, since, ...rest }) => ({
        ...rest,
        id: sanitize(id, 'line'),
        reason: sanitize(reason, 'line'),
        since: since === null ? null : sanitize(since, 'line'),
      })),
      more: Math.max(0, asked.length - offset - shown.length),
      sync: category === undefined && offset === 0 ? syncNews(session).news : [],
    };
  },
});
