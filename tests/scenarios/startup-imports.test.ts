import { globSync, readFileSync } from 'node:fs';
import { dirname, join, parse, relative } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, ROOT } from '../../testkit/program.ts';

/** Everything a file imports, directly or not; what it loads later only where asked for. */
function reached(file: string, { later }: { later: boolean }, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const source = readFileSync(file, 'utf8');
  const imports = [...source.matchAll(/^(?:import|export)\b(?! type)[^;]*?from '([^']+)';/gm)];
  if (later) imports.push(...source.matchAll(/\bimport\('([^']+)'\)/g));
  for (const [, from = ''] of imports) {
    if (from.startsWith('.')) reached(join(dirname(file), from), { later }, seen);
    else seen.add(from);
  }
  return seen;
}

function packages(seen: Set<string>): string[] {
  return [...seen].filter((name) => !name.startsWith('/') && !name.startsWith('node:')).sort();
}

test('the hooks load neither zod nor the MCP SDK', () => {
  const seen = ['run-session-start', 'run-user-prompt-submit', 'pre-compact', 'pre-tool-use'].flatMap((hook) =>
    packages(reached(join(ROOT, `src/hooks/${hook}.ts`), { later: true })),
  );
  expect(seen).toContain('better-sqlite3');
  expect(seen.filter((name) => name === 'zod' || name.startsWith('@modelcontextprotocol/'))).toEqual([]);
});

test('what starts in the bundle loads no script of a page', () => {
  const seen = ['main', 'server', 'cli/run', 'cli/commands/hook'].flatMap((start) => [
    ...reached(join(ROOT, `src/${start}.ts`), { later: false }),
  ]);
  expect(seen.filter((file) => file.endsWith('/browser-script.ts'))).toEqual([]);
  const files = globSync(join(dirname(MAIN), '*.js'));
  const withScripts = files.filter((file) => readFileSync(file, 'utf8').includes('navigator.credentials'));
  expect(withScripts.map((file) => parse(file).name).sort()).toEqual([
    expect.stringMatching(/^program-/),
    expect.stringMatching(/^server-/),
  ]);
  // There they are in a function of the one module that asks for them, which runs when a page is opened.
  const holders = globSync(join(ROOT, 'src/**/*.ts')).filter((file) =>
    readFileSync(file, 'utf8').includes('BUILT_SCRIPTS'),
  );
  expect(holders.map((file) => relative(ROOT, file))).toEqual(['src/page/browser-script.ts']);
});

test('the command that starts hooks knows no rules for secrets, which take longer to load than all of the guard', () => {
  const seen = reached(join(ROOT, 'src/cli/commands/hook.ts'), { later: false });
  expect([...seen].filter((file) => file.includes('/secrets/'))).toEqual([]);
});

test('the guard loads no library, no database and nothing that opens the store', () => {
  const seen = reached(join(ROOT, 'src/hooks/pre-tool-use.ts'), { later: false });
  expect(packages(seen)).toEqual([]);
  expect([...seen].filter((file) => /store\/(?:open|vault|disk|ledgers|index-db)\.ts$/.test(file))).toEqual([]);
});

test('the server answers the handshake with nothing loaded but the MCP SDK, zod and what its tools say of themselves', () => {
  const seen = reached(join(ROOT, 'src/server.ts'), { later: false });
  expect(packages(seen)).toEqual(['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio', 'zod']);
  expect([...seen].filter((file) => /src\/(?:actions|store|core\/checks)\/(?!disk\/random)/.test(file))).toEqual([]);
  // Half of what is left would be this one, by the time it takes to load.
  expect(seen).not.toContain('node:crypto');
});

test('neither the handshake nor a proposal loads what enrols, requires and asks for passkeys', () => {
  const [handshake, proposal, opened] = ['src/server.ts', 'src/actions/agent/propose.ts', 'src/actions/session.ts'].map(
    (file) => [...reached(join(ROOT, file), { later: false })].filter((each) => each.includes('passkey')),
  );
  expect([handshake, proposal]).toEqual([[], []]);
  // What reads a ledger knows entries about passkeys, because any ledger may hold a requirement.
  expect(opened?.map((file) => file.slice(join(ROOT, 'src/').length)).sort()).toEqual([
    'core/ledger/packed-passkey.ts',
    'core/ledger/passkey-set.ts',
    'core/passkeys/assertion.ts',
    'core/passkeys/challenge.ts',
    'core/passkeys/change.ts',
    'core/passkeys/needs-passkey.ts',
    'store/ledger/passkey-entries.ts',
  ]);
});
