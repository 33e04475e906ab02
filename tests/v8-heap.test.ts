import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../testkit/program.ts';

/** How many bytes V8 has for new objects before and after many are made that stay. In a process of its own: V8 never returns them. */
const MEASURED = `
  const [{ keepRoomForNewObjects }, { getHeapSpaceStatistics }] = await Promise.all([import(process.argv[1]), import('node:v8')]);
  const room = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size;
  if (process.argv[2] === 'kept') keepRoomForNewObjects();
  const before = room();
  globalThis.kept = Array.from({ length: 500_000 }, (_, at) => ({ at }));
  console.log(JSON.stringify([before, room()]));
`;

function measured(how: 'kept' | 'free'): [before: number, after: number] {
  const args = ['--input-type=module', '-e', MEASURED, join(ROOT, 'src/v8-heap.ts'), how];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

test('the room for new objects does not grow once it is kept, as it would otherwise', () => {
  const [before, after] = measured('kept');
  // V8 takes the second of its two halves at the first collection.
  expect(after).toBeLessThanOrEqual(2 * before);
  const [small, large] = measured('free');
  expect(large).toBeGreaterThan(2 * small);
});
