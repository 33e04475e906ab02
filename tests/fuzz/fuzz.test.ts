import fc from 'fast-check';
import { describe, test } from 'vitest';
import { ROOMS } from '../../fuzz/rooms.ts';
import { MAIN } from '../../testkit/program.ts';

// `npm run fuzz` tries the same for longer. What it finds becomes a fixed bug and a test of its own.

describe.each(Object.entries(ROOMS))('%s', (_room, properties) => {
  test.each(properties.map((property) => [property.title, property] as const))(
    '%s',
    async (_title, { runs, begin }) => {
      const { property, end } = await begin(MAIN);
      try {
        await fc.assert(property as fc.IAsyncProperty<unknown>, { numRuns: runs, seed: 1 });
      } finally {
        await end();
      }
    },
  );
});
