import { choicesFor } from '../../actions/review/answers.ts';
import { caseFacts } from '../../actions/review/case-facts.ts';
import { type Case, isNowhere, questionAbove, whyAsked } from '../../actions/review/review.ts';
import type { Session } from '../../actions/session.ts';
import { whyStanding } from '../../core/ledger/standing.ts';
import { LIMITS } from '../../core/memory/limits.ts';
import { visible } from '../../core/text/safe-text.ts';
import { dateOf } from '../../core/trust/clocks.ts';
import type { Loaded } from '../../store/vault/vault.ts';
import { answerForm } from '../answer-form.ts';
import { buttonsFor } from '../case-views.ts';
import { factRow } from '../facts.ts';
import { capitalized, html, type Markup, type MarkupPart, ours, when } from '../markup.ts';
import { besideRival, chips, difference, fileBlock, memoryBlock, noteList, notesOf } from '../memory-view.ts';
import { type AskingPage, questionsOn, withoutPasskey } from '../passkeys/asking-page.ts';
import type { PageWitness } from '../witness.ts';
import { earlierTexts } from './earlier-texts.ts';
import { keyOf } from './row-json.ts';

/** One memory beside the list, with its answers. Its form's token is good for exactly what is shown here. */
export function memorySheet(page: AskingPage, witness: PageWitness, open: Case): Markup {
  const { session } = page;
  const { loaded, against, screen, category } = open;
  const { content, findings } = screen;
  const memory = 'memory' in content ? (content.masked ?? content.memory) : undefined;
  const notes = notesOf(findings);
  const facts = caseFacts(session, open);
  const choices = choicesFor(open).filter(({ effect }) => effect !== 'stop');
  const questions = questionsOn(page, open, choices);
  const token = witness.show({ kind: 'case', open }, questions);
  const { standing } = loaded;
  return html`<p class="kicker"><span class="tier ${ours(standing.tier)}">${ours(standing.tier)}</span> ${ours(whyAsked(open))}</p>
    ${when(category !== 'chosen', () => html`<p class="question" id="question">${ours(questionAbove(open))}</p>`)}
    <p class="id"><code>${ours(loaded.id)}</code></p>
    ${'file' in content ? fileBlock(content, notes) : besideRival(open, memoryBlock(memory ?? content.memory, content.memory, loaded.subject.document, notes, 'styled'), 'styled')}
    ${when(!isNowhere(open), () => noteList(notes, loaded.subject.document))}
    <div id="end"></div>
    ${against === undefined || memory === undefined ? undefined : html`<section><h2>${ours(capitalized(against.heading))}</h2>${difference(against.memory, memory)}</section>`}
    ${nearList(facts.flatMap((fact) => ('other' in fact ? [fact.other] : [])))}
    ${earlierList(session, loaded)}
    <section class="life" aria-labelledby="life-title"><h2 id="life-title">Its life</h2><div id="life"><p class="quiet">Reading the ledgers …</p></div></section>
    <dl class="facts">${factRow({ label: 'standing', ours: `${standing.tier}: ${whyStanding(standing)}` })}${facts.map(factRow)}</dl>
    ${answerForm(token, buttonsFor(choices, findings, questions), [
      withoutPasskey(page, witness, questions),
      when(
        choices.some((choice) => choice.verb === 'demote'),
        () =>
          html`<label class="reason">Why quarantine it? <span class="quiet">optional, one line</span><input name="reason" maxlength="${LIMITS.reason.max}" autocomplete="off"></label>`,
      ),
    ])}`;
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
