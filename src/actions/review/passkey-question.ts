import { startOf } from '../../core/ledger/standing.ts';
import { type OfferedYes, type PasskeyQuestion, passkeyQuestionFor } from '../../store/maintenance/passkeys.ts';
import { type Decision, digestBefore } from '../../store/vault/vault.ts';
import type { Session } from '../session.ts';
import type { Adoption } from './adopt.ts';
import type { AnswerKey, ReviewChoice } from './answers.ts';
import type { Case } from './review.ts';
import { type OnScreen, shownFor } from './shown.ts';

/** What a passkey is asked for each answer to a case that would make it count; empty where no passkey is enrolled. */
export function questionsFor(
  { vault }: Session,
  open: Case,
  choices: readonly ReviewChoice[],
): Map<AnswerKey, PasskeyQuestion> {
  const asked = choices.flatMap(({ key, verb, takesPlace }): [AnswerKey, PasskeyQuestion][] => {
    if (verb === undefined || verb === 'demote') return [];
    const yes = offered(verb, open.screen, startOf(open.loaded.standing, verb));
    const question = passkeyQuestionFor(vault, { ...yes, replaces: (takesPlace && open.rival?.id) ?? null });
    return question === undefined ? [] : [[key, question]];
  });
  return new Map(asked);
}

/** What a passkey is asked for a person's own words. */
export function questionForDraft({ vault }: Session, adoption: Adoption): PasskeyQuestion | undefined {
  const { verb, screen, original } = adoption;
  if (verb === 'rewrite') {
    const yes = offered('adopt', screen, null);
    return passkeyQuestionFor(vault, { ...yes, verb, replaces: original.id });
  }
  const yes = offered(verb, screen, startOf(original.standing, verb));
  return passkeyQuestionFor(vault, { ...yes, was: yes.was && digestBefore(original) });
}

function offered(verb: Decision, screen: OnScreen, from: OfferedYes['from']): OfferedYes {
  const { id, digest, was, settles } = shownFor(verb, screen);
  return { verb, id, digest, was, from, settled: settles, replaces: null };
}
