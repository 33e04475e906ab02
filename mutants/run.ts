// npm run mutants [-- GROUP or FILE...]: changes the sources in small ways, and lists the changes that no test notices
import { readFileSync } from 'node:fs';
import { join, matchesGlob, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { GROUPS, type Group } from './groups.ts';

type MutantResult = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

/** A change that makes no difference to anybody, and why. */
interface Equivalent {
  readonly file: string;
  /** The line as it is, without the white space around it. */
  readonly line: string;
  /** What a part of it becomes. */
  readonly becomes: string;
  readonly why: string;
}

const ROOT = join(import.meta.dirname, '..');
/** Of the changes that make a difference, at least this share must be noticed. */
const SHARE = 0.9;
/** What a change can be after its tests; any other one could not be tried. */
const JUDGED: readonly MutantResult['status'][] = ['Killed', 'Timeout', 'Survived', 'NoCoverage'];
const say = (line: string) => process.stdout.write(`${line}\n`);

const { positionals } = parseArgs({ allowPositionals: true });
const chosen = positionals.length === 0 ? GROUPS : positionals.flatMap(groupOf);
const equivalents: readonly Equivalent[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'equivalent.json'), 'utf8'),
);

process.chdir(ROOT);
const rows: string[] = [];
for (const group of chosen) rows.push(await measured(group));
say('\n| sources | changes | noticed | make no difference | unnoticed | noticed of those that make one | minutes |');
say('|---|---|---|---|---|---|---|');
for (const row of rows) say(row);

/** The group of this name, or the part of a group that is this file. */
function groupOf(given: string): readonly Group[] {
  const named = GROUPS.filter(({ name }) => name === given);
  const part = GROUPS.filter(({ mutate }) => mutate.some((glob) => matchesGlob(given, glob)));
  if (named.length + part.length === 0)
    throw new Error(`give one of ${GROUPS.map(({ name }) => name).join(', ')}, or a file of theirs`);
  return [...named, ...part.map((group) => ({ ...group, name: given, mutate: [given] }))];
}

async function measured({ name, mutate, tests, areWhole }: Group): Promise<string> {
  const start = performance.now();
  // The worker processes of Stryker read it in vitest.config.ts and pure-runner.ts.
  process.env.MUTANTS_TESTS = tests.join(',');
  const results = await new Stryker({
    mutate: [...mutate],
    testRunner: areWhole ? 'vitest' : 'pure',
    vitest: { configFile: 'mutants/vitest.config.ts', related: false },
    plugins: ['@stryker-mutator/vitest-runner', join(import.meta.dirname, 'pure-runner.ts')],
    coverageAnalysis: 'perTest',
    concurrency: 2,
    reporters: ['progress-append-only'],
    tempDirName: '.built-for-mutants',
    ignorePatterns: ['dist', 'pictures', 'biome.json', 'packages', 'bench/alternatives', '.built-for-*'],
    disableTypeChecks: false,
    // A change that only makes a busy machine slower is not noticed: an endless loop is found by counting its rounds.
    timeoutMS: 120_000,
    dryRunTimeoutMinutes: 30,
    // Stryker would read it with a function that TypeScript 7 does not have; only checkers of types need it.
    tsconfigFile: 'none.json',
    allowConsoleColors: false,
  }).runMutationTest();
  const unnoticed = results.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  const argued = unnoticed.filter((mutant) => equivalents.some((each) => isSame(each, mutant)));
  const left = unnoticed.filter((mutant) => !argued.includes(mutant));
  for (const mutant of left) {
    const { file, line, becomes } = described(mutant);
    say(`\n${file}:${mutant.location.start.line}\n  ${line}\n  ${mutant.mutatorName}: ${becomes}`);
  }
  for (const each of equivalents) {
    if (mutate.some((glob) => matchesGlob(each.file, glob)) && !argued.some((mutant) => isSame(each, mutant)))
      say(`\nequivalent.json lists a change that is noticed or no longer made: ${each.file}: ${each.line}`);
  }
  const count = results.filter(({ status }) => JUDGED.includes(status)).length;
  const noticed = count - unnoticed.length;
  const share = noticed / Math.max(1, count - argued.length);
  if (share < SHARE) process.exitCode = 1;
  const minutes = ((performance.now() - start) / 60_000).toFixed(1);
  const [only, ...rest] = mutate;
  const sources = rest.length === 0 && only !== undefined && !only.includes('*') ? only : name;
  return `| ${sources} | ${count} | ${noticed} | ${argued.length} | ${left.length} | ${(100 * share).toFixed(1)} % | ${minutes} |`;
}

function described({ fileName, location, replacement = '' }: MutantResult): Omit<Equivalent, 'why'> {
  const lines = readFileSync(fileName, 'utf8').split('\n');
  return { file: relative(ROOT, fileName), line: (lines[location.start.line - 1] ?? '').trim(), becomes: replacement };
}

function isSame(equivalent: Equivalent, mutant: MutantResult): boolean {
  const { file, line, becomes } = described(mutant);
  return equivalent.file === file && equivalent.line === line && equivalent.becomes === becomes;
}
