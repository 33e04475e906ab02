import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Knocking {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

/** What any program on this machine can send: no browser minds its headers. */
export function knock(url: string, { method = 'GET', path, headers = {}, body }: Knocking = {}): Promise<Reply> {
  const { port, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, method, path: path ?? pathname, headers, agent: false },
      (reply) => {
        let text = '';
        reply.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text }));
        reply.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** A person's browser, as far as the page can tell: holds the cookie and sends what browsers send. */
export class Visitor {
  readonly origin: string;
  readonly base: string;
  readonly cookie: string;

  readonly #host: OutgoingHttpHeaders;

  private constructor(origin: string, base: string, cookie: string, host: OutgoingHttpHeaders) {
    this.origin = origin;
    this.base = base;
    this.cookie = cookie;
    this.#host = host;
  }

  static async enter({ url }: { readonly url: string }): Promise<Visitor> {
    const { origin, pathname, host } = new URL(url);
    const { headers } = await knock(url, { headers: { host } });
    const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    return new Visitor(origin, pathname.slice(0, pathname.indexOf('open/')), cookie, { host });
  }

  get(name = '', headers: OutgoingHttpHeaders = {}): Promise<Reply> {
    return knock(this.origin, { path: this.base + name, headers: { ...this.#host, cookie: this.cookie, ...headers } });
  }

  async token(name = ''): Promise<string> {
    return /name="token" value="([0-9a-f]{64})"/.exec((await this.get(name)).text)?.[1] ?? '';
  }

  post(fields: Record<string, string>, headers: OutgoingHttpHeaders = {}, name = 'answer'): Promise<Reply> {
    const type = 'application/x-www-form-urlencoded';
    const sent = { ...this.#host, cookie: this.cookie, origin: this.origin, 'content-type': type, ...headers };
    const body = new URLSearchParams(fields).toString();
    return knock(this.origin, { method: 'POST', path: this.base + name, headers: sent, body });
  }
}
