import type { PasskeyRequest } from '../../actions/review/passkeys.ts';
import { sanitize } from '../../core/text/safe-text.ts';
import { questionIn } from '../answer-form.ts';
import { html, type Markup, type MarkupPart, ours, when } from '../markup.ts';
import { framed } from '../page-frame.ts';
import type { PageWitness } from '../witness.ts';
import type { PasskeyStep, PasskeyTask } from './task.ts';

const TITLES: Record<PasskeyRequest['kind'], string> = {
  add: 'Enrol a passkey',
  remove: 'Remove a passkey',
  require: 'Require a passkey for every yes',
  release: 'Take yes without a passkey again',
};

const DONE: Record<PasskeyRequest['kind'], string> = {
  add: 'The passkey is enrolled. The review page and the overview ask for it from now on.',
  remove: 'The passkey is removed. What it signed before counts.',
  require:
    'From now on nothing becomes verified in this store without a passkey. Keep the recovery code that you were shown: without a passkey, only it takes this back. If you have not noted it, run surety passkey release and then surety passkey require, which shows another.',
  release:
    'A yes counts again without a passkey. The review page and the overview go on asking for one that is enrolled; the box “Answer without the passkey” answers without it.',
};

const ONLY =
  'It is the only one now. Enrol a second authenticator with surety passkey add while you have this one: each later passkey is confirmed with one that is enrolled.';

const GONE = html`<h1 tabindex="-1">This page is closed</h1><p>Your terminal says whether anything was changed. If nothing was, run the command there again.</p>`;

/** The page as it stands now. */
export function passkeyView(work: PasskeyTask, witness: PageWitness, nonce: string): Markup {
  const { task, step, said } = work;
  const title = step.kind === 'done' ? 'Done' : TITLES[task.kind];
  const frame = { title, nonce, where: 'passkeys' };
  const tone = { said: said === undefined ? undefined : ({ tone: 'danger', sentence: said } as const) };
  if (step.kind === 'done')
    return framed(
      { ...frame, ...tone },
      html`<h1>Done</h1><p>${ours(DONE[task.kind])}</p>
      ${when(step.isOnly && task.kind === 'add', () => html`<p>${ours(ONLY)}</p>`)}
      <p class="back">You can close this page.</p>`,
    );
  const token = witness.show({ kind: 'passkey' });
  return framed(
    { ...frame, ...tone, gone: GONE },
    html`<h1>${ours(title)}</h1>
    ${explained(task, step)}
    <form class="bar" method="post" action="answer" id="answers" aria-label="Your answer">
      <input type="hidden" name="token" value="${ours(token)}">
      <div class="choices">${buttonFor(step)}</div>
    </form>`,
  );
}

/** In groups of four, because a person copies it by hand. */
function inFours(code: string): string {
  return code.match(/.{1,4}/g)?.join(' ') ?? '';
}

/** The script enables it: without the script no authenticator is asked. */
function buttonFor(step: Exclude<PasskeyStep, { kind: 'done' }>): Markup {
  if (step.kind === 'sign')
    return html`<button type="submit" class="yes" disabled${questionIn(step.planned.question)}>Confirm with a passkey</button>`;
  return html`<button type="submit" class="yes" disabled data-user="${ours(step.user)}" data-challenge="${ours(step.challenge)}" data-credentials="${ours(step.exclude.join(' '))}">Make the passkey</button>`;
}

/** Said before the passkey is made, because the authenticator keeps one that nobody can confirm. */
function confirmedBy({ names, isRequired }: Extract<PasskeyStep, { kind: 'create' }>): Markup {
  const without = isRequired
    ? 'run surety passkey reset first, which takes the recovery code.'
    : 'no other can be enrolled in this store.';
  return html`<p>Then you confirm it with one that you enrolled before: <b>${sanitize(names.join(', '), 'line')}</b>.
    If you have none of them any more, ${ours(without)}</p>`;
}

function explained(task: PasskeyRequest, step: Exclude<PasskeyStep, { kind: 'done' }>): MarkupPart {
  if (step.kind === 'create')
    return html`<p>Your authenticator (fingerprint, face, PIN, security key or phone) makes a key that never leaves it. With it you sign what
      you say yes to; no program can give that yes. Nothing about you is stored but the public key and the name
      <b>${sanitize(step.name, 'line')}</b>.</p>
      ${when(step.names.length > 0, () => confirmedBy(step))}`;
  if (task.kind === 'add')
    return html`<p>The new passkey is made. Now confirm it with one that you enrolled before: <b>${sanitize(step.names.join(', '), 'line')}</b>.</p>`;
  if (task.kind === 'remove')
    return html`<p>The passkey <b>${sanitize(task.name, 'line')}</b> signs nothing more from now on. What it signed before counts.
      Confirm it with any passkey that is enrolled.</p>`;
  if (task.kind === 'release')
    return html`<p>A yes in a terminal, a dialog or on a page counts again without a passkey. What was tried without one meanwhile stays void.</p>
      <p>Confirm it with a passkey that is enrolled: <b>${sanitize(step.names.join(', '), 'line')}</b>. If you have none of them any more, run
      surety passkey reset, which takes the recovery code.</p>`;
  return html`<p>Once you confirm this, nothing becomes verified in this store without a passkey that is enrolled, on any machine, whatever the settings
      say. What is verified now stays. Only a passkey takes this back, or this recovery code:</p>
    <p><code id="recovery-code">${ours(inFours(step.code ?? ''))}</code></p>
    ${when(step.names.length === 1, () => html`<p>Only one passkey is enrolled: <b>${sanitize(step.names.join(', '), 'line')}</b>. If you lose it, the code is the only way back.</p>`)}
    <p>It is shown this once. Keep it where no program on this machine can read it. <b>Without a passkey and without the code there is no way
      back</b>: you would export your memories into a new store, in which every one of them is inferred.</p>`;
}
