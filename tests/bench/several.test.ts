import { setImmediate as later } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { several, turns } from '../../bench/poison/several.ts';

/** Work that notes how many of it are under way at once. */
function watched() {
  let [underWay, most] = [0, 0];
  const work = async (rounds: number) => {
    most = Math.max(most, ++underWay);
    for (let round = 0; round < rounds; round++) await later();
    underWay -= 1;
    return rounds;
  };
  return { work, most: () => most };
}

test('results come in the order of what was asked, with at most so many under way', async () => {
  const { work, most } = watched();
  expect(await several(3, [5, 1, 4, 2, 3, 1], work)).toEqual([5, 1, 4, 2, 3, 1]);
  expect(most()).toBe(3);
  expect(await several(3, [], work)).toEqual([]);
});

test('a turn is given when another one ends, also if that one failed', async () => {
  const { work, most } = watched();
  const inTurn = turns(2);
  const failed = inTurn(() => Promise.reject(new Error('it failed')));
  const rest = [4, 1, 2, 3].map((rounds) => inTurn(() => work(rounds)));
  await expect(failed).rejects.toThrow('it failed');
  expect(await Promise.all(rest)).toEqual([4, 1, 2, 3]);
  expect(most()).toBe(2);
});
