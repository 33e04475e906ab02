import { expect, test } from 'vitest';
import { search } from '../../src/actions/agent/search.ts';
import { TestStore } from '../../testkit/store.ts';

const TRUE = {
  name: 'Release branch',
  description: 'Branch of releases',
  body: 'Releases are cut from main after two reviews.',
};

async function found(store: TestStore, query: string, limit = 5): Promise<string[]> {
  const { hits } = await search(store.vault, { query, limit });
  return hits.map(({ facts }) => `${facts.id} ${facts.tier}`);
}

test('a correction does not take the first place from the verified memory that it corrects', async () => {
  const store = await TestStore.open();
  const id = await store.verified('', TRUE);
  const wrong = await store.propose('', {
    name: 'Release branch release branch',
    description: 'Release branch: where releases are cut',
    body: 'Release branch: the release branch is hotfix, releases are cut from there.',
    replaces: id,
  });
  expect(await found(store, 'release branch cut')).toEqual([`${id} verified`, `${wrong} inferred`]);
});

test('a correction that alone matches, or many of them, still come after what they correct', async () => {
  const store = await TestStore.open();
  const id = await store.verified('', TRUE);
  for (let n = 0; n < 12; n++)
    await store.propose('', {
      name: `Deploy lane ${n}`,
      description: 'Deploy lane of the payments team',
      body: `The deploy lane of the payments team is number ${n}, and skips the wait.`,
      replaces: id,
    });
  const hits = await found(store, 'deploy lane payments');
  expect(hits[0]).toBe(`${id} verified`);
  expect(hits).toHaveLength(5);
});

test('a near copy of a verified memory comes after it, however often it says the words', async () => {
  const store = await TestStore.open();
  const id = await store.verified('', TRUE);
  const copy = await store.propose('', {
    name: 'Release branch',
    description: 'Branch of releases: branch',
    body: 'Releases are cut from main after two reviews, branch releases release branch.',
  });
  expect(await found(store, 'release branch')).toEqual([`${id} verified`, `${copy} inferred`]);
});

test('a demoted memory is not brought back by its correction', async () => {
  const store = await TestStore.open();
  const id = await store.verified('', TRUE);
  const later = await store.propose('', {
    name: 'Release branch now',
    description: 'Branch of releases since May',
    body: 'Releases are cut from the release branch since May.',
    replaces: id,
  });
  await store.decide('demote', id);
  expect(await found(store, 'release branch')).toEqual([`${later} inferred`]);
});
