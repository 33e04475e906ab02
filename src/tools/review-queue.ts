import * as z from 'zod';
import type { Session } from '../actions/session.ts';
import { sanitize } from '../core/text/safe-text.ts';
import { CATEGORIES, REVIEWED, WHY_WAITING } from '../core/trust/review-categories.ts';
import { defineTool } from './define.ts';

export const reviewQueueTool = defineTool({
  name: 'review_queue',
  title: 'What waits for the person',
  description: `List the memories that wait for the person's decision: ${WHY_WAITING} (only its id, reason and date). And what syncing with other machines brought up that they have not seen. Behind these, not counted as waiting, it lists new memories, which are in observation until a day. Use it when the person wants to review memory; they decide, one memory at a time.`,
  risk: 'reads',
  input: z
    .object({
      category: z
        .enum(REVIEWED)
        .optional()
        .describe(`Only this category, one of ${REVIEWED.join(', ')}`),
      limit: z.number().int().min(1).max(50).default(20).describe('How many, 1 to 50'),
      offset: z.number().int().min(0).max(1_000_000).default(0).describe('How many to pass over, 0 to 1000000'),
    })
    .strict(),
  output: z.object({
    counts: z.record(z.enum(CATEGORIES), z.number()),
    waiting: z.array(
      z.object({
        category: z.enum(REVIEWED),
        id: z.string(),
        tier: z.enum(['verified', 'inferred', 'quarantined']),
        reason: z.string(),
        since: z.string().optional(),
        until: z.string().optional().describe('Of a new memory: the day on which its observation ends'),
      }),
    ),
    more: z.number(),
    new: z.number().describe('New memories, in observation; they wait for nobody'),
    sync: z.array(z.object({ kind: z.string(), about: z.string().optional(), what: z.string(), at: z.string() })),
  }),
  handle: async ({ category, limit, offset }, context: { session(): Promise<Session> }) => {
    const { reasonCodeOf, reviewQueue } = await import('../actions/review-queue.ts');
    const { syncNews } = await import('../actions/sync/sync-notices.ts');
    const session = await context.session();
    const { waiting, counts, fresh } = reviewQueue(session);
    const line = (ours: string) => sanitize(ours, 'line');
    const asked = [...waiting.map((each) => ({ ...each, until: null })), ...fresh].filter(
      (each) => category === undefined || each.category === category,
    );
    const shown = asked.slice(offset, offset + limit);
    return {
      counts,
      waiting: shown.map((each) => ({
        category: each.category,
        id: line(each.id),
        tier: each.tier,
        reason: line(reasonCodeOf(session, each)),
        ...(each.since !== null && { since: line(each.since) }),
        ...(each.until !== null && { until: line(each.until) }),
      })),
      more: Math.max(0, asked.length - offset - shown.length),
      new: fresh.length,
      sync: category === undefined && offset === 0 ? syncNews(session).news : [],
    };
  },
});
