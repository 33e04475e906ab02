import type { Case } from '../actions/review.ts';
import type { Session } from '../actions/session.ts';
import { dateOf, wholeDays } from '../core/clocks.ts';
import { wordsOf } from '../core/query.ts';
import type { Statement } from '../core/replay.ts';
import { REASONS } from '../core/standing.ts';
import { textOf } from '../core/subject.ts';
import { text, visible } from '../core/text.ts';
import type { Loaded } from '../store/loaded.ts';
import { looserThanDefaults } from '../store/settings.ts';
import { DONE } from './choices.ts';
import { html, type Markup, ours, type Part } from './markup.ts';
import { chips } from './stored.ts';

const ORIGINS: Readonly<Record<string, string>> = {
  propose: 'proposed by an agent',
  import: 'imported',
  backfill: 'imported',
  add: 'written by a person',
  adopt: 'adopted by a person',
  rewrite: 'rewritten by a person',
  seen: 'found in the folder',
};

/** Where a memory is from, how old it is, who wants it decided and why it cannot be. Dates are the ledger's. */
export function factList(session: Session, { loaded, request, verb, inVain }: Case): Markup {
  const { id, standing, firstSeen, subject } = loaded;
  const origin = oldestFirst(session.vault.evidence.of(id))[0];
  const reason = textOf(subject.document?.fields.get('quarantine-reason'));
  const rows: [string, Part][] = [
    ['Standing', ours(`${standing.tier}: ${REASONS[standing.reason]}`)],
    [
      'Source',
      ours(
        origin ? `${ORIGINS[origin.action] ?? 'first recorded'}${elsewhere(session, origin)}` : 'found in the folder',
      ),
    ],
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
  for (const looser of looserThanDefaults(session.vault.parts.settings())) rows.push(['Settings', ours(looser)]);
  if (inVain !== undefined) rows.push(['Not now', ours(`it cannot be ${DONE[verb]}: ${inVain.message}`)]);
  return html`<dl class="facts">${rows.map(([label, value]) => html`<div><dt>${ours(label)}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Every entry of every ledger about this memory, oldest first. */
export function historyList(session: Session, { id }: Loaded): Part {
  const entries = oldestFirst(session.vault.evidence.of(id));
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

const MOST_ALIKE = 3;

/** Other memories whose names share most of their words; named, never merged. */
export function alikeList({ vault }: Session, { id, subject }: Loaded): Part {
  const name = textOf(subject.document?.fields.get('name'));
  const words = wordsOf(name ?? '');
  if (words.length === 0) return undefined;
  const others = vault.parts.index
    .matching(words, MOST_ALIKE * 3)
    .flatMap((row) => vault.shelf.load(row) ?? [])
    .filter((other) => other.id !== id && other.shown !== undefined && other.standing.tier !== 'quarantined')
    .filter((other) => sharesMost(words, wordsOf(textOf(other.subject.document?.fields.get('name')) ?? '')));
  if (others.length === 0) return undefined;
  return html`<section><h2>Near it</h2><ul class="alike">${others.slice(0, MOST_ALIKE).map(
    ({ id: other, standing: { tier }, shown }) => html`<li>
      <span class="tier ${ours(tier)}">${ours(tier)}</span> <code>${ours(other)}</code>
      <q dir="auto">${shown === undefined ? undefined : chips(visible(shown.description, 'line'))}</q>
    </li>`,
  )}</ul></section>`;
}

function sharesMost(one: readonly string[], other: readonly string[]): boolean {
  const shared = one.filter((word) => other.includes(word)).length;
  return shared > 0 && shared * 2 >= Math.max(one.length, other.length);
}

function quoted(stored: Parameters<typeof chips>[0]): Markup {
  return html`<q class="quoted" dir="auto">${chips(stored)}</q>`;
}

function oldestFirst(statements: readonly Statement[]): Statement[] {
  return statements.toSorted((a, b) => a.at - b.at);
}

function elsewhere({ vault }: Session, { ledger }: Statement): string {
  if (ledger.fingerprint === vault.parts.key.fingerprint) return '';
  return ` on another machine (ledger ${ledger.fingerprint.slice(0, 8)})`;
}

function ago({ vault }: Session, at: number): string {
  const days = wholeDays(at, vault.parts.now());
  const how = days < 0 ? 'in the future' : days === 0 ? 'today' : days === 1 ? 'yesterday' : `${days} days ago`;
  return `on ${dateOf(at)}, ${how}`;
}
