// Bundles the bin: node build.ts [folder]. One file starts, everything else is a chunk it loads when needed.
// node build.ts FOLDER ENTRY bundles something else in just the same way; the benchmarks compare with that.
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join, parse, resolve } from 'node:path';
import { build } from 'esbuild';

const [folder = join(import.meta.dirname, 'dist'), entry = join(import.meta.dirname, 'src/main.ts')] =
  process.argv.slice(2);
const outdir = resolve(folder);

const { outputFiles } = await build({
  entryPoints: [resolve(entry)],
  outdir,
  write: false,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.13',
  chunkNames: '[name]-[hash]',
  // Native: its prebuilt binaries are found from where it is installed.
  external: ['better-sqlite3'],
  logLevel: 'warning',
});

/** Bundled CommonJS asks for Node's modules through `require`, which an ES module has to make for itself. */
const REQUIRE = `import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\n`;

await mkdir(outdir, { recursive: true });
for (const { path, text } of outputFiles) {
  const needsRequire = text.includes('Dynamic require of');
  await writeFile(path, needsRequire ? REQUIRE + text : text);
}
await chmod(join(outdir, `${parse(entry).name}.js`), 0o755);

// Last, so that a server started meanwhile finds either all of the old files or all of the new ones.
const made = new Set(outputFiles.map(({ path }) => basename(path)));
for (const name of await readdir(outdir)) {
  if (name.endsWith('.js') && !made.has(name)) await rm(join(outdir, name));
}
