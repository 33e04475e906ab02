import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    globalSetup: ['testkit/temporary-files.ts', 'testkit/build.ts'],
    // More workers than cores: the tests mostly wait for processes they started.
    maxWorkers: Math.max(4, availableParallelism()),
    typecheck: { enabled: false },
    // A snapshot that nobody wrote fails here as it does in CI; `vitest run -u` writes it.
    update: 'none',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
