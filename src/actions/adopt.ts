import type { UserConsent } from '../core/consent.ts';
import type { Document } from '../core/document.ts';
import type { Inspection } from '../core/findings.ts';
import type { MemoryId } from '../core/ids.ts';
import { digestOf, type Memory } from '../core/memory.ts';
import { Refusal } from '../core/refusal.ts';
import { refuseBlocked } from '../core/soundness.ts';
import { subjectOf } from '../core/subject.ts';
import { type Birth, cleaned, make } from '../store/birth.ts';
import { read } from '../store/format.ts';
import type { Loaded } from '../store/loaded.ts';
import { decide, requestsOf } from './decide.ts';
import type { Session } from './session.ts';

/** `adopt`: an inferred text becomes the operator's own words. `rewrite`: a quarantined one that cannot be restored does. */
export type Adopting = 'adopt' | 'rewrite';

/** A memory in the person's own words that would take the place of another, exactly as it would be stored. */
export interface Adoption {
  readonly verb: Adopting;
  readonly original: Loaded;
  readonly birth: Birth & { readonly id: MemoryId };
  readonly memory: Memory;
  readonly digest: string;
  readonly document: Document | undefined;
  readonly inspection: Inspection;
}

/** Each change has its own yes: the new text is one, putting the original away is another. */
export interface AdoptionConsents {
  readonly birth: UserConsent;
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

/** Makes the memory without storing it: what the person is shown is read back from the very bytes of its file. */
export function draftAdoption(session: Session, original: Loaded, asked: Omit<Birth, 'id' | 'replaces'>): Adoption {
  const { vault } = session;
  const { now, key, checks } = vault.parts;
  const verb = adoptingOf(original);
  try {
    const clean = cleaned(asked);
    const id = vault.freeId(clean.type, clean.name);
    const made = make(clean, id, 'verified', now(), key.machine, checks);
    refuseBlocked(made.inspection);
    const { memory, document } = subjectOf(id, read(made.bytes), 'proposal');
    if (memory === undefined) throw new Refusal('checks-failed', 'There is no memory in this text; see the findings.');
    const birth = { ...asked, id, replaces: original.id };
    return { verb, original, birth, memory, digest: digestOf(memory), document, inspection: made.inspection };
  } catch (error) {
    record(session, verb, original, error);
    throw error;
  }
}

/**
 * Stores the new text, then puts the original away. In this order, because the other way round a kill in between would
 * leave neither; a text that was vouched for stays verified although a quarantined one says the same.
 */
export async function adopt(session: Session, adoption: Adoption, consents: AdoptionConsents): Promise<Adopted> {
  const { verb, original, birth } = adoption;
  try {
    refuseChanged(session, original);
    const { loaded } = await session.vault.create(verb, birth, consents.birth);
    const { channel } = consents.birth;
    session.audit.record({ channel, action: verb, id: loaded.id, outcome: 'accepted', digest: loaded.digest });
    return { loaded, original: await putAway(session, original, loaded.id, consents.putAway) };
  } catch (error) {
    record(session, verb, original, error);
    throw error;
  }
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
    session.audit.record({ ...attempt, outcome: 'refused', reason: error.code });
    return error;
  }
}

/** Before anything is written: a text that takes the place of another was made from the one that was shown. */
function refuseChanged({ vault }: Session, seen: Loaded): void {
  if (vault.loadSpot(seen)?.bytes.equals(seen.bytes)) return;
  throw new Refusal('changed-meanwhile', `${seen.id} changed since it was read. Nothing was changed; read it again.`);
}

/** Of a text that was refused nothing is kept; the id is the original's. */
function record({ audit }: Session, action: Adopting, { id }: Loaded, error: unknown): void {
  const refused = error instanceof Refusal;
  const reason = refused ? error.code : 'bug';
  audit.record({ channel: 'page', action, id, outcome: refused ? 'refused' : 'failed', reason });
}
