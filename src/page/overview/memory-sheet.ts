import { choicesFor } from '../../actions/review/answers.ts';
import { caseFacts } from '../../actions/review/case-facts.ts';
import type { Case } from '../../actions/review/review.ts';
import type { Session } from '../../actions/session.ts';
import { dateOf } from '../../core/trust/clocks.ts';
import type { Loaded } from '../../store/vault/vault.ts';
import { caseSheet } from '../case-views.ts';
import { factList, nearList } from '../facts.ts';
import { html, type Markup, type MarkupPart, ours } from '../markup.ts';
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
    facts: html`${nearList('Nearly the same', facts, sideBySideButton)}
    ${earlierList(session, loaded)}
    <section class="life" aria-labelledby="life-title"><h2 id="life-title">Its life</h2><div id="life"><p class="quiet">Reading the ledgers …</p></div></section>
    ${factList(open, facts)}`,
  });
}

function sideBySideButton(other: Loaded): Markup {
  return html`<button type="button" class="small" data-compare="${ours(keyOf(other))}">Side by side</button>`;
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
