import { rulesThatBlock } from '../core/checks/inspect.ts';
import type { Standing } from '../core/ledger/standing.ts';
import type { Memory } from '../core/memory/memory.ts';
import type { Facts } from '../core/present/model-facts.ts';
import { Refusal } from '../core/refusal.ts';
import { dateOf, timestamp } from '../core/trust/clocks.ts';
import type { Loaded, Vault } from '../store/vault/vault.ts';
import { ANCHOR_MS, type AnchorLook, anchorLook, notHolding } from './anchors.ts';
import { isStaleNow } from './memory-state.ts';
import type { Session } from './session.ts';

/** All of a memory that is served; of a quarantined one only its id, reason and date. */
type WholeMemory =
  | { readonly kind: 'served'; readonly facts: Facts; readonly memory: Memory; readonly standing: Standing }
  | {
      readonly kind: 'quarantined';
      readonly id: string;
      readonly reason: Standing['reason'];
      readonly since: string | null;
    };

/** Reads one whole memory from its file. */
export function readMemory({ vault, checkout }: Pick<Session, 'vault' | 'checkout'>, id: string): WholeMemory {
  const loaded = vault.load(id);
  if (loaded === undefined) throw new Refusal('no-such-memory', 'No memory has this id; search for it first.');
  const { standing, shown: memory } = loaded;
  if (standing.tier === 'quarantined') {
    return { kind: 'quarantined', id: loaded.id, reason: standing.reason, since: quarantinedSince(loaded) };
  }
  const facts = factsOf(vault, loaded, anchorLook(checkout, ANCHOR_MS.person));
  if (facts === undefined || memory === undefined) {
    throw new Refusal('needs-person', 'A check blocks this memory, so it is not served; a person has to look at it.');
  }
  return { kind: 'served', facts, memory, standing };
}

/** Surety's own words about a memory; undefined if it may not be served. */
export function factsOf(vault: Vault, loaded: Loaded, look?: AnchorLook): Facts | undefined {
  const { id, memory, standing, withheld, held, firstSeen, declinedAt } = loaded;
  if (memory === undefined || withheld || standing.tier === 'quarantined') return undefined;
  const since = standing.tier === 'verified' ? standing.receipt.at : firstSeen;
  const anchors = look === undefined ? [] : notHolding(look, memory);
  const conflictsWith = vault.conflicts.of(loaded);
  return {
    id,
    tier: standing.tier,
    type: memory.type,
    ...(since !== undefined && { since: dateOf(since) }),
    stale: isStaleNow(vault, standing),
    held: held.length > 0,
    ...(declinedAt !== undefined && standing.tier === 'inferred' && { declined: true }),
    ...(conflictsWith !== undefined && { conflictsWith }),
    ...(anchors.length > 0 && { anchors }),
  };
}

/**
 * Why a memory is quarantined and since when, in codes of the server's own: what a person or a ledger says about it does not
 * reach a model. Of what a check decided, the rules that block the file.
 */
export function quarantineFacts(loaded: Loaded): { readonly reason: string; readonly since: string | null } {
  const { standing, inspection } = loaded;
  const byCheck = 'decision' in standing && standing.decision.actor === 'check';
  const rules = byCheck ? rulesThatBlock(inspection) : null;
  return { reason: rules ?? standing.reason, since: quarantinedSince(loaded) };
}

function quarantinedSince({ standing, subject }: Loaded): string | null {
  const at = 'decision' in standing ? standing.decision.at : subject.claims.quarantinedAt;
  return at === undefined ? null : timestamp(at);
}
