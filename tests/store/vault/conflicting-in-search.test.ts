import { beforeEach, expect, test } from 'vitest';
import { noteContradictions } from '../../../src/actions/contradictions.ts';
import { parseWordings } from '../../../src/core/search/wordings.ts';
import { sessionOf } from '../../../testkit/review-page.ts';
import { TestStore } from '../../../testkit/store.ts';

// Where a text that contradicts a verified one stands among what a search gives.

let store: TestStore;
let verified: string;
beforeEach(async () => {
  store = await TestStore.open();
  verified = await store.add('Deploy day', {
    description: 'When the shop is deployed',
    body: 'We deploy the shop on Tuesdays, after the standup.',
  });
});

async function propose(name: string, body: string): Promise<string> {
  const id = await store.propose(name, { description: name, body });
  await noteContradictions(sessionOf(store), store.load(id));
  return id;
}

/** Texts that the question finds too, and less of it. */
async function proposeOthers(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 1; at <= count; at++) ids.push(await propose(`Freezers ${at}`, `Turquoise freezers, row ${at}.`));
  return ids;
}

const contradict = (day: string) =>
  propose('Deploying the shop', `We deploy the shop on ${day}, after the standup. Turquoise zeppelins, freezers.`);
const QUESTION = 'turquoise freezers zeppelins';

async function found(query: string, limit: number): Promise<string[]> {
  const { found: some } = await store.vault.find(parseWordings([query]), { limit }, false);
  return some.map(({ loaded }) => loaded.id);
}

test('it keeps its place before weaker matches, and comes last of what is given', async () => {
  const others = await proposeOthers(6);
  const id = await contradict('Thursdays');
  expect(store.vault.conflicts.of(store.load(id))).toBe(verified);
  const given = await found(QUESTION, 5);
  expect(given).toHaveLength(5);
  expect(given.at(-1)).toBe(id);
  expect(given.at(-2)).toBe(verified);
  expect(others).toEqual(expect.arrayContaining(given.slice(0, -2)));
});

test('the memory that it contradicts is given before it, even to a question that it alone answers', async () => {
  const id = await contradict('Thursdays');
  expect(await found(QUESTION, 5)).toEqual([verified, id]);
  expect(await found(QUESTION, 1)).toEqual([verified]);
});

test('what answers the question best stays first, also where one hit is wanted', async () => {
  const best = await propose('Zeppelins', 'Turquoise freezers, turquoise zeppelins: freezers of zeppelins.');
  const id = await contradict('Thursdays');
  expect(await found(QUESTION, 5)).toEqual([best, verified, id]);
  expect(await found(QUESTION, 2)).toEqual([best, verified]);
  expect(await found(QUESTION, 1)).toEqual([best]);
});

test('of several that contradict a verified memory only the best match keeps its place', async () => {
  const flood: string[] = [];
  for (const day of ['Mondays', 'Wednesdays', 'Thursdays']) flood.push(await contradict(day));
  for (const id of flood) expect(store.vault.conflicts.of(store.load(id))).toBe(verified);
  const others = await proposeOthers(4);
  const given = await found(QUESTION, 5);
  expect(given.filter((id) => flood.includes(id))).toHaveLength(1);
  expect(given.filter((id) => others.includes(id))).toHaveLength(3);
  expect(given.at(-2)).toBe(verified);
  expect(flood).toContain(given.at(-1));
});

test('what a person said no to comes after all others, as before', async () => {
  const declined = await propose('Zeppelins', 'Turquoise zeppelins, freezers, for decoration.');
  await store.vault.decline(store.load(declined), { channel: 'page', level: 3, client: null });
  await proposeOthers(5);
  expect(await found(QUESTION, 5)).not.toContain(declined);
  expect((await found(QUESTION, 6)).at(-1)).toBe(declined);
});
