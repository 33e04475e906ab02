import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { hashOf } from '../../../src/core/ledger/entry.ts';
import { SEGMENTS } from '../../../src/store/ledger/ledger-bytes.ts';
import { asFormat1 } from '../../../testkit/format-1.ts';
import { TestStore } from '../../../testkit/store.ts';
import { readLedgers } from '../../../torture/checker/ledger.ts';

const names = (store: TestStore) => store.ledgerPaths().map((path) => basename(path).replace(/^[0-9a-f]{64}/, ''));
const sizes = (store: TestStore) => store.ledgerPaths().map((path) => statSync(path).size);

/** Puts as many files into the folder, as a copy of another store does, and has them taken in. */
async function takeIn(store: TestStore, files: number): Promise<void> {
  const text = readFileSync(store.path('memories', await store.propose('the build')), 'utf8');
  for (let n = 0; n < files; n++) store.write('memories', `user_found_${n}`, text.replace('the build', `thing ${n}`));
  await store.reconcile();
}

test('a thousand first sights are few entries, in files of at most 64 KiB, and every line of them counts', async () => {
  const store = await TestStore.open();
  await takeIn(store, 1_000);
  const seen = store.ledgerLines().flatMap((line) => JSON.parse(line).texts?.length ?? []);
  expect(seen.reduce((sum: number, many: number) => sum + many, 0)).toBe(1_000);
  expect(seen.length).toBeLessThanOrEqual(5);
  expect(sizes(store).reduce((sum, size) => sum + size, 0)).toBeLessThan(200 * 1_000);
  expect(Math.max(...sizes(store))).toBeLessThanOrEqual(SEGMENTS.open);
  const numbered = expect.stringMatching(/^\.\d{9}\.jsonl$/);
  expect(names(store)).toEqual(['.jsonl', numbered, numbered, numbered]);
  store.pass(8);
  await store.decide('promote', 'user_found_1');
  await store.decide('demote', 'user_found_999');
  await store.reopen();
  await store.reconcile();
  expect([store.tier('user_found_1'), store.tier('user_found_999')]).toEqual(['verified', 'quarantined']);
  expect(store.trouble()).toBeUndefined();
  expect(readLedgers(store.places.root)).toMatchObject([{ faults: [] }]);
});

test('a file of version 1 over 64 KiB is ended by the line that names the store, and nothing is added to it then', async () => {
  const store = await TestStore.open();
  const verified = await store.verified('the rule');
  await takeIn(store, 250);
  await asFormat1(store);
  const old = store.ledgerLines();
  expect([names(store), Math.min(...sizes(store)) > SEGMENTS.open]).toEqual([['.jsonl'], true]);

  await store.propose('the release');
  expect(names(store)).toEqual(['.jsonl']);
  const upgraded = readFileSync(store.ledgerPath, 'utf8').trimEnd().split('\n');
  expect(upgraded.slice(0, old.length)).toEqual(old);
  // What a build of format 1 meets behind the lines it knows: it looks and searches then, and refuses to write.
  const ends = JSON.parse(upgraded[old.length] ?? '');
  expect(ends).toMatchObject({ v: 2, action: 'store', prev: hashOf(old.at(-1) ?? '') });

  const { size } = statSync(store.ledgerPath);
  await store.propose('the branch');
  expect([names(store).length, statSync(store.ledgerPath).size]).toEqual([2, size]);
  await store.reopen();
  expect([store.tier(verified), store.trouble()]).toEqual(['verified', undefined]);
  expect(readLedgers(store.places.root)).toMatchObject([{ faults: [] }]);
});
