import { join } from 'node:path';
import type { Plugin } from 'esbuild';

/** Bundles the JavaScript of better-sqlite3, because finding and loading its 14 files takes 5 ms. Its native part stays outside. */
export const sqliteBundled: Plugin = {
  name: 'sqlite-bundled',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/binding$/ }, ({ importer }) =>
      /better-sqlite3[\\/]lib[\\/]index\.js$/.test(importer)
        ? { path: join(import.meta.dirname, 'sqlite-binding.ts') }
        : undefined,
    ),
};
