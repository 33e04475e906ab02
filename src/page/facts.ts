import { elsewhere, historyOf } from '../actions/history.ts';
import { byWhom } from '../actions/report/entry-words.ts';
import { caseFacts, type Fact } from '../actions/review/case-facts.ts';
import { type Case, isNowhere } from '../actions/review/review.ts';
import type { Session } from '../actions/session.ts';
import { whyStanding } from '../core/ledger/standing.ts';
import type { Statement } from '../core/ledger/statement.ts';
import { visible } from '../core/text/safe-text.ts';
import { dateOf } from '../core/trust/clocks.ts';
import type { Loaded } from '../store/vault/vault.ts';
import { capitalized, html, type Markup, type MarkupPart, ours } from './markup.ts';
import { chips } from './memory-view.ts';

/** The facts of a case as a list, its history, and the memories near it. */
export function factsView(session: Session, open: Case): Markup {
  const facts = caseFacts(session, open);
  return html`${factList(open, facts)}
    <details class="past"><summary>History</summary>${historyList(session, open.loaded)}</details>
    ${nearList('Near it', facts)}`;
}

export function factList(open: Case, facts: readonly Fact[]): Markup {
  const { standing } = open.loaded;
  const why: Fact = { label: 'standing', ours: `${standing.tier}: ${whyStanding(standing)}` };
  return html`<dl class="facts">${(isNowhere(open) ? facts : [why, ...facts]).map(factRow)}</dl>`;
}

function factRow(fact: Fact): MarkupPart {
  if ('other' in fact) return undefined;
  const value = 'ours' in fact ? ours(fact.ours) : html`<q class="quoted" dir="auto">${chips(fact.quoted)}</q>`;
  return html`<div><dt>${ours(capitalized(fact.label))}</dt><dd>${value}</dd></div>`;
}

/** Every ledger entry about this memory, oldest first. */
function historyList(session: Session, { id }: Loaded): MarkupPart {
  const entries = historyOf(session, id);
  if (entries.length === 0) return html`<p class="quiet">No ledger knows it yet.</p>`;
  return html`<ol class="history">${entries.map(
    (entry) => html`<li>
      <time datetime="${ours(dateOf(entry.at))}">${ours(dateOf(entry.at))}</time>
      <span>${ours(what(entry))}${ours(elsewhere(session, entry))}</span>
      <span class="quiet">${ours(byWhom(entry, entry.level))}</span>
    </li>`,
  )}</ol>`;
}

function what({ action, from, to }: Statement): string {
  if (to === null) return action;
  return from === to ? `${action}, still ${to}` : `${action}: ${from ?? 'new'} → ${to}`;
}

/** Other memories about the same subject, each followed by `more`. They are named, never merged. */
export function nearList(
  heading: string,
  facts: readonly Fact[],
  more: (other: Loaded) => MarkupPart = () => undefined,
): MarkupPart {
  const others = facts.flatMap((fact) => ('other' in fact ? [fact.other] : []));
  if (others.length === 0) return undefined;
  return html`<section><h2>${ours(heading)}</h2><ul class="alike">${others.map((other) => {
    const { id, standing, shown } = other;
    return html`<li>
      <span class="tier ${ours(standing.tier)}">${ours(standing.tier)}</span> <code>${ours(id)}</code>
      <q dir="auto">${shown === undefined ? undefined : chips(visible(shown.description, 'line'))}</q>
      ${more(other)}
    </li>`;
  })}</ul></section>`;
}
