import { standingKey } from '../core/ledger/standing.ts';
import { Refusal } from '../core/refusal.ts';
import type { UserConsent } from '../core/trust/consent.ts';
import type { AuditEntry, Client, Outcome } from '../store/records/audit-log.ts';
import { Requests } from '../store/records/request-queue.ts';
import { reasonLine } from '../store/vault/ledger-entries.ts';
import type { Loaded } from '../store/vault/loaded-memory.ts';
import type { Decided, Decision } from '../store/vault/vault.ts';
import type { Session } from './session.ts';

/** What a memory is after each, in a word or three. */
export const DONE: Record<Decision, string> = {
  promote: 'verified',
  reaffirm: 'vouched for again',
  restore: 'restored',
  demote: 'quarantined',
};

/** What a memory is after it, and whether that could be written down: until it is, the folder alone says so. */
export function doneWith(verb: Decision, id: string, { recorded }: Pick<Decided, 'recorded'>): string {
  const done = `${id} is ${DONE[verb]}.`;
  return recorded ? done : `${done} ${NOT_RECORDED}`;
}

/** What is said of a quarantine that the ledger could not take. */
export const NOT_RECORDED =
  'The ledger could not take it yet, so moving the file back would undo it; it is recorded as soon as the disk allows.';

/** The memory somebody wants decided, as it is now; refused at once where no yes could help. */
export function subjectOfDecision({ vault }: Session, verb: Decision, id: string): Loaded {
  const loaded = vault.load(id);
  if (loaded === undefined) throw new Refusal('no-such-memory', 'No memory has this id; nothing was changed.');
  vault.refuseInVain(verb, loaded);
  return loaded;
}

/** What a yes to this decision would be for. */
export function shownFor(verb: Decision, { id, digest, standing, inspection }: Loaded) {
  const settles = inspection.findings.filter((f) => f.severity === 'hold').map((f) => f.rule);
  return { verb, id, digest, standing: standingKey(standing), settles: [...new Set(settles)].sort() };
}

/** Carries out a person's yes. A request that waited for it is settled with it. */
export async function decide(
  session: Session,
  verb: Decision,
  seen: Loaded,
  consent: UserConsent,
  reason?: string,
): Promise<Decided> {
  const decided = await session.vault.decide(verb, seen, consent, reason);
  try {
    await session.vault.exclusively(() => requestsOf(session).settle(seen.id));
  } catch {
    // The decision stands; a request that is left over is looked at anew when its turn comes.
    session.vault.parts.complain(`surety: the request for ${seen.id} could not be taken off the queue`);
  }
  return decided;
}

/** Puts the request where the operator's review finds it; nothing else changes. */
export function queue(session: Session, verb: Decision, seen: Loaded, client: Client | undefined, reason?: string) {
  const { vault } = session;
  const line = reasonLine(reason);
  return vault.exclusively(() =>
    requestsOf(session).add({
      id: seen.id,
      verb,
      digest: seen.digest,
      askedAt: new Date(vault.parts.now()).toISOString(),
      client: client ?? { name: 'unknown', version: '' },
      ...(line === null ? {} : { reason: line }),
    }),
  );
}

export function requestsOf({ vault }: Pick<Session, 'vault'>): Requests {
  const { places, disk } = vault.parts;
  return new Requests(`${places.state}/requests.jsonl`, disk);
}

/** One line for every attempt, whatever came of it. */
export function recordAttempt(
  { audit }: Session,
  attempt: Omit<AuditEntry, 'outcome' | 'channel'>,
  outcome: Outcome,
  reason?: string,
): void {
  audit.record({ channel: 'mcp', ...attempt, outcome, reason });
}
