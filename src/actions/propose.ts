import { Refusal } from '../core/refusal.ts';
import type { Client } from '../store/audit-log.ts';
import type { Birth, Born } from '../store/birth.ts';
import type { Session } from './session.ts';

/** An agent offers a memory. It lands as inferred or not at all, and the attempt is on record either way. */
export async function propose(session: Session, birth: Omit<Birth, 'id'>, client: Client | undefined): Promise<Born> {
  const attempt = { channel: 'mcp', client, action: 'propose_memory' } as const;
  try {
    const budget = session.vault.parts.settings().proposalsPerSession;
    if (session.proposals >= budget) {
      throw new Refusal(
        'budget-spent',
        `This session has made its ${budget} proposals; nothing more is taken from it.`,
      );
    }
    const by = { actor: 'agent', client: client ? `${client.name} ${client.version}` : null } as const;
    const born = await session.vault.create('propose', birth, by);
    if (born.kind === 'created') session.proposals += 1;
    const outcome = born.kind === 'created' ? 'accepted' : 'unchanged';
    session.audit.record({ ...attempt, id: born.loaded.id, outcome, digest: born.loaded.digest });
    return born;
  } catch (error) {
    const refused = error instanceof Refusal;
    session.audit.record({ ...attempt, outcome: refused ? 'refused' : 'failed', reason: refused ? error.code : 'bug' });
    throw error;
  }
}
