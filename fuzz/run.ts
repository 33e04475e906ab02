// npm run fuzz [-- --seconds 120] [--seed 1] [--only parser,tools] [--json] [--main dist/main.js]
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { built } from '../testkit/built.ts';
import type { Property } from './property.ts';
import { ROOMS } from './rooms.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
    main: { type: 'string' },
  },
});
const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
const only = values.only?.split(',');
const wanted = Object.entries(ROOMS).filter(([room]) => only === undefined || only.includes(room));
if (!(seconds > 0) || !Number.isInteger(seed) || wanted.length === 0)
  throw new Error(`--seconds and --seed are numbers; --only is one or more of ${Object.keys(ROOMS).join(', ')}`);

interface Result {
  readonly room: string;
  readonly title: string;
  readonly runs: number;
  readonly seconds: number;
  /** How to see it again, and what happened; null when nothing did. */
  readonly failed: string | null;
}

const bin = built(values.main);
try {
  const all = wanted.flatMap(([room, properties]) => properties.map((property) => ({ room, property })));
  const results: Result[] = [];
  for (const { room, property } of all) results.push(await tried(room, property, seconds / all.length));
  if (values.json) process.stdout.write(`${JSON.stringify({ seed, seconds, results })}\n`);
  else process.stdout.write(table(results));
  process.exitCode = results.some(({ failed }) => failed !== null) ? 1 : 0;
} finally {
  bin.remove();
}

async function tried(room: string, { title, begin }: Property, share: number): Promise<Result> {
  const began = performance.now();
  const { property, end } = await begin(bin.main);
  try {
    const outcome = await fc.check(property as fc.IAsyncProperty<unknown>, {
      seed,
      numRuns: 10_000_000,
      interruptAfterTimeLimit: share * 1_000,
      markInterruptAsFailure: false,
    });
    const again = `seed ${outcome.seed}, path ${outcome.counterexamplePath}`;
    const failed = outcome.failed ? `${again}: ${fc.stringify(outcome.counterexample)} ${outcome.errorInstance}` : null;
    return { room, title, runs: outcome.numRuns, seconds: Math.round((performance.now() - began) / 1_000), failed };
  } finally {
    await end();
  }
}

function table(results: readonly Result[]): string {
  const lines = results.flatMap(({ room, title, runs, failed }) => [
    `${room.padEnd(10)} ${String(runs).padStart(9)} runs  ${failed === null ? 'held  ' : 'FAILED'}  ${title}`,
    ...(failed === null ? [] : [`    ${failed}`]),
  ]);
  return `${[`seed ${seed}, ${seconds} s`, ...lines].join('\n')}\n`;
}
