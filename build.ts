// Bundles the bin: node build.ts [folder]. One small file starts and loads one of four scripts: two of hooks, which sessions, prompts and tool
// calls wait for, the server, or the commands. A module of a script runs when it is needed first.
// node build.ts FOLDER ENTRY bundles something else in just the same way; the benchmarks compare with that.

import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, parse, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { atFirstCall } from './scripts/build/at-first-call.ts';
import { fromScripts, importedBy, scriptOf } from './scripts/build/in-scripts.ts';
import { sqliteBundled } from './scripts/build/sqlite.ts';
import { withoutSchemaValidator } from './scripts/build/without-schema-validator.ts';
import { CHECKS } from './src/core/checks/all.ts';
import { INJECTION_RULES } from './src/core/checks/injection/check.ts';
import { wordsOfEach } from './src/core/checks/injection/possible-patterns.ts';
import { scriptsOfSources } from './src/page/browser-script.ts';
import { TOOLS } from './src/server.ts';
import { digestOfSources, rulesVersion } from './src/store/format/rules-version.ts';
import { jsonSchemasOf } from './src/tools/json-schemas.ts';

const MAIN = join(import.meta.dirname, 'src/main.ts');
const [folder = join(import.meta.dirname, 'dist'), entry = MAIN] = process.argv.slice(2);
const outdir = resolve(folder);

const options = {
  outdir,
  write: false,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.14',
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  // jsonc-parser's main file loads its parts by a `require` that no bundler can follow; its ES module does not.
  mainFields: ['module', 'main'],
  define: {
    // What was found out under other rules is not taken over, so the bundle knows which rules it has.
    BUILT_SOURCES_DIGEST: JSON.stringify(digestOfSources()),
    BUILT_RULES: JSON.stringify(rulesVersion(CHECKS)),
    BUILT_NEEDED_WORDS: JSON.stringify(
      JSON.stringify(wordsOfEach(INJECTION_RULES.flatMap(({ patterns }) => patterns))),
    ),
    // A string, because esbuild has every file import an object that is defined, and each start would load it.
    BUILT_SCRIPTS: JSON.stringify(JSON.stringify(scriptsOfSources())),
    BUILT_SCHEMAS: JSON.stringify(
      JSON.stringify(Object.fromEntries(TOOLS.map((tool) => [tool.name, jsonSchemasOf(tool)]))),
    ),
  },
  logLevel: 'warning',
  metafile: true,
} satisfies BuildOptions;

/** Runs on a Node that has no `getBuiltinModule`. */
const OLD_NODE = 'own-node.ts';
/**
 * Takes of Node's modules only what is used: their ES faces ask for every export, for which `fs` and `util` load two dozen modules
 * that nobody uses, a sixth of what an empty program takes to start.
 */
const nodeModules: Plugin = {
  name: 'node-modules',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:/ }, ({ path, kind, importer }) =>
      kind === 'import-statement' && basename(importer) !== OLD_NODE
        ? { path, namespace: 'node', sideEffects: false }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'node' }, ({ path }) => {
      const module = `/* @__PURE__ */ process.getBuiltinModule('${path}')`;
      const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter((name) => name !== 'default');
      const exports = names.map((name) => `export const ${name} = /* @__PURE__ */ (() => whole.${name})();`);
      return { contents: [`const whole = ${module};`, 'export default whole;', ...exports].join('\n') };
    });
  },
};
const bundled = (own: BuildOptions) =>
  build({ ...options, ...own, plugins: [nodeModules, sqliteBundled, withoutSchemaValidator, ...(own.plugins ?? [])] });
/** Started by its file's name, which no bundler can see. */
const THREAD = 'src/store/reconcile/run-interpreter-thread.ts';
const starts = entry === MAIN ? [MAIN, join(import.meta.dirname, THREAD)] : [resolve(entry)];

/** What a script is called with. */
const PARAMETERS = 'require, module, PLACE';
/** Makes one file of these modules. The name tells its content, since V8 knows a script again by its length alone. */
async function script(name: string, modules: readonly string[]) {
  const { outputFiles, metafile } = await bundled({
    stdin: { contents: scriptOf(modules), resolveDir: import.meta.dirname, sourcefile: name },
    // Reading a script and what V8 compiled of it takes a sixth of a server's start, and less of it takes less.
    minify: true,
    splitting: false,
    format: 'cjs',
    define: { ...options.define, 'import.meta.url': 'PLACE.url', 'import.meta.dirname': 'PLACE.dirname' },
    plugins: [atFirstCall],
  });
  // Strict, as ES modules are: esbuild says so in what it runs of a module, and its functions stand outside of that.
  const text = `(function (${PARAMETERS}) {'use strict';${inAscii(outputFiles?.[0]?.text ?? '')}\n})`;
  const file = `${name}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.js`;
  return { file, text, modules, metafile };
}

/** The hooks that look into a store, and the thread, which needs less than they do. The guard of tool calls needs next to nothing. */
const WITH_STORE = ['src/hooks/run-session-start.ts', 'src/hooks/run-user-prompt-submit.ts', THREAD];
const modules = [...importedBy(starts[0] as string), ...(entry === MAIN ? [THREAD] : [])];
function scriptFor(name: string): string {
  if (WITH_STORE.includes(name)) return 'hooks';
  if (name.startsWith('src/hooks/')) return 'guard';
  return name === 'src/server.ts' ? 'server' : 'program';
}
const scripts = await Promise.all(
  Object.entries(Object.groupBy(modules, scriptFor)).map(([name, modules = []]) => script(name, modules)),
);
const parts = Object.fromEntries(scripts.flatMap(({ file, modules }) => modules.map((name) => [name, file])));
// One by one: together they would share a file, and the first file has to load nothing.
const started = await Promise.all(
  starts.map((start) =>
    bundled({
      entryPoints: [start],
      define: { ...options.define, BUILT_PARTS: JSON.stringify(JSON.stringify(parts)) },
      plugins: [fromScripts(start, parts)],
    }),
  ),
);
const outputFiles = started.flatMap((each) => each.outputFiles ?? []);
const inputs = [...scripts, ...started].flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}));

/** Bundled CommonJS asks for Node's modules, and nothing else, through `require`, which an ES module has to make for itself. */
const REQUIRE = 'const require = (name) => process.getBuiltinModule(name);\n';

/**
 * Writes the characters that esbuild leaves in regular expressions, tagged templates and comments as escapes: one wide character
 * makes Node keep the whole file at two bytes a character, which takes a server 7 % longer to start.
 */
function inAscii(code: string): string {
  if (/\\[^\0-\x7F]/.test(code)) throw new Error('a backslash before a wide character would escape its escape');
  return code.replaceAll(/[^\0-\x7F]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

await mkdir(outdir, { recursive: true });
for (const { file, text } of scripts) await writeFile(join(outdir, file), text);
for (const { path, text } of outputFiles) {
  const needsRequire = text.includes('Dynamic require of');
  await writeFile(path, inAscii(needsRequire ? REQUIRE + text : text));
}
await chmod(join(outdir, `${parse(entry).name}.js`), 0o755);

// Last, so that a server started meanwhile finds either all of the old files or all of the new ones.
const made = new Set([...scripts.map(({ file }) => file), ...outputFiles.map(({ path }) => basename(path))]);
for (const name of await readdir(outdir)) {
  if (name.endsWith('.js') && !made.has(name)) await rm(join(outdir, name));
}

// What V8 compiled of the old files serves nothing any more.
await rm(join(outdir, 'compiled'), { recursive: true, force: true });

// What others wrote is in the bundle, so their terms go along.
await writeFile(join(outdir, 'LICENSES.txt'), await licenses(inputs));

/** The terms of every package that the bundle holds something of, as the package states them. */
async function licenses(inputs: readonly string[]): Promise<string> {
  const folders = new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []));
  const parts = [...folders].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
    const terms =
      file === undefined ? 'Its package brings no text of its terms.' : await readFile(join(folder, file), 'utf8');
    return `${name} ${version} (${license})\n\n${terms.trim()}\n`;
  });
  return `Surety itself is under the terms in LICENSE. Its bundle holds parts of:\n\n${(await Promise.all(parts)).join('\n---\n\n')}`;
}
