import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { propose } from '../../../src/actions/agent/propose.ts';
import { type SearchRequest, search } from '../../../src/actions/agent/search.ts';
import type { Session } from '../../../src/actions/session.ts';
import { Disk } from '../../../src/store/disk/disk.ts';
import { openVault } from '../../../src/store/open-vault.ts';
import { AuditLog } from '../../../src/store/records/audit-log.ts';
import { newMemory, TestStore, yes } from '../../../testkit/store.ts';

async function found(store: TestStore, query: string, asked: Partial<SearchRequest> = {}) {
  const { hits } = await search(store.vault, { query, limit: 5, ...asked });
  return hits.map(({ facts }) => `${facts.id} ${facts.tier}`);
}

function sessionOf(store: TestStore): Session {
  const audit = new AuditLog(
    join(store.places.state, 'audit.ndjson'),
    () => new Date(store.now),
    () => {},
  );
  return { vault: store.vault, audit, proposals: 0 };
}

/** Another process on the same store. */
async function elsewhere(store: TestStore) {
  return openVault(store.places, { machine: { name: 'here', identity: 'machine-one' }, now: () => store.now });
}

test('a store without memories says so, and asks for no other wordings', async () => {
  const store = await TestStore.open();
  const nothing = 'The store has no memory to search yet.';
  expect(await search(store.vault, { query: 'rebase', limit: 5 })).toEqual({ hits: [], more: 0, nothing, weak: false });
});

test('a demotion by another process shows in the very next search', async () => {
  const store = await TestStore.open();
  const id = await store.add('merging by rebase');
  expect(await found(store, 'rebase')).toEqual([`${id} verified`]);
  const other = await elsewhere(store);
  const seen = other.load(id);
  if (seen === undefined) throw new Error('not there');
  await other.decide('demote', seen, yes('demote', seen), 'wrong');
  other.close();
  expect(await found(store, 'rebase')).toEqual([]);
});

test('an edit of a hit shows in the very next search: as inferred, with the new text', async () => {
  const store = await TestStore.open();
  const id = await store.add('merging by rebase');
  const path = join(store.places.memories, `${id}.md`);
  writeFileSync(path, readFileSync(path, 'utf8').replace('two cores', 'twenty cores'));
  const { hits } = await search(store.vault, { query: 'rebase', limit: 5 });
  expect(hits.map(({ facts, stored }) => `${facts.tier} ${stored.snippet}`)).toEqual([
    expect.stringMatching(/inferred.*twenty/),
  ]);
});

test('a tier asked for is found behind any number that match better and have another', async () => {
  const store = await TestStore.open();
  const id = await store.add('a rebase among much else that is said about other things here');
  for (let n = 0; n < 120; n++) await store.propose(`rebase rebase ${n}`);
  expect(await found(store, 'rebase', { tier: 'verified' })).toEqual([`${id} verified`]);
});

test('files that are taken away and brought back are gone, then found again', async () => {
  const store = await TestStore.open();
  const id = await store.propose('merging by rebase');
  const path = join(store.places.memories, `${id}.md`);
  renameSync(path, join(store.home, 'away.md'));
  expect(await found(store, 'rebase')).toEqual([]);
  await store.reconcile();
  renameSync(join(store.home, 'away.md'), path);
  await store.reconcile();
  expect(await found(store, 'rebase')).toEqual([`${id} inferred`]);
});

test('two processes that look at the same files at once leave one row for each', async () => {
  const store = await TestStore.open();
  for (const n of [1, 2, 3]) store.write('memories', `user_n${n}`, fileAbout(`rebase number ${n}`));
  const { reconcile } = await import('../../../src/store/reconcile/reconcile.ts');
  const other = await elsewhere(store);
  await Promise.all([store.reconcile(), reconcile(other)]);
  expect(other.count('memories')).toBe(3);
  expect(await found(store, 'rebase')).toHaveLength(3);
  other.close();
});

test('among what matches alike, what a person confirmed goes first, and this project before others', async () => {
  const store = await TestStore.open();
  const [plain, here, confirmed] = [
    await store.propose('rebase one'),
    await store.propose('rebase two', { project: 'a/here' }),
    await store.propose('rebase three'),
  ];
  store.pass(8);
  await store.vault.decide('promote', store.load(confirmed), yes('promote', store.load(confirmed)));
  expect((await found(store, 'rebase'))[0]).toBe(`${confirmed} verified`);
  expect((await found(store, 'rebase', { here: ['a/here'], tier: 'inferred' }))[0]).toBe(`${here} inferred`);
  expect(await found(store, 'rebase', { tier: 'inferred' })).toEqual(expect.arrayContaining([`${plain} inferred`]));
});

test('type, project and tier narrow a search, and an empty answer names them', async () => {
  const store = await TestStore.open();
  await store.propose('rebase one', { type: 'user' });
  await store.propose('rebase two', { type: 'reference', project: 'a/b' });
  expect(await found(store, 'rebase', { type: 'reference' })).toHaveLength(1);
  expect(await found(store, 'rebase', { project: 'a/b' })).toHaveLength(1);
  const { nothing } = await search(store.vault, { query: 'rebase', limit: 5, tier: 'verified' });
  expect(nothing).toContain('tier');
});

test('a query of stop words alone says so and suggests', async () => {
  const store = await TestStore.open();
  const { hits, nothing } = await search(store.vault, { query: 'what is the', limit: 5 });
  expect([hits, nothing]).toEqual([[], expect.stringContaining('add one')]);
});

test('a proposal names near duplicates by their text, whatever they are called', async () => {
  const store = await TestStore.open();
  const body = 'Deploys to production happen on Tuesdays, after the canary has been green for one whole hour.';
  const first = await store.propose('Deploy day', { body });
  await store.propose('Lunch', {
    body: 'The canteen has soup on Tuesdays and nothing else worth the walk over there.',
  });
  const again = newMemory('When to ship', {
    description: 'What is known about Deploy day',
    body: `${body} Not earlier.`,
  });
  const { similar } = await propose(sessionOf(store), again, undefined);
  expect(similar).toEqual([first]);
});

test('a name of mostly the same words is named, one that shares half of them is not', async () => {
  const store = await TestStore.open();
  const named = async (name: string, body: string) =>
    (await propose(sessionOf(store), newMemory(name, { description: body, body }), undefined)).similar;
  await named('Release day', 'Ships leave on Tuesdays when the harbour is calm.');
  expect(await named('Release notes', 'Written by whoever merged last, in plain words.')).toEqual([]);
  expect(await named('The day of the release', 'Nobody starts anything large before lunch.')).toEqual([
    'user_release_day',
  ]);
});

test('the memory whose name was taken is named, also where every memory has its words', async () => {
  const store = await TestStore.open();
  for (let n = 0; n < 20; n++)
    await store.propose(`Deploy ${n}`, { body: `The ${n}th deploy of ours, of which nothing else is known.` });
  await store.propose('Deploy', { body: 'Deploys are made by whoever is on duty.' });
  const { similar } = await propose(
    sessionOf(store),
    newMemory('Deploy', { body: 'Nobody deploys on a Friday after noon.' }),
    undefined,
  );
  expect(similar).toContain('user_deploy');
});

test('near duplicates are named also where every word of theirs is in many memories', async () => {
  const store = await TestStore.open();
  const words = 'release branch review server client database query index cache config token schema'.split(' ');
  const common = { name: 'Kept', description: 'For later' };
  // Every pair of words stands in some of them, no four of those that follow in any.
  for (const [a, one] of words.entries()) {
    for (const other of words.slice(a + 1)) {
      await store.propose('', { ...common, body: `${one} and ${other}, which belong together here` });
    }
  }
  const body = `${words.slice(0, 8).join(' ')} belong together here`;
  const first = await store.propose('', { ...common, body });
  const { similar } = await propose(sessionOf(store), newMemory('', { ...common, body: `${body}.` }), undefined);
  expect(similar[0]).toBe(first);
});

function fileAbout(what: string): string {
  return `---\nname: About ${what}\ndescription: found\ntype: user\n---\nSomething about ${what} that is long enough to be kept.\n`;
}

test('a hit stays short however long its memory is, in any script', async () => {
  const store = await TestStore.open();
  const long = {
    description: 'A long line about the roof. '.repeat(9).trim(),
    body: `${'Words before. '.repeat(60)}The marmalade is here.`,
  };
  await store.propose('The roof', long);
  await store.propose('屋根', {
    description: '屋根について'.repeat(30),
    body: `${'前の言葉。'.repeat(100)}マーマレード`,
  });
  for (const query of ['marmalade', 'マーマレード']) {
    const [hit] = (await search(store.vault, { query, limit: 5 })).hits;
    expect(hit?.stored.snippet.toString()).toContain(query);
    expect(Buffer.byteLength(JSON.stringify(hit?.stored))).toBeLessThan(300);
  }
});

/** Tells which memories were read. */
class WatchedDisk extends Disk {
  readonly seen: string[] = [];

  override read(path: string, atMost: number) {
    if (path.endsWith('.md')) this.seen.push(basename(path, '.md'));
    return super.read(path, atMost);
  }
}

test('no file is read that is not given, unless it is verified or corrects another, which can change what comes first', async () => {
  const store = await TestStore.open();
  const verified = await store.add('what nearly all say of the old rebase');
  const others: string[] = [];
  for (let n = 0; n < 8; n++) others.push(await store.propose(`the rebase rebase ${n}`));
  const disk = new WatchedDisk();
  await store.reopen({ disk });
  disk.seen.length = 0;
  expect(await found(store, 'rebase', { limit: 7, tier: 'inferred' })).toHaveLength(7);
  expect(disk.seen).toHaveLength(7);
  disk.seen.length = 0;
  await found(store, 'rebase', { limit: 8 });
  expect(new Set(disk.seen)).toEqual(new Set([...others, verified]));
});
