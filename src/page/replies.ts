import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Session } from '../actions/session.ts';
import { bugDetails } from '../core/bug-details.ts';
import { Refusal } from '../core/refusal.ts';
import { asDiskRefusal } from '../store/disk/disk-errors.ts';
import { randomHex } from '../store/disk/random.ts';
import type { Vault } from '../store/vault/vault.ts';
import type { Denial, PageAccess } from './access.ts';
import { entryView, noticeView } from './end-views.ts';
import type { Markup } from './markup.ts';

// Every reply of a page, with the headers that keep it to this browser and this page.

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

const FAILED = 'Surety failed at this; the reason is in its log.';
export const LOOK = 'Load this page again, or run surety review: both show how things stand.';

/** What the disk refused is said on the page; for anything else the log must do. */
export function sentenceOn(error: unknown): string {
  const refusal = asDiskRefusal(error);
  return refusal instanceof Refusal ? refusal.message : FAILED;
}

/** The reason of a failure goes to the operator's log. */
export function complain(vault: Vault, error: unknown): void {
  vault.complain(`surety: the page failed: ${bugDetails(error)}`);
}

/** Answers a request at which the page failed. */
export function failed(vault: Vault, error: unknown, response: ServerResponse): 'denied' {
  complain(vault, error);
  if (!response.headersSent) notice(response, 500, 'That did not work', sentenceOn(error), LOOK);
  return 'denied';
}

export function page(response: ServerResponse, status: number, view: (nonce: string) => Markup): void {
  const nonce = randomHex(16);
  const markup = view(nonce).toString();
  response.setHeader('Content-Security-Policy', policy(`'nonce-${nonce}'`));
  send(response, status, 'text/html', markup);
}

export function notice(response: ServerResponse, status: number, heading: string, ...sentences: string[]): void {
  page(response, status, (nonce) => noticeView(heading, sentences, nonce, false));
}

/** Names the product only to a request that knew the page's secret path. */
export function deny(response: ServerResponse, why: Denial): void {
  const [status, heading, ...sentences] = DENIED[why];
  const unnamed = why !== 'no-cookie' && why !== 'voided';
  page(response, status, (nonce) => noticeView(heading, sentences, nonce, unnamed));
}

/** Allows only this page's own style and script, and forms and requests to this page. */
function policy(nonce: string): string {
  return `default-src 'none'; script-src ${nonce}; style-src ${nonce}; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;
}

export function send(response: ServerResponse, status: number, type: string, body: string): void {
  if (response.destroyed) return;
  head(response, status, type);
  response.end(body);
}

export function head(response: ServerResponse, status: number, type: string): void {
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

/** The form that was sent to a page; undefined if it was refused, and the refusal was sent. */
export async function formOf(
  request: IncomingMessage,
  response: ServerResponse,
  isRoute: boolean,
): Promise<URLSearchParams | undefined> {
  const form = isRoute ? await readForm(request) : 'elsewhere';
  if (form === 'elsewhere') deny(response, 'path');
  else if (form === 'no-form') notice(response, 415, 'Nothing was done', 'Only the forms of this page are read.', LOOK);
  else if (form === 'too-large') {
    response.setHeader('Connection', 'close');
    notice(response, 413, 'Nothing was done', 'That is more than a memory can hold.', LOOK);
  } else return form;
  return undefined;
}

/** Reads at most LARGEST_BODY. The server's own timeout ends a form that arrives too slowly. */
async function readForm(request: IncomingMessage): Promise<URLSearchParams | 'too-large' | 'no-form'> {
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
function reportSecondUse(
  { audit, vault }: Session,
  outcomes: readonly { readonly kind: string; readonly id: string }[],
): void {
  audit.record({ channel: 'page', action: 'open-page', outcome: 'refused', reason: 'link-used-twice' });
  const decided = outcomes.filter(({ kind }) => kind !== 'skipped').map(({ id }) => id);
  const before = decided.length === 0 ? 'Nothing was decided on it.' : `Decided on it before: ${decided.join(', ')}.`;
  vault.complain(
    `surety: the link to the page was used twice, so the page was closed; if it was not you, another program has read the link. ${before}`,
  );
}

/** A request of the browser that has the cookie. */
interface Admitted {
  readonly method: string;
  /** The path below the page's own. */
  readonly name: string;
  readonly query: string;
}

/**
 * Lets in what comes from the browser with the cookie. Every other request is answered here: the link is exchanged for the
 * cookie, its second use is reported, and the rest is turned away.
 */
export function admit(
  access: PageAccess,
  { session, outcomes }: { readonly session: Session; readonly outcomes: Parameters<typeof reportSecondUse>[1] },
  { method = '', url = '', headers }: IncomingMessage,
  response: ServerResponse,
): Admitted | 'served' | 'denied' | 'voided' {
  const [path = '', query = ''] = url.split('?', 2);
  const passed = access.check({ method, path, headers });
  if (passed === 'cookie') return { method, name: path.slice(access.base.length), query };
  if (passed === 'link') {
    response.setHeader('Set-Cookie', access.cookie);
    page(response, 200, (nonce) => entryView(access.base, nonce));
    return 'served';
  }
  if (passed !== 'second-use') {
    deny(response, passed);
    return 'denied';
  }
  reportSecondUse(session, outcomes);
  deny(response, 'voided');
  return 'voided';
}
