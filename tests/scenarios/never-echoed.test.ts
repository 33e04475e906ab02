import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/registry.ts';
import { CLIENTS, type Home, makeHome } from '../../testkit/clients.ts';
import { TOKEN } from '../../testkit/fleet.ts';
import { piped } from '../../testkit/piped.ts';
import { prepare, sharedEnv } from '../../testkit/prepared.ts';
import { temporaryFolder } from '../../testkit/store.ts';

// What was sent under a name that nothing has is quoted by no answer: an agent that mixes up its arguments sends a secret.

let home: Home;
beforeEach(async () => {
  home = makeHome();
  await prepare(home);
});
afterEach(() => home.remove());

/** Requests with a secret wherever a name, an address or a method is expected. */
const REQUESTS: readonly (readonly [method: string, params: Record<string, unknown>])[] = [
  ['tools/call', { name: TOKEN, arguments: {} }],
  ['tools/call', { name: { [TOKEN]: TOKEN } }],
  ['tools/call', { name: 'search_memories', arguments: { query: 1, [TOKEN]: TOKEN } }],
  ['tools/call', { name: 'read_memory', arguments: { id: TOKEN } }],
  ['tools/call', { name: 'promote', arguments: { id: TOKEN, confirmed: TOKEN } }],
  ['tools/call', { name: 'promote', arguments: { id: 'user_x' }, requestState: TOKEN }],
  ['prompts/get', { name: TOKEN }],
  ['prompts/get', { name: 'remember', arguments: { [TOKEN]: TOKEN } }],
  ['resources/read', { uri: TOKEN }],
  ['resources/read', { uri: `memory://${TOKEN}` }],
  ['resources/read', { uri: `memory://verified/${TOKEN}` }],
  ['resources/read', { uri: `memory://verified/page/${TOKEN}` }],
  ['resources/read', { uri: 1, [TOKEN]: TOKEN }],
  ['resources/subscribe', { uri: `memory://x/${TOKEN}` }],
  ['resources/unsubscribe', { uri: [TOKEN] }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: TOKEN }, argument: { name: 'a', value: '' } }],
  ['completion/complete', { ref: { type: 'ref/resource', uri: TOKEN }, argument: { name: 'a', value: '' } }],
  ['completion/complete', { ref: { type: TOKEN }, argument: { name: 'a', value: '' } }],
  ['tools/list', { cursor: { [TOKEN]: TOKEN } }],
  ['logging/setLevel', { level: TOKEN }],
  [TOKEN, { [TOKEN]: TOKEN }],
  ['initialize', { protocolVersion: TOKEN, capabilities: TOKEN }],
];

describe.each(CLIENTS)('$client', ({ connect }) => {
  test('is answered without a word of what it sent, and each answer says what to do', async () => {
    const session = await connect({ home, env: sharedEnv(home) });
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    };
    const before = session.server.stdout.length;
    const requests = [
      ...REQUESTS.map(([method, params]) => ({ method, params: { ...params, _meta: meta } })),
      { method: 'tools/list', params: { _meta: { ...meta, 'io.modelcontextprotocol/protocolVersion': TOKEN } } },
      { method: 'tools/list', params: { _meta: { ...meta, 'io.modelcontextprotocol/clientCapabilities': TOKEN } } },
      { method: 'subscriptions/listen', params: { _meta: { 'io.modelcontextprotocol/protocolVersion': TOKEN } } },
    ];
    for (const [i, request] of requests.entries())
      session.server.write(`${JSON.stringify({ jsonrpc: '2.0', id: `asked-${i}`, ...request })}\n`);
    const answers = () => session.server.stdout.slice(before).filter((line) => line.includes('"asked-'));
    await expect.poll(() => answers().length).toBe(requests.length);
    for (const line of answers()) expect(line).not.toContain(TOKEN.slice(4));
    const errors = answers().flatMap((line) => JSON.parse(line).error ?? []);
    expect(errors.length).toBeGreaterThan(10);
    for (const { message } of errors) expect(message).toMatch(/^[A-Z].{15,}\.$/);
    await session.close();
    expect(session.server.stderr).not.toContain(TOKEN.slice(4));
  });
});

test('an error of ours keeps its sentence, and the address in it is the resource’s own form', async () => {
  for (const { connect } of CLIENTS) {
    const session = await connect({ home, env: sharedEnv(home) });
    await expect(session.readResource(`memory://verified/${TOKEN}`)).rejects.toMatchObject({
      message: expect.stringContaining('This is not an id; memory://verified lists them.'),
      data: { uri: 'memory://verified/{id}' },
    });
    await session.close();
  }
});

test.each([
  ['a command', [TOKEN]],
  ['an option', [`--${TOKEN}`]],
  ['a short option', [`-${TOKEN}`]],
  ['an option’s value', ['status', `--json=${TOKEN}`]],
])('the command line quotes no unknown name: %s', async (_, args) => {
  const { code, out, err } = await piped(temporaryFolder(), args);
  expect(code).toBe(64);
  expect(out + err).not.toContain(TOKEN.slice(4));
  expect(err).toMatch(/--help lists what it knows\.\n$/);
});

test.each(Object.keys(COMMANDS))(
  'surety %s quotes neither an unknown option nor an argument too many',
  async (name) => {
    const folder = temporaryFolder();
    for (const args of [
      [name, `--${TOKEN}`],
      [name, ...Array.from({ length: 300 }, () => TOKEN)],
    ]) {
      const { code, out, err } = await piped(folder, args);
      expect(code, args[1]).not.toBe(0);
      expect(out + err).not.toContain(TOKEN.slice(4));
    }
  },
);
