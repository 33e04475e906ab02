import { expect, test } from 'vitest';
import type { Conflict } from '../../../src/store/ledger/conflicts.ts';
import { TestStore } from '../../../testkit/store.ts';

const DIGEST = 'd'.repeat(64);

test('a flood of new conflicts frees no older text, and forgets nothing that a person chose', async () => {
  const store = await TestStore.open();
  const verified = await store.verified('deploys');
  const withDigest = store.load(verified).digest ?? '';
  const between = (id: string): Conflict => ({ id, digest: DIGEST, with: verified, withDigest });
  const { conflicts } = store.vault;
  const rivals = (id: string) => [...conflicts.rivalsOf({ id, digest: DIGEST })];
  conflicts.add([between('user_kept'), between('user_old')]);
  conflicts.keepBoth({ id: 'user_kept', digest: DIGEST }, { id: verified, digest: withDigest });
  conflicts.add(Array.from({ length: 2_100 }, (_, n) => between(`user_flood_${n}`)));
  expect(rivals('user_old')).toEqual([verified]);
  expect(conflicts.knows('user_kept')).toBe(true);
  expect(rivals('user_kept')).toEqual([]);
  expect(conflicts.partnersOf(verified)).toHaveLength(2_000);
});

test('two thousand texts that are gone keep no place from one that is here', async () => {
  const store = await TestStore.open();
  const verified = await store.verified('deploys');
  const withDigest = store.load(verified).digest ?? '';
  const { conflicts } = store.vault;
  const gone = (n: number): Conflict => ({
    id: 'user_edited_often',
    digest: `${n}`.padStart(64, '0'),
    with: verified,
    withDigest,
  });
  conflicts.add(Array.from({ length: 2_000 }, (_, n) => gone(n)));
  const here = store.load(await store.propose('releases'));
  conflicts.add([{ id: here.id, digest: here.digest ?? '', with: verified, withDigest }]);
  expect(conflicts.of(here)).toBe(verified);
});
