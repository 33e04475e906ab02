import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TOOLS } from '../src/server.ts';
import { jsonSchemasOf } from '../src/tools/json-schemas.ts';
import { DEVIATIONS, VERSION } from '../src/version.ts';
import { CLIENTS, type Home, makeHome } from '../testkit/clients.ts';
import { ROOT } from '../testkit/program.ts';

const PACKAGE = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

let home: Home;
let folder: string;
let bin: string;

beforeAll(() => {
  home = makeHome();
  // Inside node_modules, because the native module is left out of the bundle and must be found from there.
  mkdirSync(join(ROOT, 'node_modules/.cache'), { recursive: true });
  folder = mkdtempSync(join(ROOT, 'node_modules/.cache/surety-bin-'));
  execFileSync(process.execPath, [join(ROOT, 'build.ts'), folder]);
  bin = join(folder, 'main.js');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  home.remove();
});

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], node = process.execPath): Promise<Outcome> {
  return new Promise((done) => {
    const child = execFile(node, args, { env: home.env, cwd: home.folder }, (error, stdout, stderr) => {
      done({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
    child.stdin?.end();
  });
}

/** A Node on this machine that is too old to run the server, if there is one. */
function findOldNode(): string | undefined {
  const usual = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin', '/bin'];
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...usual].filter(
    (path) => path !== '' && !path.includes('node_modules'),
  );
  for (const path of new Set(folders.map((each) => join(each, 'node')))) {
    try {
      const [major = 0, minor = 0] = execFileSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' })
        .split('.')
        .map(Number);
      if (major >= 14 && (major < 22 || (major === 22 && minor < 14))) return path;
    } catch {
      // Not there, or not a Node.
    }
  }
  return undefined;
}

const oldNode = findOldNode();

test.skipIf(oldNode === undefined)(
  oldNode
    ? 'an old Node is told in one sentence what is needed'
    : 'NOT TESTED, this machine has no Node older than 22.14: an old Node is told in one sentence what is needed',
  async () => {
    const { code, stdout, stderr } = await run([bin], oldNode);
    expect(stderr).toMatch(
      /^surety needs Node 22\.14 or newer; this is v\d+\.\d+\.\d+; install a newer Node and start it again\.\n$/,
    );
    expect(stdout).toBe('');
    expect(code).toBe(1);
  },
);

test.skipIf(oldNode === undefined)(
  oldNode
    ? 'in a checkout an old Node starts the one that the checkout brings along'
    : 'NOT TESTED, this machine has no Node older than 22.14: in a checkout an old Node starts the checkout’s own',
  async () => {
    const checkout = join(folder, 'checkout');
    mkdirSync(join(checkout, 'dist'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
    for (const name of readdirSync(folder)) {
      if (name.endsWith('.js')) cpSync(join(folder, name), join(checkout, 'dist', name));
    }
    const main = join(checkout, 'dist/main.js');
    expect(await run([main, '--version'], oldNode)).toMatchObject({ code: 0, stderr: '', stdout: `${VERSION}\n` });
    expect(await run([main, 'no-such-command'], oldNode)).toMatchObject({ code: 64, stdout: '' });
  },
);

test.skipIf(oldNode === undefined)(
  oldNode
    ? 'an old Node answers the first request with that sentence, since clients seldom show a log'
    : 'NOT TESTED, this machine has no Node older than 22.14: an old Node answers the first request',
  async () => {
    const initialize = { jsonrpc: '2.0', id: 'first', method: 'initialize', params: {} };
    for (const args of [[], ['serve'], ['--root', '/tmp/elsewhere'], ['--root=/tmp/elsewhere']]) {
      const child = spawn(oldNode ?? '', [bin, ...args], { env: home.env, cwd: home.folder });
      // Stdin stays open, as clients leave it: the process must end by itself.
      child.stdin.write(
        `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}\n${JSON.stringify(initialize)}\n`,
      );
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (part: string) => {
        said += part;
      });
      const code = await new Promise((ended) => child.on('close', ended));
      expect(JSON.parse(said)).toEqual({
        jsonrpc: '2.0',
        id: 'first',
        error: { code: -32603, message: expect.stringMatching(/^surety needs Node 22\.14 or newer; this is v\d+/) },
      });
      expect(code).toBe(1);
    }
    expect(await run([bin, 'status'], oldNode)).toMatchObject({ code: 1, stdout: '' });
  },
);

test('the first file loads nothing by itself, so an old Node gets as far as the sentence', () => {
  const source = readFileSync(bin, 'utf8');
  expect(source).not.toMatch(/^(?:import|export)\b/m);
  expect(source.startsWith('#!/usr/bin/env node\n')).toBe(true);
  expect(source.length).toBeLessThan(10_000);
  expect(readdirSync(folder).length).toBeGreaterThan(1);
});

/** The files in which V8 keeps what it compiled for this command. */
function keptFor(...args: string[]): string[] {
  const kept = join(folder, 'compiled');
  rmSync(kept, { recursive: true, force: true });
  execFileSync(process.execPath, [bin, ...args], { env: home.env, cwd: home.folder });
  return readdirSync(kept, { recursive: true }).map(String);
}

test('what was compiled is kept beside the program and nowhere else', async () => {
  const before = readdirSync(home.folder);
  expect(keptFor('--version').length).toBe(1);
  expect(readdirSync(home.folder)).toEqual(before);
});

test.skipIf(process.platform === 'win32')('nobody else may write what was compiled, whatever the umask is', () => {
  const kept = join(folder, 'compiled');
  rmSync(kept, { recursive: true, force: true });
  const start = ['-c', 'umask 000; exec "$@"', 'sh', process.execPath, bin, '--version'];
  execFileSync('/bin/sh', start, { env: home.env, cwd: home.folder });
  for (const path of [kept, ...readdirSync(kept).map((name) => join(kept, name))])
    expect(statSync(path).mode & 0o022, path).toBe(0);
});

test('what one version of Node compiled is not given to another, which may have the same V8', () => {
  const kept = keptFor('--version');
  const other = join(folder, 'other-node.cjs');
  writeFileSync(other, "Object.defineProperty(process, 'version', { value: 'v24.99.0' });");
  execFileSync(process.execPath, ['--require', other, bin, '--version'], { env: home.env, cwd: home.folder });
  expect(readdirSync(join(folder, 'compiled'))).toHaveLength(kept.length + 1);
});

test('what was compiled is kept anew by a process that compiles more, and by no other', () => {
  const text = join(home.folder, 'text.md');
  writeFileSync(text, 'A text that is checked.');
  const [kept = ''] = keptFor('--version');
  const sizeAfter = (...args: string[]) => {
    spawnSync(process.execPath, [bin, ...args], { env: home.env, cwd: home.folder });
    return statSync(join(folder, 'compiled', kept)).size;
  };
  const small = sizeAfter('--version');
  let large = small;
  // One process in eight looks. That none of a hundred does happens once in half a million times.
  for (let tries = 0; large === small && tries < 100; tries++) large = sizeAfter('check', text);
  expect(large).toBeGreaterThan(small * 1.2);
  for (let tries = 0; tries < 8; tries++) {
    expect(sizeAfter('check', text)).toBe(large);
    expect(sizeAfter('--version')).toBe(large);
  }
});

test('processes that are killed while they keep what was compiled leave one file, which a later one replaces', () => {
  const [kept = ''] = keptFor('--version');
  const compiled = join(folder, 'compiled');
  rmSync(join(compiled, kept));
  const killed = join(folder, 'killed.cjs');
  writeFileSync(killed, "require('node:fs').renameSync = () => process.kill(process.pid, 'SIGKILL');");
  const end = { env: home.env, cwd: home.folder };
  for (let n = 0; n < 3; n++) spawnSync(process.execPath, ['--require', killed, bin, '--version'], end);
  const left = readdirSync(compiled);
  expect(left).toHaveLength(1);
  utimesSync(join(compiled, left[0] ?? ''), 0, 0);
  spawnSync(process.execPath, [bin, '--version'], end);
  expect(readdirSync(compiled)).toEqual([kept]);
});

test('what was compiled is not used where it is damaged, and is kept anew', () => {
  const [kept = ''] = keptFor('--version');
  const path = join(folder, 'compiled', kept);
  const whole = readFileSync(path);
  for (const at of [0, 5, whole.length >> 2, whole.length >> 1, whole.length - 1]) {
    const damaged = Buffer.from(whole);
    for (let bit = 0; bit < 8; bit++) damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << bit), at);
    writeFileSync(path, damaged);
    const { status, stderr } = spawnSync(process.execPath, [bin, '--version'], {
      env: home.env,
      cwd: home.folder,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(readFileSync(path).equals(damaged)).toBe(false);
  }
  for (const length of [0, 3, 4, 100]) {
    writeFileSync(path, whole.subarray(0, length));
    expect(spawnSync(process.execPath, [bin, '--version'], { env: home.env, cwd: home.folder }).status).toBe(0);
    expect(statSync(path).size).toBeGreaterThan(whole.length / 2);
  }
});

test('a command reads one file of the program besides the first, because each takes about a millisecond', () => {
  const traced = [
    "const fs = process.getBuiltinModule('node:fs');",
    'const { readFileSync } = fs;',
    "fs.readFileSync = (path, ...given) => (fs.writeSync(2, 'READ ' + path + '\\n'), readFileSync(path, ...given));",
  ].join('\n');
  const trace = join(folder, 'trace.cjs');
  writeFileSync(trace, traced);
  const { stderr } = spawnSync(process.execPath, ['--require', trace, bin, 'review', '--help'], {
    env: home.env,
    cwd: home.folder,
    encoding: 'utf8',
  });
  const read = [...stderr.matchAll(/^READ (.*)$/gm)].map(([, path = '']) => path);
  expect(read.filter((path) => path.startsWith(folder) && path.endsWith('.js') && path !== bin)).toHaveLength(1);
});

test('the bin can be executed', () => {
  expect(() => accessSync(bin, constants.X_OK)).not.toThrow();
});

test('starts through a symlink, as npx starts it', async () => {
  const link = join(home.folder, 'surety');
  symlinkSync(bin, link);
  expect(await run([link, '--version'])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
});

test('the version is the package’s', () => {
  expect(VERSION).toBe(PACKAGE.version);
  expect(PACKAGE.bin).toEqual({ surety: 'dist/main.js' });
});

test('--version --verbose names the trust model, the rules and every deviation', async () => {
  const { code, stdout } = await run([bin, '--version', '--verbose']);
  expect(code).toBe(0);
  expect(stdout).toContain('trust model 1.0.0\n');
  expect(stdout).toContain('validation rules 1.0.1\n');
  expect(DEVIATIONS).toHaveLength(7);
  for (const deviation of DEVIATIONS) expect(stdout).toContain(deviation);
});

test('--help says how to use it', async () => {
  const { code, stdout, stderr } = await run([bin, '--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('usage: surety');
  expect(stdout).toContain('--root DIR');
});

test('surety help prints what --help prints, also for a command', async () => {
  expect(await run([bin, 'help'])).toEqual(await run([bin, '--help']));
  expect(await run([bin, 'help', 'review'])).toEqual(await run([bin, 'review', '--help']));
});

test.each([
  [['revuew'], 'surety has no such command (did you mean surety review?); surety --help lists what it knows.\n'],
  [['lsit'], 'surety has no such command (did you mean surety list?); surety --help lists what it knows.\n'],
  [['forget', 'x'], 'surety has no such command (did you mean surety demote?); surety --help lists what it knows.\n'],
  [['help', 'lsit'], 'surety has no such command (did you mean surety list?); surety --help lists what it knows.\n'],
  [['--frob'], 'surety does not know the option at argument 1; surety --help lists what it knows.\n'],
  [['--yes'], 'surety does not know the option at argument 1; surety --help lists what it knows.\n'],
  [['-x'], 'surety does not know the option at argument 1; surety --help lists what it knows.\n'],
  [['--fr\u001b[31mob'], 'surety does not know the option at argument 1; surety --help lists what it knows.\n'],
  [['frob'], 'surety has no such command; surety --help lists what it knows.\n'],
  [['serve', 'x'], 'surety serve takes no argument besides options; surety --help lists what it knows.\n'],
  [['serve', '--frob'], 'surety serve does not know the option at argument 2; surety --help lists what it knows.\n'],
  [['--root'], '--root needs a folder; surety --help lists what it knows.\n'],
  [['--root', '--help'], '--root needs a folder; surety --help lists what it knows.\n'],
  [['--version=2'], '--version takes no value; surety --help lists what it knows.\n'],
  [['--verbose'], '--verbose goes with --version; surety --help lists what it knows.\n'],
])('%j is answered with one sentence and exit 64', async (args, sentence) => {
  expect(await run([bin, ...args])).toEqual({ code: 64, stdout: '', stderr: sentence });
});

test.each(CLIENTS)('the bundle serves $client', async ({ connect }) => {
  const session = await connect({ home, entry: bin });
  expect(session.serverInfo?.version).toBe(VERSION);
  // Turned when it was built: what clients are shown is what the tools hold calls to.
  const listed = await session.listTools();
  const told = TOOLS.map((tool) => ({ name: tool.name, ...jsonSchemasOf(tool) }));
  expect(listed).toMatchObject(
    told.map(({ name, input, output }) => ({ name, inputSchema: input, outputSchema: output })),
  );
  expect(await session.close()).toEqual({ code: 0, signal: null });
  expect(session.server.stderr).toBe('');
});
