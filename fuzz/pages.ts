import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { itemsToReview } from '../src/actions/review/review.ts';
import type { Session } from '../src/actions/session.ts';
import { openPage, type Page } from '../src/page/serve.ts';
import { AuditLog } from '../src/store/records/audit-log.ts';
import { insideOf } from '../src/store/vault/inside-of-vault.ts';
import { LATER, openAt } from '../testkit/child.ts';
import { DAY, propose } from '../testkit/sample.ts';
import { hostileText } from './arbitraries.ts';
import { hold, type Property } from './property.ts';

const SECRET = 'garden';

/** A page over one memory that waits, in a store of its own. */
class Fixture {
  readonly #home = mkdtempSync(join(tmpdir(), 'surety-fuzz-'));
  #session!: Session;
  complaints: string[] = [];
  page!: Page;
  cookie = '';
  token = '';
  base = '';

  static async open(): Promise<Fixture> {
    const fixture = new Fixture();
    const past = await openAt(fixture.#home, LATER - 8 * DAY);
    await propose(past, `the secret ${SECRET}`);
    past.close();
    const vault = await openAt(fixture.#home, LATER, { complain: (line) => fixture.complaints.push(line) });
    const audit = new AuditLog(
      join(vault.places.state, 'audit.ndjson'),
      () => new Date(LATER),
      () => undefined,
    );
    fixture.#session = { vault, audit, proposals: 0 };
    await fixture.open();
    return fixture;
  }

  /** A new page where the last one was left, voided or used up. */
  async open(): Promise<void> {
    const session = this.#session;
    this.page = await openPage({ session, items: itemsToReview(session) });
    const { pathname, port } = new URL(this.page.url);
    this.base = pathname.slice(0, pathname.indexOf('open/'));
    const entered = await knock(Number(port), { method: 'GET', path: pathname, headers: {} }, '');
    this.cookie = entered.cookie;
    const sheet = await knock(Number(port), { method: 'GET', path: this.base, headers: { cookie: this.cookie } }, '');
    this.token = /name="token" value="([0-9a-f]{64})"/.exec(sheet.text)?.[1] ?? '';
    hold(this.token !== '', 'the page shows no form');
  }

  get port(): number {
    return Number(new URL(this.page.url).port);
  }

  /** Everything a successful attack would have changed. */
  get state(): string {
    const { vault } = this.#session;
    const [name = ''] = insideOf(vault).disk.names(vault.places.ledger);
    return readFileSync(join(vault.places.ledger, name), 'utf8');
  }

  async close(): Promise<void> {
    await this.page.close();
    this.#session.vault.close();
    rmSync(this.#home, { recursive: true, force: true });
  }
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
}

function knock(port: number, sent: Sent, body: string): Promise<{ status: number; text: string; cookie: string }> {
  return new Promise((resolve, reject) => {
    const going = request({ host: '127.0.0.1', port, agent: false, ...sent }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      const cookie = reply.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, text, cookie }));
      reply.on('error', reject);
    });
    // A request that the server does not let finish is as good as turned away.
    going.on('error', () => resolve({ status: 0, text: '', cookie: '' }));
    going.end(body);
  });
}

/** What may stand in a request line and in a header. */
const plain = hostileText.map((text) =>
  encodeURI(text.toWellFormed())
    .replaceAll(/[^\x21-\x7e]/g, '')
    .slice(0, 300),
);
const path = fc.oneof(
  fc.constantFrom(
    '',
    'answer',
    'edit',
    'draft',
    'style.css',
    'keys.js',
    '__proto__',
    'constructor',
    'open/',
    '../',
    '..%2f',
  ),
  plain,
);
const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE');
const value = fc.oneof(
  fc.constantFrom('same-origin', 'cross-site', 'none', 'null', 'navigate', 'document', 'prefetch'),
  plain,
);
const headers = fc.dictionary(
  fc.constantFrom(
    'origin',
    'referer',
    'sec-fetch-site',
    'sec-fetch-mode',
    'purpose',
    'content-type',
    'x-forwarded-host',
    'cookie',
  ),
  value,
  { maxKeys: 4 },
);
const form = fc.oneof(
  hostileText.map((text) => text.toWellFormed()),
  fc
    .dictionary(
      fc.constantFrom('key', 'token', 'reason', 'name', 'body', 'type', 'tags'),
      hostileText.map((t) => t.toWellFormed()),
    )
    .map((fields) => new URLSearchParams(fields).toString()),
);

/** The page's routes, over real HTTP. */
export const pages: readonly Property[] = [
  {
    title: 'a stranger’s request, whatever it is, is turned away, is told nothing and changes nothing',
    runs: 150,
    begin: () =>
      begun(async (fixture, sent, body) => {
        const before = fixture.state;
        const under = sent.path.startsWith('/') ? sent.path : fixture.base + sent.path;
        const { status, text } = await knock(fixture.port, { ...sent, path: under }, body);
        hold(status !== 500 && (status === 0 || status >= 400), `a stranger was answered ${status}`);
        hold(!text.includes(SECRET) && !text.includes(fixture.token), 'a stranger was told something');
        hold(fixture.state === before, 'a stranger changed something');
      }),
  },
  {
    title:
      'the person’s own browser may send anything: it is answered, never by a failure, and only a real form decides',
    runs: 150,
    begin: () =>
      begun(async (fixture, sent, body) => {
        const before = fixture.state;
        const own = { ...sent.headers, cookie: fixture.cookie, origin: `http://127.0.0.1:${fixture.port}` };
        const { status } = await knock(fixture.port, { ...sent, path: fixture.base + sent.path, headers: own }, body);
        hold(status !== 500, 'the page failed');
        hold(
          fixture.complaints.every((line) => !line.includes('failed')),
          fixture.complaints.join(),
        );
        hold(fixture.state === before, 'something was decided without a form');
      }),
  },
  {
    title: 'bytes that are no HTTP end nothing: the page is still there',
    runs: 60,
    begin: async () => {
      const fixture = await Fixture.open();
      const property = fc.asyncProperty(fc.oneof(hostileText, fc.string({ unit: 'binary' })), async (bytes) => {
        await new Promise<void>((resolve) => {
          const socket = connect(fixture.port, '127.0.0.1', () => socket.end(bytes));
          socket.on('error', () => resolve()).on('close', () => resolve());
          socket.resume();
        });
        const { status } = await knock(
          fixture.port,
          { method: 'GET', path: fixture.base, headers: { cookie: fixture.cookie } },
          '',
        );
        hold(status === 200, `the page answers ${status}`);
      });
      return { property, end: () => fixture.close() };
    },
  },
];

async function begun(tries: (fixture: Fixture, sent: Sent, body: string) => Promise<void>) {
  const fixture = await Fixture.open();
  const request = fc.record({ method, path, headers });
  const property = fc.asyncProperty(request, form, (sent, body) => tries(fixture, sent, body));
  return { property, end: () => fixture.close() };
}
