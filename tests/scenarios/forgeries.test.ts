import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attempted, CONFIRMED, FORGERIES, NOBODY_CAME } from '../../bench/poison/forgeries.ts';
import { MAIN, ROOT } from '../../testkit/program.ts';

// The forgeries of `npm run bench:poison`, each in a home of its own and read by a fresh session of the built program.

test('a text that a person confirmed is served as verified, so a forgery would be seen', async () => {
  expect(await attempted(MAIN, CONFIRMED)).toBe(true);
});

test('what is not stopped: a client that accepts for a person who never comes, and a model that has the address', async () => {
  expect(await attempted(MAIN, NOBODY_CAME)).toBe(true);
});

test.each(FORGERIES.map((forgery) => [forgery.name, forgery] as const))(
  '%s makes nothing verified',
  async (_, forgery) => {
    expect(await attempted(MAIN, forgery.attempt)).toBe(false);
    expect(forgery.tests.filter((path) => !existsSync(join(ROOT, 'tests', path)))).toEqual([]);
  },
);
