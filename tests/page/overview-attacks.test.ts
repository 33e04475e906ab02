import { beforeEach, describe, expect, test } from 'vitest';
import type { OverviewPage } from '../../src/page/overview/serve.ts';
import { overviewOf } from '../../testkit/overview-page.ts';
import { knock, type Reply, Visitor, waitingFor } from '../../testkit/review-page.ts';
import { TestStore } from '../../testkit/store.ts';

let store: TestStore;
let id: string;
let page: OverviewPage;
let before: string;

/** Everything a successful attack would change. */
const state = () => JSON.stringify([store.standing(id), store.ledgerLines(), store.text('memories', id)]);

beforeEach(async () => {
  store = await TestStore.open();
  id = await store.propose('the secret garden', { description: 'Only for the person' });
  store.pass(8);
  page = await overviewOf(store);
  before = state();
});

/** Every route that reads, with what it says of the store to the person; a new route belongs here. */
const READING = [
  ['', 'Filter and sort'],
  ['m/user_the_secret_garden', 'Filter and sort'],
  ['charts', 'Filter and sort'],
  ['figures', 'Memories by tier'],
  ['notices', ''],
  ['script.js', 'WORDS'],
  ['rows', 'the secret garden'],
  ['names?key=user_the_secret_garden', 'the secret garden'],
  ['search?q=garden', 'about the secret'],
  ['sheet/user_the_secret_garden', 'Only for the person'],
  ['edit/user_the_secret_garden', 'Only for the person'],
  ['draft/user_the_secret_garden', 'not there any more'],
  ['life/user_the_secret_garden', 'proposed'],
  ['beside/user_the_secret_garden?other=user_the_secret_garden', 'Only for the person'],
  ['earlier/user_the_secret_garden?digest=0', 'not there any more'],
  ['here', ''],
  ['watch', ''],
] as const;
const DECIDING = ['answer', 'undo', 'seen', 'close'] as const;
const GETS = READING.filter(([name]) => name !== 'watch').map(([name]) => name);

function expectNothing(reply: Pick<Reply, 'status' | 'text'>, status: number): void {
  expect(reply.status).toBe(status);
  expect(reply.text).not.toMatch(/garden|Only for the person|token/);
  expect(state()).toBe(before);
}

const tokenOf = (visitor: Visitor) => visitor.token(`sheet/${id}`);

describe.each(READING)('GET %s', (name, says) => {
  test('is for the browser with the cookie, and every header keeps it there', async () => {
    const visitor = await Visitor.enter(page);
    const reply = await fetch(visitor.origin + visitor.base + name, { headers: { cookie: visitor.cookie } });
    expect(reply.status).toBe(200);
    if (name === 'watch') await reply.body?.cancel();
    else expect(await reply.text()).toContain(says);
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
    expect(state()).toBe(before);
  });

  test('gives nothing to another program, another site, a rebound name, a frame or another method', async () => {
    const visitor = await Visitor.enter(page);
    const path = visitor.base + name;
    for (const cookie of [undefined, '', 'surety=', `surety=${'0'.repeat(64)}`])
      expectNothing(await knock(page.url, { path, headers: cookie === undefined ? {} : { cookie } }), 403);
    for (const host of ['evil.example', 'localhost', `localhost:${new URL(page.url).port}`])
      expectNothing(await visitor.get(name, { host }), 403);
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'http://127.0.0.1:1' },
      { origin: 'null' },
    ])
      expectNothing(await visitor.get(name, headers), 403);
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PATCH'])
      expectNothing(await knock(page.url, { method, path, headers: { cookie: visitor.cookie } }), 405);
    expectNothing(await visitor.post({ token: 'x', key: 'y' }, {}, name.split('?')[0]), 404);
  });
});

describe.each(DECIDING)('POST %s', (name) => {
  const fields = (token: string) => ({ token, key: 'y', undo: token });

  test.each([
    ['no cookie', { cookie: '' }, 403],
    ['another cookie', { cookie: `surety=${'0'.repeat(64)}` }, 403],
    ['another site', { origin: 'https://evil.example' }, 403],
    ['another port', { origin: 'http://127.0.0.1:1' }, 403],
    ['a sandboxed frame', { origin: 'null' }, 403],
    ['another site, said by the browser', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a rebound name', { host: 'evil.example' }, 403],
    ['JSON', { 'content-type': 'application/json' }, 415],
    ['text', { 'content-type': 'text/plain' }, 415],
  ] as const)('from %s does nothing', async (_from, headers, status) => {
    const visitor = await Visitor.enter(page);
    const token = await tokenOf(visitor);
    expectNothing(await visitor.post(fields(token), headers, name), status);
    expect((await visitor.get('rows')).status).toBe(200);
  });

  test('without an origin does nothing, and a GET of it is nothing', async () => {
    const visitor = await Visitor.enter(page);
    const headers = { cookie: visitor.cookie, 'content-type': 'application/x-www-form-urlencoded' };
    const path = visitor.base + name;
    expectNothing(await knock(page.url, { method: 'POST', path, headers, body: 'key=y' }), 403);
    expectNothing(await visitor.get(name), 404);
  });
});

test.each([
  ['missing', {}],
  ['empty', { token: '' }],
  ['made up', { token: 'f'.repeat(64) }],
  ['no token at all', { token: '__proto__' }],
])('with the cookie alone nobody decides: a token that is %s', async (_what, fields) => {
  const visitor = await Visitor.enter(page);
  await visitor.get(`sheet/${id}`);
  const reply = await visitor.post({ key: 'y', ...fields });
  expect(JSON.parse(reply.text)).toEqual({ kind: 'outdated' });
  await page.close();
  expect(state()).toBe(before);
});

test('a token answers one sheet once: not a second time, and nothing else', async () => {
  const other = await store.propose('another one');
  await store.reconcile();
  const visitor = await Visitor.enter(page);
  const token = await tokenOf(visitor);
  expect(JSON.parse((await visitor.post({ token, key: 'n', id: other, stem: other })).text)).toMatchObject({
    kind: 'held',
    key: id,
  });
  expect(JSON.parse((await visitor.post({ token, key: 'n' })).text)).toEqual({ kind: 'outdated' });
  await page.close();
  expect(store.standing(id)).toBe('quarantined:decided');
  expect(store.standing(other)).toBe('inferred:proposed');
});

test('a token of another page, and one that is too old, answer nothing', async () => {
  const young = await overviewOf(store, { limits: { sheet: 1 } });
  const [visitor, stranger] = [await Visitor.enter(page), await Visitor.enter(young)];
  expect(JSON.parse((await visitor.post({ token: await tokenOf(stranger), key: 'y' })).text)).toEqual({
    kind: 'outdated',
  });
  const old = await tokenOf(stranger);
  await expect
    .poll(async () => JSON.parse((await stranger.post({ token: old, key: 'y' })).text))
    .toEqual({ kind: 'outdated' });
  await Promise.all([page.close(), young.close()]);
  expect(state()).toBe(before);
});

test('an answer that could not be carried out is not told at the end when the memory was quarantined after it', async () => {
  const settled = await store.verified('settled');
  const later = await overviewOf(store);
  const visitor = await Visitor.enter(later);
  const send = async (about: string, key: string) =>
    JSON.parse((await visitor.post({ token: await visitor.token(`sheet/${about}`), key })).text);
  expect(await send(settled, 'y')).toMatchObject({ kind: 'held' });
  const lines = store.ledgerLines();
  const token = await tokenOf(visitor);
  store.writeLedger(lines.slice(0, -1));
  await visitor.post({ token, key: 's' });
  store.writeLedger(lines);
  expect(store.audit().at(-1)).toMatchObject({ id: settled, reason: 'ledger-trouble' });
  expect(await send(settled, 'n')).toMatchObject({ kind: 'done', said: { tone: 'good' } });
  await later.close();
  expect((await later.ended).lost).toBeUndefined();
});

test('an answer that could not be carried out is told at the end, whatever was decided about another file of its id', async () => {
  const displaced = await waitingFor(store, 'displaced');
  const later = await overviewOf(store);
  const visitor = await Visitor.enter(later);
  const send = async (about: string, key: string) =>
    JSON.parse((await visitor.post({ token: await visitor.token(`sheet/${about}`), key })).text);
  expect(await send(`quarantine/${displaced}`, 'y')).toMatchObject({ kind: 'held' });
  const lines = store.ledgerLines();
  const token = await tokenOf(visitor);
  store.writeLedger(lines.slice(0, -1));
  await visitor.post({ token, key: 's' });
  store.writeLedger(lines);
  expect(store.audit().at(-1)).toMatchObject({ id: displaced, outcome: 'refused' });
  expect(await send(displaced, 'y')).toMatchObject({ kind: 'held' });
  await later.close();
  expect((await later.ended).lost).toContain(`${displaced}: `);
});

test('a made-up undo takes nothing back', async () => {
  const visitor = await Visitor.enter(page);
  await visitor.post({ token: await tokenOf(visitor), key: 'n' });
  for (const undo of ['', 'x', '0'.repeat(32)])
    expect(JSON.parse((await visitor.post({ undo }, {}, 'undo')).text)).toEqual({ kind: 'too-late' });
  await page.close();
  expect(store.standing(id)).toBe('quarantined:decided');
});

test('the second use of the link ends the page for both, and the answer that was held is forgotten', async () => {
  const visitor = await Visitor.enter(page);
  expect(JSON.parse((await visitor.post({ token: await tokenOf(visitor), key: 'y' })).text)).toMatchObject({
    kind: 'held',
  });
  expectNothing(await knock(page.url), 410);
  expect(await page.ended).toMatchObject({ how: 'voided', outcomes: [] });
  expect(state()).toBe(before);
  expect(store.complaints.join()).toContain('used twice');
});

test.each([
  '..%2f..%2fetc/passwd',
  'm/../../../etc/passwd',
  'sheet/..%2f..%2fledger',
  'sheet/__proto__',
  'sheet/%00',
  'sheet/%ff',
  'life/constructor',
  '__proto__',
  'constructor',
  'sheet//evil',
])('no path leads around the rows: %s', async (name) => {
  const visitor = await Visitor.enter(page);
  const { status, text } = await visitor.get(name);
  expect(text).not.toMatch(/garden|Only for the person|token|root:/);
  expect([200, 404]).toContain(status);
  if (status === 200) expect(text).toMatch(/not there any more|Filter and sort/);
  expect(state()).toBe(before);
});

test('what the script asks for by itself keeps no page open; a person does', async () => {
  const young = await overviewOf(store, { limits: { idle: 4_000, lastNews: 20 } });
  const visitor = await Visitor.enter(young);
  let asked = 0;
  const asking = setInterval(
    () =>
      void visitor.get('rows?auto').then(
        () => asked++,
        () => {},
      ),
    100,
  );
  expect((await young.ended).how).toBe('idle');
  clearInterval(asking);
  expect(asked).toBeGreaterThan(0);
});

test('an overview that is in use ends at its longest life', async () => {
  const short = await overviewOf(store, { limits: { life: 4_000, lastNews: 20 } });
  await Visitor.enter(short);
  expect((await short.ended).how).toBe('expired');
});

test('all routes are walked above', async () => {
  const { readFileSync } = await import('node:fs');
  const source = readFileSync(new URL('../../src/page/overview/routes.ts', import.meta.url), 'utf8');
  const table = source.slice(source.indexOf('const ROUTES'), source.indexOf('function keyIn'));
  const routes = [...table.matchAll(/^ {2}'?([a-z.]*)'?: (?:async )?\(/gm)].map(([, name]) => name);
  expect(routes.length).toBeGreaterThan(10);
  expect([...new Set(READING.map(([name]) => name.split(/[/?]/)[0]))].sort()).toEqual(routes.sort());
  expect(GETS.length).toBe(READING.length - 1);
});
