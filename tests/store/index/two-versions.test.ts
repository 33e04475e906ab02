import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { search } from '../../../src/actions/agent/search.ts';
import { fileWith } from '../../../src/core/checks/sample-file.ts';
import { Disk } from '../../../src/store/disk/disk.ts';
import { IndexFiles } from '../../../src/store/index/index-files.ts';
import { SearchIndex } from '../../../src/store/index/search-index.ts';
import { insideOf } from '../../../src/store/vault/inside-of-vault.ts';
import { indexIn, TestStore, temporaryFolder } from '../../../testkit/store.ts';

/** Counts how often a memory's file is read. */
class CountingDisk extends Disk {
  override read(...[path, atMost]: Parameters<Disk['read']>) {
    if (path.includes('/memories/')) this.reads += 1;
    return super.read(path, atMost);
  }
  reads = 0;
}

/** A system on which a file that somebody has open cannot be deleted. */
class HoldingDisk extends Disk {
  held: string | undefined;
  protected override unlink(path: string): void {
    if (path === this.held) throw Object.assign(new Error('it is open'), { code: 'EBUSY' });
    super.unlink(path);
  }
}

const FILES = 30;
const MONTH = 31 * 86_400_000;

async function filled(rules: string, disk = new CountingDisk()): Promise<TestStore> {
  const store = await TestStore.open({ rules, disk });
  for (let at = 0; at < FILES; at++) store.write('memories', `user_number_${at}`, fileWith({ name: `Number ${at}` }));
  await store.reconcile();
  return store;
}

const indexes = (store: TestStore) => readdirSync(store.places.cache).filter((name) => /^index.*\.db$/.test(name));

function ago(path: string, ms: number): void {
  const then = new Date(Date.now() - ms);
  utimesSync(path, then, then);
}

test('two versions in turn on one store each keep their index: a file that did not change is read by neither', async () => {
  const store = await filled('the rules of one version');
  await store.reopen({ rules: 'the rules of another' });
  await store.reconcile();
  const disk = new CountingDisk();
  for (const rules of ['the rules of one version', 'the rules of another', 'the rules of one version']) {
    await store.reopen({ rules, disk });
    await store.reconcile();
  }
  expect(disk.reads).toBe(0);
  expect(indexes(store)).toHaveLength(2);
});

test('an index of another schema is left to the version that made it', async () => {
  const store = await TestStore.open();
  const theirs = join(store.places.cache, 'index.db');
  const db = new Database(theirs);
  db.exec('CREATE TABLE other (version TEXT)');
  db.close();
  await store.propose('merging by rebase');
  await store.reconcile();
  expect(existsSync(theirs)).toBe(true);
  expect(store.complaints).toEqual([]);
});

test('a version whose rules are new finds at once what the one before it had read', async () => {
  const store = await filled('old');
  const disk = new CountingDisk();
  await store.reopen({ rules: 'new', disk });
  const { hits } = await search(store.vault, { query: 'number', limit: 5 });
  expect(hits).toHaveLength(5);
  expect(disk.reads).toBeLessThan(FILES);
  await store.reconcile();
  expect(disk.reads).toBeGreaterThanOrEqual(FILES);
});

test('an index that was lost is filled from the files and not from an older version’s', async () => {
  const store = await filled('old');
  await store.reopen({ rules: 'new' });
  await store.propose('merging by rebase');
  await store.reconcile();
  const { current } = new IndexFiles(store.places.cache, 'new', new Disk());
  for (const suffix of ['', '-wal', '-shm']) if (existsSync(current + suffix)) new Disk().remove(current + suffix);
  const { hits } = await search(store.vault, { query: 'rebase', limit: 5 });
  expect(hits.map(({ facts }) => facts.id)).toEqual(['user_merging_by_rebase']);
});

test('an index that no process has used for a month is removed; one from last week stays', async () => {
  const store = await filled('old');
  store.vault.close();
  const old = indexIn(store.places.cache);
  const oldest = join(store.places.cache, 'index.db');
  writeFileSync(oldest, '');
  ago(old, MONTH / 4);
  ago(oldest, MONTH);
  await store.reopen({ rules: 'new' });
  await store.reconcile();
  expect([existsSync(old), existsSync(oldest)]).toEqual([true, false]);
  store.vault.close();
  ago(old, MONTH);
  await store.reopen({ rules: 'newer' });
  await store.reconcile();
  expect(existsSync(old)).toBe(false);
});

test('an index that a process has open is not removed, however old its time is', async () => {
  const store = await filled('old');
  const old = indexIn(store.places.cache);
  for (const suffix of ['', '-wal']) ago(old + suffix, MONTH);
  const other = new SearchIndex(store.places.cache, 'new', new Disk());
  expect(other.count('memories')).toBe(FILES);
  other.close();
  expect(existsSync(old)).toBe(true);
});

test('an index that is damaged and cannot be deleted is replaced under another name, for every process', async () => {
  const disk = new HoldingDisk();
  const folder = temporaryFolder();
  const files = new IndexFiles(folder, '', disk);
  disk.held = files.current;
  writeFileSync(disk.held, 'garbage '.repeat(2_000));
  const index = new SearchIndex(folder, '', disk);
  expect(index.count('memories')).toBe(0);
  expect(index.bytes).toBeGreaterThan(0);
  expect(files.current).not.toBe(disk.held);
  const other = new SearchIndex(folder, '', disk);
  other.completed(other.opening);
  expect(index.isComplete).toBe(true);
  for (const each of [index, other]) each.close();
});

test('a process notices that another one has replaced an index that it could not delete', async () => {
  const disk = new HoldingDisk();
  const folder = temporaryFolder();
  const [here, there] = [new SearchIndex(folder, '', disk), new SearchIndex(folder, '', disk)];
  for (const each of [here, there]) expect(each.isComplete).toBe(false);
  disk.held = new IndexFiles(folder, '', disk).current;
  expect(() => here.discard()).toThrow('it is open');
  here.completed(here.opening);
  expect(there.isComplete).toBe(true);
  for (const each of [here, there]) each.close();
});

test('throwing the index away throws away those of all versions', async () => {
  const store = await filled('old');
  await store.reopen({ rules: 'new' });
  await store.reconcile();
  expect(indexes(store)).toHaveLength(2);
  insideOf(store.vault).index.discard();
  expect(indexes(store)).toEqual([]);
});
