import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { understand } from '../src/core/query.ts';
import { resolvePlaces } from '../src/store/layout.ts';
import { openVault } from '../src/store/open.ts';
import { reconcile } from '../src/store/reconcile.ts';
import { queries, writeStore } from './corpus.ts';

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
  readonly residentMb: number;
  readonly bareMb: number;
}

const ROUNDS = 300;
const WARMING = 100;

export async function latencyAt(memories: number): Promise<Latency> {
  const home = mkdtempSync(join(tmpdir(), 'surety-bench-'));
  try {
    writeStore(join(home, '.surety', 'memories'), memories);
    const core = await inProcess(home);
    const trips = await roundTrips(home);
    return { memories, ...core, ...trips };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function inProcess(home: string) {
  const places = resolvePlaces({ root: undefined, env: {}, home, account: home, platform: process.platform });
  const vault = await openVault(places);
  const rebuildMs = await timed(() => reconcile(vault));
  const unchangedMs = await timed(() => reconcile(vault));
  const ask = (query: string) => vault.parts.index.find(understand(query));
  const core = await spread(queries('ordinary', ROUNDS), ask);
  const coreCommon = await spread(queries('common', ROUNDS), ask);
  vault.close();
  return { rebuildMs, unchangedMs, core, coreCommon };
}

async function roundTrips(home: string) {
  const bare = await Wire.open(home);
  await spread(queries('ordinary', ROUNDS), () => bare.call('empty', {}));
  const bareMb = bare.residentMb();
  bare.close();
  const wire = await Wire.open(home);
  const ask = (query: string) => wire.call('search_memories', { query });
  // Other queries first: a server that just started runs code nothing has compiled yet.
  for (const query of queries('ordinary', WARMING, 3)) await Promise.all([wire.call('empty', {}), ask(query)]);
  // Taken in turns, so that whatever else the machine does is felt by both alike.
  const [empties, trips, commons]: [number[], number[], number[]] = [[], [], []];
  const common = queries('common', ROUNDS);
  for (const [at, query] of queries('ordinary', ROUNDS).entries()) {
    empties.push(await timed(() => wire.call('empty', {})));
    trips.push(await timed(() => ask(query)));
    commons.push(await timed(() => ask(common[at] ?? '')));
  }
  const residentMb = wire.residentMb();
  wire.close();
  return { empty: of(empties), trip: of(trips), tripCommon: of(commons), residentMb, bareMb };
}

async function timed(work: () => unknown): Promise<number> {
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

function of(times: readonly number[]): Spread {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}

/** A client without a library: what is measured is the server. */
class Wire {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (answer: unknown) => void>();
  #next = 0;

  private constructor(home: string) {
    const env: Record<string, string> = { PATH: process.env.PATH ?? '', HOME: home };
    mkdirSync(join(home, 'work'), { recursive: true });
    this.#child = spawn(process.execPath, [join(import.meta.dirname, 'server.ts')], { cwd: join(home, 'work'), env });
    this.#child.stderr.resume();
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const { id, result, error } = JSON.parse(line);
      if (error || result?.isError) throw new Error(`the server answered ${line.slice(0, 300)}`);
      this.#waiting.get(id)?.(result);
      this.#waiting.delete(id);
    });
  }

  static async open(home: string): Promise<Wire> {
    const wire = new Wire(home);
    const clientInfo = { name: 'bench', version: '1' };
    await wire.#ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    wire.#send({ method: 'notifications/initialized' });
    return wire;
  }

  call(name: string, args: Record<string, unknown>): Promise<unknown> {
    return this.#ask('tools/call', { name, arguments: args });
  }

  residentMb(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  close(): void {
    this.#child.stdin.end();
  }

  #ask(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#next;
    return new Promise((answer) => {
      this.#waiting.set(id, answer);
      this.#send({ id, method, params });
    });
  }

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
