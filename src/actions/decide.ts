import { Refusal } from '../core/refusal.ts';
import { timestamp } from '../core/trust/clocks.ts';
import type { ConsentToBoth, UserConsent, UserNo } from '../core/trust/consent.ts';
import type { AuditEntry, AuditOutcome, Client } from '../store/records/audit-log.ts';
import { requestsOf } from '../store/records/request-queue.ts';
import { promptedAt } from '../store/records/typed-text-hashes.ts';
import { type Decided, type Decision, type Loaded, reasonLine } from '../store/vault/vault.ts';
import { afterChange } from './after-change.ts';
import { settleAnchors } from './anchors.ts';
import { noteContradictions } from './contradictions.ts';
import type { Session } from './session.ts';

/** The words for a decision, shared by dialog, page and terminal. */
export interface DecisionWords {
  /** The question above a text. */
  readonly question: string;
  /** The question in one line; the memory's id follows. */
  readonly asksFor: string;
  /** The answer that means yes. */
  readonly yes: string;
  /** What the memory has become. */
  readonly done: string;
}

export const DECISIONS: Record<Decision, DecisionWords> = {
  promote: {
    question: 'Do you vouch for this?',
    asksFor: 'Vouch for this text and make it verified',
    yes: 'yes, make it verified',
    done: 'verified',
  },
  adopt: {
    question: 'Did you say this? It will count from now on.',
    asksFor: 'Take this text as your own words, so that it counts from now on',
    yes: 'yes, these are my words',
    done: 'verified, as your own words',
  },
  reaffirm: {
    question: 'Do you still vouch for this?',
    asksFor: 'Vouch for this text again',
    yes: 'yes, it still holds',
    done: 'vouched for again',
  },
  restore: {
    question: 'Do you vouch for this, and take it out of quarantine?',
    asksFor: 'Vouch for this text and take it out of quarantine',
    yes: 'yes, restore it',
    done: 'restored',
  },
  demote: {
    question: 'Should this go into quarantine?',
    asksFor: 'Put this into quarantine',
    yes: 'yes, quarantine it',
    done: 'quarantined',
  },
};

/** What the memory has become, and whether the person's passkey signed it. */
export function becomes(verb: Decision, signed: boolean): string {
  return `${DECISIONS[verb].done}${signed ? WITH_PASSKEY : ''}`;
}

export const WITH_PASSKEY = ', signed with your passkey';

/** Says what the memory has become, and whether the ledger has it; if not, only the folder shows it. */
export function doneWith(
  verb: Decision,
  id: string,
  { recorded, signed = false }: Pick<Decided, 'recorded'> & { readonly signed?: boolean },
): string {
  const done = `${id} is ${becomes(verb, signed)}.`;
  return recorded ? done : `${done} ${NOT_RECORDED}`;
}

/** Says what has become of two memories of which one took the other's place. */
export function tookPlace(
  verb: Decision,
  id: string,
  rival: string,
  { recorded, signed }: Pick<Decided, 'recorded'> & { readonly signed: boolean },
): string {
  return `${doneWith(verb, id, { recorded: true, signed })} ${doneWith('demote', rival, { recorded })}`;
}

/** Said when the ledger could not record a quarantine. */
export const NOT_RECORDED =
  'The ledger could not take it yet, so moving the file back would undo it; it is recorded as soon as the ledger can take it.';

/** Loads the memory to decide on; refuses if no yes could help. */
export function subjectOfDecision({ vault }: Session, verb: Decision, id: string): Loaded {
  const loaded = vault.load(id);
  if (loaded === undefined) throw new Refusal('no-such-memory', 'No memory has this id; nothing was changed.');
  vault.refuseInVain(verb, loaded);
  return loaded;
}

/** At most 500 ms for settling the request of a lowering, because a lowering must be answered within two seconds. */
const SETTLE_WAIT_MS = 500;

/** Carries out a person's yes and settles the request for it. */
export async function decide(
  session: Session,
  verb: Decision,
  seen: Loaded,
  consent: UserConsent,
  reason?: string,
): Promise<Decided> {
  const decided = await session.vault.decide(verb, seen, consent, reason);
  await settleRequest(session, verb, seen);
  if (decided.loaded.standing.tier === 'verified') await afterYes(session, verb, seen, decided.loaded, consent);
  return decided;
}

/** What follows a yes that verified a text. Only a client's dialog does not show which of its anchors are lost. */
export async function afterYes(
  session: Session,
  verb: Decision,
  seen: Loaded,
  loaded: Loaded,
  consent: UserConsent,
): Promise<void> {
  await noteContradictions(session, loaded, seen);
  if (verb !== 'reaffirm' && consent.channel === 'dialog') return;
  const otherwise = `The lost anchors of ${loaded.id} could not be settled, so they are asked about again`;
  await afterChange(session, otherwise, () => settleAnchors(session, loaded));
}

/** Carries out one answer about two memories: `seen` is verified, and the verified `rival` that it contradicts is quarantined. */
export async function takePlace(
  session: Session,
  verb: 'promote' | 'adopt',
  seen: Loaded,
  rival: Loaded,
  yes: ConsentToBoth,
): Promise<Decided> {
  const { raised, lowered } = await session.vault.takePlace(verb, seen, rival, yes);
  await settleRequest(session, verb, seen);
  await settleRequest(session, 'demote', rival);
  await noteContradictions(session, raised.loaded, seen);
  return { loaded: raised.loaded, recorded: lowered.recorded };
}

/** A person has seen two that cannot both hold and keeps both. That is their answer to a request about the new one, too. */
export async function keepBoth(session: Session, verb: Decision, seen: Loaded, rival: Loaded): Promise<void> {
  const { vault } = session;
  await vault.exclusively(() => vault.conflicts.keepBoth(seen, rival));
  await settleRequest(session, verb, seen);
}

/** Takes the request for a decision off the queue. If that fails, the decision stands, and the next review reads the request again. */
export function settleRequest(session: Session, verb: Decision, { id }: Loaded): Promise<void> {
  const { vault } = session;
  return afterChange(session, `The request for ${id} could not be taken off the queue`, async () => {
    const requests = requestsOf(vault);
    // Most memories have no request, and a store that takes no writes would complain about one that is not there.
    if (requests.one(id) === undefined) return;
    await vault.exclusively(() => requests.settle(id), verb === 'demote' ? SETTLE_WAIT_MS : undefined);
  });
}

/** Texts that a person refused to put into quarantine, by session. */
const kept = new WeakMap<Session, Set<string>>();

/**
 * Whether a person said no to this decision about exactly this text, so that nobody is asked again. A no to a demote says
 * nothing against the text, so no ledger has it; it holds as long as this process, or a model could ask until somebody
 * presses yes by mistake.
 */
export function saidNoBefore(session: Session, verb: Decision, seen: Loaded): boolean {
  return verb === 'demote' ? (kept.get(session)?.has(textKey(seen)) ?? false) : seen.declinedAt !== undefined;
}

function textKey({ id, digest }: Loaded): string {
  return `${id} ${digest}`;
}

/**
 * Carries out a person's no: the request is settled, and where it was to make the text count, the no is on record for it.
 * The answer stands also where the ledger cannot take it; false then. Refused if the text became verified meanwhile.
 */
export async function decline(session: Session, verb: Decision, seen: Loaded, no: UserNo): Promise<boolean> {
  const { vault } = session;
  try {
    if (verb === 'demote') kept.set(session, (kept.get(session) ?? new Set()).add(textKey(seen)));
    else await vault.decline(seen, no);
    await vault.exclusively(() => requestsOf(session.vault).settle(seen.id));
    return true;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'changed-meanwhile') throw error;
    vault.complain(`surety: the no to ${seen.id} could not be recorded: ${error.message}`);
    return false;
  }
}

/** Queues the request for the operator's review; changes nothing else. */
export function queue(session: Session, verb: Decision, seen: Loaded, client: Client | undefined, reason?: string) {
  const { vault } = session;
  const prompted = promptedAt(vault, seen);
  const line = reasonLine(reason);
  return vault.exclusively(() =>
    requestsOf(session.vault).add({
      id: seen.id,
      verb,
      digest: seen.digest,
      askedAt: new Date(vault.now()).toISOString(),
      client: client ?? { name: 'unknown', version: '' },
      ...(line === null ? {} : { reason: line }),
      ...(prompted === undefined ? {} : { prompted: timestamp(prompted) }),
    }),
  );
}

/** Records each attempt, whatever its outcome. */
export function recordAttempt(
  { audit }: Session,
  attempt: Omit<AuditEntry, 'outcome' | 'channel'>,
  outcome: AuditOutcome,
  reason?: string,
): void {
  audit.record({ channel: 'mcp', ...attempt, outcome, reason });
}
