import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../core/refusal.ts';
import { asDiskRefusal } from '../store/disk/disk-errors.ts';
import { randomHex } from '../store/disk/random.ts';
import type { Gate, Turned } from './access.ts';
import { apply, changesSomething } from './answer.ts';
import { machineView } from './machine-view.ts';
import type { Markup } from './markup.ts';
import { caseView, draftView, editView, endView, entryView, heldView, lostView } from './pages.ts';
import type { Sitting } from './review-session.ts';
import { KEYS_JS } from './script.ts';
import { STYLE_CSS } from './style.ts';
import type { PageWitness } from './witness.ts';

export interface Room {
  readonly gate: Gate;
  readonly sitting: Sitting;
  readonly witness: PageWitness;
}

/** What became of a request: `served` to the person, `turned` away, or the second use of the link. */
export type Came = 'served' | 'turned' | 'voided';

/** A memory of 5000 characters in a form, each of them escaped, is below this. */
const LARGEST_BODY = 96 * 1024;

const TURNED: Record<Turned, readonly [status: number, sentence: string]> = {
  host: [403, 'This address is not served.'],
  origin: [403, 'Requests from other pages are not served.'],
  method: [405, 'Only GET and POST are served.'],
  path: [404, 'There is nothing here.'],
  stranger: [403, 'This page belongs to somebody else. Ask for a link of your own: run surety review.'],
  voided: [
    410,
    'The link to this page was used twice, by two browsers or programs. Nobody can tell which was meant, so the page is closed. What was decided before counts; nothing else was changed. Ask again, or run surety review.',
  ],
};

/** The one place a request comes in. Nothing of it is looked at before the gate has let it pass. */
export async function answer(room: Room, request: IncomingMessage, response: ServerResponse): Promise<Came> {
  try {
    return await served(room, request, response);
  } catch (error) {
    complain(room.sitting, error);
    if (!response.headersSent) plain(response, 500, sentenceOn(error));
    return 'turned';
  }
}

const FAILED = 'Surety failed at this; the reason is in its log.';

/** What the disk refused is said on the page; for anything else the log must do. */
function sentenceOn(error: unknown): string {
  const refusal = asDiskRefusal(error);
  return refusal instanceof Refusal ? refusal.message : FAILED;
}

function complain({ session }: Sitting, error: unknown): void {
  const details = error instanceof Error ? (error.stack ?? error.message) : typeof error;
  session.vault.complain(`surety: the page failed: ${details}`);
}

async function served(room: Room, request: IncomingMessage, response: ServerResponse): Promise<Came> {
  const { gate, sitting } = room;
  const { method = '', url = '', headers } = request;
  const [path = ''] = url.split('?');
  const passed = gate.pass({ method, path, headers });
  if (passed === 'again') {
    report(room);
    plain(response, ...TURNED.voided);
    return 'voided';
  }
  if (passed === 'first') {
    response.setHeader('Set-Cookie', gate.cookie);
    page(response, 200, (nonce) => entryView(gate.base, nonce));
    return 'served';
  }
  if (passed !== 'guest') {
    plain(response, ...TURNED[passed]);
    return 'turned';
  }
  const name = path.slice(gate.base.length);
  if (method === 'POST') return posted(room, name, request, response);
  const view = VIEWS[name];
  if (view !== undefined) page(response, 200, (nonce) => view(room, nonce));
  else if (name === 'style.css') send(response, 200, 'text/css', STYLE_CSS);
  else if (name === 'keys.js') send(response, 200, 'text/javascript', KEYS_JS);
  else {
    plain(response, ...TURNED.path);
    return 'turned';
  }
  sitting.current();
  return 'served';
}

type View = (room: Room, nonce: string) => Markup;
const VIEWS: Readonly<Record<string, View>> = {
  __proto__: null as never,
  '': ({ sitting, witness }, nonce) => {
    if (sitting.held !== undefined) return heldView(sitting, nonce);
    const open = sitting.current();
    if (open !== undefined) return caseView(sitting, witness, open, nonce);
    const machine = sitting.stranger();
    return machine === undefined ? endView(sitting, witness, nonce) : machineView(sitting, witness, machine, nonce);
  },
  edit: (room, nonce) => {
    const open = room.sitting.held === undefined ? room.sitting.current() : undefined;
    return open === undefined ? (VIEWS[''] as View)(room, nonce) : editView(room.sitting, room.witness, open, nonce);
  },
  draft: (room, nonce) => {
    const open = room.sitting.held === undefined ? room.sitting.current() : undefined;
    const adoption = room.sitting.writing?.adoption;
    return open === undefined || adoption === undefined || adoption.original.stem !== open.stem
      ? (VIEWS[''] as View)(room, nonce)
      : draftView(room.sitting, room.witness, open, adoption, nonce);
  },
};

async function posted(room: Room, name: string, request: IncomingMessage, response: ServerResponse): Promise<Came> {
  const { gate, witness, sitting } = room;
  const form = name === 'answer' ? await formOf(request) : 'elsewhere';
  if (form === 'too-large') {
    response.setHeader('Connection', 'close');
    plain(response, 413, 'That is more than a memory can hold. Nothing was done.');
    return 'turned';
  }
  if (form === 'elsewhere') {
    plain(response, ...TURNED.path);
    return 'turned';
  }
  if (form === 'no-form') {
    plain(response, 415, 'Only the forms of this page are read. Nothing was done.');
    return 'turned';
  }
  const answered = sitting.held === undefined ? witness.take(form.get('token') ?? '') : undefined;
  if (answered === undefined) {
    page(response, 409, (nonce) => lostView(gate.base, nonce));
    return 'turned';
  }
  const isHeld = !sitting.counts && changesSomething(answered, form);
  if (isHeld) sitting.held = { answered, form };
  const next = isHeld ? '' : await apply(sitting, answered, form);
  // See Other: reloading what comes next must not answer again.
  response.setHeader('Location', gate.base + next);
  send(response, 303, 'text/plain', '');
  return 'served';
}

/** Carries out the answer that waited for the client's accept, held against the store as it is now. */
export async function carryOutHeld({ gate, sitting }: Room): Promise<void> {
  const { held } = sitting;
  if (held === undefined || gate.isVoid) return;
  try {
    await apply(sitting, held.answered, held.form);
    sitting.current();
  } catch (error) {
    complain(sitting, error);
    sitting.say('danger', sentenceOn(error));
  } finally {
    sitting.held = undefined;
  }
}

/** Read up to the limit and no further; a form that comes too slowly is cut off by the server's own clock. */
async function formOf(request: IncomingMessage): Promise<URLSearchParams | 'too-large' | 'no-form'> {
  const type = request.headers['content-type']?.split(';')[0]?.trim();
  if (type !== 'application/x-www-form-urlencoded') return 'no-form';
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_BODY) return 'too-large';
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > LARGEST_BODY) return 'too-large';
      parts.push(part);
    }
  } catch {
    // Cut off in the middle: what came is no form.
    return 'no-form';
  }
  return new URLSearchParams(Buffer.concat(parts).toString('utf8'));
}

/** The second use of a link is the one thing the operator must hear of: whoever was first may have been somebody else. */
function report({ sitting }: Room): void {
  const { audit, vault } = sitting.session;
  audit.record({ channel: 'page', action: 'open-page', outcome: 'refused', reason: 'link-used-twice' });
  const decided = sitting.outcomes.filter(({ kind }) => kind !== 'skipped').map(({ id }) => id);
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

function plain(response: ServerResponse, status: number, sentence: string): void {
  send(response, status, 'text/plain', `${sentence}\n`);
}

/** Nothing but this page's own style and script, and forms to itself. */
function policy(nonce: string): string {
  return `default-src 'none'; script-src ${nonce}; style-src ${nonce}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  if (response.destroyed) return;
  response.statusCode = status;
  if (!response.hasHeader('Content-Security-Policy')) {
    response.setHeader('Content-Security-Policy', `default-src 'none'; frame-ancestors 'none'`);
  }
  response.setHeader('Content-Type', `${type}; charset=utf-8`);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('X-Frame-Options', 'DENY');
  // Not no-referrer: a browser would then send its own forms with the origin "null".
  response.setHeader('Referrer-Policy', 'same-origin');
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  response.setHeader('Permissions-Policy', 'clipboard-read=(), camera=(), microphone=(), geolocation=()');
  response.end(body);
}
