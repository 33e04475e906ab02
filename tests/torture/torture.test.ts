import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { MAIN, ROOT } from '../../testkit/clients.ts';

const run = promisify(execFile);

test('servers killed at random while disks fill up, clocks jump and files change lose, tear, double and raise nothing', {
  timeout: 180_000,
}, async () => {
  const args = [join(ROOT, 'torture/run.ts'), '--kills', '9', '--json', '--main', MAIN];
  const { stdout } = await run(process.execPath, args).catch((failed) => failed as { stdout: string });
  const outcome = JSON.parse(stdout);
  expect(outcome.examples).toEqual([]);
  expect(outcome).toMatchObject({ kills: 9, harmed: false });
  expect(Object.keys(outcome.faults)).toEqual(expect.arrayContaining(['kills only', 'full disk', 'clock jumps']));
  expect(outcome.acknowledged.proposals).toBeGreaterThan(0);
  expect(outcome.searches).toBeGreaterThan(0);
});
