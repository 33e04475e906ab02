import { historyOf } from '../../actions/history.ts';
import type { Session } from '../../actions/session.ts';
import { visible } from '../../core/text/safe-text.ts';
import { dateOf } from '../../core/trust/clocks.ts';
import type { Loaded } from '../../store/vault/vault.ts';
import { html, type Markup, ours } from '../markup.ts';
import { chips, difference, memoryBlock } from '../memory-view.ts';

/** A text that a memory had before, by what a person vouched for. */
interface EarlierText {
  readonly digest: string;
  readonly at: number;
}

/** At most 10 earlier texts, because each is read from its own file. */
const MOST_EARLIER = 10;

/** The texts that people vouched for before the present one, as far as this machine keeps them; newest first. */
export function earlierTexts(session: Session, loaded: Loaded): EarlierText[] {
  const times = new Map<string, number>();
  for (const { digest, to, at } of historyOf(session, loaded.id))
    if (digest !== null && to === 'verified' && digest !== loaded.digest) times.set(digest, at);
  return [...times]
    .map(([digest, at]) => ({ digest, at }))
    .reverse()
    .slice(0, MOST_EARLIER)
    .filter(({ digest }) => session.vault.formerText(loaded, digest) !== undefined);
}

/** Two memories side by side, and what differs. It asks nothing. */
export function besideView(one: Loaded, other: Loaded): Markup | undefined {
  if (one.shown === undefined || other.shown === undefined) return undefined;
  const column = ({ id, standing: { tier }, shown, subject }: Loaded) =>
    html`<div class="column"><p class="kicker"><span class="tier ${ours(tier)}">${ours(tier)}</span> <code>${ours(id)}</code></p>${
      shown === undefined ? undefined : memoryBlock(shown, shown, subject.document, [], 'styled')
    }</div>`;
  return html`<h2 id="compare-title">Side by side</h2>
    <div class="columns">${column(one)}${column(other)}</div>
    <h2>From <code>${ours(other.id)}</code> to <code>${ours(one.id)}</code></h2>
    ${difference(other.shown, one.shown)}`;
}

/** What differs between an earlier text and the present one. */
export function earlierView(session: Session, loaded: Loaded, digest: string): Markup | undefined {
  const at = earlierTexts(session, loaded).find((each) => each.digest === digest)?.at;
  const former = session.vault.formerText(loaded, digest);
  if (at === undefined || former === undefined || loaded.shown === undefined) return undefined;
  return html`<h2 id="compare-title">${ours(`What differs from the text vouched for on ${dateOf(at)}`)}</h2>
    <p class="quiet">${chips(visible(former.name, 'line'))}</p>
    ${difference(former, loaded.shown)}`;
}
