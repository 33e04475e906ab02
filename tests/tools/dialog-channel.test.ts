import { describe, expect, test } from 'vitest';
import { text } from '../../src/core/text/safe-text.ts';
import { type Shown, UserConsent } from '../../src/core/trust/consent.ts';
import type { Call } from '../../src/tools/define.ts';
import { Dialog, type DialogQuestion } from '../../src/tools/dialog-channel.ts';

const SHOWN: Shown = { verb: 'promote', id: 'user_x', digest: 'd1', standing: 'inferred:proposed', settles: ['rule'] };
const [NO, MORE, YES] = ['no, leave it as it is', 'more: show the next part', 'yes, make it verified'];
const QUESTION: DialogQuestion = { shown: SHOWN, messages: [text`Is this right?`], yes: YES };
const LONG: DialogQuestion = { ...QUESTION, messages: [text`The first part`, text`The last part`] };
const TEN_MINUTES = 10 * 60_000;

/** The dialogs of a process. Its state is not signed here: the SDK does that, and hands over what it verified. */
function dialogAt(start = 0) {
  const clock = { now: start };
  const dialog = new Dialog(
    () => clock.now,
    async (state) => JSON.stringify(state),
  );
  return { dialog, clock };
}

interface Sent {
  readonly state?: string | undefined;
  readonly responses?: unknown;
  readonly client?: Call['client'];
  readonly capabilities?: unknown;
}

/** A call as the SDK hands it to a tool. */
function callWith({ state, responses, client, capabilities }: Sent): Call {
  const request = {
    requestState: <T>() => (state === undefined ? undefined : (JSON.parse(state) as T)),
    inputResponses: responses,
  };
  return { client, capabilities, request } as unknown as Call;
}

const chosen = (answer: unknown) => ({ answer: { action: 'accept', content: { answer } } });

async function stateOf(asked: ReturnType<Dialog['ask']>): Promise<string> {
  return (await asked).requestState ?? '';
}

describe('a question', () => {
  test('has one required field with the safe answer first and no default', async () => {
    const { dialog } = dialogAt();
    const asked = (await dialog.ask(QUESTION)) as unknown as {
      inputRequests: { answer: { params: { message: string; requestedSchema: unknown } } };
    };
    const { message, requestedSchema } = asked.inputRequests.answer.params;
    expect(message).toBe('Is this right?');
    expect(requestedSchema).toEqual({
      type: 'object',
      properties: { answer: { type: 'string', title: 'Your decision', enum: [NO, YES] } },
      required: ['answer'],
    });
  });

  test('has a state of its own each time', async () => {
    const { dialog } = dialogAt();
    const [one, other] = [await stateOf(dialog.ask(QUESTION)), await stateOf(dialog.ask(QUESTION))];
    expect(JSON.parse(one)).toEqual({ asked: 'dialog', nonce: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(one).not.toBe(other);
  });

  test('in parts offers the yes in the last one only', async () => {
    const { dialog } = dialogAt();
    const enumOf = async (part?: number) => JSON.stringify(await dialog.ask(LONG, part));
    expect(await enumOf()).toContain(MORE);
    expect(await enumOf()).not.toContain(YES);
    const last = await enumOf(1);
    expect(last).toContain(YES);
    expect(last).toContain('The last part');
    expect(last).not.toContain(MORE);
  });

  test('is offered to clients that show forms', () => {
    const offered = (elicitation: unknown) => Dialog.isOffered(callWith({ capabilities: { elicitation } }));
    expect(offered({ form: {} })).toBe(true);
    expect(offered({ form: {}, url: {} })).toBe(true);
    expect(offered({})).toBe(true);
    expect(offered({ url: {} })).toBe(false);
    expect(offered(undefined)).toBe(false);
    expect(Dialog.isOffered(callWith({}))).toBe(false);
  });
});

describe('an answer', () => {
  test('yes makes the yes of a person to what was shown, at level 2', async () => {
    const { dialog } = dialogAt();
    const state = await stateOf(dialog.ask(QUESTION));
    const client = { name: 'some-client', version: '2.1' };
    const answer = dialog.answer(callWith({ state, responses: chosen(YES), client }), QUESTION);
    if (answer?.kind !== 'yes') throw new Error(`it was ${answer?.kind}`);
    expect(UserConsent.isGenuine(answer.consent)).toBe(true);
    expect(answer.consent).toMatchObject({ channel: 'dialog', level: 2, client: 'some-client 2.1', shown: SHOWN });
  });

  test('of a client without a name is of nobody in particular', async () => {
    const { dialog } = dialogAt();
    const ask = () => stateOf(dialog.ask(QUESTION));
    expect(dialog.answer(callWith({ state: await ask(), responses: chosen(YES) }), QUESTION)).toMatchObject({
      consent: { client: null },
    });
    expect(dialog.answer(callWith({ state: await ask(), responses: chosen(NO) }), QUESTION)).toEqual({
      kind: 'no',
      no: { channel: 'dialog', level: 2, client: null },
    });
  });

  test('is looked for only where there is one', () => {
    const { dialog } = dialogAt();
    expect(Dialog.isAnswer(callWith({}))).toBe(false);
    expect(Dialog.isAnswer(callWith({ state: '{}' }))).toBe(true);
    expect(Dialog.isAnswer(callWith({ responses: {} }))).toBe(true);
    expect(dialog.answer(callWith({}), QUESTION)).toBeUndefined();
  });

  test('without a state of this process is forged', () => {
    const { dialog } = dialogAt();
    expect(dialog.answer(callWith({ responses: chosen(YES) }), QUESTION)).toEqual({ kind: 'void', why: 'forged' });
  });

  test('counts once', async () => {
    const { dialog } = dialogAt();
    const state = await stateOf(dialog.ask(QUESTION));
    expect(dialog.answer(callWith({ state, responses: chosen(YES) }), QUESTION)?.kind).toBe('yes');
    const again = dialog.answer(callWith({ state, responses: chosen(YES) }), QUESTION);
    expect(again).toEqual({ kind: 'void', why: 'used' });
  });

  test('to a question of another process is used up', async () => {
    const state = await stateOf(dialogAt().dialog.ask(QUESTION));
    expect(dialogAt().dialog.answer(callWith({ state, responses: chosen(YES) }), QUESTION)).toEqual({
      kind: 'void',
      why: 'used',
    });
  });

  test('counts until ten minutes after the question, and not a moment longer', async () => {
    const { dialog, clock } = dialogAt(1_000);
    const [early, late] = [await stateOf(dialog.ask(QUESTION)), await stateOf(dialog.ask(QUESTION))];
    clock.now += TEN_MINUTES;
    expect(dialog.answer(callWith({ state: early, responses: chosen(YES) }), QUESTION)?.kind).toBe('yes');
    clock.now += 1;
    expect(dialog.answer(callWith({ state: late, responses: chosen(YES) }), QUESTION)).toEqual({
      kind: 'void',
      why: 'expired',
    });
  });

  test('that is a cancel may come late, because the SDK cancels a question in the moment in which it expires', async () => {
    const { dialog, clock } = dialogAt();
    const state = await stateOf(dialog.ask(QUESTION));
    clock.now += TEN_MINUTES + 1;
    const answer = dialog.answer(callWith({ state, responses: { answer: { action: 'cancel' } } }), QUESTION);
    expect(answer).toEqual({ kind: 'unanswered', why: 'cancelled' });
  });

  test('that is too late is forgotten with the next question, and one that is in time is not', async () => {
    const { dialog, clock } = dialogAt();
    const first = await stateOf(dialog.ask(QUESTION));
    clock.now += 1;
    const second = await stateOf(dialog.ask(QUESTION));
    clock.now += TEN_MINUTES;
    await dialog.ask(QUESTION);
    expect(dialog.answer(callWith({ state: first, responses: chosen(YES) }), QUESTION)).toEqual({
      kind: 'void',
      why: 'used',
    });
    expect(dialog.answer(callWith({ state: second, responses: chosen(YES) }), QUESTION)?.kind).toBe('yes');
  });

  test.each<[string, Partial<DialogQuestion>]>([
    ['another verb', { shown: { ...SHOWN, verb: 'restore' } }],
    ['another memory', { shown: { ...SHOWN, id: 'user_y' } }],
    ['another text', { shown: { ...SHOWN, digest: 'd2' } }],
    ['another standing', { shown: { ...SHOWN, standing: 'inferred:found' } }],
    ['other findings', { shown: { ...SHOWN, settles: [] } }],
    ['words of the person', { shown: { ...SHOWN, prompted: '2026-01-01T00:00:00Z' } }],
    ['a reason', { reason: 'they said so' }],
    ['more dialogs', { messages: LONG.messages }],
  ])('to %s than the one that was shown is none', async (_, change) => {
    const { dialog } = dialogAt();
    const state = await stateOf(dialog.ask(QUESTION));
    const answer = dialog.answer(callWith({ state, responses: chosen(YES) }), { ...QUESTION, ...change });
    expect(answer).toEqual({ kind: 'void', why: 'other-question' });
  });

  test.each<[string, unknown, string]>([
    ['a decline', { answer: { action: 'decline' } }, 'declined'],
    ['a decline with a yes in it', { answer: { action: 'decline', content: { answer: YES } } }, 'declined'],
    ['a cancel', { answer: { action: 'cancel' } }, 'cancelled'],
    ['a cancel with a yes in it', { answer: { action: 'cancel', content: { answer: YES } } }, 'cancelled'],
    ['nothing', undefined, 'cancelled'],
    ['no answer', {}, 'cancelled'],
    ['an answer of null', { answer: null }, 'cancelled'],
    ['an action nobody knows', { answer: { action: 'yes', content: { answer: YES } } }, 'cancelled'],
    ['an empty accept', { answer: { action: 'accept' } }, 'empty'],
    ['an accept of null', { answer: { action: 'accept', content: null } }, 'empty'],
    ['an accept of a word', { answer: { action: 'accept', content: YES } }, 'empty'],
    ['an accept without the field', { answer: { action: 'accept', content: { yes: YES } } }, 'empty'],
    ['another word', chosen('yes'), 'wrong-value'],
    ['a list', chosen([YES]), 'wrong-value'],
    ['the word for the next part', chosen(MORE), 'wrong-value'],
  ])('that is %s is no answer of a person', async (_, responses, why) => {
    const { dialog } = dialogAt();
    const state = await stateOf(dialog.ask(QUESTION));
    expect(dialog.answer(callWith({ state, responses }), QUESTION)).toEqual({ kind: 'unanswered', why });
  });

  test('in parts goes on after each, and only the last gives the yes', async () => {
    const { dialog } = dialogAt();
    const state = await stateOf(dialog.ask(LONG));
    const first = dialog.answer(callWith({ state, responses: chosen(MORE) }), LONG);
    expect(first).toEqual({ kind: 'more', part: 1 });
    const last = await stateOf(dialog.ask(LONG, 1));
    expect(dialog.answer(callWith({ state: last, responses: chosen(YES) }), LONG)?.kind).toBe('yes');
    const again = await stateOf(dialog.ask(LONG));
    expect(dialog.answer(callWith({ state: again, responses: chosen(YES) }), LONG)).toEqual({
      kind: 'unanswered',
      why: 'wrong-value',
    });
  });
});

describe('a question about two memories that cannot both hold', () => {
  const [KEEP_OLD, TAKE_NEW, KEEP_BOTH] = [
    'no, keep the old one',
    'yes, take this one, and quarantine the old one',
    'keep both, they hold together',
  ];
  const OLD: Shown = { verb: 'demote', id: 'user_old', digest: 'd0', standing: 'verified:vouched', settles: [] };
  const LOADED = { id: OLD.id } as unknown as NonNullable<DialogQuestion['rival']>['loaded'];
  const BOTH: DialogQuestion = { ...QUESTION, rival: { loaded: LOADED, shown: OLD } };

  test('names each answer by what becomes of the old one, the safe answer first', async () => {
    const { dialog } = dialogAt();
    const choices = JSON.stringify([KEEP_OLD, TAKE_NEW, KEEP_BOTH]);
    expect(JSON.stringify(await dialog.ask(BOTH))).toContain(`"enum":${choices}`);
    const inParts = JSON.stringify(await dialog.ask({ ...BOTH, messages: LONG.messages }));
    expect(inParts).toContain(`"enum":${JSON.stringify([KEEP_OLD, MORE])}`);
  });

  test('taking the new one is a yes to both, each as it was shown', async () => {
    const { dialog } = dialogAt();
    const state = await stateOf(dialog.ask(BOTH));
    const answer = dialog.answer(callWith({ state, responses: chosen(TAKE_NEW) }), BOTH);
    if (answer?.kind !== 'take-place') throw new Error(`it was ${answer?.kind}`);
    expect(answer.rival).toBe(LOADED);
    expect(answer.yes).toMatchObject({ consent: { shown: SHOWN, level: 2 }, toRival: { shown: OLD, level: 2 } });
    expect([answer.yes.consent, answer.yes.toRival].every(UserConsent.isGenuine)).toBe(true);
  });

  test('keeping the old one is a no, keeping both is a yes to nothing, and other words are no answer', async () => {
    const { dialog } = dialogAt();
    const answerTo = async (word: string) => {
      const state = await stateOf(dialog.ask(BOTH));
      return dialog.answer(callWith({ state, responses: chosen(word) }), BOTH);
    };
    expect(await answerTo(KEEP_OLD)).toEqual({ kind: 'no', no: { channel: 'dialog', level: 2, client: null } });
    expect(await answerTo(KEEP_BOTH)).toEqual({ kind: 'keep-both', rival: LOADED });
    for (const word of [NO, YES, MORE, ''])
      expect(await answerTo(word)).toEqual({ kind: 'unanswered', why: 'wrong-value' });
  });

  test.each<[string, DialogQuestion['rival']]>([
    ['another old memory', { loaded: LOADED, shown: { ...OLD, id: 'user_older' } }],
    ['another text of the old one', { loaded: LOADED, shown: { ...OLD, digest: 'd9' } }],
    ['another standing of the old one', { loaded: LOADED, shown: { ...OLD, standing: 'inferred:changed' } }],
    ['no old memory', undefined],
  ])('an answer that was given beside %s is none', async (_, rival) => {
    const { dialog } = dialogAt();
    const state = await stateOf(dialog.ask(BOTH));
    const answer = dialog.answer(callWith({ state, responses: chosen(TAKE_NEW) }), { ...BOTH, rival });
    expect(answer).toEqual({ kind: 'void', why: 'other-question' });
  });
});
