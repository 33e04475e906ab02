// npm run bench:runs [-- --runs 5] [--sizes 1000,10000]: each ratio from several runs, as the median run with the least and the most.
import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Spread } from './latency.ts';
import { gaveUp } from './measures.ts';
import type { Figures } from './report.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '5' }, sizes: { type: 'string', default: '1000,10000' } },
});
const runs = Number(values.runs);

/** One ratio: by p50 and, where single times were kept, by p95. */
interface Ratio {
  readonly p50: number;
  readonly p95?: number;
}

const found = new Map<string, Ratio[]>();
const load: number[] = [];
for (let run = 1; run <= runs; run++) {
  process.stderr.write(`run ${run} of ${runs}\n`);
  load.push(loadavg()[0] ?? 0);
  const figures: Figures = JSON.parse(output('run.ts', '--quick', '--alone', '--json', '--sizes', values.sizes));
  for (const [name, ratio] of ratiosIn(figures)) add(name, ratio);
  const hooks: Record<string, Ratio> = JSON.parse(output('hooks.ts', '--json').trim().split('\n').at(-1) ?? '{}');
  for (const [name, ratio] of Object.entries(hooks).slice(1)) add(`hook: ${name}, × \`node -e 0\``, ratio);
}

process.stdout.write(
  [
    `${runs} runs, load ${Math.min(...load).toFixed(1)} to ${Math.max(...load).toFixed(1)}`,
    '',
    '| | p50: median run (least to most) | p95: median run (least to most) |',
    '|---|---|---|',
    ...[...found].map(
      ([name, each]) =>
        `| ${name} | ${spread(each.map(({ p50 }) => p50))} | ${spread(each.flatMap(({ p95 }) => p95 ?? []))} |`,
    ),
    '',
  ].join('\n'),
);

function* ratiosIn({ coldStart, bySize, bare }: Figures): Iterable<readonly [string, Ratio]> {
  yield ['cold start, × a bare server', beside(coldStart.surety, coldStart.bare)];
  for (const [size, { surety: us }] of Object.entries(bySize)) {
    const at = `at ${Number(size).toLocaleString('en')}`;
    const { search, write, firstLook, usable } = us ?? {};
    if (firstLook !== undefined && !gaveUp(firstLook))
      yield [`first look, ms a file, ${at}`, { p50: firstLook / Number(size) }];
    if (search !== undefined && !gaveUp(search)) {
      yield [`search for ten hits, × a bare server’s empty tool, ${at}`, beside(search.trip, search.empty)];
      yield [`resident memory, × a bare server, ${at}`, { p50: search.residentMb / bare }];
    }
    if (write !== undefined && !gaveUp(write))
      yield [
        `proposals a second, × a raw loop with the same fsyncs, ${at}`,
        { p50: write.perSecond / write.rawPerSecond },
      ];
    if (usable !== undefined && !gaveUp(usable))
      yield [`session start, × \`node -e 0\`, ${at}`, beside(usable.hook, usable.node)];
  }
}

function beside(one: Spread | undefined, floor: Spread | undefined): Ratio {
  if (one === undefined || floor === undefined) throw new Error('the run measured no floor');
  return { p50: one.p50 / floor.p50, p95: one.p95 / floor.p95 };
}

function add(name: string, ratio: Ratio): void {
  found.set(name, [...(found.get(name) ?? []), ratio]);
}

function spread(all: readonly number[]): string {
  const sorted = all.toSorted((a, b) => a - b);
  const [least, middle, most] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map((n) =>
    n?.toFixed(2),
  );
  return least === undefined ? '' : `${middle} (${least} to ${most})`;
}

function output(script: string, ...args: readonly string[]): string {
  return execFileSync(process.execPath, [join(import.meta.dirname, script), ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 64 * 2 ** 20,
  });
}
