import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseQuery } from '../src/core/search/query.ts';
import { openVault } from '../src/store/open-vault.ts';
import { resolvePlaces } from '../src/store/places/places.ts';
import { reconcile } from '../src/store/reconcile/reconcile.ts';
import { insideOf } from '../src/store/vault/inside-of-vault.ts';
import { bundle } from '../testkit/built.ts';
import { type Start, Wire } from '../testkit/wire.ts';
import { queries, rareIn, writeStore } from './corpus.ts';

export interface Spread {
  readonly p50: number;
  readonly p95: number;
}

export interface Latency {
  readonly memories: number;
  readonly rebuildMs: number;
  readonly unchangedMs: number;
  readonly core: Spread;
  readonly coreCommon: Spread;
  readonly empty: Spread;
  readonly trip: Spread;
  readonly tripCommon: Spread;
  /** The query with four other wordings. */
  readonly tripWorded: Spread;
  readonly hints: HintsCost | undefined;
  readonly residentMb: number;
  readonly bareMb: number;
}

/** What three hints with every memory cost. */
interface HintsCost {
  readonly rebuildMs: number;
  readonly rebuildMsWithout: number;
  readonly indexBytes: number;
  readonly indexBytesWithout: number;
}

/** Two more stores of this size are read to see what hints cost; a larger one takes minutes each. */
const LARGEST_WITH_HINTS = 10_000;
const HINTS = 3;
const WORDINGS = 4;
const ROUNDS = 300;
const WARMING = 100;

/** Queries that each have a word in under one memory of a hundred of the store at hand. */
type Ordinary = (many: number, seed?: number) => string[];

export async function latencyAt(memories: number): Promise<Latency> {
  const home = mkdtempSync(join(tmpdir(), 'surety-bench-'));
  try {
    writeStore(join(home, '.surety', 'memories'), memories);
    const isRare = rareIn(memories);
    const ordinary: Ordinary = (many, seed) => queries('ordinary', many, seed, isRare);
    const core = await inProcess(home, ordinary);
    const trips = await roundTrips(home, ordinary);
    const hints = memories > LARGEST_WITH_HINTS ? undefined : await hintsCost(memories);
    return { memories, ...core, ...trips, hints };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function inProcess(home: string, ordinary: Ordinary) {
  const places = resolvePlaces({ root: undefined, env: {}, home, account: home, platform: process.platform });
  const vault = await openVault(places);
  const rebuildMs = await timed(() => reconcile(vault));
  const unchangedMs = await timed(() => reconcile(vault));
  const ask = (query: string) => insideOf(vault).index.find([parseQuery(query)], 5);
  const core = await spread(ordinary(ROUNDS), ask);
  const coreCommon = await spread(queries('common', ROUNDS), ask);
  vault.close();
  return { rebuildMs, unchangedMs, core, coreCommon };
}

async function hintsCost(memories: number): Promise<HintsCost> {
  const [without, withHints] = [await filled(memories, 0), await filled(memories, HINTS)];
  return {
    rebuildMs: withHints.ms,
    rebuildMsWithout: without.ms,
    indexBytes: withHints.bytes,
    indexBytesWithout: without.bytes,
  };
}

/** How long the first look at a store takes, and the size of the index it makes. */
async function filled(memories: number, hints: number): Promise<{ readonly ms: number; readonly bytes: number }> {
  const home = mkdtempSync(join(tmpdir(), 'surety-bench-'));
  try {
    writeStore(join(home, '.surety', 'memories'), memories, 1, hints);
    const places = resolvePlaces({ root: undefined, env: {}, home, account: home, platform: process.platform });
    const vault = await openVault(places);
    const ms = await timed(() => reconcile(vault));
    const bytes = vault.indexState().bytes ?? 0;
    vault.close();
    return { ms, bytes };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function roundTrips(home: string, ordinary: Ordinary) {
  const [bareServer, server] = [
    bundle(join(import.meta.dirname, 'bare.ts')),
    bundle(join(import.meta.dirname, 'server.ts')),
  ];
  try {
    const bareMb = await bareResident(startOf(home, bareServer.main));
    return { ...(await turns(startOf(home, server.main), ordinary)), bareMb };
  } finally {
    bareServer.remove();
    server.remove();
  }
}

/** The same SDK with one empty tool and nothing behind it, after as many calls. */
async function bareResident(start: Start): Promise<number> {
  const bare = await Wire.open(start);
  for (let call = 0; call < WARMING + ROUNDS; call++) await bare.mustCall('empty', {});
  const resident = bare.residentMb();
  await bare.close();
  return resident;
}

async function turns(start: Start, ordinary: Ordinary) {
  const wire = await Wire.open(start);
  const ask = (query: string, also?: readonly string[]) => wire.mustCall('search_memories', { query, also });
  // Other queries first: a server that just started runs code nothing has compiled yet.
  for (const query of ordinary(WARMING, 3)) await Promise.all([wire.mustCall('empty', {}), ask(query)]);
  // Taken in turns, so that whatever else the machine does is felt by both alike.
  const [empties, trips, commons, worded]: [number[], number[], number[], number[]] = [[], [], [], []];
  const common = queries('common', ROUNDS);
  const others = ordinary(ROUNDS * WORDINGS, 5);
  for (const [at, query] of ordinary(ROUNDS).entries()) {
    empties.push(await timed(() => wire.mustCall('empty', {})));
    trips.push(await timed(() => ask(query)));
    commons.push(await timed(() => ask(common[at] ?? '')));
    worded.push(await timed(() => ask(query, others.slice(at * WORDINGS, (at + 1) * WORDINGS))));
  }
  const residentMb = wire.residentMb();
  await wire.close();
  return { empty: of(empties), trip: of(trips), tripCommon: of(commons), tripWorded: of(worded), residentMb };
}

function startOf(home: string, main: string): Start {
  return { command: process.execPath, args: [main], cwd: join(home, 'work'), env: { HOME: home } };
}

export async function timed(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function spread(asked: readonly string[], ask: (query: string) => unknown): Promise<Spread> {
  for (const query of asked.slice(0, 30)) await ask(query);
  const times: number[] = [];
  for (const query of asked) times.push(await timed(() => ask(query)));
  return of(times);
}

export function of(times: readonly number[]): Spread {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}
