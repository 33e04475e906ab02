import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sync } from '../../../src/actions/sync/sync.ts';
import { Disk, type FolderEntry } from '../../../src/store/disk/disk.ts';
import { BODY, bareRemote, Intruder, Machine, memoryFile } from '../../../testkit/fleet.ts';
import { temporaryFolder } from '../../../testkit/store.ts';

/** Counts how often memories' and ledgers' files are read. */
class CountingDisk extends Disk {
  memories = 0;
  ledgers = 0;

  override readPortions(path: string, offset: number): Iterable<Buffer | undefined> {
    if (path.includes('/ledger/')) this.ledgers += 1;
    return super.readPortions(path, offset);
  }

  override read(path: string, atMost: number): FolderEntry {
    if (/memories\/[^/]*\.md$/.test(path)) this.memories += 1;
    return super.read(path, atMost);
  }
}

const LONG_AGO = new Date('2026-01-01T00:00:00Z');

async function storeOf(count: number, disk: Disk): Promise<Machine> {
  const desk = await Machine.open('desk', bareRemote(), { disk });
  for (let n = 0; n < count; n++) {
    desk.store.write('memories', `user_note_${n}`, memoryFile(`Note ${n}`, `${BODY} It is number ${n}.`));
    utimesSync(join(desk.root, 'memories', `user_note_${n}.md`), LONG_AGO, LONG_AGO);
  }
  expect(await desk.sync()).toMatchObject({ code: 0, sent: count });
  return desk;
}

test('a sync with nothing to do reads no memory and no entry of a ledger, and one with a change reads that one', async () => {
  const disk = new CountingDisk();
  const desk = await storeOf(20, disk);
  utimesSync(join(desk.root, 'ledger', `${desk.fingerprint}.jsonl`), LONG_AGO, LONG_AGO);
  await desk.sync();
  await desk.store.reopen();
  Object.assign(disk, { memories: 0, ledgers: 0 });
  expect(await sync(desk.session)).toMatchObject({ code: 0, sent: 0 });
  expect({ memories: disk.memories, ledgers: disk.ledgers }).toEqual({ memories: 0, ledgers: 0 });

  desk.store.edit('user_note_7', (text) => text.replace('number 7', 'number seven'));
  await desk.store.reopen();
  disk.memories = 0;
  expect(await sync(desk.session)).toMatchObject({ code: 0, sent: 1 });
  expect(disk.memories).toBeLessThan(10);
  expect(desk.store.load('user_note_7').firstSeen).toBeDefined();
});

/** Puts a git into PATH that notes its calls; returns what reads them. */
function countedGit(): () => string {
  const [bin, { PATH = '' }] = [temporaryFolder(), process.env];
  const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$*" >> ${bin}/calls\nexec ${real} "$@"\n`);
  chmodSync(join(bin, 'git'), 0o755);
  process.env.PATH = `${bin}:${PATH}`;
  onTestFinished(() => {
    process.env.PATH = PATH;
  });
  return () => readFileSync(join(bin, 'calls'), 'utf8');
}

test('a sync with nothing to do does not ask git for the addresses that its settings name', async () => {
  const desk = await storeOf(1, new Disk());
  const callsOfGit = countedGit();
  expect(await desk.sync()).toMatchObject({ code: 0, sent: 0 });
  const calls = callsOfGit();
  expect(calls).toMatch(/ fetch /);
  expect(calls).not.toMatch(/ remote get-url /);
});

test('git is asked once about all files of others that come in, and not once for each', async () => {
  const desk = await storeOf(1, new Disk());
  const intruder = new Intruder(desk.remote);
  for (let n = 0; n < 50; n++) intruder.write(`memories/note ${n}.txt`, `note ${n}`);
  intruder.push();
  const callsOfGit = countedGit();
  expect(await desk.sync()).toMatchObject({ code: 2 });
  expect(callsOfGit().match(/ --batch-check$/gm)?.length).toBeLessThan(10);
});

test('a machine that was told of stays so after syncs with nothing to do', async () => {
  const desk = await storeOf(1, new Disk());
  const here = await Machine.open('here', desk.remote);
  expect((await here.sync()).notices).toMatchObject([{ kind: 'machine' }]);
  for (let n = 0; n < 3; n++) expect((await here.sync()).notices).toEqual([]);
  await desk.store.propose('the build');
  await desk.sync();
  await here.store.reopen();
  expect(await sync(here.session)).toMatchObject({ received: 1, notices: [] });
});

test('what is remembered of files can be thrown away, and made up it hides no change', async () => {
  const desk = await storeOf(3, new Disk());
  const known = join(desk.store.places.cache, 'blobs.json');
  const before = readFileSync(known, 'utf8');
  expect(before).toContain('user_note_1');
  writeFileSync(known, '{"files":{}}');
  expect(await desk.sync()).toMatchObject({ code: 0, sent: 0 });

  // As somebody would who wants a changed file to count as the one that was sent.
  desk.store.edit('user_note_1', (text) => text.replace('number 1', 'number I'));
  const { ino, size, mtimeNs } = statSync(join(desk.root, 'memories', 'user_note_1.md'), { bigint: true });
  const pattern = /("memories\/user_note_1\.md":\[)"\d+",\d+,"\d+"/;
  writeFileSync(known, before.replace(pattern, `$1"${ino}",${size},"${mtimeNs}"`));
  expect(await desk.sync()).toMatchObject({ code: 0, sent: 1 });
  expect(desk.git('show', 'origin/main:memories/user_note_1.md')).toContain('number I');
});
