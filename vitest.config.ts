import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './testkit/patience.ts';
import { SLOWEST, SlowestFirst } from './testkit/slowest-first.ts';

/**
 * Each of these has a process of its own. All others share a few, so they change nothing of their process that lasts: what
 * they import is then not loaded again for each file, which takes a second of CPU time.
 */
const ALONE = [
  ...SLOWEST,
  // They change variables that git reads.
  'tests/store/sync/*.test.ts',
  // It replaces functions of Node.
  'tests/resources/notifications.test.ts',
];

const common = {
  // New objects get 1 MB instead of 16: to start a program, the system copies the tables of all memory that a worker holds, and the
  // tests start 40,000 programs. Half the memory makes each start a millisecond cheaper.
  execArgv: ['--max-semi-space-size=1'],
  setupFiles: ['testkit/fixed-seed.ts'],
  // Long enough for a machine that others keep busy: a limit is there to end what hangs. So tests have no limits of their own.
  testTimeout: 900_000,
  hookTimeout: 900_000,
  expect: { poll: { timeout: PATIENCE_MS } },
  // A test is run once more where the machine failed it: the browser's tab crashed, or a wait reached its limit. The report
  // says "retry". A wrong value is not tried again, except where a test says so.
  retry: {
    count: 1,
    condition: /(?:Page|Target) crashed|browser has been closed|Test timed out in|Timeout \d+ms exceeded/,
  },
};

export default defineConfig({
  test: {
    globalSetup: ['testkit/temporary-files.ts', 'testkit/path-without-clients.ts', 'testkit/build.ts'],
    // More workers than cores: the tests mostly wait for processes they started. With six on two cores single tests take a minute.
    maxWorkers: Math.max(4, availableParallelism()),
    sequence: { sequencer: SlowestFirst },
    typecheck: { enabled: false },
    // A snapshot that nobody wrote fails here as it does in CI; `vitest run -u` writes it.
    update: 'none',
    projects: [
      { test: { name: 'shared', include: ['tests/**/*.test.ts'], exclude: ALONE, isolate: false, ...common } },
      { test: { name: 'alone', include: ALONE, ...common } },
    ],
  },
});
