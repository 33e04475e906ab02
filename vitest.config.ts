import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './testkit/slowest-first.ts';

/** They change nothing of their process that lasts, so they can share one. */
const SHARED = [
  'tests/{core,actions}/**/*.test.ts',
  'tests/store/{checkout,exchange,format,index,ledger,places,programs,reconcile,records}/**/*.test.ts',
];

const common = {
  setupFiles: ['testkit/fixed-seed.ts'],
  // Long enough for a machine that others keep busy: a limit is there to end what hangs.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // A poll waits for a condition that comes sooner or later; one second is too little for a browser on a busy machine.
  expect: { poll: { timeout: 20_000 } },
};

export default defineConfig({
  test: {
    globalSetup: ['testkit/temporary-files.ts', 'testkit/build.ts'],
    // More workers than cores: the tests mostly wait for processes they started. With six on two cores single tests take a minute.
    maxWorkers: Math.max(4, availableParallelism()),
    sequence: { sequencer: SlowestFirst },
    typecheck: { enabled: false },
    // A snapshot that nobody wrote fails here as it does in CI; `vitest run -u` writes it.
    update: 'none',
    projects: [
      // The sources are not loaded again for each file: that takes half a second of CPU time.
      { test: { name: 'shared', include: SHARED, isolate: false, ...common } },
      { test: { name: 'whole', include: ['tests/**/*.test.ts'], exclude: SHARED, ...common } },
    ],
  },
});
