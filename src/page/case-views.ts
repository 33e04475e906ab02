import { type Adoption, adoptingOf, wordingOf } from '../actions/review/adopt.ts';
import { type AnswerKey, choicesFor, type ReviewChoice } from '../actions/review/answers.ts';
import { type Case, isNowhere, questionAbove, whyAsked } from '../actions/review/review.ts';
import type { Finding } from '../core/finding.ts';
import { LIMITS, TYPES } from '../core/memory/limits.ts';
import type { Memory } from '../core/memory/memory.ts';
import { type SafeText, sanitize } from '../core/text/safe-text.ts';
import type { PasskeyQuestion } from '../store/maintenance/passkeys.ts';
import { answerForm, type Button, heldForm } from './answer-form.ts';
import { goneNotice } from './end-views.ts';
import { factsView } from './facts.ts';
import { capitalized, html, type Markup, type MarkupPart, ours, when } from './markup.ts';
import { type Drawn, difference, fileBlock, memoryBlock, noteList, notesOf, withRivalBeside } from './memory-view.ts';
import { framed } from './page-frame.ts';
import { type AskingPage, questionsOn, questionsOnDraft, withoutPasskey } from './passkeys/asking-page.ts';
import type { ReviewSession } from './review-session.ts';
import type { PageWitness } from './witness.ts';

const HELD = html`<p class="quiet">Each answer is held until the next one, or for five seconds. Until then you can take it back.</p>`;
/** A client's page says itself when an answer counts. */
const AT_ONCE = html`<p class="quiet">Your answer is carried out at once and cannot be taken back here. surety open holds each answer for five seconds.</p>`;

export function caseView(review: ReviewSession, witness: PageWitness, open: Case, nonce: string): Markup {
  const { items, at } = review.turn;
  const where = `${at + 1} of ${items.length}`;
  return framed(
    {
      title: `${where}, ${whyAsked(open)}`,
      nonce,
      said: review.takeSaid(),
      held: review.held && heldForm(review.held),
      notices: review.syncNotices,
      where,
      gone: goneNotice(review),
    },
    caseSheet(review, witness, open, {
      choices: choicesFor(open),
      isAsked: true,
      drawn: 'raw',
      remark: when(review.openedBy === 'terminal', () => (review.holding === undefined ? AT_ONCE : HELD)),
      facts: factsView(review.session, open),
    }),
  );
}

interface CaseParts {
  readonly choices: readonly ReviewChoice[];
  /** Whether the question is shown above the text. */
  readonly isAsked: boolean;
  readonly drawn: Drawn;
  /** Shown below the text. */
  readonly remark: MarkupPart;
  /** Shown above the answers. */
  readonly facts: MarkupPart;
}

/** One memory with its answers. Its form's token is good for exactly what is shown here. */
export function caseSheet(page: AskingPage, witness: PageWitness, open: Case, parts: CaseParts): Markup {
  const { loaded, against, screen } = open;
  const { content, findings } = screen;
  const { choices, isAsked, drawn, remark, facts } = parts;
  const { tier } = loaded.standing;
  const { document } = loaded.subject;
  const memory = 'memory' in content ? (content.masked ?? content.memory) : undefined;
  const questions = questionsOn(page, open, choices);
  const token = witness.show({ kind: 'case', open }, questions);
  const notes = notesOf(findings);
  return html`<p class="kicker"><span class="tier ${ours(tier)}">${ours(tier)}</span> ${ours(whyAsked(open))}</p>
    ${when(isAsked, () => html`<p class="question" id="question">${ours(questionAbove(open))}</p>`)}
    <p class="id"><code>${ours(loaded.id)}</code></p>
    ${'file' in content ? fileBlock(content, notes) : withRivalBeside(open, memoryBlock(memory ?? content.memory, content.memory, document, notes, drawn), drawn)}
    ${when(!isNowhere(open), () => noteList(notes, document))}
    <div id="end"></div>
    ${remark}
    ${against === undefined || memory === undefined ? undefined : html`<section><h2>${ours(capitalized(against.heading))}</h2>${difference(against.memory, memory)}</section>`}
    ${facts}
    ${answerForm(token, buttonsFor(choices, findings, questions), [
      withoutPasskey(page, witness, questions),
      when(
        choices.some((choice) => choice.verb === 'demote'),
        () =>
          html`<label class="reason">Why quarantine it? <span class="quiet">optional, one line</span><input name="reason" maxlength="${LIMITS.reason.max}" autocomplete="off"></label>`,
      ),
    ])}`;
}

/** At most one button is filled, the first yes. */
function buttonsFor(
  choices: readonly ReviewChoice[],
  findings: readonly Finding[],
  questions: ReadonlyMap<AnswerKey, PasskeyQuestion>,
): Button[] {
  const first = choices.find(({ verb }) => verb !== undefined && verb !== 'demote');
  return choices.map((choice) => {
    const { key, means, verb } = choice;
    const yes = choice === first ? yesLook(findings) : 'yes careful';
    return {
      key,
      means: capitalized(means),
      look: verb === undefined ? 'plain' : verb === 'demote' ? 'no' : yes,
      question: questions.get(key),
    };
  });
}

/** A yes to a suspicious text does not stand out among the answers. */
function yesLook(findings: readonly Finding[]): Button['look'] {
  const isSuspicious = findings.some(({ severity }) => severity === 'hold' || severity === 'block');
  return isSuspicious ? 'yes careful' : 'yes';
}

export function editView(review: ReviewSession, witness: PageWitness, open: Case, nonce: string): Markup {
  return framed(
    { title: 'In your own words', nonce, said: review.takeSaid(), where: 'writing', gone: goneNotice(review) },
    editSheet(review, witness, open),
  );
}

/** The form in which a person says it in their own words. */
export function editSheet(review: Pick<ReviewSession, 'writing'>, witness: PageWitness, open: Case): Markup {
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
  return html`<p class="kicker">${ours(inPlace ? '' : 'instead of ')}<code>${ours(loaded.stem)}</code></p>
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
      <label>Anchors <span class="quiet">files of the project that it rests on, one a line: path, or path | text in it</span><textarea name="anchors" rows="2" dir="auto">
${sanitize((fields.anchors ?? []).map((anchor) => anchor.join(' | ')).join('\n'), 'body')}</textarea></label>
      <label>Asked as <span class="quiet">other ways to ask for it, one a line; they help agents to find it and are never shown to them</span><textarea name="asked-as" rows="3" dir="auto">
${sanitize((fields.askedAs ?? []).join('\n'), 'body')}</textarea></label>
      ${when(!inPlace, () => html`<label>Type<select name="type">${TYPES.map((type) => (type === fields.type ? html`<option selected>${ours(type)}</option>` : html`<option>${ours(type)}</option>`))}</select></label>`)}
      <div class="choices">
        <button type="submit" name="key" value="y" class="yes">Look at it</button>
        <button type="submit" name="key" value="s">Back, without it</button>
      </div>
    </form>`;
}

export function draftView(
  review: ReviewSession,
  witness: PageWitness,
  open: Case,
  adoption: Adoption,
  nonce: string,
): Markup {
  return framed(
    { title: 'Store this?', nonce, said: review.takeSaid(), where: 'not stored yet', gone: goneNotice(review) },
    draftSheet(review, witness, open, adoption),
  );
}

/** What a person wrote, as it would be stored, with the question whether it should be. */
export function draftSheet(page: AskingPage, witness: PageWitness, open: Case, adoption: Adoption): Markup {
  const { id, memory, document, screen, verb } = adoption;
  const questions = questionsOnDraft(page, adoption);
  const token = witness.show({ kind: 'draft', open, adoption }, questions);
  const notes = notesOf(screen.findings);
  const inPlace = verb === 'adopt';
  const original: SafeText = ours(open.id);
  return html`<p class="kicker"><span class="tier verified">${ours(inPlace ? 'verified' : 'new')}</span> in your own words</p>
    <p class="question" id="question">Store exactly this?</p>
    <p class="id"><code>${ours(id)}</code></p>
    ${memoryBlock(memory, memory, document, notes)}
    ${noteList(notes, document)}
    ${when(open.loaded.shown !== undefined, () => html`<section><h2>What differs from <code>${original}</code>${when(inPlace, () => html` as it is stored`)}</h2>${difference(open.loaded.shown as Memory, memory)}</section>`)}
    <p>Your yes makes this text <span class="tier verified">verified</span>, vouched for by you${ours(inPlace ? ', in the place of the one that is stored' : '')}.</p>
    <div id="end"></div>
    ${answerForm(
      token,
      [
        { key: 'y', means: 'Yes, store it', look: yesLook(screen.findings), question: questions.get('y') },
        { key: 'e', means: 'Change it', look: 'plain' },
        { key: 's', means: 'Leave it', look: 'plain' },
      ],
      withoutPasskey(page, witness, questions),
    )}`;
}
