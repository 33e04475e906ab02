import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { choicesFor, type ReviewChoice } from '../../../src/actions/review/answers.ts';
import { itemsToReview, openCase } from '../../../src/actions/review/review.ts';
import type { Session } from '../../../src/actions/session.ts';
import { personAt, sessionOf, waitingFor } from '../../../testkit/review-page.ts';
import { TestStore } from '../../../testkit/store.ts';

const WORDS = 'e say it in your own words';
const ADOPT = 'a yes, these are my words: adopt';
const LEAVE = ['s skip', 'q stop here'];

test.each([
  ['requests', ['y yes, make it verified: promote', ADOPT, 'n no, refuse the request', WORDS]],
  ['displaced', ['y yes, put it back in its place', 'n no, it stays there', WORDS]],
  ['ready', ['y yes, make it verified: promote', ADOPT, 'n no, quarantine it: demote', WORDS]],
  ['held', ['y yes, make it verified: promote', ADOPT, 'n no, quarantine it: demote', WORDS]],
  ['changed', ['y yes, it still holds: reaffirm', 'n no, quarantine it: demote', 'p put the old text back']],
  ['stale', ['y yes, it still holds: reaffirm', 'n no, quarantine it: demote']],
  ['quarantined', ['y yes, restore it: restore', 'n no, it stays there', WORDS]],
] as const)('the answers to a case under %s', async (category, answers) => {
  const store = await TestStore.open();
  await waitingFor(store, category);
  expect(choicesFor(first(sessionOf(store))).map(inWords)).toEqual([...answers, ...LEAVE]);
});

test('where the settings ask for more than a channel proves, it offers neither a yes nor own words', async () => {
  const store = await TestStore.open();
  await waitingFor(store, 'ready');
  writeFileSync(join(store.places.config, 'config.json'), '{"minimumAssurance": 3}', { mode: 0o600 });
  await store.reopen();
  const session = sessionOf(store);
  expect(choicesFor(first(session, 1)).map(({ key }) => key)).toEqual(['n', 's', 'q']);
  expect(choicesFor(first(session, 3)).map(({ key }) => key)).toEqual(['y', 'a', 'n', 'e', 's', 'q']);
});

test('a yes to a correction leads to the memory it corrects, which can be kept beside it', async () => {
  const store = await TestStore.open();
  const old = await store.add('build');
  const id = await store.propose('build again', { body: 'The large machine is enough for all of it.', replaces: old });
  store.pass(8);
  const session = sessionOf(store);
  const open = first(session);
  const next = choicesFor(open).map((choice) => [choice.key, choice.next?.id]);
  expect(next).toEqual([['y', old], ['a', old], ...['n', 'e', 's', 'q'].map((key) => [key, undefined])]);
  const promoted = await answer(session, open, 'y');
  expect(promoted).toMatchObject({ outcome: { kind: 'done', verb: 'promote', id, recorded: true } });
  const [yes] = choicesFor(open);
  const corrected = yes?.next && openCase(session, yes.next);
  if (corrected === undefined) throw new Error('nothing follows');
  expect(choicesFor(corrected).map(inWords)).toEqual(['y yes, quarantine it: demote', 'n no, keep both', ...LEAVE]);
  expect(await answer(session, corrected, 'n')).toEqual({
    outcome: { kind: 'kept', id: old },
    said: { tone: 'good', sentence: `${old} stays as it is.` },
  });
  expect([store.tier(id), store.tier(old)]).toEqual(['verified', 'verified']);
});

test('a yes to a displaced text puts it back without a new receipt, and the other text lies in quarantine', async () => {
  const store = await TestStore.open();
  const id = await waitingFor(store, 'displaced');
  const session = sessionOf(store);
  expect(store.standing(id)).toBe('inferred:changed');
  const receipts = () => store.ledgerLines().filter((line) => line.includes('"to":"verified"')).length;
  const before = receipts();
  expect(await answer(session, first(session), 'y')).toMatchObject({ outcome: { kind: 'put-back', id } });
  expect(store.standing(id)).toBe('verified:vouched');
  expect(receipts()).toBe(before);
  expect(store.files('quarantine')).toEqual([`${id}~2.md`]);
  expect(store.text('quarantine', `${id}~2`)).toContain('three cores');
  expect(store.text('memories', id)).not.toMatch(/^quarantin/m);
  expect(itemsToReview(session).map(({ category }) => category)).toEqual([]);
  expect(store.audit().at(-1)).toMatchObject({ action: 'put-in-place', outcome: 'accepted', id });
});

test('a no to a request refuses it on record and leaves the memory as it is', async () => {
  const store = await TestStore.open();
  const id = await waitingFor(store, 'requests');
  const session = sessionOf(store);
  expect(await answer(session, first(session), 'n')).toMatchObject({ outcome: { kind: 'declined', id } });
  expect(itemsToReview(session, 'requests')).toEqual([]);
  expect(store.standing(id)).toBe('inferred:proposed');
  expect(store.load(id).declinedAt).toBe(store.now);
  expect(store.audit().at(-1)).toMatchObject({ action: 'promote', outcome: 'declined', reason: 'person-said-no' });
});

test('a no that the ledger cannot take is a no, and says that it is not on record', async () => {
  const store = await TestStore.open();
  const id = await waitingFor(store, 'requests');
  const session = sessionOf(store);
  const open = first(session);
  store.writeLedger(store.ledgerLines().slice(0, -1));
  expect(await answer(session, open, 'n')).toEqual({
    outcome: { kind: 'declined', id, recorded: false },
    said: { tone: 'warning', sentence: expect.stringContaining('The ledger could not take your no') },
  });
  expect(store.tier(id)).toBe('inferred');
});

type Open = ReturnType<typeof first>;

function first(session: Session, level: 1 | 3 = 1) {
  const [item] = itemsToReview(session);
  const open = item && openCase(session, item, level);
  if (open === undefined) throw new Error('nothing waits');
  return open;
}

function answer(session: Session, open: Open, key: string) {
  const effect = choicesFor(open).find((choice) => choice.key === key)?.effect;
  if (typeof effect !== 'function') throw new Error(`${key} is carried out elsewhere`);
  return effect(session, open, personAt(open));
}

function inWords({ key, means, verb }: ReviewChoice): string {
  return verb === undefined ? `${key} ${means}` : `${key} ${means}: ${verb}`;
}
