import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { MAIN, ROOT } from '../../testkit/program.ts';

const run = promisify(execFile);

test('servers killed at random while disks fill up, clocks jump and files change and go lose, tear, double and raise nothing', async () => {
  const args = [join(ROOT, 'torture/run.ts'), '--kills', '12', '--json', '--main', MAIN];
  const { stdout } = await run(process.execPath, args).catch((failed) => failed as { stdout: string });
  const outcome = JSON.parse(stdout);
  expect(outcome.examples).toEqual([]);
  expect(outcome).toMatchObject({ kills: 12, harmed: false });
  const faults = ['kills only', 'full disk', 'clock jumps', 'files deleted'];
  expect(Object.keys(outcome.faults)).toEqual(expect.arrayContaining(faults));
  expect(outcome.acknowledged.proposals).toBeGreaterThan(0);
  expect(outcome.searches).toBeGreaterThan(0);
});
