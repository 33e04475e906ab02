import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Home, makeHome, RunningServer } from '../../testkit/clients.ts';
import { prepare, sharedEnv } from '../../testkit/prepared.ts';
import { knock, Visitor } from '../../testkit/review-page.ts';
import type { TestStore } from '../../testkit/store.ts';

// A client that cannot read a question hands the whole result to its model, the page's address included. The model wants
// its own memory verified and has what curl has: it follows the address, keeps the cookie and sends the forms.

let home: Home;
let store: TestStore;
let server: RunningServer;
beforeEach(async () => {
  home = makeHome();
  store = await prepare(home);
  server = new RunningServer({ home, env: sharedEnv(home) });
});
afterEach(() => home.remove());

const ELICITATION = { elicitation: { form: {}, url: {} } };
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'hands-on', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': ELICITATION,
};
const LONG = { body: 'A long paragraph that does not fit into three lines of a dialog. '.repeat(10) };

let calls = 0;
/** What the model gets to see of a call: everything. */
function call(name: string, input: object, extra: object = {}): Promise<string> {
  const id = ++calls;
  const answered = new Promise<string>((resolve) => {
    server.onLine = (line) => {
      if (JSON.parse(line).id === id) resolve(line);
    };
  });
  const params = { name, arguments: input, _meta: META, ...extra };
  server.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
  return answered;
}

async function addressFrom(result: Promise<string>): Promise<string> {
  return /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]+\/open\/[0-9a-f]+/.exec(await result)?.[0] ?? '';
}

const aMoment = () => new Promise((later) => setTimeout(later, 2_500));
const untouched = (id: string) => {
  expect(store.tier(id)).toBe('inferred');
  expect(store.vault.evidence.heads(id).map(({ actor }) => actor)).not.toContain('operator');
};

describe('a model that follows the address', () => {
  test('cannot say yes', async () => {
    const id = await store.propose('of its own', LONG);
    const model = await Visitor.enter({ url: await addressFrom(call('promote', { id })) });
    const token = await model.token();
    expect(token).not.toBe('');
    expect((await model.post({ token, key: 'y' })).status).toBe(303);
    expect((await model.get()).text).toContain('go back to your client and continue');
    await aMoment();
    untouched(id);
    // Nor with what the arguments of a call can carry.
    await call('promote', {
      id,
      inputResponses: { page: { action: 'accept' } },
      requestState: 'page',
      confirmed: true,
    });
    await aMoment();
    untouched(id);
    expect(store.audit().map(({ outcome }) => outcome)).not.toContain('accepted');
  });

  test('cannot say no in the person’s name, put a text back or write one', async () => {
    const id = await store.propose('of its own', LONG);
    for (const key of ['n', 'p']) {
      const model = await Visitor.enter({ url: await addressFrom(call('promote', { id })) });
      await model.post({ token: await model.token(), key });
    }
    const writer = await Visitor.enter({ url: await addressFrom(call('promote', { id })) });
    await writer.post({ token: await writer.token(), key: 'e' });
    const words = {
      type: 'user',
      name: 'In their words',
      description: 'Never said',
      body: 'The person never wrote this line.',
    };
    await writer.post({ token: await writer.token('edit'), key: 'y', ...words });
    await writer.post({ token: await writer.token('draft'), key: 'y' });
    expect((await writer.get()).text).toContain('go back to your client');
    await aMoment();
    untouched(id);
    expect(store.files('memories')).toEqual([`${id}.md`]);
    expect(store.audit().map(({ reason }) => reason)).not.toContain('person-said-no');
  });

  test('gets to no other memory through the page', async () => {
    const other = await store.propose('of the person');
    const id = await store.propose('of its own', LONG);
    const model = await Visitor.enter({ url: await addressFrom(call('promote', { id })) });
    await model.post({ token: await model.token(), key: 's' });
    const { text } = await model.get();
    expect(text).not.toContain('name="token"');
    expect(text).not.toContain(other);
    untouched(other);
  });

  test('sends the person away who comes after it, and is reported', async () => {
    const id = await store.propose('of its own', LONG);
    const url = await addressFrom(call('promote', { id }));
    const model = await Visitor.enter({ url });
    await model.post({ token: await model.token(), key: 'y' });
    expect((await knock(url)).status).toBe(410);
    expect((await model.get()).status).toBe(410);
    await aMoment();
    untouched(id);
    expect(store.audit().map(({ reason }) => reason)).toContain('link-used-twice');
  });
});

test('every question with an address carries an elicitationId, in both eras', async () => {
  const id = await store.propose('of its own', LONG);
  const { result } = JSON.parse(await call('promote', { id }));
  expect(result.inputRequests.page.params).toMatchObject({
    mode: 'url',
    elicitationId: expect.stringMatching(/^\w{16,}$/),
  });

  const older = new RunningServer({ home, env: sharedEnv(home) });
  const question = new Promise<{ params: unknown }>((resolve) => {
    older.onLine = (line) => {
      const message = JSON.parse(line);
      if (message.method === 'elicitation/create') resolve(message);
    };
  });
  const say = (message: object) => older.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'older', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: ELICITATION, clientInfo };
  say({ id: 1, method: 'initialize', params });
  say({ method: 'notifications/initialized' });
  say({ id: 2, method: 'tools/call', params: { name: 'promote', arguments: { id } } });
  expect((await question).params).toMatchObject({ mode: 'url', elicitationId: expect.stringMatching(/^\w{16,}$/) });
});
