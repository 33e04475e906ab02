import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { originsKind } from '../../src/actions/history.ts';
import { OverviewSurvey } from '../../src/actions/report/overview.ts';
import { memoryFacts } from '../../src/actions/review/case-facts.ts';
import { dateOf } from '../../src/core/trust/clocks.ts';
import { forge } from '../../testkit/passkeys.ts';
import { sessionOf } from '../../testkit/review-page.ts';
import { DAY, START, TestStore } from '../../testkit/store.ts';

/** Gives a store the ledger of a machine whose clock is 1,000 days behind, and which says that a person wrote the memory. */
async function backDated(store: TestStore, id: string, action = 'add'): Promise<string> {
  const stranger = await TestStore.open({ machine: { name: 'stranger', identity: 'machine-two' } });
  stranger.now = START - 1_000 * DAY;
  forge(stranger, { action: action as 'add', id, from: null, to: 'verified' });
  const { fingerprint } = stranger.vault.self;
  copyFileSync(stranger.ledgerPath, join(store.places.ledger, `${fingerprint}.jsonl`));
  await store.reconcile();
  return fingerprint;
}

const originIn = (store: TestStore, id: string) =>
  memoryFacts(sessionOf(store), store.load(id)).flatMap((fact) =>
    fact.label === 'origin' && 'ours' in fact ? fact.ours : [],
  );
const rowsOf = (store: TestStore) => new OverviewSurvey(sessionOf(store)).all(new AbortController().signal);
const account = (fingerprint: string) =>
  `by the account of ledger ${fingerprint.slice(0, 8)}, whose word does not count here, written by a person on ${dateOf(START - 1_000 * DAY)}, 1000 days ago`;

test('a back-dated entry of a machine that nobody trusts does not say where a memory came from', async () => {
  const store = await TestStore.open();
  const id = await store.propose('the build');
  const fingerprint = await backDated(store, id);
  expect(originIn(store, id)).toEqual([`proposed by an agent on ${dateOf(START)}, today`]);
  expect(originsKind(sessionOf(store), id)).toBe('agent');
  expect(await rowsOf(store)).toMatchObject([{ id, by: 'agent' }]);
  // Once its word counts, it was the first.
  store.trust(fingerprint);
  expect(originIn(store, id)).toEqual([
    `written by a person on another machine (ledger ${fingerprint.slice(0, 8)}) on ${dateOf(START - 1_000 * DAY)}, 1000 days ago`,
  ]);
  expect(originsKind(sessionOf(store), id)).toBe('person');
});

test('of a file that was found here, what such a machine says of it is told as its account', async () => {
  const store = await TestStore.open();
  const id = await store.propose('the build');
  const text = store.text('memories', id);
  store.write('memories', 'user_found', text.replace(/two cores/g, 'six cores'));
  await store.reconcile();
  expect(originIn(store, 'user_found')).toEqual([`found in the folder on ${dateOf(START)}, today`]);
  const fingerprint = await backDated(store, 'user_found');
  expect(originIn(store, 'user_found')).toEqual([
    `found in the folder on ${dateOf(START)}, today; ${account(fingerprint)}`,
  ]);
  expect(originsKind(sessionOf(store), 'user_found')).toBe('found');
});

test('where only such a machine tells of a memory, that is said, and nobody here is named', async () => {
  const store = await TestStore.open();
  const id = await store.propose('the build');
  const [text, fingerprint] = [store.text('memories', id), await backDated(store, 'user_told')];
  store.write('memories', 'user_told', text.replace(/two cores/g, 'six cores'));
  expect(originIn(store, 'user_told')).toEqual([account(fingerprint)]);
  expect(originsKind(sessionOf(store), 'user_told')).toBe('found');
});

test('what this machine wrote is its own word also while its ledger is in trouble', async () => {
  const store = await TestStore.open();
  const id = await store.propose('the build');
  await store.propose('the release');
  store.writeLedger(store.ledgerLines().slice(0, 1));
  await store.reopen();
  expect(store.trouble()).toBe('shorter');
  expect(originIn(store, id)).toEqual([`proposed by an agent on ${dateOf(START)}, today`]);
});

test('an entry of such a machine may have any word for an action', async () => {
  const store = await TestStore.open();
  const id = await store.propose('the build');
  const fingerprint = await backDated(store, 'user_told', 'constructor');
  store.write('memories', 'user_told', store.text('memories', id).replace(/two cores/g, 'six cores'));
  expect(originIn(store, 'user_told')).toEqual([account(fingerprint).replace('written by a person', 'first recorded')]);
  store.trust(fingerprint);
  expect(originsKind(sessionOf(store), 'user_told')).toBe('found');
});
