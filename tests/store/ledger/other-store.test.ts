import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { insideOf } from '../../../src/store/vault/inside-of-vault.ts';
import { TestStore } from '../../../testkit/store.ts';

// One person, one key, two stores. What was confirmed in the first must not count in the second.

async function twoStores() {
  const first = await TestStore.open();
  const second = await TestStore.open({ home: first.home, root: join(first.home, 'second') });
  return { first, second };
}

/** Whoever has file tools carries a confirmed memory and its ledger over. */
function carryOver(from: TestStore, id: string, to: TestStore, { copyToo = false } = {}): void {
  mkdirSync(to.places.memories, { recursive: true });
  copyFileSync(from.path('memories', id), to.path('memories', id));
  copyFileSync(from.ledgerPath, to.ledgerPath);
  if (copyToo) copyFileSync(keptCopy(from), keptCopy(to));
}

function keptCopy(store: TestStore): string {
  return join(store.places.state, 'ledgers', `${insideOf(store.vault).key.fingerprint}.jsonl`);
}

async function expectNotVerified(store: TestStore, id: string, trouble: string): Promise<void> {
  for (const time of ['at once', 'after a restart', 'after two']) {
    expect(store.tier(id), time).toBe('inferred');
    expect(store.report(), time).toMatchObject({ trouble, raises: false });
    await store.reconcile();
    expect(store.tier(id), time).toBe('inferred');
    await store.reopen();
  }
}

test.each([false, true])(
  'while a store holds only proposals, another one’s ledger raises nothing in it',
  async (copyToo) => {
    const { first, second } = await twoStores();
    const id = await first.verified('the release');
    await second.propose('something else');
    await second.reconcile();
    carryOver(first, id, second, { copyToo });
    await expectNotVerified(second, id, 'forked');
  },
);

test('in a store with nothing in it, another one’s ledger raises nothing', async () => {
  const { first, second } = await twoStores();
  const id = await first.verified('the release');
  carryOver(first, id, second);
  await expectNotVerified(second, id, 'unremembered');
});

test('in a store whose state folder is fresh, another one’s ledger raises nothing', async () => {
  const { first, second } = await twoStores();
  const id = await first.verified('the release');
  await second.verified('something else');
  rmSync(second.places.state, { recursive: true });
  await second.reopen();
  carryOver(first, id, second, { copyToo: true });
  await expectNotVerified(second, id, 'unremembered');
});

test.each([false, true])('two stores that were told the same at the same second have two ledgers', async (copyToo) => {
  const { first, second } = await twoStores();
  const id = await first.propose('the release');
  await second.propose('the release');
  expect(second.ledgerLines()).not.toEqual(first.ledgerLines());
  first.pass(7);
  second.pass(7);
  await first.decide('promote', id);
  carryOver(first, id, second, { copyToo });
  await expectNotVerified(second, id, 'forked');
});

test('what this machine keeps of a ledger is its beginning, also where only proposals were added', async () => {
  const { first, second } = await twoStores();
  await first.propose('the release');
  await second.propose('the release');
  await second.propose('the build');
  for (const about of ['one', 'two', 'three']) await first.propose(about);
  copyFileSync(first.ledgerPath, second.ledgerPath);
  expect(second.trouble()).toBe('forked');
  await second.reopen();
  expect(second.trouble()).toBe('forked');
});

test('the store goes on by itself once its own ledger is back', async () => {
  const { first, second } = await twoStores();
  const id = await first.verified('the release');
  const own = await second.propose('something else');
  const before = second.ledgerLines();
  carryOver(first, id, second);
  expect(second.trouble()).toBe('forked');
  second.writeLedger(before);
  await second.reopen();
  expect(second.trouble()).toBeUndefined();
  second.pass(7);
  await second.decide('promote', own);
  expect(second.tier(own)).toBe('verified');
  expect(second.tier(id)).toBe('inferred');
});
