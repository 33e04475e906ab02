// npm run bench:hooks [-- --memories 1000] [--rounds 25] [--json] [--verified none|signed|required]: what the hooks take, as a
// ratio to starting Node; in a store where every memory is verified, if that is asked for: without a passkey, signed by one, or with
// one required besides.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { of, type Spread } from './latency.ts';

const { values } = parseArgs({
  options: {
    memories: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '25' },
    json: { type: 'boolean', default: false },
    verified: { type: 'string' },
  },
});
const ROOT = join(import.meta.dirname, '..');
const home = mkdtempSync(join(tmpdir(), 'surety-bench-'));
// In the project, because the native module is found from there.
const built = mkdtempSync(join(ROOT, '.built-for-tests-'));
const say = (line: string) => process.stdout.write(`${line}\n`);

/** Its words are in many of the memories, so it costs what a search costs, and none of them answers it. */
const PROMPT =
  'The deploy of the billing service fails in staging. Which database does the importer use, and why is the cache slow?';
const CALL = { tool_name: 'Bash', cwd: home, tool_input: { command: 'git status && npm test -- --run' } };
const MAIN = join(built, 'main.js');
const RUNS = {
  'bare Node': { args: ['-e', '0'], input: '' },
  'session-start': { args: [MAIN, 'hook', 'session-start'], input: JSON.stringify({ source: 'startup', cwd: home }) },
  'remember:': {
    args: [MAIN, 'hook', 'user-prompt-submit'],
    input: JSON.stringify({ prompt: 'Remember: we deploy only on weekdays. Friday evening is the weekend, too.' }),
  },
  'a prompt': {
    args: [MAIN, 'hook', 'user-prompt-submit'],
    input: JSON.stringify({ session_id: 'bench', cwd: home, prompt: PROMPT }),
  },
  'an answered prompt': {
    args: [MAIN, 'hook', 'user-prompt-submit'],
    input: (round: number) =>
      JSON.stringify({
        session_id: `bench ${round}`,
        cwd: home,
        prompt: 'How often is Frankfurt backed up at midnight?',
      }),
  },
  'pre-tool-use': { args: [MAIN, 'hook', 'pre-tool-use'], input: JSON.stringify(CALL) },
} as const;
type Run = keyof typeof RUNS;

try {
  execFileSync(process.execPath, [join(ROOT, 'build.ts'), built]);
  // In another process, because to start a program the system copies the tables of all memory that this one holds: after a scan
  // of 100,000 memories that takes 14 ms, bare Node included.
  const { memories, verified = '' } = values;
  execFileSync(process.execPath, [join(ROOT, 'bench/hooks-store.ts'), home, memories, verified], { stdio: 'inherit' });
  report(measured(Number(values.rounds)));
} finally {
  for (const folder of [home, built]) rmSync(folder, { recursive: true, force: true });
}

/** Taken in turns, so that whatever else the machine does is felt by all alike. */
function measured(rounds: number): Record<Run, Spread> {
  const names = Object.keys(RUNS) as Run[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Run, number[]>;
  for (let round = -1; round < rounds; round++) {
    for (const name of names) {
      const began = performance.now();
      const { args, input } = RUNS[name];
      const sent = typeof input === 'string' ? input : input(round);
      const { status, stderr, stdout } = spawnSync(process.execPath, args, {
        input: sent,
        encoding: 'utf8',
        env: { PATH: process.env.PATH ?? '', HOME: home },
      });
      if (status !== 0 || stderr !== '') throw new Error(`${name} failed: ${stderr}`);
      if (name === 'an answered prompt' && values.verified !== 'required' && !stdout.includes('Frankfurt'))
        throw new Error('nothing was recalled');
      // The first round warms the disk's cache.
      if (round >= 0) times[name].push(performance.now() - began);
    }
  }
  return Object.fromEntries(names.map((name) => [name, of(times[name])])) as Record<Run, Spread>;
}

function report(spreads: Record<Run, Spread>): void {
  const bare = spreads['bare Node'];
  say(`${values.memories} memories, ${values.rounds} starts each`);
  for (const [name, { p50, p95 }] of Object.entries(spreads)) {
    const times = `${p50.toFixed(0).padStart(5)} ms ${(p50 / bare.p50).toFixed(2).padStart(7)} × bare Node`;
    say(`  ${name.padEnd(18)} ${times}, p95 ${p95.toFixed(0)} ms ${(p95 / bare.p95).toFixed(2)} ×`);
  }
  const ratios = Object.entries(spreads).map(([name, { p50, p95 }]) => [
    name,
    { p50: p50 / bare.p50, p95: p95 / bare.p95 },
  ]);
  if (values.json) say(JSON.stringify(Object.fromEntries(ratios)));
}
