import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VERSION } from '../src/version.ts';
import { CLIENTS, type Home, makeHome } from '../testkit/clients.ts';
import { MAIN, ROOT } from '../testkit/program.ts';

const run = promisify(execFile);
const PACKAGE = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Other files than the built ones; npm adds package.json, README and LICENSE by itself. */
const SHIPPED = ['package.json', 'README.md', 'LICENSE', ...PACKAGE.files.filter((name: string) => name !== 'dist')];

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
  // A copy, so that packing neither needs nor replaces the dist/ of whoever runs the tests.
  for (const name of SHIPPED) cpSync(join(ROOT, name), join(folder, 'source', name), { recursive: true });
  cpSync(dirname(MAIN), join(folder, 'source', 'dist'), { recursive: true });
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: join(folder, 'source'),
  });
  [packed] = JSON.parse(stdout);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  home.remove();
});

test('the package holds the built program, the documents and the terms, and nothing else', () => {
  const others = packed.files
    .map(({ path }) => path)
    .filter((path) => !/^dist\/(?:[\w-]+\.js|LICENSES\.txt)$|^docs\/[a-z-]+\.(?:md|png)$/.test(path));
  expect(others.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'mcp.json.example', 'package.json']);
  expect(packed.files.map(({ path }) => path)).toContain('dist/LICENSES.txt');
  expect(packed.size).toBeLessThan(1_000_000);
});

test('nothing in the built program tells of the machine it was built on', () => {
  for (const { path } of packed.files) {
    if (!path.startsWith('dist/')) continue;
    const text = readFileSync(join(folder, 'source', path), 'utf8');
    for (const trace of [ROOT, 'sourceMappingURL']) {
      expect(text.includes(trace), `${path}: ${trace}`).toBe(false);
    }
  }
});

test('every package in the bundle has its terms along', () => {
  const terms = readFileSync(join(folder, 'source/dist/LICENSES.txt'), 'utf8');
  for (const name of Object.keys(PACKAGE.dependencies)) {
    if (name !== 'better-sqlite3') expect(terms).toContain(`\n${name} ${PACKAGE.dependencies[name]} (`);
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
