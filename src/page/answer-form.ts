import type { AnswerKey } from '../actions/review/answers.ts';
import type { PasskeyQuestion } from '../store/maintenance/passkeys.ts';
import type { Held } from './held/held-on-page.ts';
import { html, type Markup, type MarkupPart, ours } from './markup.ts';
import type { HeldInReview } from './review-session.ts';

/** An answer as a button. `yes` raises, `yes careful` does too and does not stand out, `no` lowers, `plain` changes no standing. */
export interface Button {
  readonly key: AnswerKey;
  readonly means: string;
  readonly look: 'yes' | 'yes careful' | 'no' | 'plain';
  /** What a passkey signs with this answer. */
  readonly question?: PasskeyQuestion | undefined;
}

/** The bar at the bottom. Its first button is disabled, so that Enter in a field answers nothing. */
export function answerForm(token: string, choices: readonly Button[], more: MarkupPart): Markup {
  // As the page's scripts tell a yes, which first scrolls on: y says it also where it puts a memory back.
  const isYesHere = choices.some(({ key, look }) => key === 'y' || look.startsWith('yes'));
  const unread = 'There is more to read.';
  const whole = isYesHere ? `${unread} A yes counts for the whole text, so it first scrolls on.` : unread;
  return html`<form class="bar" method="post" action="answer" id="answers" aria-label="Your answer">
    <input type="hidden" name="token" value="${ours(token)}">
    <button type="submit" disabled hidden></button>
    ${more}
    <div class="choices"><p id="unread" role="status" hidden>${ours(whole)}</p>${choices.map(
      ({ key, means, look, question }) =>
        html`<button type="submit" name="key" value="${ours(key)}" class="${ours(look)}" aria-keyshortcuts="${ours(key)}"${questionIn(question)}><kbd aria-hidden="true">${ours(key)}</kbd> ${ours(means)}</button>`,
    )}</div>
  </form>`;
}

/** What was answered last, with the button that takes it back. It works without the script. */
export function heldForm({ id, means, undo }: Held<HeldInReview>, until = 'Held for five seconds.'): Markup {
  return html`<form class="held" id="held" method="post" action="undo" aria-label="Your last answer">
    <p><code>${ours(id)}</code>: ${ours(means)}. <span class="quiet">${ours(until)}</span></p>
    <button type="submit" name="undo" value="${ours(undo)}" aria-keyshortcuts="u"><kbd aria-hidden="true">u</kbd> Take it back</button>
  </form>`;
}

/** The question as attributes of a button; the script asks the authenticator. */
export function questionIn(question: PasskeyQuestion | undefined): Markup | undefined {
  if (question === undefined) return undefined;
  return html` data-challenge="${ours(question.challenge)}" data-credentials="${ours(question.credentials.join(' '))}"`;
}
