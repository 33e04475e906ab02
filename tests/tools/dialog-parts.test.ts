import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, CLIENTS, type ConnectOptions, type Home, makeHome } from '../../testkit/clients.ts';
import { prepare, sharedEnv } from '../../testkit/prepared.ts';
import type { TestStore } from '../../testkit/store.ts';

let home: Home;
let store: TestStore;
beforeEach(async () => {
  home = makeHome();
  store = await prepare(home);
});
afterEach(() => home.remove());

const [FIRST, LAST] = ['Deploy on weekdays only.', 'The last word is heliotrope.'];
const LONG = { body: `${FIRST} ${'Some more words of the same text follow here. '.repeat(8)}${LAST}` };
const [YES, MORE, NO] = ['yes, make it verified', 'more: show the next part', 'no, leave it as it is'];

const choose = (answer: string): Answer => ({ action: 'accept', content: { answer } });

describe.each(CLIENTS)('$client, as a client that refuses http', ({ connect }) => {
  const session = (options: Partial<ConnectOptions> = {}) =>
    connect({ home, env: sharedEnv(home), name: 'codex-mcp-client', opensPages: true, ...options });

  /** A person who gives these answers, one a dialog, and what they were shown. */
  function answering(...answers: string[]) {
    const dialogs: string[] = [];
    const person = (asked: { readonly message: string }) => {
      dialogs.push(asked.message);
      return choose(answers[dialogs.length - 1] ?? 'nothing');
    };
    return { dialogs, person };
  }

  test('a long text is shown in parts, and the yes in the last covers all of them', async () => {
    const id = await store.propose('deploying', LONG);
    const { dialogs, person } = answering(MORE, MORE, YES);
    const client = await session({ person });
    const result = await client.callTool('promote', { id });
    expect(result.structured).toMatchObject({ id, outcome: 'done', tier: 'verified' });
    expect(dialogs.map((dialog) => dialog.split('\n')[0])).toEqual([
      expect.stringContaining('Part 1 of 3.'),
      expect.stringContaining('Part 2 of 3.'),
      expect.stringContaining('Part 3 of 3.'),
    ]);
    const shown = dialogs.flatMap((dialog) => dialog.split('\n').slice(1)).join(' ');
    expect(shown).toContain(FIRST);
    expect(shown).toContain(LAST);
    // All parts are one question, and one yes.
    expect(store.audit().map(({ outcome }) => outcome)).toEqual(['asked', 'accepted']);
    expect(store.tier(id)).toBe('verified');
    expect(store.vault.evidence.heads(id)[0]).toMatchObject({ action: 'promote', actor: 'operator', level: 2 });
    await client.close();
  });

  test.each([
    ['a yes before the last part', [YES], 'queued', 'wrong-value'],
    ['no word in the second part', [MORE], 'queued', 'wrong-value'],
    ['a no in the second part', [MORE, NO], 'declined', 'person-said-no'],
    ['more after the last part', [MORE, MORE, MORE], 'queued', 'wrong-value'],
  ])('%s makes nothing verified', async (_what, answers, outcome, reason) => {
    const id = await store.propose('deploying', LONG);
    const { person } = answering(...answers);
    const client = await session({ person });
    expect((await client.callTool('promote', { id })).structured).toMatchObject({ outcome, tier: 'inferred' });
    expect(store.audit().at(-1)).toMatchObject({ outcome, reason });
    expect(store.tier(id)).toBe('inferred');
    await client.close();
  });

  test('a text that changes between two parts is shown again from its beginning', async () => {
    const id = await store.propose('deploying', LONG);
    const { dialogs, person } = answering(MORE, MORE, MORE, NO);
    const client = await session({
      person: (asked) => {
        if (dialogs.length === 1) store.edit(id, (text) => text.replace('heliotrope', 'crimson'));
        return person(asked);
      },
    });
    await client.callTool('demote', { id });
    expect(dialogs.map((dialog) => /Part \d/.exec(dialog)?.[0])).toEqual(['Part 1', 'Part 2', 'Part 1', 'Part 2']);
    expect(store.tier(id)).toBe('inferred');
    await client.close();
  });

  test('a text too long for four dialogs waits for the review, and no address is sent', async () => {
    const id = await store.propose('deploying', { body: `${FIRST} ${'More words. '.repeat(120)}` });
    const { dialogs, person } = answering(YES);
    const client = await session({ person });
    expect((await client.callTool('promote', { id })).structured).toMatchObject({ outcome: 'queued' });
    expect(dialogs).toEqual([]);
    expect(store.audit().at(-1)).toMatchObject({ outcome: 'queued', reason: 'too-long' });
    await client.close();
  });

  test('another client gets the page for the same text, not several dialogs', async () => {
    const id = await store.propose('deploying', LONG);
    const modes: (string | undefined)[] = [];
    const client = await session({
      name: 'another-client',
      person: ({ mode }) => {
        modes.push(mode);
        return { action: 'decline' };
      },
    });
    await client.callTool('promote', { id });
    expect(modes).toEqual(['url']);
    await client.close();
  });
});
