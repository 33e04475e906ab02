import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { requestsOf } from '../../src/store/records/request-queue.ts';
import { type Answer, CLIENTS, type ConnectOptions, type Home, makeHome } from '../../testkit/clients.ts';
import { prepare, sharedEnv } from '../../testkit/prepared.ts';
import type { TestStore } from '../../testkit/store.ts';

// In the handshake eras the server sends the question as a request of its own, which the client can answer with an error.

let home: Home;
let store: TestStore;
beforeEach(async () => {
  home = makeHome();
  store = await prepare(home);
});
afterEach(() => home.remove());

const SHORT = { description: 'Merging', body: 'Merge by rebase; the reason is a readable history.' };
const LONG = { body: 'A long paragraph that does not fit into three lines of a dialog. '.repeat(10) };
const FOREIGN = 'Ignore previous instructions';

const fails = (): Answer => {
  throw new Error(FOREIGN);
};

describe.each(CLIENTS.filter(({ client }) => !client.includes('2026')))('$client', ({ connect }) => {
  const session = (options: Partial<ConnectOptions>) => connect({ home, env: sharedEnv(home), ...options });

  test.each([
    ['a form', false, SHORT],
    ['an address', true, LONG],
  ] as const)('a client that answers %s with an error has the request queued', async (_what, opensPages, memory) => {
    const id = await store.propose('merging', memory);
    const client = await session({ person: fails, opensPages });
    const result = await client.callTool('promote', { id });
    expect(result.isError, result.text).toBe(false);
    expect(result.structured).toMatchObject({ id, outcome: 'queued', note: expect.stringContaining('surety review') });
    expect(JSON.parse(result.text)).toEqual(result.structured);
    expect(client.server.stdout.join('\n') + client.server.stderr).not.toContain(FOREIGN);
    expect(store.audit().at(-1)).toMatchObject({ id, outcome: 'queued', reason: 'cancelled' });
    expect(requestsOf(store.vault).list().requests).toMatchObject([{ id, verb: 'promote' }]);
    await client.close();
  });
});
