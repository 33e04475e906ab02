import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reviewQueue } from '../../../src/actions/review-queue.ts';
import { auditOf } from '../../../src/actions/session.ts';
import { fileWith } from '../../../src/core/checks/sample-file.ts';
import { yesToRewording } from '../../../testkit/sample.ts';
import { newMemory, TestStore } from '../../../testkit/store.ts';

const ID = 'user_the_database';
const NO = { channel: 'terminal', level: 1, client: null } as const;

/** A store with a found file that may hold a secret, and the hashes of its text, which no ledger may have. */
async function withPassword() {
  const store = await TestStore.open();
  store.write('memories', ID, fileWith({}, 'The password of the staging database is hunter2xQ9!vz.\n'));
  await store.reconcile();
  const { digest, saying } = store.load(ID);
  const ledger = () => readFileSync(store.ledgerPath, 'utf8');
  const expectUnnamed = () => {
    expect(ledger()).toContain(ID);
    for (const hash of [digest, saying]) expect(ledger()).not.toContain(hash);
  };
  const waiting = () => {
    const session = { vault: store.vault, audit: auditOf(store.places, () => {}), proposals: 0 };
    return reviewQueue(session).waiting.map(({ id, category }) => [id, category]);
  };
  return { store, ledger, expectUnnamed, waiting };
}

test('a ledger has no plain hash of a text that may hold a secret, and its observation ends like any other', async () => {
  const { store, ledger, expectUnnamed, waiting } = await withPassword();
  expectUnnamed();
  const before = ledger();
  await store.reopen();
  await store.reconcile();
  expect(ledger()).toBe(before);
  expect([store.load(ID).firstSeen, waiting()]).toEqual([expect.any(Number), []]);
  store.pass(8);
  expect(waiting()).toEqual([[ID, 'held']]);
});

test('a no to it is remembered without a plain hash', async () => {
  const { store, expectUnnamed, waiting } = await withPassword();
  store.pass(8);
  await store.vault.decline(store.load(ID), NO);
  expectUnnamed();
  await store.reopen();
  expect([store.load(ID).declinedAt, waiting()]).toEqual([expect.any(Number), []]);
});

test('a demotion names no text, and a restore still works', async () => {
  const { store, expectUnnamed } = await withPassword();
  await store.decide('demote', ID);
  expectUnnamed();
  expect(store.tier(ID)).toBe('quarantined');
  await store.decide('restore', ID);
  expect(store.tier(ID)).not.toBe('quarantined');
});

test('what a person accepted is vouched for by its plain digest', async () => {
  const { store, ledger } = await withPassword();
  store.pass(8);
  await store.decide('promote', ID);
  expect([store.tier(ID), ledger().includes(`${store.load(ID).digest}`)]).toEqual(['verified', true]);
});

test('other words that a person puts in its place leave no plain hash of it', async () => {
  const { store, expectUnnamed } = await withPassword();
  const seen = store.load(ID);
  const mine = newMemory('the database', { body: 'The password of the staging database is in the safe.' });
  await store.vault.adopt(seen, mine, yesToRewording(store.vault, seen, mine));
  expect(store.standing(ID)).toBe('verified:vouched');
  expectUnnamed();
});

test('a text that was demoted does not come back under another name, in this process or the next', async () => {
  const { store, expectUnnamed } = await withPassword();
  const text = store.text('memories', ID);
  await store.decide('demote', ID);
  expectUnnamed();
  for (const copy of ['user_copy', 'user_another_copy']) {
    store.write('memories', copy, text);
    expect(store.standing(copy)).toBe('quarantined:same-text');
    await store.reconcile();
    expect(store.files('memories')).toEqual([]);
    expectUnnamed();
    await store.reopen();
  }
});
