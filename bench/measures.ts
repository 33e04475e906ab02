import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seeded } from '../testkit/seeded.ts';
import { type Start, Wire } from '../testkit/wire.ts';
import { acknowledges, type Contestant } from './contestants.ts';
import { queries } from './corpus.ts';
import { RawLoop } from './floor.ts';
import { of, type Spread, timed } from './latency.ts';

/** What a cell of the table holds when there is no figure: why. */
export type Cell<T> = T | { readonly gaveUp: string };

export function gaveUp<T>(cell: Cell<T>): cell is { readonly gaveUp: string } {
  return typeof cell === 'object' && cell !== null && 'gaveUp' in cell;
}

/** Runs something in a home of its own; a failure is the cell. */
export async function inHome<T>(work: (home: string) => Promise<Cell<T>>): Promise<Cell<T>> {
  const home = mkdtempSync(join(tmpdir(), 'surety-bench-'));
  try {
    return await work(home);
  } catch (error) {
    return { gaveUp: error instanceof Error ? error.message.slice(0, 120) : 'failed' };
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** From the spawn until tools/list is answered, all taken in turns; one that does not start is left out. */
export async function coldStarts(starts: ReadonlyMap<string, Start>, rounds: number): Promise<Map<string, Spread>> {
  const times = new Map([...starts.keys()].map((name) => [name, [] as number[]]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, start] of starts) {
      if (!times.has(name)) continue;
      const began = performance.now();
      const wire = await Wire.open(start).catch(() => undefined);
      if (wire === undefined) {
        times.delete(name);
        continue;
      }
      await wire.ask('tools/list', {});
      // The first round warms the disk's cache, and ends as clients end a server: what Node compiled is kept then.
      if (round >= 0) times.get(name)?.push(performance.now() - began);
      if (round >= 0) wire.kill();
      else await wire.close();
      await wire.gone;
    }
  }
  return new Map([...times].map(([name, all]) => [name, of(all)]));
}

export interface Searched {
  readonly trip: Spread;
  readonly empty: Spread;
  /** Of the queries, how many found anything. */
  readonly found: number;
  readonly residentMb: number;
}

export interface Budget {
  readonly queries: number;
  readonly writes: number;
  readonly seconds: number;
}

/** Round trips of a search, in turns with those of an empty tool on a bare server. */
export async function searches(
  contestant: Contestant,
  home: string,
  bare: Wire,
  { queries: many, seconds }: Budget,
  kind: 'ordinary' | 'common' = 'ordinary',
): Promise<Cell<Searched>> {
  const wire = await Wire.open(contestant.start(home));
  try {
    const ask = async (query: string) => {
      const { tool, args } = contestant.search(query);
      const answer = await wire.call(tool, args);
      if (answer.kind === 'gone') throw new Error('no answer');
      return answer.kind === 'said' && contestant.finds(answer.text);
    };
    await ask('first');
    const end = performance.now() + seconds * 1_000;
    for (const query of queries(kind, 30, 3)) if (performance.now() < end) await ask(query);
    const [trips, empties]: [number[], number[]] = [[], []];
    let found = 0;
    for (const query of queries(kind, many)) {
      if (performance.now() > end && trips.length >= 5) break;
      empties.push(await timed(() => bare.mustCall('empty', {})));
      const began = performance.now();
      if (await ask(query)) found += 1;
      trips.push(performance.now() - began);
    }
    return { trip: of(trips), empty: of(empties), found: found / trips.length, residentMb: wire.residentMb() };
  } finally {
    wire.kill();
    await wire.gone;
  }
}

export interface Written {
  readonly perSecond: number;
  /** Of a raw loop with the fsyncs of a proposal, in turns in the same run. */
  readonly rawPerSecond: number;
  /** The very first write of the server, with all it has to load for it. */
  readonly firstMs: number;
  readonly refused: number;
}

/** As many come first, as before searches: what is asked for is the pace of a server at work. */
const WARMING = 30;

/** One write after the other, in turns with the raw loop. */
export async function writes(contestant: Contestant, home: string, budget: Budget): Promise<Cell<Written>> {
  const wire = await Wire.open(contestant.start(home));
  const raw = new RawLoop(join(home, 'raw'));
  try {
    // The store is opened by the first call.
    const first = contestant.search('first');
    await wire.call(first.tool, first.args);
    let [theirs, ours, done, refused, next] = [0, 0, 0, 0, 0];
    const write = async () => {
      const { tool, args } = contestant.write(`written ${next}`, sentence('w', next++));
      const began = performance.now();
      const answer = await wire.call(tool, args);
      if (answer.kind === 'gone') throw new Error('no answer');
      if (!acknowledges(contestant, answer)) refused += 1;
      return performance.now() - began;
    };
    const end = performance.now() + budget.seconds * 1_000;
    const firstMs = await write();
    while (next < WARMING && performance.now() < end) await write();
    while (done < budget.writes && (performance.now() < end || done < 5)) {
      theirs += await write();
      ours += await timed(() => raw.once());
      done += 1;
    }
    return { perSecond: (done / theirs) * 1_000, rawPerSecond: (done / ours) * 1_000, firstMs, refused };
  } finally {
    wire.kill();
    await wire.gone;
  }
}

/** How often the disk is waited for in one write: without that, what was acknowledged is lost with the power. */
export async function syncs(contestant: Contestant, home: string): Promise<Cell<number>> {
  if (spawnSync('strace', ['-V']).status !== 0) return { gaveUp: 'no strace here' };
  const trace = join(home, 'trace');
  const { command, args, ...rest } = contestant.start(home);
  const traced = ['-f', '-qq', '-e', 'trace=fsync,fdatasync', '-o', trace, command, ...args];
  const wire = await Wire.open({ command: 'strace', args: traced, ...rest });
  const count = () => readFileSync(trace, 'utf8').match(/\b(?:fsync|fdatasync)\(/g)?.length ?? 0;
  const write = async (n: number) => {
    const asked = contestant.write(`synced ${n}`, sentence('s', n));
    await wire.call(asked.tool, asked.args);
  };
  // The first ones make the store and its tables.
  for (let n = 0; n < 5; n++) await write(n);
  await sleep(500);
  const before = count();
  for (let n = 5; n < 15; n++) await write(n);
  const after = count();
  wire.kill();
  await wire.gone;
  return (after - before) / 10;
}

export interface Survived {
  /** Processes that came up; some servers do not when several start at once. */
  readonly started: number;
  readonly sent: number;
  readonly acknowledged: number;
  readonly stored: number;
  readonly seconds: number;
}

/** Several processes on one store, each sending its writes: one after the other, or all at once. */
export async function survivors(
  contestant: Contestant,
  home: string,
  { processes, each, pipelined }: { processes: number; each: number; pipelined: boolean },
): Promise<Survived> {
  const opened = await Promise.allSettled(Array.from({ length: processes }, () => Wire.open(contestant.start(home))));
  const wires = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const told: string[] = [];
  const began = performance.now();
  const one = async (wire: Wire, process: number, n: number) => {
    const text = sentence(`p${process}`, n);
    const { tool, args } = contestant.write(`process ${process} number ${n}`, text);
    if (acknowledges(contestant, await wire.call(tool, args))) told.push(markIn(text));
  };
  await Promise.all(
    wires.map(async (wire, process) => {
      const numbers = Array.from({ length: each }, (_, n) => n);
      if (pipelined) await Promise.all(numbers.map((n) => one(wire, process, n)));
      else for (const n of numbers) await one(wire, process, n);
    }),
  );
  const seconds = (performance.now() - began) / 1_000;
  await Promise.all(wires.map((wire) => wire.close()));
  const stored = storedMarks(contestant, home);
  return {
    started: wires.length,
    sent: processes * each,
    acknowledged: told.length,
    stored: told.filter((mark) => stored.has(mark)).length,
    seconds,
  };
}

export interface Harm {
  readonly kills: number;
  readonly acknowledged: number;
  readonly lost: number;
  /** After how many kills the storage could not be read. */
  readonly unreadable: number;
}

/** One server, writing as fast as it answers, killed at a random moment; again and again on the same storage. */
export async function kills(contestant: Contestant, home: string, times: number): Promise<Harm> {
  const chance = seeded(7);
  const told = new Set<string>();
  let unreadable = 0;
  let n = 0;
  for (let round = 0; round < times; round++) {
    const wire = await Wire.open(contestant.start(home));
    const one = async () => {
      for (;;) {
        const text = sentence(`k${round}`, n++);
        const { tool, args } = contestant.write(`kill ${n}`, text);
        const answer = await wire.call(tool, args);
        if (answer.kind === 'gone') return;
        if (acknowledges(contestant, answer)) told.add(markIn(text));
      }
    };
    // One after the other: what several at once do to each other is measured elsewhere.
    const working = one();
    const enough = told.size + 1 + Math.floor(chance() * 15);
    // Within what follows an answer, whatever a server takes to give one.
    for (let waited = 0; told.size < enough && waited < 400; waited++) await sleep(10);
    await sleep(chance() * 20);
    wire.kill();
    await Promise.all([wire.gone, working]);
    try {
      storedMarks(contestant, home);
    } catch {
      unreadable += 1;
    }
  }
  let stored = new Set<string>();
  try {
    stored = storedMarks(contestant, home);
  } catch {
    // Then everything is lost.
  }
  return {
    kills: times,
    acknowledged: told.size,
    lost: [...told].filter((mark) => !stored.has(mark)).length,
    unreadable,
  };
}

/** A text with a word in it that stands nowhere else. */
function sentence(label: string, n: number): string {
  return `The benchmark wrote bench${label}n${n}z down, and it should still be here afterwards.`;
}

function markIn(text: string): string {
  return /\bbench\w+z\b/.exec(text)?.[0] ?? '';
}

function storedMarks(contestant: Contestant, home: string): Set<string> {
  if (!existsSync(home)) return new Set();
  return new Set(contestant.stored(home).match(/\bbench\w+z\b/g));
}
