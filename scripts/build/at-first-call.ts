import { join, relative, resolve } from 'node:path';
import type { Plugin } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '../..');
/** What checks, parses and compares files. A process that finds every file's reading in the cache needs none of it. */
const DEFERRED = [
  'src/core/checks/all.ts',
  'src/core/secrets/detect.ts',
  'src/store/format/format.ts',
  'src/actions/contradictions.ts',
];
/** The checks import each other's values. */
const AMONG_CHECKS = /[\\/]core[\\/](?:checks|secrets)[\\/]/;

/** Has a script run these modules when one of their functions is called first: their patterns take a tenth of a start. */
export const atFirstCall: Plugin = {
  name: 'at-first-call',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /\.ts$/ }, ({ path, kind, importer, resolveDir }) => {
      const name = relative(ROOT, join(resolveDir, path)).replaceAll('\\', '/');
      if (kind !== 'import-statement' || !DEFERRED.includes(name) || AMONG_CHECKS.test(importer)) return undefined;
      return { path: name, namespace: 'at-first-call' };
    });
    onLoad({ filter: /.*/, namespace: 'at-first-call' }, async ({ path }) => {
      const whole: Record<string, unknown> = await import(`../../${path}`);
      const names = Object.keys(whole).filter((name) => typeof whole[name] === 'function');
      // Kept, because each `require` of an ES module copies the names of all its exports.
      const kept = `let kept;\nconst whole = () => (kept ??= require('./${path}'));`;
      const calls = names.map((name) => `export const ${name} = (...given) => whole().${name}(...given);`);
      return { contents: [kept, ...calls].join('\n'), resolveDir: ROOT };
    });
  },
};
