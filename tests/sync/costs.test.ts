import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Disk, type Entry } from '../../src/store/disk.ts';
import { BODY, bareRemote, Machine, memoryFile } from '../helpers/fleet.ts';

/** Counts the memories whose files are read. */
class CountingDisk extends Disk {
  memories = 0;

  override read(path: string, atMost: number): Entry {
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

test('a sync with nothing to do reads no memory, and one with a change reads that one, also in a new process', async () => {
  const disk = new CountingDisk();
  const desk = await storeOf(20, disk);
  await desk.store.reopen();
  disk.memories = 0;
  expect(await desk.sync()).toMatchObject({ code: 0, sent: 0 });
  expect(disk.memories).toBe(0);
  desk.store.edit('user_note_7', (text) => text.replace('number 7', 'number seven'));
  await desk.store.reconcile();
  await desk.store.reopen();
  disk.memories = 0;
  expect(await desk.sync()).toMatchObject({ code: 0, sent: 1 });
  expect(disk.memories).toBeLessThan(5);
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
