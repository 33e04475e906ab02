import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type Start, Wire } from '../testkit/wire.ts';
import { readFolder } from '../torture/checker/file.ts';
import { readLedgers } from '../torture/checker/ledger.ts';
import type { Contestant } from './contestants.ts';
import { of, type Spread, timed } from './latency.ts';
import {
  type Budget,
  type Cell,
  coldStarts,
  inHome,
  type Searched,
  type Survived,
  searches,
  survivors,
  type Written,
  writes,
} from './measures.ts';

/** Everything measured in one store of one size. */
export interface AtSize {
  readonly search: Cell<Searched>;
  readonly write: Cell<Written>;
  /** Of Surety alone. The first look at files that were never seen, in milliseconds. */
  readonly firstLook?: Cell<number>;
  readonly common?: Cell<Searched>;
  readonly usable?: Cell<Usable>;
}

/** Whether a large store is still pleasant: what a session waits for. */
export interface Usable {
  /** Until tools/list is answered; and that time of a bare server, in turns. */
  readonly start: Spread;
  readonly bareStart: Spread;
  /** Start and first search, the index being there. */
  readonly firstSearchMs: number;
  readonly queue: Spread;
  readonly hook: Spread;
  /** Of `node -e 0`, in turns with the hook. */
  readonly node: Spread;
}

type Bare = (home: string) => Start;

const FIRST_LOOK_MS = 600_000;

export async function atSize(
  one: Contestant,
  memories: number,
  bare: Bare,
  budget: Budget,
  isUs: boolean,
): Promise<AtSize> {
  const whole = await inHome<AtSize>(async (home) => {
    await one.seed(home, memories);
    const first = isUs ? { firstLook: await attempt(() => firstLook(one, home)) } : {};
    const floor = await Wire.open(bare(home));
    const search = await attempt(() => searches(one, home, floor, budget));
    const common = isUs ? { common: await attempt(() => searches(one, home, floor, budget, 'common')) } : {};
    await floor.close();
    const usable = isUs ? { usable: await attempt(() => usability(one, home, bare, budget)) } : {};
    const write = await attempt(() => writes(one, home, budget));
    return { search, write, ...first, ...common, ...usable };
  });
  return 'gaveUp' in whole ? { search: whole, write: whole } : whole;
}

async function attempt<T>(work: () => Promise<Cell<T>>): Promise<Cell<T>> {
  try {
    return await work();
  } catch (error) {
    return { gaveUp: error instanceof Error ? error.message.slice(0, 120) : 'failed' };
  }
}

/** A machine meets a store of this size once; whatever else is measured has the index that this leaves behind. */
async function firstLook(us: Contestant, home: string): Promise<number> {
  const wire = await Wire.open(us.start(home));
  // A search would answer before all of them were read.
  const took = await timed(() => wire.mustCall('review_queue', {}, FIRST_LOOK_MS));
  await wire.close();
  return took;
}

async function usability(us: Contestant, home: string, bare: Bare, budget: Budget): Promise<Usable> {
  const rounds = Math.min(15, Math.ceil(budget.queries / 10));
  const start = us.start(home);
  const starts = await coldStarts(
    new Map([
      ['bare', bare(home)],
      ['surety', start],
    ]),
    rounds,
  );
  const began = performance.now();
  const wire = await Wire.open(start);
  const { tool, args } = us.search('release branch');
  await wire.mustCall(tool, args);
  const firstSearchMs = performance.now() - began;
  const queue: number[] = [];
  await inTurns(rounds, budget, async () => {
    queue.push(await timed(() => wire.mustCall('review_queue', {})));
  });
  await wire.close();
  const [hook, node]: [number[], number[]] = [[], []];
  const input = JSON.stringify({ source: 'startup', cwd: join(home, 'work') });
  const spawn = (given: readonly string[]) =>
    spawnSync(process.execPath, given, { input, env: { PATH: process.env.PATH ?? '', HOME: home } });
  await inTurns(rounds, budget, async () => {
    hook.push(await timed(() => spawn([...start.args, 'hook', 'session-start'])));
    node.push(await timed(() => spawn(['-e', '0'])));
  });
  const none = { p50: 0, p95: 0 };
  return {
    start: starts.get('surety') ?? none,
    bareStart: starts.get('bare') ?? none,
    firstSearchMs,
    queue: of(queue),
    hook: of(hook),
    node: of(node),
  };
}

/** That many rounds, or as many as there is time for; three at least. */
async function inTurns(rounds: number, { seconds }: Budget, round: () => Promise<void>): Promise<void> {
  const end = performance.now() + seconds * 1_000;
  for (let n = 0; n < rounds && (n < 3 || performance.now() < end); n++) await round();
}

export interface Many extends Survived {
  readonly inFiles: number;
  readonly inLedger: number;
  readonly inIndex: number;
}

/** Many processes proposing at once, counted in each of the three places a memory has to be. */
export async function manyAtOnce(us: Contestant, home: string, processes: number, each: number): Promise<Many> {
  const survived = await survivors(us, home, { processes, each, pipelined: false });
  const root = join(home, '.surety');
  const [index = ''] = globSync(join(home, '.cache/surety/*/index-*.db'));
  const db = new Database(index, { readonly: true });
  const inIndex = db.prepare<[], number>(`SELECT count(*) FROM files WHERE place = 'memories'`).pluck().get() ?? 0;
  db.close();
  return {
    ...survived,
    inFiles: readFolder(root, 'memories').found.filter(({ torn }) => torn === undefined).length,
    // The first line says which store the ledger is of; every other one is a proposal.
    inLedger: readLedgers(root)
      .flatMap(({ lines, faults }) => (faults.length === 0 ? lines : []))
      .filter(({ entry }) => entry.action !== 'store').length,
    inIndex,
  };
}
