import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { randomHex } from '../store/disk/random.ts';

/** Why a request gets nothing. */
export type Turned = 'host' | 'origin' | 'method' | 'path' | 'stranger' | 'voided';
/** `first`: the browser the link is for; `again`: another one that came with the same link; `guest`: has the cookie. */
export type Passed = 'first' | 'again' | 'guest';

export interface Knock {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Who may speak with the page. The link's code buys one thing, once: a cookie. The browser that has the cookie may follow
 * the link again. A second browser or program that comes with the link ends the page for everybody, because nobody can tell
 * which of the two was meant.
 *
 * Everything lies under a path of chance, and the cookie is bound to it: a browser keeps cookies by host and not by port,
 * so another server on 127.0.0.1 would be sent it otherwise.
 */
export class Gate {
  readonly base = `/${randomHex(8)}/`;
  readonly #code = randomHex(32);
  readonly #cookie = randomHex(32);
  #host = '';
  #state: 'closed' | 'open' | 'void' = 'closed';

  /** Set once the port is known. */
  listensOn(port: number): void {
    this.#host = `127.0.0.1:${port}`;
  }

  /** What goes to the browser, and nowhere else. */
  get url(): string {
    return `http://${this.#host}${this.base}open/${this.#code}`;
  }

  get isVoid(): boolean {
    return this.#state === 'void';
  }

  get cookie(): string {
    return `surety=${this.#cookie}; Path=${this.base}; HttpOnly; SameSite=Strict`;
  }

  /** Lets a request in, or says why not. The order matters: what another site can send is turned away before it is read. */
  pass({ method, path, headers }: Knock): Passed | Turned {
    // A name that was rebound to this address is another host, whatever it resolves to.
    if (headers.host !== this.#host) return 'host';
    if (method !== 'GET' && method !== 'POST') return 'method';
    if (!this.#isFromHere(method, headers, path)) return 'origin';
    if (path.startsWith(`${this.base}open/`)) return method === 'GET' ? this.#enter(path, headers) : 'method';
    if (!path.startsWith(this.base)) return 'path';
    if (this.#state === 'void') return 'voided';
    return this.#state === 'open' && this.#knows(headers.cookie) ? 'guest' : 'stranger';
  }

  #isFromHere(method: string, headers: IncomingHttpHeaders, path: string): boolean {
    const { origin } = headers;
    const site = headers['sec-fetch-site'];
    if (origin !== undefined && origin !== `http://${this.#host}`) return false;
    // Every browser sends an origin with a form; what does not is no form of ours.
    if (method === 'POST') return origin !== undefined && (site === undefined || site === 'same-origin');
    if (path.startsWith(`${this.base}open/`)) return isNavigation(headers);
    return site === undefined || site === 'same-origin' || site === 'none';
  }

  #enter(path: string, headers: IncomingHttpHeaders): Passed | Turned {
    if (!equal(path.slice(`${this.base}open/`.length), this.#code)) return 'stranger';
    // A browser that loads ahead has not been asked to by anybody.
    if (headers['sec-purpose'] !== undefined || headers.purpose !== undefined) return 'stranger';
    if (this.#state === 'void') return 'voided';
    if (this.#state === 'open') {
      if (this.#knows(headers.cookie)) return 'first';
      this.#state = 'void';
      return 'again';
    }
    this.#state = 'open';
    return 'first';
  }

  #knows(cookies: string | undefined): boolean {
    const all = (cookies ?? '').split(';').map((each) => each.trim());
    return all.some((each) => equal(each, `surety=${this.#cookie}`));
  }
}

/** A link that was followed or typed, and not a picture, a script or a frame on some page. */
function isNavigation(headers: IncomingHttpHeaders): boolean {
  const [mode, dest] = [headers['sec-fetch-mode'], headers['sec-fetch-dest']];
  return (mode === undefined || mode === 'navigate') && (dest === undefined || dest === 'document');
}

function equal(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
