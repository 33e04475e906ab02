import { byWhom, promptedOf } from '../../actions/report/entry-words.ts';
import { type Logged, log } from '../../actions/report/log.ts';
import type { Session } from '../../actions/session.ts';
import { usesOf } from '../../actions/usage.ts';
import { visible } from '../../core/text/safe-text.ts';
import { dateOf } from '../../core/trust/clocks.ts';
import { html, type Markup, type MarkupPart, ours, when } from '../markup.ts';

const DID: Readonly<Record<string, string>> = {
  propose: 'proposed',
  import: 'imported',
  backfill: 'imported',
  add: 'written',
  adopt: 'taken as a person’s own words',
  rewrite: 'rewritten',
  promote: 'made verified',
  reaffirm: 'vouched for again',
  demote: 'put into quarantine',
  restore: 'restored',
  declined: 'a no to this text',
  parked: 'put aside by a sync',
  archived: 'archived',
  erased: 'erased',
};

/** What happened to a memory, oldest first, and how often and when agents got it. */
export async function lifeView(session: Session, id: string): Promise<Markup> {
  const { entries } = log(session.vault, id);
  const used = await usesOf(session, id);
  if (entries.length === 0) return html`<p class="quiet">No ledger knows it yet.</p>`;
  const texts = new Set<string>();
  return html`<ol class="events">${entries.map((logged) => {
    const { digest } = logged.entry;
    const isNewText = digest !== null && texts.size > 0 && !texts.has(digest);
    if (digest !== null) texts.add(digest);
    return event(logged, isNewText);
  })}${used === undefined ? undefined : html`<li class="used"><time>${ours(dateOf(used.last))}</time> <b>${ours(givenWords(used.times))}</b></li>`}</ol>`;
}

function givenWords(times: number | undefined): string {
  if (times === undefined) return 'last given to an agent';
  return times === 1 ? 'given to an agent, once so far' : `last given to an agent, ${times} times so far`;
}

function event({ entry, own, machine, counts, kept, fingerprint, level }: Logged, isNewText: boolean): MarkupPart {
  const { at, clock = at, action, by, to } = entry;
  const seen = isNewText ? 'seen with another text' : 'first seen';
  const did = action === 'seen' ? seen : ((Object.hasOwn(DID, action) ? DID[action] : undefined) ?? 'recorded');
  const prompted = promptedOf(entry);
  const date = /^\d{4}-\d{2}-\d{2}/.exec(clock)?.[0] ?? '';
  return html`<li class="${ours(to ?? 'none')}"><time datetime="${ours(date)}">${ours(date)}</time> <b>${ours(did)}</b>
    <span class="quiet">${ours(`by ${byWhom(by, level)}`)}${by.client === null ? undefined : html` <q>${visible(by.client, 'line')}</q>`}</span>
    ${when(!own, () => html`<span class="quiet">on <q>${visible(machine, 'line')}</q> <code>${ours(fingerprint.slice(0, 8))}</code>${ours(counts ? '' : ', which raises nothing here')}</span>`)}
    ${when(kept, () => html`<span class="quiet">kept by this machine only</span>`)}
    ${prompted === undefined ? undefined : html`<span class="quiet">${ours(prompted)}</span>`}</li>`;
}
