import { DONE } from '../actions/decide.ts';
import { ago, elsewhere, historyOf, originOf } from '../actions/history.ts';
import { alikeTo } from '../actions/near-duplicates.ts';
import type { Case } from '../actions/review/review.ts';
import type { Session } from '../actions/session.ts';
import { notLookedFor } from '../core/checks/personal.ts';
import { REASONS } from '../core/ledger/standing.ts';
import type { Statement } from '../core/ledger/statement.ts';
import { textOf } from '../core/memory/document.ts';
import { text, visible } from '../core/text/safe-text.ts';
import { dateOf } from '../core/trust/clocks.ts';
import { looserThanDefaults } from '../store/places/settings.ts';
import type { Loaded } from '../store/vault/loaded-memory.ts';
import { html, type Markup, ours, type Part } from './markup.ts';
import { chips } from './memory-view.ts';

/** Where a memory is from, how old it is, who wants it decided and why it cannot be. Dates are the ledger's. */
export function factList(session: Session, open: Case): Markup {
  const { loaded, request, verb, inVain, corrects, correctedBy } = open;
  const { id, standing, firstSeen, subject } = loaded;
  const origin = originOf(session, id);
  const reason = textOf(subject.document?.fields.get('quarantine-reason'));
  const rows: [string, Part][] = [
    ['Standing', ours(`${standing.tier}: ${REASONS[standing.reason]}`)],
    ['Source', ours(origin?.how ?? 'found in the folder')],
  ];
  if (firstSeen !== undefined) rows.push(['Age', ours(`this text was first seen ${ago(session, firstSeen)}`)]);
  if (standing.tier === 'quarantined' && reason !== undefined)
    rows.push(['The file says', quoted(visible(reason, 'line'))]);
  if (request !== undefined) {
    rows.push(['Request', ours(`an agent asks to ${request.verb} it, ${ago(session, Date.parse(request.askedAt))}`)]);
    rows.push([
      'Its client',
      quoted(text`${visible(request.client.name, 'line')} ${visible(request.client.version, 'line')}`),
    ]);
    if (request.reason !== undefined) rows.push(['It says', quoted(visible(request.reason, 'line'))]);
    if (request.digest !== loaded.digest) rows.push(['Note', ours('the text has changed since the agent asked')]);
  }
  if (corrects !== undefined)
    rows.push(['Corrects', ours(`${corrects.id}, ${corrects.standing.tier}; it is asked about after this`)]);
  if (correctedBy !== undefined) rows.push(['Corrected', ours(`by ${correctedBy}, which you vouched for`)]);
  const settings = session.vault.parts.settings();
  for (const looser of looserThanDefaults(settings)) rows.push(['Settings', ours(looser)]);
  for (const gap of notLookedFor(settings.owner)) rows.push(['Not looked for', ours(gap)]);
  if (inVain !== undefined) rows.push(['Not now', ours(`it cannot be ${DONE[verb]}: ${inVain.message}`)]);
  return html`<dl class="facts">${rows.map(([label, value]) => html`<div><dt>${ours(label)}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Every entry of every ledger about this memory, oldest first. */
export function historyList(session: Session, { id }: Loaded): Part {
  const entries = historyOf(session, id);
  if (entries.length === 0) return html`<p class="quiet">No ledger knows it yet.</p>`;
  return html`<ol class="history">${entries.map(
    (entry) => html`<li>
      <time datetime="${ours(dateOf(entry.at))}">${ours(dateOf(entry.at))}</time>
      <span>${ours(what(entry))}${ours(elsewhere(session, entry))}</span>
      <span class="quiet">${ours(by(entry))}</span>
    </li>`,
  )}</ol>`;
}

function what({ action, from, to }: Statement): string {
  if (to === null) return action;
  return from === to ? `${action}, still ${to}` : `${action}: ${from ?? 'new'} → ${to}`;
}

const ACTORS: Record<Statement['actor'], string> = {
  agent: 'an agent',
  import: 'an import',
  check: 'a check',
  operator: 'a person',
};

function by({ actor, level, channel }: Statement): string {
  const way = channel === undefined ? '' : `, ${channel}`;
  return actor === 'operator' ? `${ACTORS.operator}${way}, level ${level}` : `${ACTORS[actor]}${way}`;
}

/** Other memories that are about the same; named, never merged. */
export function alikeList({ vault }: Session, loaded: Loaded): Part {
  const others = alikeTo(vault, loaded);
  if (others.length === 0) return undefined;
  return html`<section><h2>Near it</h2><ul class="alike">${others.map(
    ({ id, standing: { tier }, shown }) => html`<li>
      <span class="tier ${ours(tier)}">${ours(tier)}</span> <code>${ours(id)}</code>
      <q dir="auto">${shown === undefined ? undefined : chips(visible(shown.description, 'line'))}</q>
    </li>`,
  )}</ul></section>`;
}

function quoted(stored: Parameters<typeof chips>[0]): Markup {
  return html`<q class="quoted" dir="auto">${chips(stored)}</q>`;
}
