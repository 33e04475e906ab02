import { DECISIONS } from '../actions/decide.ts';
import { type Adoption, adoptingOf, wordingOf } from '../actions/review/adopt.ts';
import { type Choice, choicesFor, type Key, type Said } from '../actions/review/answers.ts';
import { type Case, questionAbove, whyAsked } from '../actions/review/review.ts';
import { LIMITS, TYPES } from '../core/memory/limits.ts';
import type { Memory } from '../core/memory/memory.ts';
import { type SafeText, sanitize } from '../core/text/safe-text.ts';
import type { SyncNotice } from '../store/sync/notices.ts';
import { factsView } from './facts.ts';
import { capitalized, html, type Markup, ours, type Part, when } from './markup.ts';
import { difference, fileBlock, memoryBlock, noteList, notesOf } from './memory-view.ts';
import type { ReviewSession } from './review-session.ts';
import type { PageWitness } from './witness.ts';

interface Frame {
  readonly title: string;
  readonly nonce: string;
  readonly said?: Said | undefined;
  readonly notices?: readonly SyncNotice[];
  /** Text at the right end of the top line. */
  readonly where?: string;
  /** Redirects to this path. The page has no style or script then, because both need the cookie. */
  readonly bare?: string;
}

/** The HTML document around every sheet. */
export function framed({ title, nonce, said, notices = [], where, bare }: Frame, main: Part): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${bare === undefined ? undefined : html`<meta http-equiv="refresh" content="0; url=${ours(bare)}">`}
<title>${ours(title)} · Surety</title>
${bare === undefined ? html`<link rel="stylesheet" href="style.css" nonce="${ours(nonce)}"><script src="keys.js" nonce="${ours(nonce)}" defer></script>` : undefined}
</head>
<body>
<header class="top"><span class="wordmark">Surety</span><span class="quiet">${where === undefined ? undefined : ours(where)}</span></header>
<main>
<div role="status" id="said" class="${ours(`said ${said?.tone ?? 'none'}`)}">${said === undefined ? undefined : ours(said.sentence)}</div>
${when(notices.length > 0, () => html`<section class="syncs"><h2>From the last syncs</h2><ul class="tally">${notices.map(({ about, what }) => html`<li>${ours(about)} ${ours(what)}</li>`)}</ul></section>`)}
${main}
</main>
</body>
</html>
`;
}

/**
 * The page behind the link. It sets the cookie and redirects, so that the link leaves the address bar and the next request
 * has this origin.
 */
export function entryView(base: string, nonce: string): Markup {
  return framed({ title: 'Review', nonce, bare: base }, html`<p><a href="${ours(base)}">Go on to the review.</a></p>`);
}

export function lostView(base: string, nonce: string): Markup {
  return framed(
    { title: 'Nothing was done', nonce },
    html`<h1>Nothing was done</h1>
    <p>This form was sent before, or belongs to a page that is gone. Every form counts once.</p>
    <p><a class="button" href="${ours(base)}" autofocus>See how things stand now</a></p>`,
  );
}

/** Shown after an answer that waits for the client's accept. The script reloads it every second. */
export function heldView({ accept }: ReviewSession, nonce: string): Markup {
  const given = accept?.isGiven === true;
  return framed(
    { title: given ? 'One moment' : 'Not counted yet', nonce, where: 'waiting' },
    html`<h1>${ours(given ? 'One moment' : 'Your answer does not count yet')}</h1>
    ${when(!given, () => html`<p>Now go back to your client and continue. Your answer counts once the client has confirmed that it sent you here; if you cancel there, nothing is changed.</p>`)}
    <p id="waits"><a class="button" href="./">Look again</a></p>`,
  );
}

export function caseView(review: ReviewSession, witness: PageWitness, open: Case, nonce: string): Markup {
  const { loaded, against, screen } = open;
  const { content, findings } = screen;
  const memory = 'memory' in content ? (content.masked ?? content.memory) : undefined;
  const token = witness.show({ kind: 'case', open });
  const notes = notesOf(findings);
  const choices = choicesFor(open);
  const { at, of } = review.position;
  return framed(
    {
      title: `${at} of ${of}, ${whyAsked(open)}`,
      nonce,
      said: review.takeSaid(),
      notices: review.syncNotices,
      where: `${at} of ${of}`,
    },
    html`<p class="kicker"><span class="tier ${ours(loaded.standing.tier)}">${ours(loaded.standing.tier)}</span> ${ours(whyAsked(open))}</p>
    <h1>${ours(questionAbove(open))}</h1>
    <p class="id"><code>${ours(loaded.id)}</code></p>
    ${'file' in content ? fileBlock(content.file, notes) : memoryBlock(memory ?? content.memory, content.memory, loaded.subject.document, notes)}
    ${noteList(notes)}
    ${against === undefined || memory === undefined ? undefined : html`<section><h2>${ours(capitalized(against.heading))}</h2>${difference(against.memory, memory)}</section>`}
    ${factsView(review.session, open)}
    <div id="end"></div>
    ${answerForm(
      token,
      choices.map(buttonFor),
      when(
        choices.some((choice) => choice.verb === 'demote'),
        () =>
          html`<label class="reason">Why quarantine it? <span class="quiet">optional, one line</span><input name="reason" maxlength="${LIMITS.reason.max}" autocomplete="off"></label>`,
      ),
    )}`,
  );
}

/** An answer as a button. `yes` raises, `no` lowers, `plain` changes no standing. */
export interface Button {
  readonly key: Key;
  readonly means: string;
  readonly look: 'yes' | 'no' | 'plain';
}

function buttonFor({ key, means, verb }: Choice): Button {
  return { key, means: capitalized(means), look: verb === undefined ? 'plain' : verb === 'demote' ? 'no' : 'yes' };
}

/** The bar at the bottom. Its first button is disabled, so that Enter in a field answers nothing. */
export function answerForm(token: string, choices: readonly Button[], more: Part): Markup {
  return html`<form class="bar" method="post" action="answer" id="answers" aria-label="Your answer">
    <input type="hidden" name="token" value="${ours(token)}">
    <button type="submit" disabled hidden></button>
    ${more}
    <div class="choices">${choices.map(
      ({ key, means, look }) =>
        html`<button type="submit" name="key" value="${ours(key)}" class="${ours(look)}" aria-keyshortcuts="${ours(key)}"><kbd aria-hidden="true">${ours(key)}</kbd> ${ours(means)}</button>`,
    )}</div>
  </form>`;
}

export function editView(review: ReviewSession, witness: PageWitness, open: Case, nonce: string): Markup {
  const { loaded } = open;
  const kept = review.writing?.stem === open.stem ? review.writing : undefined;
  const fields = kept?.fields ?? wordingOf(loaded);
  const token = witness.show({ kind: 'edit', open });
  const line = (label: string, name: 'name' | 'description' | 'project', most: number) => html`<label>${ours(label)}
    <input name="${ours(name)}" maxlength="${most * 2}" value="${sanitize(fields[name] ?? '', 'line')}" autocomplete="off"></label>`;
  const inPlace = adoptingOf(loaded) === 'adopt';
  const effect = inPlace
    ? 'What you write takes the place of this text and is verified'
    : 'What you write becomes a new verified memory; this one stays in quarantine';
  return framed(
    { title: 'In your own words', nonce, said: review.takeSaid(), where: 'writing' },
    html`<p class="kicker">${ours(inPlace ? '' : 'instead of ')}<code>${ours(loaded.id)}</code></p>
    <h1>Say it in your own words</h1>
    <p>${ours(effect)}. You see it once more before anything is stored.</p>
    ${kept?.refused === undefined ? undefined : html`<p class="said danger" role="alert">${ours(kept.refused.message)}</p>${when(kept.refused.findings.length > 0, () => noteList(notesOf(kept.refused?.findings ?? [])))}`}
    <form method="post" action="answer" class="writing" aria-label="Your words">
      <input type="hidden" name="token" value="${ours(token)}">
      <button type="submit" disabled hidden></button>
      ${line('Name', 'name', LIMITS.name.max)}
      ${line('Description', 'description', LIMITS.description.max)}
      <label>Body<textarea name="body" rows="14" dir="auto">
${sanitize(fields.body, 'body')}</textarea></label>
      <label>Tags <span class="quiet">separated by commas</span><input name="tags" value="${sanitize((fields.tags ?? []).join(', '), 'line')}" autocomplete="off"></label>
      ${line('Project', 'project', LIMITS.project.max)}
      ${when(!inPlace, () => html`<label>Type<select name="type">${TYPES.map((type) => (type === fields.type ? html`<option selected>${ours(type)}</option>` : html`<option>${ours(type)}</option>`))}</select></label>`)}
      <div class="choices">
        <button type="submit" name="key" value="y" class="yes">Look at it</button>
        <button type="submit" name="key" value="s">Back, without it</button>
      </div>
    </form>`,
  );
}

export function draftView(
  review: ReviewSession,
  witness: PageWitness,
  open: Case,
  adoption: Adoption,
  nonce: string,
): Markup {
  const { id, memory, document, inspection, verb } = adoption;
  const token = witness.show({ kind: 'draft', open, adoption });
  const notes = notesOf(inspection.findings);
  const inPlace = verb === 'adopt';
  const original: SafeText = ours(open.id);
  return framed(
    { title: 'Store this?', nonce, said: review.takeSaid(), where: 'not stored yet' },
    html`<p class="kicker"><span class="tier verified">${ours(inPlace ? 'verified' : 'new')}</span> in your own words</p>
    <h1>Store exactly this?</h1>
    <p class="id"><code>${ours(id)}</code></p>
    ${memoryBlock(memory, memory, document, notes)}
    ${noteList(notes)}
    ${when(open.loaded.shown !== undefined, () => html`<section><h2>What differs from <code>${original}</code>${ours(inPlace ? ' as it is stored' : '')}</h2>${difference(open.loaded.shown as Memory, memory)}</section>`)}
    <p>Your yes makes this text <span class="tier verified">verified</span>, vouched for by you${ours(inPlace ? ', in the place of the one that is stored' : '')}.</p>
    <div id="end"></div>
    ${answerForm(
      token,
      [
        { key: 'y', means: 'Yes, store it', look: 'yes' },
        { key: 'e', means: 'Change it', look: 'plain' },
        { key: 's', means: 'Leave it', look: 'plain' },
      ],
      undefined,
    )}`,
  );
}

export function endView(review: ReviewSession, witness: PageWitness, nonce: string): Markup {
  const decided = review.outcomes.filter(({ kind }) => kind !== 'skipped');
  const waits = review.more().length;
  const { goesOn } = review;
  const heading =
    decided.length === 0 ? 'Nothing was changed' : goesOn ? 'Done' : waits === 0 ? 'All is settled' : 'Done for now';
  return framed(
    { title: heading, nonce, said: review.takeSaid(), notices: review.syncNotices, where: '' },
    html`<h1>${ours(heading)}</h1>
    ${when(decided.length > 0, () => html`<ul class="tally">${decided.map((outcome) => html`<li><code>${ours(outcome.id)}</code> ${ours(wordsFor(outcome))}</li>`)}</ul>`)}
    <p class="quiet">${ours(waits === 0 ? 'Nothing waits for you.' : `${waits} ${waits === 1 ? 'memory still waits' : 'memories still wait'} for you.`)} You can close this page.</p>
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

function wordsFor(outcome: ReviewSession['outcomes'][number]): string {
  switch (outcome.kind) {
    case 'done':
      return `is ${DECISIONS[outcome.verb].done}`;
    case 'adopted':
      return 'is said in your own words';
    case 'put-back':
      return 'says again what you vouched for';
    case 'trusted':
      return 'is a machine whose word counts here';
    case 'not-trusted':
      return 'is a machine whose word does not count here';
    default:
      return 'stays as it is';
  }
}
