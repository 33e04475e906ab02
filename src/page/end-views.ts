import { becomes, WITH_PASSKEY } from '../actions/decide.ts';
import { reviewCommand } from '../core/trust/review-command.ts';
import { answerForm, heldForm } from './answer-form.ts';
import type { Held } from './held/held-on-page.ts';
import { html, type Markup, type MarkupPart, ours, when } from './markup.ts';
import { framed } from './page-frame.ts';
import { PASSKEY_OFFER } from './passkeys/asking-page.ts';
import type { HeldInReview, PageEnd, ReviewSession } from './review-session.ts';
import type { PageWitness } from './witness.ts';

// Every way in which a page ends or takes no answer. Each says what happened, what counts, and what to do next.

/** What ended the page, if it was not the person. */
const INTERRUPTED: Record<Exclude<PageEnd, 'finished' | 'left'>, string | Record<ReviewSession['openedBy'], string>> = {
  idle: 'Nothing came from this page for a long time, so it was closed.',
  expired: 'This page was open for twelve hours, which is as long as a page may be, so it was closed.',
  unopened: 'Nobody opened this page for a long time, so it was closed.',
  voided: 'The link to this page was used twice, so it was closed.',
  closed: {
    client: 'Your client has ended its session, so this page was closed.',
    terminal: 'The review was ended in the terminal, so this page was closed.',
  },
  declined: 'Your client declined the question, so this page was closed.',
  cancelled: 'Your client took the question back, so this page was closed.',
  replaced: 'Your client has asked a newer question, which has a page of its own. This one was closed.',
};

const BACK: Record<ReviewSession['openedBy'], string> = {
  client: 'You can close this page. Back in your client, go on.',
  terminal: 'You can close this page. Back in your terminal, go on.',
};

/** The last page, or the one after a client's question that offers the rest of the queue. */
export function endView(review: ReviewSession, witness: PageWitness, nonce: string): Markup {
  const { ended, goesOn, openedBy, lostAnswer } = review;
  const decided = review.outcomes.filter(({ kind }) => kind !== 'skipped');
  const { waits: waiting } = review;
  const interruption = ended === undefined || ended === 'finished' || ended === 'left' ? undefined : INTERRUPTED[ended];
  const why = typeof interruption === 'object' ? interruption[openedBy] : interruption;
  const isUnfinished = decided.some(({ kind }) => kind === 'unfinished');
  const heading = why !== undefined ? 'This page is closed' : headingOf(decided.length, waiting, isUnfinished, goesOn);
  return framed(
    {
      title: heading,
      nonce,
      said: review.takeSaid(),
      notices: review.syncNotices,
      ...(goesOn && { gone: goneNotice(review) }),
    },
    html`<h1 tabindex="-1" autofocus>${ours(heading)}</h1>
    ${why === undefined ? undefined : html`<p>${ours(why)}</p>`}
    ${when(lostAnswer, () => html`<p>Your last answer was not carried out.</p>`)}
    ${when(decided.length > 0, () => html`<ul class="tally">${decided.map((outcome) => html`<li><code>${ours(outcome.id)}</code> ${ours(wordsFor(outcome))}</li>`)}</ul>`)}
    <p>${ours(whatWaits(review, waiting))}</p>
    ${when(review.offersPasskey(), () => html`<p class="quiet">${PASSKEY_OFFER}</p>`)}
    <p class="back">${ours(BACK[openedBy])}</p>
    ${when(goesOn, () =>
      answerForm(
        witness.show({ kind: 'end' }),
        [
          { key: 'y', means: 'Go on with the next', look: 'yes' },
          { key: 'q', means: 'Stop here', look: 'plain' },
        ],
        undefined,
      ),
    )}`,
  );
}

function headingOf(decided: number, waiting: number, isUnfinished: boolean, goesOn: boolean): string {
  if (isUnfinished) return 'Not everything is finished';
  if (decided === 0) return 'Nothing was changed';
  if (goesOn) return 'Done';
  return waiting === 0 ? 'All is settled' : 'Done for now';
}

function whatWaits({ session, goesOn }: ReviewSession, waiting: number): string {
  if (waiting === 0) return 'Nothing waits for you.';
  const waits = waiting === 1 ? '1 memory still waits' : `${waiting} memories still wait`;
  return goesOn ? `${waits} for you.` : `${waits} for you in: ${reviewCommand(session.vault.settings)}.`;
}

function wordsFor(outcome: ReviewSession['outcomes'][number]): string {
  switch (outcome.kind) {
    case 'done': {
      const { verb, signed, replaced } = outcome;
      const other = replaced === undefined ? '' : `; ${replaced} is ${becomes('demote', false)}`;
      return `is ${becomes(verb, signed)}${other}`;
    }
    case 'adopted':
      return `is said in your own words${outcome.signed ? WITH_PASSKEY : ''}`;
    case 'put-back':
      return 'says again what you vouched for';
    case 'trusted':
      return 'is a machine whose word counts here';
    case 'not-trusted':
      return 'is a machine whose word does not count here';
    case 'unfinished':
      return 'is not finished: your answer is on record, but its file could not be written as shown; surety doctor says how it stands';
    default:
      return 'stays as it is';
  }
}

/** Over ssh the tunnel can end by itself, and the page is there again with the next one. */
export const FORWARD_AGAIN = 'If you reach it through ssh -L and that has ended, run it again and load this page.';

/** What a tab says by itself once no server answers it. It claims nothing about an answer that was under way. */
export function goneNotice({ session, openedBy, awaited, held }: ReviewSession): Markup {
  const first =
    awaited === undefined && held === undefined
      ? 'It has ended, or the connection to it was cut, so this page takes no more answers.'
      : 'It has ended, or the connection to it was cut, before this page could say what became of your answer.';
  return html`<h1 tabindex="-1">Surety does not answer any more</h1>
    <p>${ours(first)} What the page said was done is done; ${ours(reviewCommand(session.vault.settings))} shows what still waits.</p>
    <p>${ours(FORWARD_AGAIN)}</p>
    <p class="back">${ours(BACK[openedBy])}</p>`;
}

/** Shown after an answer that waits for the client's accept. The script loads it again when the answer was carried out. */
export function awaitedView(review: ReviewSession, nonce: string): Markup {
  const given = review.accept?.isGiven === true;
  return framed(
    { title: given ? 'One moment' : 'Not counted yet', nonce, where: 'waiting', gone: goneNotice(review) },
    html`<h1>${ours(given ? 'One moment' : 'Your answer does not count yet')}</h1>
    ${when(!given, () => html`<p>Now go back to your client and continue. Your answer counts once the client has confirmed that it sent you here; if you cancel there, nothing is changed.</p>`)}
    <p id="waits"><a class="button" href="./">Look again</a></p>`,
  );
}

/** Shown after the last answer, while it can be taken back. The script loads it again when the answer was carried out. */
export function lastHeldView(review: ReviewSession, held: Held<HeldInReview>, nonce: string): Markup {
  return framed(
    {
      title: 'Your last answer is held',
      nonce,
      said: review.takeSaid(),
      where: 'held',
      gone: goneNotice(review),
      againIn: Math.ceil(held.answer.left / 1000) + 1,
    },
    html`<h1 id="waits" tabindex="-1" autofocus>Your last answer is held for five seconds</h1>
    ${heldForm(held, 'Then this is carried out, and the page says what was done.')}`,
  );
}

/** Shown for a form that was sent before, or whose page has been forgotten. */
export function outdatedView(review: ReviewSession, base: string, nonce: string): Markup {
  return framed(
    { title: 'This tab was out of date', nonce, gone: goneNotice(review) },
    html`<h1>This tab was out of date</h1>
    <p>What it asked was answered before, in this tab or in another one. The answer you just gave was not used, and nothing was done.</p>
    <p><a class="button" href="${ours(base)}" autofocus>See what waits now</a></p>`,
  );
}

/**
 * The page behind the link. It sets the cookie and redirects, so that the link leaves the address bar and the next request
 * has this origin.
 */
export function entryView(base: string, nonce: string): Markup {
  return framed(
    { title: 'Review', nonce, refresh: base },
    html`<p><a href="${ours(base)}">Go on to the review.</a></p>`,
  );
}

/** A page for a request that is not served: a heading and sentences of ours, nothing of the store. */
export function noticeView(heading: string, sentences: readonly string[], nonce: string, unnamed: boolean): Markup {
  const paragraphs: MarkupPart = sentences.map((sentence) => html`<p>${ours(sentence)}</p>`);
  return framed(
    { title: heading, unnamed, nonce },
    html`<h1 tabindex="-1" autofocus>${ours(heading)}</h1>${paragraphs}`,
  );
}
