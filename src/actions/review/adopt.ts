import { hasFindingsInHints, hintsIn } from '../../core/memory/hints.ts';
import { Refusal } from '../../core/refusal.ts';
import { maskSecrets } from '../../core/secrets/detect.ts';
import { sanitize, type Untrusted } from '../../core/text/safe-text.ts';
import type { Channel, UserConsent } from '../../core/trust/consent.ts';
import { withoutYes } from '../../store/records/audit-log.ts';
import type { Drafted, Loaded } from '../../store/vault/vault.ts';
import { afterChange } from '../after-change.ts';
import { afterYes, decide, settleRequest } from '../decide.ts';
import type { Session } from '../session.ts';
import { type Dictation, dictationOf } from './dictation.ts';
import { sameWording, type Wording } from './edit-form.ts';
import { type OnScreen, onScreen, ownWordsOnScreen, rewordingOnScreen } from './shown.ts';
import { withoutStyle } from './style-findings.ts';

/**
 * `adopt`: an inferred memory becomes the person's own words, in place. `rewrite`: a new memory says what a quarantined one
 * should have said, which stays where it is.
 */
type Adopting = 'adopt' | 'rewrite';

/** A memory as a person would have it, exactly as it would be stored. */
export interface Adoption extends Drafted {
  readonly verb: Adopting;
  readonly original: Loaded;
  /** The person's words; undefined where they take the stored ones as they are. */
  readonly wording: Wording | undefined;
  /** What the person has before them, and what their yes is made out of. */
  readonly screen: OnScreen;
  /** Whose words the stored ones are. */
  readonly dictation?: Dictation | undefined;
}

/** What a person's own words would do to this memory; undefined where it counts already, or its change has to be settled. */
export function adoptingOf({ standing }: Loaded): Adopting | undefined {
  if (standing.tier === 'quarantined') return 'rewrite';
  return standing.tier === 'inferred' && standing.reason !== 'changed' ? 'adopt' : undefined;
}

/** The stored text as somebody begins to change it: clean, and without possible secrets. */
export function wordingOf({ shown, bytes, subject, inspection }: Loaded): Wording {
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
    anchors: (shown.anchors ?? []).map((anchor) => anchor.map(line)),
    askedAs: hasFindingsInHints(inspection.findings) ? [] : hintsIn(subject.document),
    body: sanitize(shown.body, 'body').toString().trim(),
  };
}

/** The memory as it is, for a person who takes exactly these words. Refused, and recorded, if no yes could help. */
export function draftAsItIs(session: Session, original: Loaded, channel: Channel): Adoption {
  return session.audit.recordIfItThrows({ channel, action: 'adopt', id: original.id }, () => {
    session.vault.refuseInVain('adopt', original);
    const { id, memory, inspection, subject } = original;
    if (memory === undefined) throw new Refusal('unreadable-file', 'There is no memory in this file.');
    const dictation = dictationOf(session, original);
    const whole = onScreen(original, { vouching: true }, dictation?.prompted);
    const screen = { ...whole, findings: withoutStyle(whole.findings) };
    return {
      verb: 'adopt',
      original,
      wording: undefined,
      screen,
      dictation,
      id,
      memory,
      inspection,
      document: subject.document,
    } as const;
  });
}

/** The memory in the person's words, without storing it. Refused, and recorded, if the checks block it. */
export function draftAdoption(session: Session, original: Loaded, wording: Wording, channel: Channel): Adoption {
  const { vault } = session;
  const verb = adoptingOf(original);
  if (verb === undefined) throw notAdoptable(original);
  if (verb === 'adopt' && sameWording(wording, wordingOf(original))) return draftAsItIs(session, original, channel);
  return session.audit.recordIfItThrows({ channel, action: verb, id: original.id }, () => {
    if (verb === 'rewrite') {
      const draft = vault.draft(wording);
      return { ...draft, verb, original, wording, screen: ownWordsOnScreen(draft) };
    }
    const draft = vault.draftRewording(original, wording);
    return { ...draft, verb, original, wording, screen: rewordingOnScreen(original, draft) };
  });
}

/** Carries out the person's yes to exactly this, and settles what an agent asked for. */
export async function adopt(session: Session, adoption: Adoption, consent: UserConsent): Promise<Loaded> {
  const { verb, original } = adoption;
  const loaded = await session.audit.runAndRecord(
    { channel: consent.channel, action: verb, id: original.id },
    () => carriedOut(session, adoption, consent),
    ({ id, digest }) => ({ id, digest }),
  );
  await settleRequest(session, 'adopt', original);
  await afterYes(session, 'adopt', original, loaded, consent);
  return loaded;
}

async function carriedOut(session: Session, adoption: Adoption, consent: UserConsent): Promise<Loaded> {
  const { vault } = session;
  const { verb, original, wording, id } = adoption;
  if (wording === undefined) return (await decide(session, 'adopt', original, consent)).loaded;
  if (verb === 'adopt') return (await vault.adopt(original, wording, consent)).loaded;
  // The text that was shown must still be there, because the new one was made from it.
  if (!vault.loadSpot(original)?.bytes.equals(original.bytes)) {
    const sentence = `${original.id} changed since it was read. Nothing was changed; read it again.`;
    throw new Refusal('changed-meanwhile', sentence);
  }
  const { loaded } = await vault.create('rewrite', { ...wording, id, replaces: original.id }, consent);
  // The rewritten one stays in quarantine and waits for nobody.
  const otherwise = `${original.id} could not be marked as declined, so it is asked about again`;
  await afterChange(session, otherwise, () => vault.decline(original, consent));
  return loaded;
}

/** Records that the person saw the draft and left it. */
export function leaveAdoption({ audit }: Session, { verb, original }: Adoption, channel: Channel): void {
  audit.record({ channel, action: verb, id: original.id, ...withoutYes(false) });
}

export function notAdoptable({ id, standing }: Loaded): Refusal {
  const sentence =
    standing.reason === 'changed'
      ? `The text of ${id} changed since a person vouched for it; settle that with surety review.`
      : `${id} is verified already. To say it in other words, edit its file and vouch for the change with surety review.`;
  return new Refusal('not-allowed', sentence);
}
