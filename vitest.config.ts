import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    globalSetup: ['testkit/build.ts'],
    // Vitest leaves a core free, which on two cores would be half of the machine; the tests mostly wait for processes they started.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    typecheck: { enabled: false },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
