import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { requestsOf } from '../../src/store/records/request-queue.ts';
import { type Answer, CLIENTS, type ConnectOptions, type Home, makeHome } from '../../testkit/clients.ts';
import { prepare, sharedEnv } from '../../testkit/prepared.ts';
import type { TestStore } from '../../testkit/store.ts';

// A person chooses between two memories in their client's own dialog.

const OLD = { description: 'Deploys', body: 'Deploy the shop on Tuesdays.' };
const NEW = { type: 'user', name: 'Shop', description: 'Deploys', body: 'Deploy the shop on Thursdays.' };
const LONG = `${'After the standup somebody looks at the board and says that it goes. '.repeat(2)}`;
const [KEEP_OLD, TAKE_NEW, KEEP_BOTH, MORE] = [
  'no, keep the old one',
  'yes, take this one, and quarantine the old one',
  'keep both, they hold together',
  'more: show the next part',
];

let home: Home;
let store: TestStore;
beforeEach(async () => {
  home = makeHome();
  store = await prepare(home);
});
afterEach(() => home.remove());

const choose = (answer: string): Answer => ({ action: 'accept', content: { answer } });

describe.each(CLIENTS)('$client', ({ connect }) => {
  /** Proposes the new one and asks for it to be adopted; the person gives these answers, one a dialog. */
  async function asked(answers: readonly string[], options: Partial<ConnectOptions> & { meanwhile?: () => void } = {}) {
    const { meanwhile, ...connecting } = options;
    const dialogs: string[] = [];
    const offered: unknown[] = [];
    const client = await connect({
      home,
      env: sharedEnv(home),
      ...connecting,
      person: ({ message, requestedSchema }) => {
        dialogs.push(message);
        const { properties } = requestedSchema as { properties: { answer: { enum: readonly string[] } } };
        offered.push(properties.answer.enum);
        if (dialogs.length === 1) meanwhile?.();
        return choose(answers[dialogs.length - 1] ?? 'nothing');
      },
    });
    const { structured } = await client.callTool('propose_memory', NEW);
    const { id } = structured as { id: string };
    const result = await client.callTool('adopt', { id });
    await client.close();
    return { id, dialogs, offered, result: result.structured, text: result.text };
  }

  test('both are in the dialog, the safe answer first, and one answer decides about both', async () => {
    const old = await store.add('Old', OLD);
    const { id, dialogs, offered, result } = await asked([TAKE_NEW]);
    expect(dialogs).toHaveLength(1);
    const words = dialogs[0]?.split('\n').slice(1).join(' ') ?? '';
    expect(words).toContain('text: Deploy the shop on Thursdays.');
    expect(words).toContain(`contradicts: ${old}, verified`);
    expect(words).toContain('old name: Old');
    expect(words).toContain('old text: Deploy the shop on Tuesdays.');
    expect(offered).toEqual([[KEEP_OLD, TAKE_NEW, KEEP_BOTH]]);
    expect(result).toMatchObject({ outcome: 'done', tier: 'verified' });
    expect((result as { note: string }).note).toContain(`${old} is quarantined.`);
    expect([store.tier(id), store.tier(old)]).toEqual(['verified', 'quarantined']);
    const by = { actor: 'operator', channel: 'dialog', level: 2 };
    expect(store.entries().slice(-2)).toMatchObject([
      { action: 'adopt', id, replaces: old, by },
      { action: 'demote', id: old, reason: `replaced by ${id}`, by },
    ]);
  });

  test.each([
    ['keeping the old one', KEEP_OLD, 'said no', true],
    ['keeping both', KEEP_BOTH, 'keeps both', false],
  ])('%s changes no tier, and the agent hears it', async (_what, answer, note, isDeclined) => {
    const old = await store.add('Old', OLD);
    const { id, result } = await asked([answer]);
    expect(result).toMatchObject({ outcome: 'declined', tier: 'inferred', note: expect.stringContaining(note) });
    await store.reopen();
    expect([store.tier(id), store.tier(old)]).toEqual(['inferred', 'verified']);
    expect(store.load(id).declinedAt !== undefined).toBe(isDeclined);
    expect(store.vault.conflicts.of(store.load(id)) === undefined).toBe(!isDeclined);
  });

  test('keeping both is also the answer to a request that waited', async () => {
    await store.add('Old', OLD);
    const answers: Answer[] = [{ action: 'cancel' }, choose(KEEP_BOTH)];
    const person = () => answers.shift() ?? choose('nothing');
    const client = await connect({ home, env: sharedEnv(home), person });
    const { id } = (await client.callTool('propose_memory', NEW)).structured as { id: string };
    expect((await client.callTool('adopt', { id })).structured).toMatchObject({ outcome: 'queued' });
    expect(requestsOf(store.vault).list().requests).toMatchObject([{ id }]);
    expect((await client.callTool('adopt', { id })).structured).toMatchObject({ outcome: 'declined' });
    await client.close();
    expect(requestsOf(store.vault).list().requests).toEqual([]);
  });

  test.each(['yes, these are my words', MORE, ''])(
    'the answer %j is none of the three and does nothing',
    async (answer) => {
      const old = await store.add('Old', OLD);
      const { id, result } = await asked([answer]);
      expect(result).toMatchObject({ outcome: 'queued', tier: 'inferred' });
      expect([store.tier(id), store.tier(old)]).toEqual(['inferred', 'verified']);
    },
  );

  test('the old one changes between question and answer: the answer is void, and the person is asked again', async () => {
    const old = await store.add('Old', OLD);
    const meanwhile = () => store.edit(old, (text) => text.replace('Tuesdays', 'Mondays'));
    const { id, dialogs, offered, result } = await asked([TAKE_NEW, 'no, leave it as it is'], { meanwhile });
    // It is verified no more, so there are no two to choose between.
    expect(dialogs).toHaveLength(2);
    expect(dialogs[1]).not.toContain('contradicts');
    expect(offered[1]).toEqual(['no, leave it as it is', 'yes, these are my words']);
    expect(result).toMatchObject({ outcome: 'declined', tier: 'inferred' });
    expect(store.entries().filter(({ action }) => action === 'demote' || action === 'adopt')).toEqual([]);
    expect([store.tier(id), store.tier(old)]).toEqual(['inferred', 'inferred']);
  });

  test('two long texts are shown in parts to a client that refuses http', async () => {
    const old = await store.add('Old', { ...OLD, body: `${OLD.body} ${LONG}` });
    const { id, dialogs, result } = await asked([MORE, MORE, TAKE_NEW], { name: 'codex-mcp-client', opensPages: true });
    expect(dialogs.map((dialog) => /Part \d of \d/.exec(dialog)?.[0])).toEqual(['Part 1 of 2', 'Part 2 of 2']);
    expect(result).toMatchObject({ outcome: 'queued' });
    expect([store.tier(id), store.tier(old)]).toEqual(['inferred', 'verified']);
  });

  test('one that contradicts two waits for the review: a dialog shows one other memory', async () => {
    const old = [await store.add('Old', OLD), await store.add('Days', { ...OLD, body: 'Deploy the shop on Fridays.' })];
    const { id, dialogs, result } = await asked([TAKE_NEW]);
    expect(dialogs).toEqual([]);
    expect(result).toMatchObject({ outcome: 'queued', note: expect.stringContaining('contradicts a verified') });
    expect([id, ...old].map((each) => store.tier(each))).toEqual(['inferred', 'verified', 'verified']);
  });

  test('two texts that fit no dialog wait for the review', async () => {
    const old = await store.add('Old', { ...OLD, body: `${OLD.body} ${LONG}` });
    const { id, dialogs, result } = await asked([TAKE_NEW]);
    expect(dialogs).toEqual([]);
    expect(result).toMatchObject({ outcome: 'queued', note: expect.stringContaining('contradicts a verified') });
    expect([store.tier(id), store.tier(old)]).toEqual(['inferred', 'verified']);
  });
});
