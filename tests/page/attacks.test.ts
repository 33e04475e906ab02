import { connect, type Socket } from 'node:net';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Page } from '../../src/page/serve.ts';
import { knock, pageOf, Visitor } from '../../testkit/review-page.ts';
import { TestStore } from '../../testkit/store.ts';

let store: TestStore;
let id: string;
let page: Page;
let before: string;

/** Everything a successful attack would change. */
const state = () => JSON.stringify([store.standing(id), store.ledgerLines(), store.text('memories', id)]);

beforeEach(async () => {
  store = await TestStore.open();
  id = await store.propose('the secret garden', { description: 'Only for the person' });
  store.pass(8);
  page = await pageOf(store);
  before = state();
});

/** The reply contains nothing of the store, and the store is unchanged. */
function expectNothing(reply: { status: number; text: string }, status: number): void {
  expect(reply.status).toBe(status);
  expect(reply.text).not.toMatch(/garden|Only for the person|token/);
  expect(state()).toBe(before);
}

test('the link is exchanged for a cookie, and the page contains neither of them', async () => {
  const entry = await knock(page.url);
  expect(entry.status).toBe(200);
  const { pathname } = new URL(page.url);
  const base = pathname.slice(0, pathname.indexOf('open/'));
  expect(entry.headers['set-cookie']).toEqual([
    expect.stringMatching(new RegExp(`^surety=[0-9a-f]{64}; Path=${base}; Max-Age=43260; HttpOnly; SameSite=Lax$`)),
  ]);
  expect(entry.text).not.toMatch(/open\/|garden/);
});

test('every answer is uncacheable, unframeable and may load nothing from anywhere else', async () => {
  const visitor = await Visitor.enter(page);
  for (const name of ['', 'script.js', 'watch', 'edit', 'nothing']) {
    const reply = await fetch(visitor.origin + visitor.base + name, { headers: { cookie: visitor.cookie } });
    // One of them stays open, so only the head is read.
    await reply.body?.cancel();
    const headers = Object.fromEntries(reply.headers);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    });
    const policy = headers['content-security-policy'];
    expect(policy).toContain(`default-src 'none'`);
    expect(policy).toContain(`frame-ancestors 'none'`);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(headers['access-control-allow-origin']).toBeUndefined();
  }
});

test('another local process without the cookie reads and changes nothing', async () => {
  const visitor = await Visitor.enter(page);
  const token = await visitor.token();
  for (const cookie of [undefined, '', 'surety=', `surety=${'0'.repeat(64)}`, 'other=1']) {
    const headers = cookie === undefined ? {} : { cookie };
    for (const name of ['', 'edit', 'draft', 'script.js', 'watch']) {
      expectNothing(await knock(page.url, { path: visitor.base + name, headers }), 403);
    }
    const sent = { origin: visitor.origin, 'content-type': 'application/x-www-form-urlencoded', ...headers };
    const body = `token=${token}&key=y`;
    expectNothing(await knock(page.url, { method: 'POST', path: `${visitor.base}answer`, headers: sent, body }), 403);
  }
});

test('a wrong code opens nothing, and the right one still works', async () => {
  for (const code of ['', '0'.repeat(64), 'x', '../']) {
    const path = new URL(page.url).pathname.replace(/open\/.*/, `open/${code}`);
    expectNothing(await knock(page.url, { path }), 403);
  }
  expect((await knock(page.url)).status).toBe(200);
});

test('the second use of the link ends the page for both and is reported', async () => {
  const visitor = await Visitor.enter(page);
  const token = await visitor.token();
  expectNothing(await knock(page.url), 410);
  expectNothing(await visitor.get(), 410);
  expectNothing(await visitor.post({ token, key: 'y' }), 410);
  expect(await page.ended).toMatchObject({ how: 'voided', outcomes: [] });
  expect(await page.answered).toEqual({ kind: 'unanswered', how: 'voided' });
  expect(store.complaints.join()).toContain('used twice');
  expect(store.audit().at(-1)).toMatchObject({ action: 'open-page', outcome: 'refused', reason: 'link-used-twice' });
});

test('the report of a second use names earlier decisions, because the first user may not have been the person', async () => {
  const visitor = await Visitor.enter(page);
  await visitor.post({ token: await visitor.token(), key: 'n' });
  await knock(page.url);
  expect(store.complaints.join()).toContain(`Decided on it before: ${id}`);
});

test('the browser that has the cookie may follow the link again', async () => {
  const visitor = await Visitor.enter(page);
  const again = await knock(page.url, { headers: { cookie: visitor.cookie } });
  expect(again.status).toBe(200);
  expect((await visitor.get()).status).toBe(200);
  expectNothing(await knock(page.url, { headers: { cookie: 'surety=other' } }), 410);
});

test('a browser’s prefetch does not use up the link', async () => {
  expectNothing(await knock(page.url, { headers: { 'sec-purpose': 'prefetch' } }), 403);
  expect((await knock(page.url)).status).toBe(200);
});

test.each([
  ['missing', undefined],
  ['empty', ''],
  ['made up', 'f'.repeat(64)],
  ['not hexadecimal', '__proto__'],
])('a form whose token is %s does nothing', async (_what, token) => {
  const visitor = await Visitor.enter(page);
  await visitor.get();
  expectNothing(await visitor.post({ key: 'y', ...(token === undefined ? {} : { token }) }), 409);
});

test('a form counts once, and not on another page', async () => {
  const other = await TestStore.open();
  await other.propose('elsewhere');
  other.pass(8);
  const stranger = await Visitor.enter(await pageOf(other));
  const visitor = await Visitor.enter(page);
  expectNothing(await visitor.post({ token: await stranger.token(), key: 'y' }), 409);

  const token = await visitor.token();
  expect((await visitor.post({ token, key: 's' })).status).toBe(303);
  expectNothing(await visitor.post({ token, key: 'y' }), 409);
});

test.each(['localhost', 'evil.example', '127.0.0.1', '127.0.0.1:1', '[::1]', '127.0.0.1.evil.example'])(
  'a rebound host name (Host: %s) is not served',
  async (host) => {
    const visitor = await Visitor.enter(page);
    const { port } = new URL(page.url);
    const hosts = host.startsWith('127.0.0.1') && !host.includes('evil') ? [host] : [host, `${host}:${port}`];
    for (const each of hosts) {
      expectNothing(await visitor.get('', { host: each }), 403);
      expectNothing(await visitor.post({ token: 'x', key: 'y' }, { host: each }), 403);
    }
  },
);

test.each([
  ['another site', { origin: 'https://evil.example' }],
  ['another port', { origin: 'http://127.0.0.1:1' }],
  ['a sandboxed frame or a file', { origin: 'null' }],
  ['a program that hides it', { origin: undefined }],
  ['another site, said by the browser', { 'sec-fetch-site': 'cross-site' }],
  ['another port, said by the browser', { 'sec-fetch-site': 'same-site' }],
])('a form sent from %s does nothing', async (_from, headers) => {
  const visitor = await Visitor.enter(page);
  const token = await visitor.token();
  const { origin, ...rest } = { origin: visitor.origin, ...headers } as Record<string, string | undefined>;
  const sent = {
    cookie: visitor.cookie,
    'content-type': 'application/x-www-form-urlencoded',
    ...rest,
    ...(origin === undefined ? {} : { origin }),
  };
  const path = `${visitor.base}answer`;
  expectNothing(await knock(page.url, { method: 'POST', path, headers: sent, body: `token=${token}&key=y` }), 403);
});

test('an image, a script or a frame on another site gets nothing', async () => {
  const visitor = await Visitor.enter(page);
  for (const site of ['cross-site', 'same-site']) {
    for (const name of ['', 'script.js', 'watch']) {
      expectNothing(await visitor.get(name, { 'sec-fetch-site': site }), 403);
    }
  }
  const other = await pageOf(store);
  for (const headers of [{ 'sec-fetch-dest': 'iframe' }, { 'sec-fetch-mode': 'cors' }, { 'sec-fetch-dest': 'image' }]) {
    expectNothing(await knock(other.url, { headers }), 403);
  }
});

test.each([
  '..%2f..%2fetc/passwd',
  '../../../../etc/passwd',
  '%2e%2e/',
  'script.js/../watch',
  '__proto__',
  'constructor',
  '//evil',
  'script.js%00',
])('no path leads around the cookie: %s', async (name) => {
  const visitor = await Visitor.enter(page);
  expectNothing(await visitor.get(name), 404);
  expect((await knock(page.url, { path: `/${name}`, headers: { cookie: visitor.cookie } })).status).toBe(404);
});

test.each(['PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE'])('%s is not served', async (method) => {
  const visitor = await Visitor.enter(page);
  const path = `${visitor.base}answer`;
  expectNothing(await knock(page.url, { method, path, headers: { cookie: visitor.cookie } }), 405);
});

test('a body that is too large or not a form is not read', async () => {
  const visitor = await Visitor.enter(page);
  const token = await visitor.token();
  const large = await visitor.post({ token, key: 'y', body: 'x'.repeat(200_000) }).catch(() => undefined);
  if (large !== undefined) expectNothing(large, 413);
  for (const type of ['application/json', 'multipart/form-data', 'text/plain', '']) {
    expectNothing(await visitor.post({ token, key: 'y' }, { 'content-type': type }), 415);
  }
  expect(state()).toBe(before);
});

test('oversized headers are refused', async () => {
  const reply = await knock(page.url, { headers: { 'x-long': 'x'.repeat(20_000) } }).catch(() => undefined);
  expect(reply?.status ?? 431).toBe(431);
  expect((await knock(page.url)).status).toBe(200);
});

test('an endless request is cut off, and nothing of it counts', async () => {
  const slow = await pageOf(store, { limits: { headers: 300, request: 600 } });
  const visitor = await Visitor.enter(slow);
  const token = await visitor.token();
  const { port, host } = new URL(slow.url);
  const head = `POST ${visitor.base}answer HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${visitor.origin}\r\nCookie: ${visitor.cookie}\r\n`;
  const form = `${head}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ntoken=${token}&key=y`;
  for (const sent of ['GET / HTTP/1.1\r\nHost: x\r\n', form]) {
    const began = Date.now();
    await new Promise<void>((done) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(sent));
      socket.on('close', () => done()).on('error', () => done());
      socket.resume();
    });
    expect(Date.now() - began).toBeLessThan(5_000);
  }
  expect(state()).toBe(before);
});

test('silent connections do not keep the person from the page', async () => {
  const { port, host } = new URL(page.url);
  const silent = await Promise.all(
    Array.from({ length: 200 }, () => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => {});
      onTestFinished(() => void socket.destroy());
      return new Promise<Socket>((ready) =>
        socket.once('connect', () => ready(socket)).once('close', () => ready(socket)),
      );
    }),
  );
  for (const socket of silent) if (!socket.destroyed) socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n`);
  const visitor = await Visitor.enter(page);
  expect((await visitor.get()).text).toContain('garden');
});

test('a key that is not among the answers does nothing', async () => {
  const visitor = await Visitor.enter(page);
  for (const key of ['p', 'Y', 'yes', '', '__proto__']) {
    const reply = await visitor.post({ token: await visitor.token(), key });
    expectNothing(reply, 303);
  }
});
