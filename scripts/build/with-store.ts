import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Plugin } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '../..');
/** These and what they import are nearly all of the code that opens a store, decides about a memory and asks a person. */
const STORE = [
  'src/actions/session.ts',
  'src/actions/decide.ts',
  'src/actions/report/overview.ts',
  'src/actions/report/status.ts',
  'src/actions/review/review.ts',
  'src/cli/ask/witness.ts',
];
/** What a starting server, a hook or `check` loads before a store is opened, if one ever is. */
const WITHOUT_STORE = [
  'src/actions/agent/forget-prompts.ts',
  'src/cli/commands/check.ts',
  'src/cli/commands/hook.ts',
  'src/cli/run.ts',
  'src/core/bug-details.ts',
  'src/core/refusal.ts',
  'src/hooks/pre-compact.ts',
  'src/hooks/pre-tool-use.ts',
  'src/hooks/run.ts',
  'src/server.ts',
  'src/store/checkout/checkout.ts',
  'src/store/programs/own-node.ts',
  'src/v8-heap.ts',
  'src/version.ts',
];

/**
 * Has every other dynamic import load all of STORE, because a command needs nearly all of it anyway. esbuild puts modules into one file
 * only if the same dynamic imports need them. That made 100 files for a command. Now it is 30 to 40, and the command takes a fifth less
 * CPU time.
 */
export const withStore: Plugin = {
  name: 'with-store',
  setup: ({ onResolve, onLoad }) => {
    const gone = WITHOUT_STORE.filter((name) => !existsSync(join(ROOT, name)));
    if (gone.length > 0) throw new Error(`scripts/build/with-store.ts names files that are gone: ${gone.join(', ')}`);
    onResolve({ filter: /\.ts$/ }, ({ path, kind, resolveDir, namespace }) => {
      const name = relative(ROOT, join(resolveDir, path)).replaceAll('\\', '/');
      if (kind !== 'dynamic-import' || namespace === 'with-store' || WITHOUT_STORE.includes(name)) return undefined;
      return { path: name, namespace: 'with-store' };
    });
    onLoad({ filter: /.*/, namespace: 'with-store' }, ({ path }) => ({
      contents: [...STORE.map((each) => `import './${each}';`), `export * from './${path}';`].join('\n'),
      resolveDir: ROOT,
    }));
  },
};
