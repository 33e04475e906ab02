// Makes every package: node scripts/packages.ts [folder]. What it makes of which facts is in scripts/packages/.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { writeClaudeCode } from './packages/claude-code.ts';
import { writeCodex } from './packages/codex.ts';
import { type Facts, ROOT, readFacts } from './packages/facts.ts';
import { write } from './packages/folder.ts';
import { writeGemini } from './packages/gemini.ts';
import { writeMcpb } from './packages/mcpb.ts';
import { writeNpm } from './packages/npm.ts';
import { serverJson } from './packages/server-json.ts';

type Write = (folder: string, facts: Facts, built: string) => void | Promise<void>;

const PACKAGES: Readonly<Record<string, Write>> = {
  npm: writeNpm,
  'claude-code': writeClaudeCode,
  mcpb: writeMcpb,
  gemini: writeGemini,
  codex: writeCodex,
};

/** Makes the packages below a folder, of a built program. Returns what could not be made, and why. */
export async function makePackages(folder: string, built: string, facts: Facts = readFacts()): Promise<string[]> {
  for (const [name, make] of Object.entries(PACKAGES)) {
    rmSync(join(folder, name), { recursive: true, force: true });
    await make(join(folder, name), facts, built);
  }
  rmSync(join(folder, 'server.json'), { force: true });
  const entry = serverJson(facts);
  if (entry === undefined)
    return ['server.json: package.json has no mcpName, because no name in the registry is ours yet'];
  write(folder, 'server.json', entry);
  return [];
}

/** Builds the program and makes the packages. */
export async function buildPackages(folder: string): Promise<string[]> {
  const built = mkdtempSync(join(tmpdir(), 'surety-built-'));
  try {
    execFileSync(process.execPath, [join(ROOT, 'build.ts'), built], { stdio: ['ignore', 'ignore', 'inherit'] });
    return await makePackages(folder, built);
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? join(ROOT, 'packages'));
  const missing = await buildPackages(folder);
  process.stdout.write(`${[...Object.keys(PACKAGES).map((name) => `${name}: made`), ...missing].join('\n')}\n`);
}
