import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sessionContext } from '../../src/actions/agent/session-context.ts';
import { waitsAsStale } from '../../src/actions/memory-state.ts';
import { type Answer, CLIENTS, type ConnectOptions, type Home, makeHome } from '../../testkit/clients.ts';
import { prepare, sharedEnv } from '../../testkit/prepared.ts';
import type { TestStore } from '../../testkit/store.ts';

let home: Home;
let store: TestStore;
let id: string;
beforeEach(async () => {
  home = makeHome();
  store = await prepare(home);
  id = await store.propose('merging', {
    description: 'Merging',
    body: 'Merge by rebase; the reason is a readable history.',
  });
});
afterEach(() => home.remove());

const NO: Answer = { action: 'accept', content: { answer: 'no, leave it as it is' } };
const BY_PAGE = { channel: 'page', level: 3, client: null } as const;

function noes() {
  return store.entries().filter(({ action }) => action === 'declined');
}

describe.each(CLIENTS)('$client', ({ connect }) => {
  const session = (options: Partial<ConnectOptions> = {}) => connect({ home, env: sharedEnv(home), ...options });

  test('an answered no is on record for exactly this text, and nobody is asked again', async () => {
    let asked = 0;
    const client = await session({
      person: () => {
        asked += 1;
        return NO;
      },
    });
    expect((await client.callTool('promote', { id })).structured).toMatchObject({ outcome: 'declined' });
    expect(noes()).toMatchObject([
      { id, to: null, digest: store.load(id).digest, by: { actor: 'operator', channel: 'dialog', level: 2 } },
    ]);
    for (const tool of ['promote', 'promote'])
      expect((await client.callTool(tool, { id })).structured).toMatchObject({
        outcome: 'declined',
        note: expect.stringContaining('said no to this text before'),
      });
    expect([asked, noes().length]).toEqual([1, 1]);
    expect(store.audit().at(-1)).toMatchObject({ id, outcome: 'declined', reason: 'declined-before' });
    await client.close();
  });

  test('what a person said no to is not loaded unasked, and is marked in search and when it is read', async () => {
    await store.propose('rebasing', {
      description: 'Rebase',
      body: 'History is rebased before a release, on Mondays.',
    });
    const client = await session({ person: () => NO });
    expect((await client.readResource('memory://context')).text).toContain(`id="${id}"`);
    await client.callTool('promote', { id });
    const context = (await client.readResource('memory://context')).text;
    expect(context).not.toContain(id);
    expect(context).toContain('1 that a person said no to');
    const { hits } = (await client.callTool('search_memories', { query: 'merge rebase readable history' }))
      .structured as { hits: { id: string; declined?: boolean }[] };
    expect(hits.map((hit) => [hit.id, hit.declined])).toEqual([
      ['user_rebasing', undefined],
      [id, true],
    ]);
    const read = await client.callTool('read_memory', { id });
    expect(read.structured).toMatchObject({ id, tier: 'inferred', declined: true });
    expect(read.text).toContain('"declined":true');
    const again = await client.callTool('propose_memory', {
      type: 'user',
      name: 'Another title',
      description: 'The same text under another name',
      body: 'Merge by rebase; the reason is a readable history.',
    });
    expect(again.structured).toMatchObject({ id, note: expect.stringContaining('said no to it') });
    await client.close();
  });

  test.each([
    ['declines', { action: 'decline' }],
    ['cancels', { action: 'cancel' }],
    ['accepts without a word', { action: 'accept' }],
    ['sends a wrong value', { action: 'accept', content: { answer: 'no' } }],
  ] as [string, Answer][])('a client that %s has said no for nobody', async (_how, given) => {
    const client = await session({ person: () => given });
    expect((await client.callTool('promote', { id })).structured).toMatchObject({ outcome: 'queued' });
    expect(noes()).toEqual([]);
    await client.close();
  });

  test('a no to putting a memory away is no no to its text, and the same server asks no second time', async () => {
    let asked = 0;
    const client = await session({
      person: () => {
        asked += 1;
        return NO;
      },
    });
    expect((await client.callTool('demote', { id })).structured).toMatchObject({ outcome: 'declined' });
    for (const reason of ['It is wrong.', 'The person wants it gone.'])
      expect((await client.callTool('demote', { id, reason })).structured).toMatchObject({
        outcome: 'declined',
        tier: 'inferred',
        note: expect.stringMatching(/said no to putting it into quarantine.*surety demote/),
      });
    expect([asked, noes()]).toEqual([1, []]);
    expect(store.audit().at(-1)).toMatchObject({
      action: 'demote',
      id,
      outcome: 'declined',
      reason: 'declined-before',
    });
    // The no was about this text, and about nothing else.
    await client.callTool('promote', { id });
    store.edit(id, (now) => now.replace('readable', 'short'));
    await client.callTool('demote', { id });
    expect(asked).toBe(3);
    await client.close();
  });

  test('a no to vouching again settles a stale memory, and the reply names what a person can do', async () => {
    store.pass(8);
    await store.decide('promote', id);
    store.pass(100);
    let asked = 0;
    const client = await session({
      person: () => {
        asked += 1;
        return NO;
      },
    });
    const stale = async () => {
      const { structured } = await client.callTool('review_queue', {});
      return (structured as { counts: { stale: number } }).counts.stale;
    };
    expect(await stale()).toBe(1);
    expect((await client.callTool('reaffirm', { id })).structured).toMatchObject({ outcome: 'declined' });
    expect(await stale()).toBe(0);
    expect((await client.callTool('reaffirm', { id })).structured).toMatchObject({
      outcome: 'declined',
      tier: 'verified',
      note: expect.stringContaining('they can vouch for it again with surety promote, in'),
    });
    expect(asked).toBe(1);
    expect((await client.callTool('read_memory', { id })).structured).toMatchObject({ tier: 'verified', stale: true });
    await client.close();
    // Whoever vouches for it has taken the no back, so it is stale again in time.
    await store.decide('reaffirm', id);
    expect(waitsAsStale(store.vault, store.load(id))).toBe(false);
    store.pass(100);
    expect(waitsAsStale(store.vault, store.load(id))).toBe(true);
  });
});

test('a changed text is another one, and a person who vouches for it takes their no back', async () => {
  await store.vault.decline(store.load(id), BY_PAGE);
  expect(store.load(id).declinedAt).toBe(store.now);
  const text = store.text('memories', id);
  store.edit(id, (now) => now.replace('readable', 'short'));
  expect(store.load(id).declinedAt).toBeUndefined();
  store.write('memories', id, text);
  expect(store.load(id).declinedAt).toBe(store.now);
  expect(sessionContext(store.vault)).toMatchObject({ given: [], left: { declined: 1 } });
  store.pass(8);
  await store.decide('promote', id);
  expect([store.tier(id), store.load(id).declinedAt]).toEqual(['verified', undefined]);
});

test('a no is written down once, and survives a new process', async () => {
  await store.vault.decline(store.load(id), BY_PAGE);
  await store.vault.decline(store.load(id), BY_PAGE);
  expect(noes()).toHaveLength(1);
  await store.reopen();
  expect(store.load(id).declinedAt).toBe(store.now);
});

test('a short text that a person said no to is no new one under another name', async () => {
  const short = { body: 'We deploy on weekdays.', project: 'acme/api' };
  const no = await store.propose('deploying', short);
  await store.vault.decline(store.load(no), BY_PAGE);
  expect(await store.propose('release days', { ...short, body: 'we deploy  on Weekdays.' })).toBe(no);
  await store.reopen();
  expect(await store.propose('release days', short)).toBe(no);
  // It may be said of another project, and another text is another one.
  expect(await store.propose('release days', { ...short, project: 'acme/shop' })).not.toBe(no);
  expect(await store.propose('days', { ...short, body: 'We deploy on Sundays.' })).not.toBe(no);
  // A person may say it again.
  expect(await store.add('my days', short)).not.toBe(no);
});
