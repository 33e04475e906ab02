import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Disk } from '../../../src/store/disk/disk.ts';
import { temporaryFolder } from '../../../testkit/store.ts';

test('a sync that brings many files has at most 16 of them open at once', async () => {
  let most = 0;
  class WatchedDisk extends Disk {
    protected override async syncAll(fds: readonly number[]): Promise<void> {
      most = Math.max(most, fds.length);
      await super.syncAll(fds);
    }
  }
  const folder = temporaryFolder();
  const files = Array.from({ length: 200 }, (_, n) => [join(folder, `${n}`), Buffer.from(`text ${n}`)] as const);
  await new WatchedDisk().prepareAll(files);
  expect(most).toBe(16);
  expect(readdirSync(folder)).toHaveLength(200);
  expect(readFileSync(join(folder, '199'), 'utf8')).toBe('text 199');
});
