import { defineConfig } from 'vitest/config';
import { withFewerCases } from './fewer-cases.ts';

/** Only the tests of one group (groups.ts), in one process: a mutant is a variable there, which a child process does not see. */
export default defineConfig({
  plugins: [withFewerCases()],
  test: {
    globalSetup: ['testkit/temporary-files.ts'],
    setupFiles: ['testkit/fixed-seed.ts'],
    include: (process.env.MUTANTS_TESTS ?? '').split(','),
    // The sources are not loaded again for each file of tests.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    update: 'none',
  },
});
