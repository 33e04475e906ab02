import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Disk } from '../../src/store/disk/disk.ts';
import type { IndexRow } from '../../src/store/index/rows.ts';
import { thisMachine } from '../../src/store/places/host.ts';
import { updateIndex, updateIndexByNames } from '../../src/store/reconcile/reconcile.ts';
import { insideOf } from '../../src/store/vault/inside-of-vault.ts';
import { CLIENTS } from '../../testkit/clients.ts';
import { runHook } from '../../testkit/run-hook.ts';
import { TestStore } from '../../testkit/store.ts';
import { storeTenDaysAgo } from '../../testkit/terminal.ts';

/** More than are scanned in full when a session begins. */
const CROWD = 251;
const OPENED = { hook_event_name: 'SessionStart', source: 'startup' } as const;

/** Files that the index knows, and that nobody has to read. */
async function crowded(store: TestStore): Promise<TestStore> {
  await store.reconcile();
  const { rules, index, parseCache } = insideOf(store.vault);
  const rows = Array.from({ length: CROWD }, (_, n): IndexRow => {
    const stem = `reference_crowd_${n}`;
    writeFileSync(join(store.places.memories, `${stem}.md`), 'x');
    const stamp = { inode: 0n, size: 1, modified: 0n };
    const facts = { place: 'memories', stem, stamp, id: null, claim: null, digest: null, saying: null } as const;
    const row = { ...facts, rules, blocked: null, held: null, anchored: 0 } as const;
    return { ...row, seal: parseCache.sealOfRow(row), reading: null, text: null };
  });
  index.put(rows);
  return store;
}

/** Tells which files were read. */
class Watched extends Disk {
  readonly seen: string[] = [];

  override stamp(path: string) {
    if (path.endsWith('.md')) this.seen.push(path);
    return super.stamp(path);
  }
}

test('a scan of the names of a large store takes in what is new and drops what is gone, and reads no other file', async () => {
  const store = await TestStore.open();
  const [kept, gone] = [await store.verified('the build'), await store.propose('the weather')];
  await crowded(store);
  const disk = new Watched();
  await store.reopen({ disk });
  const { index } = insideOf(store.vault);
  store.remove(gone);
  store.write('memories', 'user_new', store.text('memories', kept).replaceAll('the build', 'the ports'));
  store.write('memories', 'no id', 'x');
  store.edit(kept, (text) => text.replace('two cores', 'four cores'));
  const before = index.get('memories', kept);
  const { notices, files } = await updateIndexByNames(store.vault);
  expect(notices.map(({ kind, stem }) => `${kind} ${stem}`)).toEqual([
    'not-an-id no id',
    'added user_new',
    `removed ${gone}`,
  ]);
  expect(files).toBe(CROWD + 3);
  expect(index.get('memories', gone)).toBeUndefined();
  expect(index.get('memories', 'user_new')?.digest).toBe(store.load('user_new').digest);
  // What became of a file that is known is not noticed, and counts wherever the file is read.
  expect(index.get('memories', kept)).toEqual(before);
  expect(disk.seen).not.toEqual([]);
  expect(disk.seen.filter((path) => !path.endsWith('user_new.md'))).toEqual([]);
  expect(store.standing(kept)).toBe('inferred:changed');
});

test('a scan of the names of a store that is not large is a full scan', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  store.edit(id, (text) => text.replace('two cores', 'four cores'));
  const { notices } = await updateIndexByNames(store.vault);
  expect(notices.map(({ kind, stem }) => `${kind} ${stem}`)).toEqual([`changed ${id}`]);
});

test('a scan of the names with an index that is not whole is a full scan', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  await crowded(store);
  insideOf(store.vault).index.discard();
  await updateIndexByNames(store.vault);
  expect(insideOf(store.vault).index.get('memories', id)?.digest).toBe(store.load(id).digest);
  expect(store.vault.indexState().complete).toBe(true);
});

test('in a large store a session begins with memories as their files are now', async () => {
  const store = await storeTenDaysAgo();
  const edited = await store.add('the build');
  const [kept, demoted, removed] = [
    await store.add('the ports'),
    await store.add('the old ports'),
    await store.add('the wind'),
  ];
  await crowded(store);
  store.edit(edited, (text) => text.replace('two cores', 'zyxcores'));
  await store.decide('demote', demoted);
  store.remove(removed);
  const { code, answer } = await runHook(store.home, 'session-start', OPENED);
  const context = answer?.hookSpecificOutput?.additionalContext ?? '';
  expect(code).toBe(0);
  expect(context).toContain('items="2"');
  expect(context).toContain(`id="${kept}" tier="verified"`);
  expect(context).toContain(`id="${edited}" tier="inferred"`);
  expect(context).toContain('zyxcores');
});

test('the first search in a large store has what came while no server ran, and every hit as its file is', async () => {
  const store = await TestStore.open({ machine: thisMachine() });
  store.now = Date.now();
  const edited = await store.add('the build');
  await crowded(store);
  store.edit(edited, (text) => text.replace('two cores', 'zyxcores'));
  store.write('memories', 'user_new', store.text('memories', edited).replaceAll('the build', 'the zyxbuild'));
  store.vault.close();
  const env = { PATH: process.env.PATH ?? '', HOME: store.home };
  const session = await CLIENTS[0]?.connect({ home: { folder: store.home, env, leftovers: [], remove: () => {} } });
  if (session === undefined) throw new Error('no client');
  const { text } = await session.callTool('search_memories', { query: 'the build' });
  expect(text).toContain(`"id":"${edited}","tier":"inferred"`);
  expect(text).toContain('zyxcores');
  expect((await session.callTool('search_memories', { query: 'zyxbuild' })).text).toContain('user_new');
  await session.close();
});

test('a full scan after one of the names does what that one left', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  await crowded(store);
  store.edit(id, (text) => text.replace('two cores', 'four cores'));
  await updateIndexByNames(store.vault);
  await updateIndex(store.vault);
  expect(insideOf(store.vault).index.get('memories', id)?.digest).toBe(store.load(id).digest);
});
