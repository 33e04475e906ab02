import { choicesFor } from '../../actions/review/answers.ts';
import { caseFacts } from '../../actions/review/case-facts.ts';
import type { Case } from '../../actions/review/review.ts';
import type { Session } from '../../actions/session.ts';
import { visible } from '../../core/text/safe-text.ts';
import { dateOf } from '../../core/trust/clocks.ts';
import type { Loaded } from '../../store/vault/vault.ts';
import { caseSheet } from '../case-views.ts';
import { factList } from '../facts.ts';
import { html, type Markup, type MarkupPart, ours } from '../markup.ts';
import { chips } from '../memory-view.ts';
import type { AskingPage } from '../passkeys/asking-page.ts';
import type { PageWitness } from '../witness.ts';
import { earlierTexts } from './earlier-texts.ts';
import { keyOf } from './row-json.ts';

/** One memory beside the list, with its answers. */
export function memorySheet(page: AskingPage, witness: PageWitness, open: Case): Markup {
  const { session } = page;
  const { loaded } = open;
  const facts = caseFacts(session, open);
  return caseSheet(page, witness, open, {
    choices: choicesFor(open).filter(({ effect }) => effect !== 'stop'),
    isAsked: open.category !== 'chosen',
    drawn: 'styled',
    remark: undefined,
    facts: html`${nearList(facts.flatMap((fact) => ('other' in fact ? [fact.other] : [])))}
    ${earlierList(session, loaded)}
    <section class="life" aria-labelledby="life-title"><h2 id="life-title">Its life</h2><div id="life"><p class="quiet">Reading the ledgers …</p></div></section>
    ${factList(loaded, facts)}`,
  });
}

/** Other memories about the same subject, each one press away from being side by side with this one. */
function nearList(others: readonly Loaded[]): MarkupPart {
  if (others.length === 0) return undefined;
  return html`<section><h2>Nearly the same</h2><ul class="alike">${others.map(
    (other) => html`<li>
      <span class="tier ${ours(other.standing.tier)}">${ours(other.standing.tier)}</span> <code>${ours(other.id)}</code>
      <q dir="auto">${other.shown === undefined ? undefined : chips(visible(other.shown.description, 'line'))}</q>
      <button type="button" class="small" data-compare="${ours(keyOf(other))}">Side by side</button>
    </li>`,
  )}</ul></section>`;
}

/** Texts that it had before and a person vouched for. */
function earlierList(session: Session, loaded: Loaded): MarkupPart {
  const earlier = earlierTexts(session, loaded);
  if (earlier.length === 0) return undefined;
  return html`<section><h2>Earlier texts</h2><ul class="alike">${earlier.map(
    ({ digest, at }) => html`<li>
      <span>${ours(`vouched for on ${dateOf(at)}`)}</span>
      <button type="button" class="small" data-earlier="${ours(digest)}">What differs</button>
    </li>`,
  )}</ul></section>`;
}
