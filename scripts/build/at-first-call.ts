import { join, relative, resolve } from 'node:path';
import type { Plugin } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '../..');
/** What checks and parses files. A hook that finds every file's reading in the cache needs none of it. */
const DEFERRED = ['src/core/checks/all.ts', 'src/core/secrets/detect.ts', 'src/store/format/format.ts'];
/** They become one file. As three files they would share code, which would be further files to load at every start. */
const TOGETHER = 'checks-and-parser';
/** The checks import each other's values. */
const AMONG_CHECKS = /[\\/]core[\\/](?:checks|secrets)[\\/]/;

/**
 * Has a hook load these modules when it first calls one of their functions: they are two thirds of the code of a session's start. Only
 * functions can be imported from them. `needed` are those that the hook calls in any case. It is not for a server: a server imports
 * several files at a time, and Node throws ERR_REQUIRE_ESM_RACE_CONDITION where one of them is needed at once.
 */
export function atFirstCall(needed: readonly string[]): Plugin {
  return {
    name: 'at-first-call',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /\.ts$/ }, ({ path, kind, importer, namespace, resolveDir }) => {
        const name = relative(ROOT, join(resolveDir, path)).replaceAll('\\', '/');
        if (kind !== 'import-statement' || !DEFERRED.includes(name) || needed.includes(name)) return undefined;
        if (namespace === TOGETHER || AMONG_CHECKS.test(importer)) return undefined;
        return { path: name, namespace: 'at-first-call' };
      });
      onLoad({ filter: /.*/, namespace: 'at-first-call' }, async ({ path }) => {
        const whole: Record<string, unknown> = await import(`../../${path}`);
        const names = Object.keys(whole).filter((name) => typeof whole[name] === 'function');
        const calls = names.map((name) => `export const ${name} = (...given) => loaded().${name}(...given);`);
        const loaded = `let whole; const loaded = () => (whole ??= LOAD_NOW(import('${TOGETHER}')));`;
        return { contents: [loaded, ...calls].join('\n') };
      });
      onResolve({ filter: new RegExp(`^${TOGETHER}$`) }, ({ path }) => ({ path, namespace: TOGETHER }));
      onLoad({ filter: /.*/, namespace: TOGETHER }, () => ({
        contents: DEFERRED.map((name) => `export * from './${name}';`).join('\n'),
        resolveDir: ROOT,
      }));
    },
  };
}

/** Callers of those functions cannot wait, as `import()` would have them do. */
export function withLoadNow(code: string): string {
  const loading = code.replaceAll(
    /\bLOAD_NOW\(import\(("[^"]+")\)\)/g,
    'process.getBuiltinModule("node:module").createRequire(import.meta.url)($1)',
  );
  if (loading.includes('LOAD_NOW'))
    throw new Error('esbuild wrote the import of the checks in another way than expected');
  return loading;
}
