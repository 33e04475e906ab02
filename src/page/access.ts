import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { randomHex } from '../store/disk/random.ts';

/** Why a request is denied. */
export type Denial = 'host' | 'origin' | 'method' | 'path' | 'no-cookie' | 'voided';
/**
 * `link`: the first browser with the link; `second-use`: another browser with the same link; `cookie`: it has the cookie.
 */
type Admission = 'link' | 'second-use' | 'cookie';

interface PageRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** A page is open for at most 12 hours, whatever the person does. docs/threat-model.md argues for it. */
export const LONGEST_LIFE_MS = 12 * 60 * 60_000;

/** The cookie lives a minute longer than its page, because the open tabs still load how that ended. */
const LAST_PAGE_SECONDS = 60;

/**
 * Who may use the page. The link's code can be exchanged once, for a cookie. The browser with the cookie may follow the link
 * again. A second browser or program that follows the link ends the page for everybody, because nobody can say which of the
 * two is the person's.
 *
 * Every path begins with random digits, and the cookie is bound to that path. Browsers keep cookies by host and not by port,
 * so without this another server on 127.0.0.1 would receive the cookie.
 *
 * The cookie is Lax and not Strict: a Strict one is not sent when the link is followed from a file or another site, and the
 * person's own browser would void the page. Lax sends it with a followed link only, and no other request of another site is
 * admitted.
 */
export class PageAccess {
  readonly #cookieSeconds: number;
  readonly base = `/${randomHex(8)}/`;
  readonly #code = randomHex(32);
  readonly #cookie = randomHex(32);
  #host = '';
  #state: 'closed' | 'open' | 'void' = 'closed';

  /**
   * `life`: for how many milliseconds the page may be open. Without a life of its own a browser forgets the cookie when its
   * last window is closed, and would look like another browser when the person opens the link again.
   */
  constructor(life: number) {
    this.#cookieSeconds = Math.ceil(life / 1000) + LAST_PAGE_SECONDS;
  }

  /** Called once the port is known. Passkeys are bound to a name, so a page that asks for one is served under it. */
  listensOn(port: number, name = '127.0.0.1'): void {
    this.#host = `${name}:${port}`;
  }

  /** The link. It goes to the browser only. */
  get url(): string {
    return `http://${this.#host}${this.base}open/${this.#code}`;
  }

  get isVoid(): boolean {
    return this.#state === 'void';
  }

  get cookie(): string {
    return `surety=${this.#cookie}; Path=${this.base}; Max-Age=${this.#cookieSeconds}; HttpOnly; SameSite=Lax`;
  }

  /** Admits a request, or says why not. The order matters: a request from another site is denied before its path is read. */
  check({ method, path, headers }: PageRequest): Admission | Denial {
    // DNS rebinding: a hostile name may resolve to this address, but the Host header still carries that name.
    if (headers.host !== this.#host) return 'host';
    if (method !== 'GET' && method !== 'POST') return 'method';
    if (!this.#isFromHere(method, headers, path)) return 'origin';
    if (path.startsWith(`${this.base}open/`)) return method === 'GET' ? this.#enter(path, headers) : 'method';
    if (!path.startsWith(this.base)) return 'path';
    if (this.#state === 'void') return 'voided';
    return this.#state === 'open' && this.#hasCookie(headers.cookie) ? 'cookie' : 'no-cookie';
  }

  #isFromHere(method: string, headers: IncomingHttpHeaders, path: string): boolean {
    const { origin } = headers;
    const site = headers['sec-fetch-site'];
    if (origin !== undefined && origin !== `http://${this.#host}`) return false;
    // Every browser sends an origin with a form, so a POST without one is not a form of this page.
    if (method === 'POST') return origin !== undefined && (site === undefined || site === 'same-origin');
    if (path.startsWith(`${this.base}open/`)) return isNavigation(headers);
    return site === undefined || site === 'same-origin' || site === 'none';
  }

  #enter(path: string, headers: IncomingHttpHeaders): Admission | Denial {
    if (!equal(path.slice(`${this.base}open/`.length), this.#code)) return 'no-cookie';
    // A prefetch: the browser loads the link although nobody followed it.
    if (headers['sec-purpose'] !== undefined || headers.purpose !== undefined) return 'no-cookie';
    if (this.#state === 'void') return 'voided';
    if (this.#state === 'open') {
      if (this.#hasCookie(headers.cookie)) return 'link';
      this.#state = 'void';
      return 'second-use';
    }
    this.#state = 'open';
    return 'link';
  }

  #hasCookie(cookies: string | undefined): boolean {
    const all = (cookies ?? '').split(';').map((each) => each.trim());
    return all.some((each) => equal(each, `surety=${this.#cookie}`));
  }
}

/** A followed or typed link, and not an image, a script or a frame in another page. */
function isNavigation(headers: IncomingHttpHeaders): boolean {
  const [mode, dest] = [headers['sec-fetch-mode'], headers['sec-fetch-dest']];
  return (mode === undefined || mode === 'navigate') && (dest === undefined || dest === 'document');
}

function equal(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
