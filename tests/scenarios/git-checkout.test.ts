import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CLIENTS, type Home, makeHome, type Session } from '../../testkit/clients.ts';
import { prepare, sharedEnv } from '../../testkit/prepared.ts';
import { DAY, type TestStore } from '../../testkit/store.ts';

let home: Home;
let store: TestStore;
let session: Session;
beforeEach(async () => {
  home = makeHome();
  store = await prepare(home);
  store.now = Date.now() - 60 * DAY;
});
afterEach(() => home.remove());

function git(...args: string[]): void {
  const who = ['-c', 'user.name=Somebody', '-c', 'user.email=somebody@example.org', '-c', 'commit.gpgsign=false'];
  execFileSync('git', ['-C', store.places.root, ...who, ...args], { stdio: 'ignore' });
}

async function found(query: string): Promise<string[]> {
  const { structured } = await session.callTool('search_memories', { query });
  return (structured as { hits: { id: string; tier: string }[] }).hits.map(({ id, tier }) => `${id} ${tier}`);
}

async function serving(): Promise<void> {
  const [any] = CLIENTS;
  if (any === undefined) throw new Error('no client');
  session = await any.connect({ home, env: sharedEnv(home) });
}

test('a git checkout while a server runs: a hit it takes away is gone at once, one it brings is found by itself', async () => {
  const id = await store.propose('merging by rebase');
  await store.propose('naming of branches');
  git('init', '-q', '-b', 'before');
  git('add', 'memories');
  git('commit', '-qm', 'both');
  git('checkout', '-qb', 'after');
  git('rm', '-q', `memories/${id}.md`);
  git('commit', '-qm', 'one of them');
  git('checkout', '-q', 'before');
  await serving();
  expect(await found('rebase')).toEqual([`${id} inferred`]);
  git('checkout', '-q', 'after');
  expect(await found('rebase')).toEqual([]);
  git('checkout', '-q', 'before');
  await expect.poll(() => found('rebase')).toEqual([`${id} inferred`]);
  await session.close();
});

test('a demotion and an edit by another process show in the very next search of a running server', async () => {
  const [demoted, edited] = [await store.verified('merging by rebase'), await store.verified('deploying by rebase')];
  await serving();
  expect((await found('rebase')).toSorted()).toEqual([`${edited} verified`, `${demoted} verified`]);
  await store.decide('demote', demoted, 'wrong');
  store.edit(edited, (text) => text.replace('two cores', 'twenty cores'));
  expect(await found('rebase')).toEqual([`${edited} inferred`]);
  await session.close();
});

test('an index that is deleted under a running server is made anew by its next search', async () => {
  const id = await store.propose('merging by rebase');
  await serving();
  expect(await found('rebase')).toEqual([`${id} inferred`]);
  rmSync(store.places.cache, { recursive: true });
  expect(await found('rebase')).toEqual([`${id} inferred`]);
  await session.close();
});
