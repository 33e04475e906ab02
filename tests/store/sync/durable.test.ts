import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Disk } from '../../../src/store/disk/disk.ts';
import { bareRemote, Machine } from '../../../testkit/fleet.ts';
import { temporaryFolder } from '../../../testkit/store.ts';

/** One line of git's own trace of what it did. */
interface Traced {
  readonly event: string;
  readonly sid: string;
  readonly name?: string;
  readonly key?: string;
  readonly value?: string;
}

class WatchedDisk extends Disk {
  readonly synced: string[] = [];

  protected override syncFolder(path: string): void {
    this.synced.push(path);
    super.syncFolder(path);
  }
}

test('every git of a sync that writes waits for the disk, whatever the operator’s settings say', async () => {
  const folder = temporaryFolder();
  const trace = join(folder, 'trace');
  const before = process.env.GIT_CONFIG_GLOBAL;
  writeFileSync(
    join(folder, 'config'),
    `[core]\n\tfsync = none\n\tfsyncMethod = writeout-only\n[trace2]\n\teventTarget = ${trace}\n`,
  );
  process.env.GIT_CONFIG_GLOBAL = join(folder, 'config');
  try {
    const remote = bareRemote();
    const disk = new WatchedDisk();
    const a = await Machine.open('desk', remote, { disk });
    await a.store.propose('the build');
    expect((await a.sync()).code).toBe(0);
    // Git's mktree does not read that setting.
    const trees = a.git('ls-tree', '-rtd', '--format=%(objectname)', 'HEAD').split('\n');
    for (const oid of [a.git('rev-parse', 'HEAD^{tree}'), ...trees])
      expect(disk.synced).toContain(join(a.root, '.git', 'objects', oid.slice(0, 2), oid.slice(2)));
    const b = await Machine.open('laptop', remote);
    expect((await b.sync()).code).toBe(0);
  } finally {
    process.env.GIT_CONFIG_GLOBAL = before;
  }
  const events = readFileSync(trace, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Traced);
  const synced = new Set(
    events.filter((e) => e.key === 'fsync/hardware-flush' && Number(e.value) > 0).map(({ sid }) => sid),
  );
  const lazy = events.filter((e) => e.key === 'fsync/writeout-only' && Number(e.value) > 0);
  const named = new Set(events.filter((e) => e.event === 'cmd_name' && synced.has(e.sid)).map(({ name }) => name));
  expect([...named].sort()).toEqual(
    expect.arrayContaining([
      'commit-tree',
      'fast-import',
      'fetch',
      'read-tree',
      'receive-pack',
      'unpack-objects',
      'update-ref',
    ]),
  );
  expect(lazy).toEqual([]);
});
