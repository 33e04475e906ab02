import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../core/refusal.ts';
import { asDiskRefusal } from '../store/disk/disk-errors.ts';
import { randomHex } from '../store/disk/random.ts';
import type { Denial, PageAccess } from './access.ts';
import { apply, changesSomething } from './answer.ts';
import { endView, entryView, heldView, noticeView, outdatedView } from './ends.ts';
import { machineView } from './machine-view.ts';
import type { Markup } from './markup.ts';
import { caseView, draftView, editView } from './pages.ts';
import type { ReviewSession } from './review-session.ts';
import { SCRIPT_JS } from './script.ts';
import type { News, Watchers } from './watchers.ts';
import type { PageWitness } from './witness.ts';

export interface PageParts {
  readonly access: PageAccess;
  readonly review: ReviewSession;
  readonly witness: PageWitness;
  readonly watchers: Watchers;
}

/**
 * What happened to a request. `voided`: the second use of the link, which voids the page; `watched`: a tab keeps a request
 * open; `last`: the person's browser got the page's last answer.
 */
export type RequestOutcome = 'served' | 'watched' | 'last' | 'denied' | 'voided';

/** At most 96 KiB, because a memory of 5,000 characters, all escaped, is smaller. */
const LARGEST_BODY = 96 * 1024;

const DENIED: Record<Denial, readonly [status: number, heading: string, ...sentences: string[]]> = {
  host: [403, 'Not served', 'This address is not served.'],
  origin: [403, 'Not served', 'Requests from other pages are not served.'],
  method: [405, 'Not served', 'Only GET and POST are served.'],
  path: [404, 'There is nothing here', 'The review is not at this address.'],
  'no-cookie': [
    403,
    'Not your page',
    'This page was opened in another browser, or this one has lost its cookie.',
    'Go on in the browser that opened it, or run surety review.',
  ],
  voided: [
    410,
    'This page is closed',
    'Its link was used twice, by two browsers or programs. Nobody can tell which of them was yours, so the page was closed for both.',
    'What was decided before counts; nothing else was changed. If the second one was not you, another program has read the link.',
    'You can close this page. Back in your client or terminal, ask again, or run surety review.',
  ],
};

/** The only entrance for requests. Nothing of a request is processed before access is granted. */
export async function answer(
  parts: PageParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<RequestOutcome> {
  try {
    return await served(parts, request, response);
  } catch (error) {
    complain(parts.review, error);
    if (!response.headersSent) notice(response, 500, 'That did not work', sentenceOn(error), LOOK);
    return 'denied';
  }
}

const FAILED = 'Surety failed at this; the reason is in its log.';
const LOOK = 'Load this page again, or run surety review: both show how things stand.';

/** What the disk refused is said on the page; for anything else the log must do. */
function sentenceOn(error: unknown): string {
  const refusal = asDiskRefusal(error);
  return refusal instanceof Refusal ? refusal.message : FAILED;
}

function complain({ session }: ReviewSession, error: unknown): void {
  const details = error instanceof Error ? (error.stack ?? error.message) : typeof error;
  session.vault.complain(`surety: the page failed: ${details}`);
}

async function served(parts: PageParts, request: IncomingMessage, response: ServerResponse): Promise<RequestOutcome> {
  const { access, review } = parts;
  const { method = '', url = '', headers } = request;
  const [path = ''] = url.split('?');
  const passed = access.check({ method, path, headers });
  if (passed === 'second-use') {
    report(parts);
    deny(response, 'voided');
    return 'voided';
  }
  if (passed === 'link') {
    response.setHeader('Set-Cookie', access.cookie);
    page(response, 200, (nonce) => entryView(access.base, nonce));
    return 'served';
  }
  if (passed !== 'cookie') {
    deny(response, passed);
    return 'denied';
  }
  const name = path.slice(access.base.length);
  if (method === 'POST') return posted(parts, name, request, response);
  if (name === 'watch') {
    head(response, 200, 'text/event-stream');
    parts.watchers.add(response, newsFor(review));
    return 'watched';
  }
  const view = VIEWS[name];
  if (view !== undefined) page(response, 200, (nonce) => view(parts, nonce));
  else if (name === 'script.js') send(response, 200, 'text/javascript', SCRIPT_JS);
  else {
    deny(response, 'path');
    return 'denied';
  }
  review.current();
  return view !== undefined && review.ended !== undefined && !review.goesOn ? 'last' : 'served';
}

/** What happened before a tab began to watch. A tab whose answer does not wait ignores that none does. */
function newsFor({ ended, goesOn, held }: ReviewSession): News | undefined {
  if (ended !== undefined && !goesOn) return 'over';
  return held === undefined ? 'settled' : undefined;
}

/** The page as it stands now. */
function now({ review, witness }: PageParts, nonce: string): Markup {
  if (review.held !== undefined) return heldView(review, nonce);
  const open = review.current();
  if (open !== undefined) return caseView(review, witness, open, nonce);
  const machine = review.unknownMachine();
  return machine === undefined ? endView(review, witness, nonce) : machineView(review, witness, machine, nonce);
}

type View = (parts: PageParts, nonce: string) => Markup;
const VIEWS: Readonly<Record<string, View>> = {
  __proto__: null as never,
  '': now,
  edit: (parts, nonce) => {
    const open = parts.review.held === undefined ? parts.review.current() : undefined;
    return open === undefined ? now(parts, nonce) : editView(parts.review, parts.witness, open, nonce);
  },
  draft: (parts, nonce) => {
    const open = parts.review.held === undefined ? parts.review.current() : undefined;
    const adoption = parts.review.writing?.adoption;
    return open === undefined || adoption === undefined || adoption.original.stem !== open.stem
      ? now(parts, nonce)
      : draftView(parts.review, parts.witness, open, adoption, nonce);
  },
};

async function posted(
  parts: PageParts,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<RequestOutcome> {
  const { access, witness, review } = parts;
  const form = name === 'answer' ? await formOf(request) : 'elsewhere';
  if (form === 'too-large') {
    response.setHeader('Connection', 'close');
    notice(response, 413, 'Nothing was done', 'That is more than a memory can hold.', LOOK);
    return 'denied';
  }
  if (form === 'elsewhere') {
    deny(response, 'path');
    return 'denied';
  }
  if (form === 'no-form') {
    notice(response, 415, 'Nothing was done', 'Only the forms of this page are read.', LOOK);
    return 'denied';
  }
  const takesNone = review.held !== undefined || !review.takesAnswers;
  const answered = takesNone ? undefined : witness.take(form.get('token') ?? '');
  if (answered === undefined) {
    if (!review.takesAnswers) review.lostAnswer = true;
    page(response, 409, (nonce) => (takesNone ? now(parts, nonce) : outdatedView(review, access.base, nonce)));
    return review.takesAnswers ? 'denied' : 'last';
  }
  const isHeld = !review.counts && changesSomething(answered, form);
  if (isHeld) review.held = { answered, form };
  const next = isHeld ? '' : await apply(review, answered, form);
  // 303, so that reloading the next page does not send the answer again.
  response.setHeader('Location', access.base + next);
  send(response, 303, 'text/plain', '');
  return 'served';
}

/** Carries out the answer that waited for the client's accept. It is checked against the store as it is now. */
export async function carryOutHeld({ access, review }: PageParts): Promise<void> {
  const { held } = review;
  if (held === undefined || access.isVoid) return;
  try {
    await apply(review, held.answered, held.form);
    review.current();
  } catch (error) {
    complain(review, error);
    review.say('danger', sentenceOn(error));
  } finally {
    review.held = undefined;
  }
}

/** Reads at most LARGEST_BODY. The server's own timeout ends a form that arrives too slowly. */
async function formOf(request: IncomingMessage): Promise<URLSearchParams | 'too-large' | 'no-form'> {
  const type = request.headers['content-type']?.split(';')[0]?.trim();
  if (type !== 'application/x-www-form-urlencoded') return 'no-form';
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_BODY) return 'too-large';
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > LARGEST_BODY) return 'too-large';
      chunks.push(part);
    }
  } catch {
    // The connection broke off, so the form is incomplete.
    return 'no-form';
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

/** Reports the second use of the link to the operator, because the first user may not have been the person. */
function report({ review }: PageParts): void {
  const { audit, vault } = review.session;
  audit.record({ channel: 'page', action: 'open-page', outcome: 'refused', reason: 'link-used-twice' });
  const decided = review.outcomes.filter(({ kind }) => kind !== 'skipped').map(({ id }) => id);
  const before = decided.length === 0 ? 'Nothing was decided on it.' : `Decided on it before: ${decided.join(', ')}.`;
  vault.complain(
    `surety: the link to the review page was used twice, so the page was closed; if it was not you, another program has read the link. ${before}`,
  );
}

function page(response: ServerResponse, status: number, view: (nonce: string) => Markup): void {
  const nonce = randomHex(16);
  const markup = view(nonce).toString();
  response.setHeader('Content-Security-Policy', policy(`'nonce-${nonce}'`));
  send(response, status, 'text/html', markup);
}

function notice(response: ServerResponse, status: number, heading: string, ...sentences: string[]): void {
  page(response, status, (nonce) => noticeView(heading, sentences, nonce, false));
}

/** Names the product only to a request that knew the page's secret path. */
function deny(response: ServerResponse, why: Denial): void {
  const [status, heading, ...sentences] = DENIED[why];
  const unnamed = why !== 'no-cookie' && why !== 'voided';
  page(response, status, (nonce) => noticeView(heading, sentences, nonce, unnamed));
}

/** Allows only this page's own style and script, and forms and requests to this page. */
function policy(nonce: string): string {
  return `default-src 'none'; script-src ${nonce}; style-src ${nonce}; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  if (response.destroyed) return;
  head(response, status, type);
  response.end(body);
}

function head(response: ServerResponse, status: number, type: string): void {
  response.statusCode = status;
  if (!response.hasHeader('Content-Security-Policy')) {
    response.setHeader('Content-Security-Policy', `default-src 'none'; frame-ancestors 'none'`);
  }
  response.setHeader('Content-Type', `${type}; charset=utf-8`);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('X-Frame-Options', 'DENY');
  // Not no-referrer: the browser would then send this page's own forms with the origin "null".
  response.setHeader('Referrer-Policy', 'same-origin');
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  response.setHeader('Permissions-Policy', 'clipboard-read=(), camera=(), microphone=(), geolocation=()');
}
