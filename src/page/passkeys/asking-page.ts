import type { Adoption } from '../../actions/review/adopt.ts';
import type { AnswerKey, ReviewChoice } from '../../actions/review/answers.ts';
import { questionForDraft, questionsFor } from '../../actions/review/passkey-question.ts';
import type { Case } from '../../actions/review/review.ts';
import type { Session } from '../../actions/session.ts';
import type { Assurance, Level } from '../../core/trust/consent.ts';
import { type PasskeyQuestion, passkeysNow } from '../../store/maintenance/passkeys.ts';
import { html, type MarkupPart, when } from '../markup.ts';

// How the review page and the overview ask for a passkey.

/** A page on which a yes has at most this level. Only one of level 4 asks for passkeys. */
export interface AskingPage {
  readonly session: Session;
  readonly level: Assurance;
}

/** Said once, after the first yes on a page, where no passkey was ever enrolled. */
export const PASSKEY_OFFER = html`No program can give a yes that is signed with a passkey (fingerprint, face, PIN, security key or phone).
  <code>surety passkey add</code> enrols one. This is said once.`;

/** The highest level of a yes on a page that is opened now: 4 where a passkey is enrolled, else that of its opener. */
export function levelOfPage({ vault }: Session, levelAtMost: Level): Assurance {
  return passkeysNow(vault).passkeys.length > 0 ? 4 : levelAtMost;
}

/** What a passkey is asked for each answer to a case. */
export function questionsOn(
  { session, level }: AskingPage,
  open: Case,
  choices: readonly ReviewChoice[],
): Map<AnswerKey, PasskeyQuestion> {
  return level === 4 ? questionsFor(session, open, choices) : new Map();
}

/** What a passkey is asked for a person's own words. */
export function questionsOnDraft({ session, level }: AskingPage, adoption: Adoption): Map<AnswerKey, PasskeyQuestion> {
  const question = level === 4 ? questionForDraft(session, adoption) : undefined;
  return new Map(question && [['y', question]]);
}

/** The box with which a person answers without the passkey, where that answer counts. */
export function withoutPasskey(
  { session: { vault } }: AskingPage,
  { levelAtMost }: { readonly levelAtMost: Level },
  questions: ReadonlyMap<AnswerKey, PasskeyQuestion>,
): MarkupPart {
  return when(
    questions.size > 0 && !passkeysNow(vault).isRequired && vault.settings.minimumAssurance <= levelAtMost,
    () => html`<label class="reason"><input type="checkbox" id="without-passkey"> Answer without the passkey</label>`,
  );
}
