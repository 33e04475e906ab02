// Drives the built server with MCP Inspector's command line, in both protocol eras: npm run inspect
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROMPTS, RESOURCES, TOOLS } from '../src/server.ts';

const ROOT = join(import.meta.dirname, '..');
const SERVER = join(ROOT, 'dist/main.js');
const INSPECTOR = join(ROOT, 'node_modules/@modelcontextprotocol/inspector');
const PATIENCE_MS = 60_000;

/** The Inspector's names for them. */
const ERAS = { legacy: '2025-11-25', modern: '2026-07-28' } as const;

type Json = Record<string, unknown>;

interface Step {
  readonly name: string;
  readonly args: readonly string[];
  /** What is said of the result in the table; throws when the result is not what it should be. */
  readonly judge: (result: Json, said: string) => string;
}

const MEMORY = {
  type: 'feedback',
  name: 'Merge by rebase',
  description: 'How pull requests are merged',
  body: 'Merge by rebase only.\n\nWhy: the history stays readable.\nHow to apply: use the merge queue.',
};
const ID = 'feedback_merge_by_rebase';
const TEMPLATES = RESOURCES.filter(({ uri }) => uri.includes('{')).length;

function stepsFor(revision: string): readonly Step[] {
  return [
    {
      name: 'initialize',
      args: ['--method', 'initialize'],
      judge: ({ protocolVersion }) => same(protocolVersion, revision),
    },
    {
      name: 'tools/list --strict',
      args: ['--method', 'tools/list', '--strict'],
      // Exit code 6 means a schema some client cannot take; what is merely less portable is a warning.
      judge: ({ tools }, said) =>
        `${counted(tools, TOOLS.length)}; ${/\d+ errors?, .*/.exec(said)?.[0] ?? 'no remarks'}`,
    },
    {
      name: 'resources/list',
      args: ['--method', 'resources/list'],
      judge: ({ resources }) => counted(resources, RESOURCES.length - TEMPLATES),
    },
    {
      name: 'resources/templates/list',
      args: ['--method', 'resources/templates/list'],
      judge: ({ resourceTemplates }) => counted(resourceTemplates, TEMPLATES),
    },
    {
      name: 'prompts/list',
      args: ['--method', 'prompts/list'],
      judge: ({ prompts }) => counted(prompts, PROMPTS.length),
    },
    {
      name: 'propose_memory',
      args: calling('propose_memory', MEMORY),
      judge: ({ structuredContent }) => {
        const { id, tier, outcome } = structuredContent as Json;
        same(id, ID);
        return `${outcome}, ${same(tier, 'inferred')}`;
      },
    },
    {
      name: 'read_memory',
      args: calling('read_memory', { id: ID }),
      judge: ({ structuredContent }) => {
        const { tier, stored } = structuredContent as Json;
        if (!String((stored as Json).body).includes('Merge by rebase only.'))
          throw new Error('the text did not come back');
        return `${same(tier, 'inferred')}, whole text`;
      },
    },
    {
      name: 'search_memories',
      args: calling('search_memories', { query: 'rebase' }),
      judge: ({ structuredContent }) => {
        const { hits } = structuredContent as { hits: Json[] };
        same(hits[0]?.id, ID);
        return counted(hits, 1);
      },
    },
  ];
}

function calling(tool: string, args: Json): string[] {
  return ['--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args)];
}

function same(value: unknown, expected: string): string {
  if (value !== expected) throw new Error(`expected ${expected}, got ${JSON.stringify(value)}`);
  return expected;
}

function counted(list: unknown, expected: number): string {
  if (!Array.isArray(list) || list.length !== expected) {
    throw new Error(`expected ${expected}, got ${Array.isArray(list) ? list.length : 'no list'}`);
  }
  return String(expected);
}

/** Ended as whole groups: the Inspector starts the server as a child of its own. */
const running = new Set<ChildProcess>();
function end(child: ChildProcess): void {
  running.delete(child);
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {} // it left by itself
}
process.on('exit', () => running.forEach(end));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<Outcome> {
  const child = spawn(process.execPath, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const late = setTimeout(() => end(child), PATIENCE_MS);
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (code) => {
      clearTimeout(late);
      end(child);
      done({ code, stdout, stderr });
    });
  });
}

async function inspect(home: string, era: string, { args, judge }: Step): Promise<{ ok: boolean; said: string }> {
  const { bin } = JSON.parse(readFileSync(join(INSPECTOR, 'package.json'), 'utf8')) as { bin: Record<string, string> };
  const cli = [join(INSPECTOR, bin['mcp-inspector'] ?? ''), '--cli', '--protocol-era', era, '--format', 'json'];
  // Nothing of the real environment but the PATH: neither the real store nor the Inspector's own settings are touched.
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    USERPROFILE: home,
    TMPDIR: home,
    MCP_INSPECTOR_SECRET_STORE: 'memory', // else it asks for the keychain
  };
  const { code, stdout, stderr } = await run([...cli, ...args, process.execPath, SERVER], env, home);
  try {
    if (code !== 0)
      throw new Error(`the Inspector ended with ${code ?? 'a signal'}: ${stderr.trim() || stdout.trim()}`);
    return { ok: true, said: judge(JSON.parse(stdout).result, stderr) };
  } catch (error) {
    return { ok: false, said: error instanceof Error ? error.message : String(error) };
  }
}

const built = await run([join(ROOT, 'build.ts')], process.env, ROOT);
if (built.code !== 0) {
  process.stderr.write(`The build failed:\n${built.stderr}`);
  process.exit(1);
}

let failures = 0;
for (const [era, revision] of Object.entries(ERAS)) {
  const home = mkdtempSync(join(tmpdir(), 'surety-inspect-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  process.stdout.write(`${era} (${revision})\n`);
  for (const step of stepsFor(revision)) {
    const { ok, said } = await inspect(home, era, step);
    if (!ok) failures += 1;
    process.stdout.write(`  ${ok ? 'ok    ' : 'FAILED'}  ${step.name.padEnd(25)}  ${said}\n`);
  }
}
process.stdout.write(failures === 0 ? 'all as it should be\n' : `${failures} failed\n`);
process.exit(failures === 0 ? 0 : 1);
