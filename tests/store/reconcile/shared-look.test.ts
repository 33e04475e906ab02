import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { search } from '../../../src/actions/agent/search.ts';
import { fileWith } from '../../../src/core/checks/sample-file.ts';
import { Disk } from '../../../src/store/disk/disk.ts';
import { reconcile, scanOnce } from '../../../src/store/reconcile/reconcile.ts';
import { CLIENTS, makeHome } from '../../../testkit/clients.ts';
import { ROOT } from '../../../testkit/program.ts';
import { TestStore } from '../../../testkit/store.ts';

const FILES = 200;

class CountingDisk extends Disk {
  reads = 0;
  override read(path: string, atMost: number) {
    if (path.includes('/memories/')) this.reads += 1;
    return super.read(path, atMost);
  }
}

async function atOnce(many: number): Promise<{ stores: TestStore[]; disks: CountingDisk[] }> {
  const first = await TestStore.open();
  for (let at = 0; at < FILES; at++) first.write('memories', `user_number_${at}`, fileWith({ name: `Number ${at}` }));
  first.vault.close();
  const disks = Array.from({ length: many }, () => new CountingDisk());
  const stores = await Promise.all(disks.map((disk) => TestStore.open({ home: first.home, disk })));
  return { stores, disks };
}

const scanOf = ({ vault }: TestStore) => scanOnce(vault, () => reconcile(vault));
const finds = async ({ vault }: TestStore) => (await search(vault, { query: 'number', limit: 5 })).hits.length;

test('four processes that start at once read each file once between them, and all find what was read', async () => {
  const { stores, disks } = await atOnce(4);
  await Promise.all(stores.map(scanOf));
  expect(disks.reduce((sum, { reads }) => sum + reads, 0)).toBeLessThan(2 * FILES);
  for (const store of stores) expect(await finds(store)).toBe(5);
});

test('a change that came while another process scanned is seen by those who waited', async () => {
  const { stores } = await atOnce(2);
  const [first, second] = stores as [TestStore, TestStore];
  const scanning = scanOnce(first.vault, async () => {
    await reconcile(first.vault);
    first.write('memories', 'user_number_1', fileWith({ name: 'Marmalade' }));
  });
  await Promise.all([scanning, scanOf(second)]);
  expect((await search(second.vault, { query: 'marmalade', limit: 5 })).hits).toHaveLength(1);
});

test('a scan that failed is taken over by whoever waited', async () => {
  const { stores } = await atOnce(2);
  const [first, second] = stores as [TestStore, TestStore];
  const failing = scanOnce(first.vault, () => Promise.reject(new Error('cut short')));
  await expect(failing).rejects.toThrow('cut short');
  await scanOf(second);
  expect(await finds(second)).toBe(5);
});

test('a process that was killed while it scanned is taken over by whoever waited', async () => {
  const { stores } = await atOnce(1);
  const [store] = stores as [TestStore];
  await scanOf(store);
  const [name = ''] = readdirSync(store.places.cache).filter((each) => /^look-.*\.db$/.test(each));
  const script = `
    const db = new (require('better-sqlite3'))(process.argv[1]);
    db.exec('BEGIN IMMEDIATE');
    console.log('scanning');
    setInterval(() => require('fs').utimesSync(process.argv[1], new Date(), new Date()), 500);`;
  const scanner = spawn(process.execPath, ['-e', script, join(store.places.cache, name)], { cwd: ROOT });
  onTestFinished(() => void scanner.kill('SIGKILL'));
  await new Promise((resolve) => scanner.stdout.once('data', resolve));
  store.write('memories', 'user_number_1', fileWith({ name: 'Marmalade' }));
  let over = false;
  const scanned = scanOf(store).then(() => {
    over = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(over).toBe(false);
  scanner.kill('SIGKILL');
  await scanned;
  expect((await search(store.vault, { query: 'marmalade', limit: 5 })).hits).toHaveLength(1);
});

test('four real servers started at once on a store nobody has read answer, each from the whole of it', async () => {
  const home = makeHome();
  onTestFinished(() => home.remove());
  const first = await CLIENTS[0]?.connect({ home });
  await first?.callTool('search_memories', { query: 'anything' });
  await first?.close();
  const memories = join(home.folder, '.surety/memories');
  for (let at = 0; at < FILES; at++)
    writeFileSync(join(memories, `user_number_${at}.md`), fileWith({ name: at === 7 ? 'Marmalade' : `Number ${at}` }));
  const sessions = await Promise.all(Array.from({ length: 4 }, () => CLIENTS[0]?.connect({ home })));
  const answers = await Promise.all(
    sessions.map((session) => session?.callTool('search_memories', { query: 'marmalade' })),
  );
  for (const answer of answers) expect(answer?.text).toContain('user_number_7');
  for (const session of sessions) await session?.close();
});
