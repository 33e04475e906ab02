import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { choicesFor } from '../../src/actions/review/answers.ts';
import { itemsToReview, openCase, questionAbove } from '../../src/actions/review/review.ts';
import {
  type Answer,
  CLIENTS,
  type ConnectOptions,
  type Home,
  makeHome,
  type Person,
  type Session,
} from '../../testkit/clients.ts';
import { prepare, prepareForSeveral, sharedEnv } from '../../testkit/prepared.ts';
import { personAt, sessionOf } from '../../testkit/review-page.ts';
import { runHook } from '../../testkit/run-hook.ts';
import type { TestStore } from '../../testkit/store.ts';

let home: Home;
let store: TestStore;
beforeEach(async () => {
  home = makeHome();
  store = await prepare(home);
});
afterEach(() => home.remove());

const SAID = {
  type: 'feedback',
  name: 'Deploys',
  description: 'When to deploy',
  body: 'We deploy only on weekdays.',
};
const ID = 'feedback_deploys';
const LONG = { ...SAID, body: 'A long paragraph that does not fit into three lines of a dialog. '.repeat(10) };
const YES = accept('yes, these are my words');
const NO = accept('no, leave it as it is');

function accept(value?: string): Answer {
  return value === undefined ? { action: 'accept' } : { action: 'accept', content: { answer: value } };
}

async function propose(client: Session, said: object = SAID): Promise<string> {
  const result = await client.callTool('propose_memory', { ...said });
  expect(result.isError, result.text).toBe(false);
  return (result.structured as { id: string }).id;
}

function receipts(of = store) {
  return of.entries().filter(({ to }) => to === 'verified');
}

describe.each(CLIENTS)('$client', ({ connect }) => {
  const session = (options: Partial<ConnectOptions> = {}) => connect({ home, env: sharedEnv(home), ...options });

  test('what a person said counts after one answer, here and in the next process', async () => {
    const questions: string[] = [];
    const client = await session({
      person: ({ message }) => {
        questions.push(message);
        return YES;
      },
    });
    const proposed = await client.callTool('propose_memory', SAID);
    expect(proposed.structured).toMatchObject({
      id: ID,
      tier: 'inferred',
      note: expect.stringContaining('call adopt'),
    });
    const result = await client.callTool('adopt', { id: ID });
    expect(result.structured, result.text).toMatchObject({ id: ID, outcome: 'done', tier: 'verified' });
    expect(questions).toHaveLength(1);
    const [question = '', ...shown] = questions[0]?.split('\n') ?? [];
    expect(question).toBe(`Did you say this? It will count as ${ID}.`);
    expect(shown.length).toBeLessThanOrEqual(3);
    for (const part of ['name: Deploys', 'text: We deploy only on weekdays.', 'the agent’s'])
      expect(shown.join(' ')).toContain(part);
    expect((await client.readResource('memory://verified')).text).toContain(ID);
    await client.close();

    expect(receipts()).toMatchObject([
      { action: 'adopt', id: ID, from: 'inferred', by: { channel: 'dialog', level: 2 } },
    ]);
    expect([store.files('memories'), store.files('quarantine')]).toEqual([[`${ID}.md`], []]);
    const next = await session();
    expect((await next.readResource('memory://verified')).text).toContain(ID);
    await next.close();
    const started = await runHook(home.folder, 'session-start', { hook_event_name: 'SessionStart', cwd: home.folder });
    expect(started.answer?.hookSpecificOutput?.additionalContext).toMatch(new RegExp(`id="${ID}" tier="verified"`));
  });

  test('an id that is too long for the line of the question is shown below it', async () => {
    const questions: string[] = [];
    const client = await session({
      person: ({ message }) => {
        questions.push(message);
        return YES;
      },
    });
    const name = 'The days on which everything is deployed here';
    const { id } = (await client.callTool('propose_memory', { ...SAID, name })).structured as { id: string };
    await client.callTool('adopt', { id });
    const [question = '', ...shown] = questions[0]?.split('\n') ?? [];
    expect(question).toBe('Did you say this? It will count from now on.');
    expect(shown.join(' ')).toContain(`id: ${id} ┃ name: ${name}`);
    await client.close();
  });

  describe('one server for all who do not say yes', () => {
    let ownHome: Home;
    let ownStore: TestStore;
    let client: Session;
    let given: Answer;
    beforeAll(async () => {
      ownHome = makeHome();
      ownStore = await prepareForSeveral(ownHome);
      client = await connect({ home: ownHome, env: sharedEnv(ownHome), person: () => given });
    });
    afterAll(async () => {
      await client.close();
      ownHome.remove();
    });

    // The no comes first, because nobody is asked any more after five questions without an answer.
    test.each([
      ['says no', 'parsers', NO, 'declined', 'person-said-no'],
      ['declines', 'adapters', { action: 'decline' }, 'queued', 'declined'],
      ['cancels', 'drivers', { action: 'cancel' }, 'queued', 'cancelled'],
      ['accepts without a word', 'lexers', accept(), 'queued', 'empty'],
      ['accepts with a wrong value', 'widgets', accept('yes'), 'queued', 'wrong-value'],
      ['accepts with the yes of promote', 'codecs', accept('yes, make it verified'), 'queued', 'wrong-value'],
    ] as [string, string, Answer, string, string][])(
      'a person who %s leaves it inferred',
      async (_how, topic, answer, outcome, reason) => {
        given = answer;
        const id = await propose(client, { ...SAID, name: topic, body: `We deploy ${topic} only on weekdays.` });
        expect(id).toBe(`feedback_${topic}`);
        expect((await client.callTool('adopt', { id })).structured).toMatchObject({ id, outcome, tier: 'inferred' });
        expect(ownStore.audit().at(-1)).toMatchObject({ id, action: 'adopt', outcome, reason });
        expect([ownStore.tier(id), receipts(ownStore)]).toEqual(['inferred', []]);
      },
    );
  });

  test('no argument can stand in for the person', async () => {
    const client = await session();
    const id = await propose(client);
    const forged = { inputResponses: { answer: YES }, requestState: 'x' };
    for (const trick of [{ confirmed: true }, { actor: 'operator' }, { tier: 'verified' }, forged])
      expect((await client.callTool('adopt', { id, ...trick })).structured).toMatchObject({ outcome: 'queued' });
    expect(receipts()).toEqual([]);
    await client.close();
  });

  test('a text that changes between the question and the answer is asked about again', async () => {
    const questions: string[] = [];
    const client = await session({
      person: ({ message }) => {
        questions.push(message.replaceAll('\n', ' '));
        if (questions.length === 1) store.edit(ID, (text) => text.replace('weekdays', 'Fridays'));
        return YES;
      },
    });
    const id = await propose(client);
    const result = await client.callTool('adopt', { id });
    expect(questions.map((question) => /only on \w+/.exec(question)?.[0])).toEqual([
      'only on weekdays',
      'only on Fridays',
    ]);
    expect(result.structured).toMatchObject({ outcome: 'done', tier: 'verified' });
    expect(receipts()).toMatchObject([{ digest: store.load(id).digest }]);
    await client.close();
  });

  test('what another process proposed is refused, and the answer says what to do; proposed here too it is taken', async () => {
    const id = await store.propose('merging', SAID as object);
    let asked = 0;
    const client = await session({
      person: () => {
        asked += 1;
        return YES;
      },
    });
    for (const other of [id, 'user_nobody', '../../key']) {
      const refused = await client.callTool('adopt', { id: other });
      expect(refused).toMatchObject({
        isError: true,
        text: expect.stringMatching(/propose it .* first; else .*surety review/),
      });
    }
    expect([asked, store.tier(id)]).toEqual([0, 'inferred']);
    expect(store.audit().at(-1)).toMatchObject({ action: 'adopt', outcome: 'refused', reason: 'not-allowed' });
    expect(await propose(client)).toBe(id);
    expect((await client.callTool('adopt', { id })).structured).toMatchObject({ outcome: 'done', tier: 'verified' });
    await client.close();
  });

  test('a no holds for the text, under whatever name it is proposed again', async () => {
    let asked = 0;
    const person: Person = () => {
      asked += 1;
      return NO;
    };
    const client = await session({ person });
    const said = { ...SAID, body: 'We deploy only on weekdays, because nobody is there on others.' };
    const id = await propose(client, said);
    await client.callTool('adopt', { id });
    expect(await propose(client, { ...said, name: 'Another name', description: 'Another line' })).toBe(id);
    for (const tool of ['adopt', 'promote'])
      expect((await client.callTool(tool, { id })).structured).toMatchObject({ outcome: 'declined', tier: 'inferred' });
    expect([asked, receipts()]).toEqual([1, []]);
    await client.close();
  });

  test('one that is verified already, and one that a person put away meanwhile, are not asked about', async () => {
    let asked = 0;
    const client = await session({
      person: () => {
        asked += 1;
        return YES;
      },
    });
    const id = await propose(client);
    await store.decide('demote', id);
    expect((await client.callTool('adopt', { id })).isError).toBe(true);
    expect((await client.callTool('propose_memory', SAID)).isError).toBe(true);
    const other = await propose(client, { ...SAID, name: 'Merging', body: 'We merge by rebase, always.' });
    await client.callTool('adopt', { id: other });
    expect((await client.callTool('adopt', { id: other })).isError).toBe(true);
    const again = await client.callTool('propose_memory', {
      ...SAID,
      name: 'Merging',
      body: 'We merge by rebase, always.',
    });
    expect(again.structured).toMatchObject({ tier: 'verified', note: expect.not.stringContaining('call adopt') });
    expect([asked, store.tier(id), store.tier(other)]).toEqual([1, 'quarantined', 'verified']);
    await client.close();
  });

  test('a reason that does not fit the dialog is left out of the question and of the record', async () => {
    const questions: string[] = [];
    const client = await session({
      person: ({ message }) => {
        questions.push(message);
        return YES;
      },
    });
    const short = await propose(client);
    const other = await propose(client, { ...SAID, name: 'Reviews', body: 'We review every change in pairs.' });
    await client.callTool('adopt', { id: short, reason: 'said today' });
    const result = await client.callTool('adopt', { id: other, reason: 'They asked for it just now. '.repeat(8) });
    expect(result.structured, result.text).toMatchObject({ outcome: 'done', tier: 'verified' });
    await client.close();
    expect(questions.map((question) => question.includes('the agent says:'))).toEqual([true, false]);
    expect(receipts().map(({ reason }) => reason)).toEqual(['said today', null]);
  });

  test('a text too long for the dialog waits for the review, where a key of its own takes it', async () => {
    let asked = 0;
    const client = await session({
      person: () => {
        asked += 1;
        return YES;
      },
    });
    const id = await propose(client, LONG);
    expect((await client.callTool('adopt', { id, reason: 'said today' })).structured).toMatchObject({
      outcome: 'queued',
    });
    await client.close();
    expect([asked, store.tier(id)]).toEqual([0, 'inferred']);
    const reviewed = sessionOf(store);
    const [item] = itemsToReview(reviewed, 'requests');
    const open = item && openCase(reviewed, item);
    if (open === undefined) throw new Error('nothing waits');
    expect(questionAbove(open)).toBe('Did you say this? It will count from now on.');
    const choices = choicesFor(open);
    expect(choices.map(({ key }) => key)).toEqual(['a', 'n', 'e', 's', 'q']);
    const effect = choices[0]?.effect;
    if (typeof effect !== 'function') throw new Error('a is carried out elsewhere');
    await effect(reviewed, open, personAt(open));
    expect(store.standing(id)).toBe('verified:vouched');
    expect(itemsToReview(reviewed, 'requests')).toEqual([]);
  });

  test('adoptions count among the five questions that may stay unanswered', async () => {
    let asked = 0;
    const client = await session({
      person: () => {
        asked += 1;
        return { action: 'cancel' };
      },
    });
    for (let n = 0; n < 7; n++) {
      const id = await propose(client, { ...SAID, name: `Rule ${n}`, body: `We deploy only after test number ${n}.` });
      expect((await client.callTool('adopt', { id })).structured).toMatchObject({ outcome: 'queued' });
    }
    expect(asked).toBe(5);
    await client.close();
  });
});
