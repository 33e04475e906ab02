import { expect, test } from 'vitest';
import { TestStore } from '../../../testkit/store.ts';

test('a proposal is inferred, is promoted after a week by a person, and is verified then', async () => {
  const store = await TestStore.open();
  const id = await store.propose('the build');
  expect(id).toBe('user_the_build');
  expect(store.standing(id)).toBe('inferred:proposed');
  await expect(store.decide('promote', id)).rejects.toMatchObject({ code: 'observation-running' });
  store.pass(7);
  const { loaded } = await store.decide('promote', id);
  expect(loaded.standing.tier).toBe('verified');
  await store.reopen();
  expect(store.standing(id)).toBe('verified:vouched');
  await store.decide('demote', id, 'no longer true');
  expect(store.standing(id)).toBe('quarantined:decided');
  expect(store.files('memories')).toEqual([]);
  expect(store.text('quarantine', id)).toContain('quarantine-reason: no longer true');
  await store.decide('restore', id);
  expect(store.standing(id)).toBe('verified:vouched');
  expect(store.text('memories', id)).not.toContain('quarantine');
  await store.decide('reaffirm', id);
  expect(store.standing(id)).toBe('verified:vouched');
  expect(store.complaints).toEqual([]);
});
