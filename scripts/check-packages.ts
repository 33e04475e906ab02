// Makes every package in a temporary folder and has its own client or validator look at it: node scripts/check-packages.ts
// The programs are looked for on the PATH. None of them needs the network for this.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPackages } from './packages.ts';

interface Check {
  readonly name: string;
  /** The package that brings the program. */
  readonly from: string;
  /** Program and arguments; `@` is the folder of the packages. */
  readonly command: readonly string[];
  /** What has to stand in the output besides an exit code of 0. */
  readonly says?: RegExp;
  /** What is typed when the program asks. */
  readonly types?: string;
}

const CLAUDE = '@anthropic-ai/claude-code';
const CODEX = '@openai/codex';
const GEMINI = '@google/gemini-cli';
const MCPB = '@anthropic-ai/mcpb';

/** In this order and in one empty home, so that what is installed can be listed. */
const CHECKS: readonly Check[] = [
  { name: 'npm: packs', from: 'npm', command: ['npm', 'pack', '@/npm', '--pack-destination', '@'] },
  {
    name: 'Claude Code: the marketplace is valid',
    from: CLAUDE,
    command: ['claude', 'plugin', 'validate', '--strict', '@/claude-code'],
  },
  {
    name: 'Claude Code: the plugin is valid',
    from: CLAUDE,
    command: ['claude', 'plugin', 'validate', '--strict', '@/claude-code/plugins/surety'],
  },
  {
    name: 'Claude Code: adds the marketplace',
    from: CLAUDE,
    command: ['claude', 'plugin', 'marketplace', 'add', '@/claude-code'],
  },
  {
    name: 'Claude Code: installs the plugin',
    from: CLAUDE,
    command: ['claude', 'plugin', 'install', 'surety@surety'],
  },
  {
    name: 'Claude Code: connects to its server',
    from: CLAUDE,
    command: ['claude', 'mcp', 'list'],
    says: /plugin:surety:surety: .*Connected/,
  },
  { name: 'MCPB: the manifest is valid', from: MCPB, command: ['mcpb', 'validate', '@/mcpb/manifest.json'] },
  { name: 'MCPB: packs', from: MCPB, command: ['mcpb', 'pack', '@/mcpb', '@/surety.mcpb'] },
  {
    name: 'Gemini CLI: the extension is valid',
    from: GEMINI,
    command: ['gemini', 'extensions', 'validate', '@/gemini'],
  },
  {
    name: 'Gemini CLI: installs the extension',
    from: GEMINI,
    command: ['gemini', 'extensions', 'install', '--consent', '@/gemini'],
    // It asks whether to trust the folder.
    types: 'y\n',
  },
  {
    name: 'Gemini CLI: lists its server',
    from: GEMINI,
    command: ['gemini', 'extensions', 'list'],
    says: /surety \(.*\)[\s\S]*MCP servers:\s+surety/,
  },
  {
    name: 'Codex: adds the marketplace',
    from: CODEX,
    command: ['codex', 'plugin', 'marketplace', 'add', '@/codex'],
  },
  { name: 'Codex: installs the plugin', from: CODEX, command: ['codex', 'plugin', 'add', 'surety@surety'] },
  {
    name: 'Codex: lists its server',
    from: CODEX,
    command: ['codex', 'mcp', 'list'],
    says: /^surety +node +dist\/main\.js .*enabled/m,
  },
];

const MOST_SECONDS = 120;

/** Runs one check in an empty home; `missing` means that the program is not on this machine. */
function run(
  { command, says, types = '' }: Check,
  folder: string,
): { readonly state: 'good' | 'bad' | 'missing'; readonly said: string } {
  const [program = '', ...args] = command.map((word) => word.replace(/^@(?=\/|$)/, folder));
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: home,
    // Only what a program needs to be found: no setting of the person who runs this.
    env: { PATH: process.env.PATH ?? '', HOME: home, USERPROFILE: home },
    encoding: 'utf8',
    input: types,
    timeout: MOST_SECONDS * 1000,
  });
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') return { state: 'missing', said: '' };
  const isGood = status === 0 && (says === undefined || says.test(`${stdout}${stderr}`));
  return { state: isGood ? 'good' : 'bad', said: `${stdout}${stderr}${error?.message ?? ''}` };
}

const folder = mkdtempSync(join(tmpdir(), 'surety-packages-'));
try {
  const lines = (await buildPackages(folder)).map((why) => `NOT MADE     ${why}`);
  for (const check of CHECKS) {
    const { state, said } = run(check, folder);
    if (state === 'good') lines.push(`ok           ${check.name}`);
    else if (state === 'missing')
      lines.push(`NOT CHECKED  ${check.name}: ${check.command[0]} is not on the PATH (${check.from})`);
    else {
      process.exitCode = 1;
      lines.push(`FAILED       ${check.name}\n${said.trimEnd().replaceAll(/^/gm, '             ')}`);
    }
  }
  process.stdout.write(`${lines.join('\n')}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
