// npm run bench [-- --quick] [--json] [--sizes 1000,10000,100000] [--alone]
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { built, bundle } from '../testkit/built.ts';
import { type Start, Wire } from '../testkit/wire.ts';
import { alternatives, type Contestant, surety } from './contestants.ts';
import { install } from './install.ts';
import { type Budget, type Cell, coldStarts, gaveUp, inHome, kills, survivors, syncs } from './measures.ts';
import { type Figures, report } from './report.ts';
import { type AtSize, atSize, manyAtOnce } from './scale.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    sizes: { type: 'string' },
    alone: { type: 'boolean', default: false },
  },
});
const say = (line: string) => process.stderr.write(`${line}\n`);
const sizes = (values.sizes ?? (values.quick ? '1000' : '1000,10000,100000')).split(',').map(Number);
const budget: Budget = values.quick
  ? { queries: 60, writes: 40, seconds: 5 }
  : { queries: 300, writes: 200, seconds: 10 };

const bin = built();
const floor = bundle(join(import.meta.dirname, 'bare.ts'));
try {
  const figures = await measured();
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  else process.stdout.write(report(figures));
} finally {
  bin.remove();
  floor.remove();
}

async function measured(): Promise<Figures> {
  const began = performance.now();
  const loadBefore = loadavg()[0] ?? 0;
  const us = surety(bin.main);
  const installed = values.alone ? { failed: 'not asked for' } : install(say);
  const others = 'modules' in installed ? alternatives(installed.modules) : [];
  const starts = await inHome(async (home) => {
    const each = [us, ...others].map((one) => [one.name, one.start(join(home, one.name))] as const);
    return coldStarts(new Map([['bare', bareIn(home)], ...each]), values.quick ? 5 : 21);
  });
  if (gaveUp(starts)) throw new Error(`cold starts: ${starts.gaveUp}`);
  const all = [us, ...others].filter(({ name }) => starts.has(name));
  const idle = others.filter(({ name }) => !starts.has(name)).map(({ name }) => `${name} does not start`);
  const bySize: Record<string, Record<string, AtSize>> = {};
  for (const size of sizes) {
    bySize[size] = {};
    for (const one of all) {
      say(`${size} memories: ${one.name}`);
      bySize[size][one.name] = await atSize(one, size, bareIn, budget, one === us);
    }
  }
  const each = async <T>(what: string, measure: (one: Contestant, home: string) => Promise<Cell<T>>) => {
    const cells: Record<string, Cell<T>> = {};
    for (const one of all) {
      say(`${what}: ${one.name}`);
      cells[one.name] = await inHome((home) => measure(one, home));
    }
    return cells;
  };
  const count = values.quick ? 50 : 250;
  const figures: Figures = {
    contestants: all.map(({ name }) => name),
    missing: 'failed' in installed ? installed.failed : idle.join(', ') || null,
    coldStart: Object.fromEntries(starts),
    bare: await bareMemory(),
    bySize,
    syncs: await each('fsyncs', syncs),
    together: await each('4 processes at once', (one, home) =>
      survivors(one, home, { processes: 4, each: count, pipelined: false }),
    ),
    pipelined: await each('200 pipelined calls', (one, home) =>
      survivors(one, home, { processes: 1, each: values.quick ? 50 : 200, pipelined: true }),
    ),
    killed: await each('SIGKILL', (one, home) => kills(one, home, values.quick ? 5 : 20)),
    many: await inHome((home) => manyAtOnce(us, home, 8, count)),
    load: [loadBefore, loadavg()[0] ?? 0],
    seconds: 0,
  };
  return { ...figures, seconds: Math.round((performance.now() - began) / 1_000) };
}

function bareIn(home: string): Start {
  return { command: process.execPath, args: [floor.main], cwd: join(home, 'work'), env: { HOME: home } };
}

/** After as many calls as a contestant gets. */
async function bareMemory(): Promise<number> {
  const cell = await inHome(async (home) => {
    const wire = await Wire.open(bareIn(home));
    for (let n = 0; n < budget.queries; n++) await wire.mustCall('empty', {});
    const resident = wire.residentMb();
    await wire.close();
    return resident;
  });
  if (gaveUp(cell)) throw new Error(cell.gaveUp);
  return cell;
}
