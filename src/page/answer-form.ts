import type { Key } from '../actions/review/answers.ts';
import { html, type Markup, ours, type Part } from './markup.ts';

/** An answer as a button. `yes` raises, `yes careful` does too and does not stand out, `no` lowers, `plain` changes no standing. */
export interface Button {
  readonly key: Key;
  readonly means: string;
  readonly look: 'yes' | 'yes careful' | 'no' | 'plain';
}

/** The bar at the bottom. Its first button is disabled, so that Enter in a field answers nothing. */
export function answerForm(token: string, choices: readonly Button[], more: Part): Markup {
  return html`<form class="bar" method="post" action="answer" id="answers" aria-label="Your answer">
    <input type="hidden" name="token" value="${ours(token)}">
    <button type="submit" disabled hidden></button>
    ${more}
    <div class="choices"><p id="unread" role="status" hidden>There is more to read. A yes counts for the whole text, so it first scrolls on.</p>${choices.map(
      ({ key, means, look }) =>
        html`<button type="submit" name="key" value="${ours(key)}" class="${ours(look)}" aria-keyshortcuts="${ours(key)}"><kbd aria-hidden="true">${ours(key)}</kbd> ${ours(means)}</button>`,
    )}</div>
  </form>`;
}
