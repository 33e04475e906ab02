import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OVERVIEW_JS } from '../../src/page/overview/script/script.ts';
import { ENROL_JS } from '../../src/page/passkeys/script.ts';
import { SCRIPT_JS } from '../../src/page/script.ts';
import { ROOT } from '../../testkit/program.ts';

// What runs in the browser is text here, so the compiler does not see it. Without types for each element it can still tell
// names that nothing declares, calls with too many arguments, and constants that are assigned to.

/** Errors about properties of elements and forms, which take a type for each element. */
const NEEDS_TYPES = ['TS2339', 'TS2551', 'TS2345', 'TS2353', 'TS2739'];

const OPTIONS = {
  allowJs: true,
  checkJs: true,
  noEmit: true,
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
};

function errorsIn(script: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'script-'));
  writeFileSync(join(folder, 'script.js'), script);
  const settings = { compilerOptions: { ...OPTIONS, strict: false, types: [] }, files: ['script.js'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { cwd: folder, encoding: 'utf8' });
  return stdout
    .split('\n')
    .filter((line) => line.includes('error TS') && !NEEDS_TYPES.some((code) => line.includes(code)));
}

test.each([
  ['the review page', SCRIPT_JS],
  ['the page for passkeys', ENROL_JS],
  ['the overview', OVERVIEW_JS],
])('the script of %s uses only names that it declares', (_, script) => {
  expect(errorsIn(script)).toEqual([]);
});

test.each([
  ['a name that nothing declares', 'const a = () => missing(1);'],
  ['a call with too many arguments', 'const a = (b) => b; a(1, 2);'],
  ['a constant that is assigned to', 'const a = 1; a = 2;'],
  ['no JavaScript', 'const = ;'],
])('%s is found', (_, script) => {
  expect(errorsIn(script)).not.toEqual([]);
});
