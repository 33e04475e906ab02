import * as z from 'zod';
import type { Session } from '../actions/session.ts';
import { LIMITS } from '../core/memory/limits.ts';
import type { AskChannels, DecisionTool } from './decision-tool.ts';
import { defineTool } from './define.ts';

interface DecisionContext {
  session(): Promise<Session>;
  asking(): Promise<AskChannels>;
}

const INPUT = z
  .object({
    id: z.string().min(1).max(200).describe('The memory’s id, at most 200 characters'),
    reason: z
      .string()
      .max(LIMITS.reason.max)
      .optional()
      .describe(`One line for the person who decides, at most ${LIMITS.reason.max} characters`),
  })
  .strict();

const OUTPUT = z.object({
  id: z.string(),
  outcome: z.enum(['done', 'queued', 'declined']),
  tier: z.enum(['verified', 'inferred', 'quarantined']),
  reason: z.string().optional().describe('Of a quarantined memory: why, as a code'),
  since: z.string().optional(),
  note: z.string(),
});

/** Defines a tool that changes trust. A call is a request; only a person's answer carries it out. */
export function defineDecision(tool: DecisionTool) {
  return defineTool({
    name: tool.verb,
    title: tool.title,
    description: tool.description,
    risk: 'decides',
    ...(tool.needsPermission && { meta: { 'anthropic/requiresUserInteraction': true } }),
    input: INPUT,
    output: OUTPUT,
    handle: async (asked, context: DecisionContext, call) => {
      const { askAndCarryOut } = await import('./ask-and-carry-out.ts');
      return askAndCarryOut(tool, await context.session(), await context.asking(), call, asked);
    },
  });
}
