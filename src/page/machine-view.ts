import { passkeysByTrust } from '../actions/review/first-passkey.ts';
import { type MachineView, refuseTrusting, whatTrustVerifies } from '../actions/review/machines.ts';
import { refusalIn } from '../core/refusal.ts';
import { visible } from '../core/text/safe-text.ts';
import { dateOf } from '../core/trust/clocks.ts';
import { looserThanDefaults } from '../store/places/settings.ts';
import { answerForm, type Button, heldForm } from './answer-form.ts';
import { goneNotice } from './end-views.ts';
import { html, type Markup, type MarkupPart, ours, when } from './markup.ts';
import { framed } from './page-frame.ts';
import type { ReviewSession } from './review-session.ts';
import type { PageWitness } from './witness.ts';

const WAYS: readonly Button[] = [
  { key: 'y', means: 'Yes, its word counts here', look: 'yes' },
  { key: 'n', means: 'No', look: 'plain' },
  { key: 's', means: 'Skip', look: 'plain' },
  { key: 'q', means: 'Stop here', look: 'plain' },
];

/** Asks whether another machine's receipts count here. Shows its fingerprint to compare and each memory it would verify. */
export function machineView(review: ReviewSession, witness: PageWitness, machine: MachineView, nonce: string): Markup {
  const { session, level } = review;
  const vouched = whatTrustVerifies(session, machine);
  const inVain = refusalIn(() => refuseTrusting(session, machine, level));
  const token = witness.show({ kind: 'machine', machine, vouched });
  const { name, callsItself, sameName, fingerprint, entries, lastAt } = machine;
  const rows: [string, MarkupPart][] = [
    ['Fingerprint', html`<code>${ours(fingerprint)}</code>`],
    ['Its ledger', ours(entries === 0 ? 'empty' : `entries: ${entries}, the last on ${dateOf(lastAt)}`)],
  ];
  if (callsItself !== undefined) rows.push(['Calls itself', html`<q>${visible(callsItself, 'line')}</q>`]);
  if (sameName) rows.push(['Note', ours('another machine has this name; only the fingerprint tells them apart')]);
  for (const looser of looserThanDefaults(session.vault.settings)) rows.push(['Settings', ours(looser)]);
  const passkeys = passkeysByTrust(session.vault, fingerprint);
  if (passkeys !== undefined) rows.push(['Passkeys', ours(passkeys)]);
  if (inVain !== undefined) rows.push(['Not now', ours(inVain.message)]);
  const many = vouched.length === 1 ? '1 memory becomes verified' : `${vouched.length} memories become verified`;
  return framed(
    {
      title: 'A machine',
      nonce,
      said: review.takeSaid(),
      held: review.held && heldForm(review.held),
      notices: review.syncNotices,
      where: 'machines',
      gone: goneNotice(review),
    },
    html`<p class="kicker">a machine whose word does not count here</p>
    <h1>Let this machine’s word count here?</h1>
    <p class="id"><q>${visible(name, 'line')}</q></p>
    <dl class="facts">${rows.map(([label, value]) => html`<div><dt>${ours(label)}</dt><dd>${value}</dd></div>`)}</dl>
    <p>Compare the fingerprint with what <code>surety machines</code> shows on that machine. From your yes on, what a person there vouches for, restores or has observed counts here too.</p>
    <section><h2>${ours(many)} by this</h2>
    ${when(
      vouched.length > 0,
      () =>
        html`<ul class="tally">${vouched.map(
          ({ id, name: called, at, channel, level: proves }) =>
            html`<li><code>${ours(id)}</code> <q>${visible(called, 'line')}</q> <span class="quiet">${ours(`a person there, ${channel} (level ${proves}), on ${dateOf(at)}`)}</span></li>`,
        )}</ul>`,
    )}</section>
    <div id="end"></div>
    ${answerForm(
      token,
      WAYS.filter(({ key }) => key !== 'y' || inVain === undefined),
      undefined,
    )}`,
  );
}
