import { expect, test } from 'vitest';
import { queries, samples } from '../../../bench/corpus.ts';
import { search } from '../../../src/actions/agent/search.ts';
import { TestStore } from '../../../testkit/store.ts';

/** Where the memories that a query finds stand in the order they were written, best first. */
async function orders(asked: readonly string[]): Promise<string[]> {
  const store = await TestStore.open();
  const ids: string[] = [];
  for (const [at, { name, description, body }] of [...samples(60, 7)].entries()) {
    const changes = { name: `${name} ${at}`, description, body };
    ids.push(at % 4 === 0 ? await store.add('', changes) : await store.propose('', changes));
  }
  const found: string[] = [];
  for (const query of asked) {
    const { hits } = await search(store.vault, { query, limit: 6 });
    found.push(hits.map(({ facts }) => ids.indexOf(facts.id)).join(' '));
  }
  return found;
}

// Taken before searches had other wordings and memories had hints: a query alone must go on to find the same in the same order.
test('a query alone finds what it found before there were other wordings and hints, in that order', async () => {
  expect(await orders([...queries('common', 12, 3), ...queries('ordinary', 12, 4)])).toMatchInlineSnapshot(`
    [
      "2 34 58 8 18 7",
      "43 24 29 47 55 7",
      "56 24 16 9 12 21",
      "20 16 47 25 35 54",
      "29 27 55 7 34 58",
      "34 28 2 21 6 13",
      "48 25 59 51 21 34",
      "27 47 25 29 7 33",
      "58 50 42 10 24 25",
      "29 27 58 34 55 7",
      "21 24 34 13 28 31",
      "34 31 7 13 21 24",
      "47 43 24 50 10 29",
      "7 34 29 58 24 18",
      "21 13 24 34 31 28",
      "5 0 7 33 2 29",
      "7 29 34 58 43 8",
      "47 11 43 27 25 49",
      "22 13 31 28 21 24",
      "30 49 37 10 24 16",
      "24 48 12 34 16 25",
      "25 28 21 13 6 24",
      "34 13 7 6 24 26",
      "7 21 6 28 24 22",
    ]
  `);
});
