import * as z from 'zod';
import type { Session } from '../actions/session.ts';
import { LIMITS } from '../core/memory/limits.ts';
import type { SafeText } from '../core/text/safe-text.ts';
import type { Decision } from '../store/vault/vault.ts';
import type { Asking } from './decide-request.ts';
import { defineTool } from './define.ts';

export interface Gate {
  readonly verb: Decision;
  readonly title: string;
  readonly description: string;
  /** What a person is asked, before the text itself. */
  readonly ask: (id: SafeText) => SafeText;
  readonly yes: string;
  readonly done: string;
  readonly meta?: Record<string, unknown>;
}

interface Reach {
  session(): Promise<Session>;
  asking(): Promise<Asking>;
}

const INPUT = z
  .object({
    id: z.string().min(1).max(200).describe('The memory’s id'),
    reason: z.string().max(LIMITS.reason.max).optional().describe('One line for the person who decides'),
  })
  .strict();

const OUTPUT = z.object({
  id: z.string(),
  outcome: z.enum(['done', 'queued', 'declined']),
  tier: z.enum(['verified', 'inferred', 'quarantined']),
  note: z.string(),
});

/** The four tools that change trust: a call is a request, and only a person's answer to what was shown carries it out. */
export function defineDecision(gate: Gate) {
  return defineTool({
    name: gate.verb,
    title: gate.title,
    description: gate.description,
    risk: 'decides',
    ...(gate.meta && { meta: gate.meta }),
    input: INPUT,
    output: OUTPUT,
    handle: async (asked, reach: Reach, call) => {
      const { requestOf } = await import('./decide-request.ts');
      return requestOf(gate, await reach.session(), await reach.asking(), call, asked);
    },
  });
}
