import { execFile, execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFacts } from '../scripts/packages/facts.ts';
import { serverJson } from '../scripts/packages/server-json.ts';
import { makePackages } from '../scripts/packages.ts';
import { CLIENTS as SETUPS } from '../src/core/clients/clients.ts';
import { TOOLS } from '../src/server.ts';
import { VERSION } from '../src/version.ts';
import { CLIENTS, type Home, makeHome } from '../testkit/clients.ts';
import { MAIN, ROOT } from '../testkit/program.ts';

const run = promisify(execFile);
const PACKAGE = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

let folder: string;
let home: Home;
let packed: Packed;

beforeAll(async () => {
  home = makeHome();
  folder = mkdtempSync(join(tmpdir(), 'surety-package-'));
  await makePackages(folder, dirname(MAIN));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: join(folder, 'npm') });
  [packed] = JSON.parse(stdout);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  home.remove();
});

function json(path: string) {
  return JSON.parse(readFileSync(join(folder, path), 'utf8'));
}

test('the package holds the built program, the documents and the terms, and nothing else', () => {
  const others = packed.files
    .map(({ path }) => path)
    .filter((path) => !/^dist\/(?:[\w-]+\.js|LICENSES\.txt)$|^docs\/[a-z-]+\.(?:md|png)$/.test(path));
  expect(others.sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'mcp.json.example',
    'package.json',
  ]);
  expect(packed.files.map(({ path }) => path)).toContain('dist/LICENSES.txt');
  // Hooks, server and commands have a file each, with much of the same: about 250, 450 and 470 KB. The documents are 124 KB.
  expect(packed.size).toBeLessThan(1_490_000);
});

test('nothing calls what the SDK would check with its validator of JSON schemas, which is left out of the bundle', () => {
  for (const name of globSync('src/**/*.ts', { cwd: ROOT }))
    expect(readFileSync(join(ROOT, name), 'utf8'), name).not.toMatch(/\b(?:elicitInput|fromJsonSchema)\b/);
  for (const name of globSync('*.js', { cwd: dirname(MAIN) }))
    expect(readFileSync(join(dirname(MAIN), name), 'utf8').includes('Ajv2020'), name).toBe(false);
});

test('the published manifest has one dependency and no script that an install could run', () => {
  const { scripts, dependencies, devDependencies, version } = json('npm/package.json');
  expect({ scripts, devDependencies, version }).toEqual({ version: VERSION });
  expect(dependencies).toEqual({ 'better-sqlite3': PACKAGE.dependencies['better-sqlite3'] });
});

/** Every package, with the file that names its version and the folder of its program. */
const FOLDERS: readonly (readonly [manifest: string, program: string])[] = [
  ['claude-code/plugins/surety/.claude-plugin/plugin.json', 'claude-code/plugins/surety'],
  ['mcpb/manifest.json', 'mcpb'],
  ['gemini/gemini-extension.json', 'gemini'],
  ['codex/plugins/surety/.codex-plugin/plugin.json', 'codex/plugins/surety'],
];

test.each(FOLDERS)(
  '%s names this version, and its program serves every tool with nothing installed',
  async (at, program) => {
    expect(json(at)).toMatchObject({ name: 'surety', version: VERSION });
    const session = await CLIENTS.at(-1)?.connect({ home, entry: join(folder, program, 'dist/main.js') });
    expect((await session?.listTools())?.map(({ name }) => name).sort()).toEqual(TOOLS.map(({ name }) => name).sort());
    const found = await session?.callTool('search_memories', { query: 'pnpm' });
    expect(found?.isError).toBe(false);
    expect(await session?.close()).toEqual({ code: 0, signal: null });
  },
);

test('the plugin has the hooks that surety init writes, started from its own folder', () => {
  const start = { command: 'node', args: ['/surety/dist/main.js'] };
  const file = SETUPS[0]?.setup?.files.find(({ holds }) => holds === 'hooks');
  const written = file?.format.withEntries(file.format.empty, file.entries(start, 'linux')) ?? '';
  const shipped = readFileSync(join(folder, 'claude-code/plugins/surety/hooks/hooks.json'), 'utf8');
  expect(JSON.parse(shipped.replaceAll(`\\"\${CLAUDE_PLUGIN_ROOT}/dist/main.js\\"`, '/surety/dist/main.js'))).toEqual(
    JSON.parse(written),
  );
});

test('the plugin’s commands hand on every word, and only a person can call them', () => {
  for (const name of ['remember', 'review']) {
    const text = readFileSync(join(folder, `claude-code/plugins/surety/commands/${name}.md`), 'utf8');
    expect(text.match(/\$ARGUMENTS/g)).toHaveLength(1);
    expect(text).not.toMatch(/\$\d/);
    expect(text).toContain('\ndisable-model-invocation: true\n');
  }
});

test('the registry’s entry is made once a name there is ours, and fits its limits', () => {
  const repository = { type: 'git', url: 'git+https://github.com/example/surety.git' };
  expect(serverJson(readFacts())).toBeUndefined();
  expect(serverJson({ ...readFacts(), mcpName: 'io.github.example/surety', repository })).toMatchObject({
    name: 'io.github.example/surety',
    description: expect.stringMatching(/^.{1,100}$/),
    repository: { url: 'https://github.com/example/surety', source: 'github' },
    packages: [{ registryType: 'npm', identifier: 'surety', version: VERSION }],
  });
});

test('nothing in the built program tells of the machine it was built on', () => {
  for (const { path } of packed.files) {
    if (!path.startsWith('dist/')) continue;
    const text = readFileSync(join(folder, 'npm', path), 'utf8');
    for (const trace of [ROOT, 'sourceMappingURL']) {
      expect(text.includes(trace), `${path}: ${trace}`).toBe(false);
    }
  }
});

test('every package in the bundle has its terms along', () => {
  const terms = readFileSync(join(folder, 'npm/dist/LICENSES.txt'), 'utf8');
  for (const name of Object.keys(PACKAGE.dependencies)) {
    expect(terms).toContain(`\n${name} ${PACKAGE.dependencies[name]} (`);
  }
  expect(terms).not.toContain('(undefined)');
});

test('an install without dev dependencies runs prepare without a word', () => {
  const bare = join(folder, 'bare');
  mkdirSync(bare);
  writeFileSync(join(bare, 'package.json'), JSON.stringify({ type: 'module' }));
  const said = execFileSync('/bin/sh', ['-c', `${PACKAGE.scripts.prepare} 2>&1`], { cwd: bare, encoding: 'utf8' });
  expect(said).toBe('');
  expect(existsSync(join(bare, 'dist'))).toBe(false);
});

test('installed into an empty folder it runs by npx and serves a client, without a compiler', async ({ skip }) => {
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  writeFileSync(join(empty, 'package.json'), '{}');
  const npm = [
    'install',
    '--prefer-offline',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    join(folder, packed.filename),
  ];
  try {
    await run('npm', npm, { cwd: empty });
  } catch (error) {
    const said = error instanceof Error ? error.message : '';
    if (/E(?:NOTFOUND|CONNREFUSED|CONNRESET|TIMEDOUT|AI_AGAIN|NOTCACHED)|network/.test(said)) {
      skip('NOT TESTED, npm’s registry cannot be reached from here');
    }
    throw error;
  }
  const npx = await run('npx', ['--no-install', 'surety', '--version'], { cwd: empty });
  expect(npx.stdout).toBe(`${VERSION}\n`);
  expect(existsSync(join(empty, 'node_modules/better-sqlite3/build'))).toBe(false);

  const entry = join(empty, 'node_modules/surety/dist/main.js');
  const session = await CLIENTS.at(-1)?.connect({ home, entry });
  const body = 'The operator uses pnpm in every repository on this machine.';
  const newMemory = { type: 'user', name: 'Package manager', description: 'Which package manager to use', body };
  expect((await session?.callTool('propose_memory', newMemory))?.isError).toBe(false);
  expect((await session?.callTool('search_memories', { query: 'pnpm' }))?.text).toContain('user_package_manager');
  expect(await session?.close()).toEqual({ code: 0, signal: null });
});
