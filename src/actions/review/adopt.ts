import type { MemoryId } from '../../core/memory/ids.ts';
import { Refusal } from '../../core/refusal.ts';
import { maskSecrets } from '../../core/secrets/detect.ts';
import { sanitize, type Untrusted } from '../../core/text/safe-text.ts';
import type { Channel, UserConsent } from '../../core/trust/consent.ts';
import { failureOf } from '../../store/records/audit-log.ts';
import type { Drafted, Loaded, NewMemory } from '../../store/vault/vault.ts';
import { decide, requestsOf } from '../decide.ts';
import type { Session } from '../session.ts';
import type { Wording } from './edit-form.ts';

/** `adopt`: an inferred text becomes the operator's own words. `rewrite`: a quarantined one that cannot be restored does. */
export type Adopting = 'adopt' | 'rewrite';

/** A memory in the person's own words that would take the place of another, exactly as it would be stored. */
export interface Adoption extends Drafted {
  readonly verb: Adopting;
  readonly original: Loaded;
  readonly newMemory: NewMemory & { readonly id: MemoryId };
}

/** Each change has its own yes: the new text is one, putting the original away is another. */
export interface AdoptionConsents {
  readonly newMemory: UserConsent;
  /** Absent where the original lies in quarantine already. */
  readonly putAway: UserConsent | undefined;
}

export interface Adopted {
  readonly loaded: Loaded;
  /** Why the original still stands beside the new text, where it does. */
  readonly original: Refusal | undefined;
}

export function adoptingOf({ standing }: Loaded): Adopting {
  return standing.tier === 'quarantined' ? 'rewrite' : 'adopt';
}

/** The stored text as somebody begins to change it: clean, and without possible secrets. */
export function wordingOf({ shown, bytes }: Loaded): Wording {
  const line = (stored: Untrusted) => sanitize(stored, 'line').toString();
  if (shown === undefined) {
    const body = sanitize(maskSecrets(bytes.toString('utf8')), 'body').toString();
    return { type: 'project', name: '', description: '', body };
  }
  return {
    type: shown.type,
    name: line(shown.name),
    description: line(shown.description),
    tags: shown.tags?.map(line),
    project: shown.project === null ? undefined : line(shown.project),
    body: sanitize(shown.body, 'body').toString().trim(),
  };
}

/** The new memory without storing it; refused, and that on record, where the checks block it. */
export function draftAdoption(session: Session, original: Loaded, asked: Wording, channel: Channel): Adoption {
  const verb = adoptingOf(original);
  try {
    const draft = session.vault.draft(asked);
    const newMemory = { ...asked, id: draft.id, replaces: original.id };
    return { ...draft, verb, original, newMemory };
  } catch (error) {
    record(session, verb, original, channel, error);
    throw error;
  }
}

/**
 * Stores the new text, then puts the original away. In this order, because the other way round a kill in between would
 * leave neither; a text that was vouched for stays verified although a quarantined one says the same.
 */
export async function adopt(session: Session, adoption: Adoption, consents: AdoptionConsents): Promise<Adopted> {
  const { verb, original, newMemory } = adoption;
  const { channel } = consents.newMemory;
  try {
    refuseChanged(session, original);
    const { loaded } = await session.vault.create(verb, newMemory, consents.newMemory);
    session.audit.record({ channel, action: verb, id: loaded.id, outcome: 'accepted', digest: loaded.digest });
    return { loaded, original: await putAway(session, original, loaded.id, consents.putAway) };
  } catch (error) {
    record(session, verb, original, channel, error);
    throw error;
  }
}

/** Puts on record that the person looked at the draft and did not want it. */
export function leaveAdoption({ audit }: Session, { verb, original }: Adoption, channel: Channel): void {
  audit.record({ channel, action: verb, id: original.id, outcome: 'declined', reason: 'person-said-no' });
}

async function putAway(
  session: Session,
  original: Loaded,
  id: string,
  consent: UserConsent | undefined,
): Promise<Refusal | undefined> {
  if (consent === undefined) {
    await session.vault.exclusively(() => requestsOf(session).settle(original.id));
    return undefined;
  }
  const attempt = { channel: consent.channel, action: 'demote', id: original.id, digest: original.digest } as const;
  try {
    await decide(session, 'demote', original, consent, `adopted as ${id}`);
    session.audit.record({ ...attempt, outcome: 'accepted' });
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    session.audit.record({ ...attempt, ...failureOf(error) });
    return error;
  }
}

/** Before anything is written: a text that takes the place of another was made from the one that was shown. */
function refuseChanged({ vault }: Session, seen: Loaded): void {
  if (vault.loadSpot(seen)?.bytes.equals(seen.bytes)) return;
  throw new Refusal('changed-meanwhile', `${seen.id} changed since it was read. Nothing was changed; read it again.`);
}

/** Of a text that was refused nothing is kept; the id is the original's. */
function record({ audit }: Session, action: Adopting, { id }: Loaded, channel: Channel, error: unknown): void {
  audit.record({ channel, action, id, ...failureOf(error) });
}
