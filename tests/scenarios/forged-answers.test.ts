import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { text } from '../../src/core/text/safe-text.ts';
import type { Call } from '../../src/tools/define.ts';
import { Dialog } from '../../src/tools/dialog-channel.ts';
import { type Home, makeHome, RunningServer } from '../../testkit/clients.ts';
import { prepare, sharedEnv } from '../../testkit/prepared.ts';
import type { TestStore } from '../../testkit/store.ts';

// Since 2026-07-28 the answer comes back as arguments of another call, so a client, or a model that controls one, can send
// whatever it likes there. These tests speak that protocol by hand.

let home: Home;
let store: TestStore;
let server: RunningServer;
beforeEach(async () => {
  home = makeHome();
  store = await prepare(home);
  server = new RunningServer({ home, env: sharedEnv(home) });
});
afterEach(() => home.remove());

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'by-hand', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};
const SHORT = { description: 'Merging', body: 'Merge by rebase; the reason is a readable history.' };
const YES = { answer: { action: 'accept', content: { answer: 'yes, make it verified' } } };

interface Reply {
  readonly result?: {
    readonly resultType?: string;
    readonly requestState?: string;
    readonly isError?: boolean;
    readonly structuredContent?: { outcome?: string; error?: { code: string } };
  };
  readonly error?: { readonly code: number; readonly message: string };
}

let calls = 0;
function call(name: string, input: object, extra: object = {}): Promise<Reply> {
  const id = ++calls;
  const answered = new Promise<Reply>((resolve) => {
    server.onLine = (line) => {
      const message = JSON.parse(line);
      if (message.id === id) resolve(message);
    };
  });
  const params = { name, arguments: input, _meta: META, ...extra };
  server.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
  return answered;
}

async function asked(id: string, tool = 'promote'): Promise<string> {
  const { result } = await call(tool, { id });
  expect(result?.resultType).toBe('input_required');
  return result?.requestState ?? '';
}

function expectRefused(reply: Reply): void {
  expect(reply.error?.code === -32602 || reply.result?.isError === true).toBe(true);
}

test('the right answer to the right question counts', async () => {
  const id = await store.propose('merging', SHORT);
  const requestState = await asked(id);
  const { result } = await call('promote', { id }, { requestState, inputResponses: YES });
  expect(result?.structuredContent?.outcome).toBe('done');
  expect(store.tier(id)).toBe('verified');
});

test('an answer replayed counts for nothing', async () => {
  const id = await store.propose('merging', SHORT);
  const requestState = await asked(id);
  await call('promote', { id }, { requestState, inputResponses: YES });
  await store.decide('demote', id);
  await store.decide('restore', id);
  store.edit(id, (text) => text.replace('trust-level: verified', 'trust-level: inferred'));
  expectRefused(await call('promote', { id }, { requestState, inputResponses: YES }));
  expect(store.tier(id)).toBe('inferred');
  expect(store.audit().at(-1)).toMatchObject({ outcome: 'refused', reason: 'consent-mismatch' });
});

test('an answer for one memory counts for no other, and is used up', async () => {
  const one = await store.propose('merging', SHORT);
  const other = await store.propose('pushing', {
    description: 'Pushing',
    body: 'Push with lease only; the reason is safety.',
  });
  const requestState = await asked(one);
  const reply = await call('promote', { id: other }, { requestState, inputResponses: YES });
  expect(reply.result?.structuredContent?.outcome).not.toBe('done');
  expect(store.tier(other)).toBe('inferred');
  expectRefused(await call('promote', { id: one }, { requestState, inputResponses: YES }));
  expect(store.tier(one)).toBe('inferred');
});

test('an answer for one tool counts for no other', async () => {
  const id = await store.propose('merging', SHORT);
  const requestState = await asked(id, 'demote');
  const reply = await call('promote', { id }, { requestState, inputResponses: YES });
  expect(reply.result?.structuredContent?.outcome).not.toBe('done');
  expect(store.tier(id)).toBe('inferred');
});

test.each([
  ['', false],
  [', also if another question was asked meanwhile', true],
])('an answer after the clock was set forward is refused in words%s', async (_when, meanwhile) => {
  const clock = join(home.folder, 'clock');
  writeFileSync(clock, '0');
  const NODE_OPTIONS = `--import=${pathToFileURL(resolve('torture/clock.ts'))}`;
  server = new RunningServer({ home, env: { ...sharedEnv(home), TORTURE_CLOCK: clock, NODE_OPTIONS } });
  const id = await store.propose('merging', SHORT);
  const requestState = await asked(id);
  const ahead = String(2 * 60 * 60 * 1000);
  writeFileSync(clock, ahead);
  server.kill('SIGUSR2');
  // Node takes a signal after the input that came in the same moment, so that a call could overtake it.
  await expect.poll(() => readFileSync(`${clock}.taken`, 'utf8')).toBe(ahead);
  if (meanwhile) await asked(id);
  const { result } = await call('promote', { id }, { requestState, inputResponses: YES });
  expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'consent-mismatch' } } });
  expect(result?.structuredContent).toMatchObject({ error: { sentence: expect.stringContaining('came too late') } });
  expect(store.tier(id)).toBe('inferred');
});

test('a forged, altered or missing state counts for nothing', async () => {
  const id = await store.propose('merging', SHORT);
  const requestState = await asked(id);
  const [version = '', payload = '', seal = ''] = requestState.split('.');
  const decoded = Buffer.from(payload, 'base64url').toString();
  const longer = decoded.replace(/"exp":\d+/, '"exp":9999999999');
  expect(longer).not.toBe(decoded);
  for (const state of [
    'nonsense',
    '',
    `${version}.${payload}.`,
    `${version}.${payload}.${seal.split('').reverse().join('')}`,
    `${version}.${Buffer.from(longer).toString('base64url')}.${seal}`,
    requestState.repeat(100),
    'page.00000000000000000000000000000000',
  ]) {
    // What the protocol asks for where a state was tampered with.
    const reply = await call('promote', { id }, { requestState: state, inputResponses: YES });
    expect(reply.error).toMatchObject({ code: -32602 });
    expect(reply.error?.message).not.toContain('nonsense');
    expect(reply.error?.message).toContain('Call the tool again, without state');
  }
  expectRefused(await call('promote', { id }, { inputResponses: YES }));
  expect(store.tier(id)).toBe('inferred');
  const refusals = store.audit().filter((line) => line.outcome === 'refused');
  expect(refusals.length).toBeGreaterThanOrEqual(6);
});

test('of a text in several dialogs no part can be left out, answered twice or answered for the last', async () => {
  const extra = {
    _meta: { ...META, 'io.modelcontextprotocol/clientInfo': { name: 'codex-mcp-client', version: '1' } },
  };
  const more = { answer: { action: 'accept', content: { answer: 'more: show the next part' } } };
  const id = await store.propose('deploying', { body: 'Some words of a long text follow here, and more. '.repeat(9) });
  const first = (await call('promote', { id }, extra)).result?.requestState;
  const second = (await call('promote', { id }, { ...extra, requestState: first, inputResponses: more })).result;
  expect(second?.resultType).toBe('input_required');
  expectRefused(await call('promote', { id }, { ...extra, requestState: first, inputResponses: more }));
  expectRefused(await call('promote', { id }, { ...extra, requestState: first, inputResponses: YES }));
  const early = await call('promote', { id }, { ...extra, requestState: second?.requestState, inputResponses: YES });
  expect(early.result?.structuredContent).toMatchObject({ outcome: 'queued' });
  expect(store.tier(id)).toBe('inferred');
});

test('a state of another process counts for nothing here', async () => {
  const id = await store.propose('merging', SHORT);
  const requestState = await asked(id);
  const first = server;
  server = new RunningServer({ home, env: sharedEnv(home) });
  expectRefused(await call('promote', { id }, { requestState, inputResponses: YES }));
  expect(store.tier(id)).toBe('inferred');
  first.endInput();
});

test('an answer that comes too late counts for nothing', async () => {
  let now = 0;
  const dialog = new Dialog(
    () => now,
    async (state) => JSON.stringify(state),
  );
  const question = {
    shown: { verb: 'promote', id: 'user_x', digest: 'd', standing: 'inferred:proposed', settles: [] } as const,
    messages: [text`Make user_x verified?`],
    yes: 'yes, make it verified',
  };
  const { requestState } = await dialog.ask(question);
  const carrying = () =>
    ({
      request: { requestState: () => JSON.parse(requestState ?? ''), inputResponses: YES },
      client: undefined,
    }) as unknown as Call;
  now = 10 * 60_000 + 1;
  expect(dialog.answer(carrying(), question)).toEqual({ kind: 'void', why: 'expired' });
  now = 0;
  expect(dialog.answer(carrying(), question)).toEqual({ kind: 'void', why: 'used' });
});
