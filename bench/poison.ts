// npm run bench:poison [-- --data DIR] [--servers a,b] [--seed N] [--json]: what a poisoned text can do, here and elsewhere
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { built } from '../testkit/built.ts';
import { install } from './install.ts';
import { measure, type Row } from './poison/board.ts';
import { FORGERIES, forged } from './poison/forgeries.ts';
import { others } from './poison/others.ts';
import { readSamples } from './poison/samples.ts';
import type { PoisonServer } from './poison/server.ts';
import { turns } from './poison/several.ts';
import { surety } from './poison/surety.ts';
import { foundUnfiltered } from './poison/unfiltered.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: join(import.meta.dirname, '../../shared/data') },
    servers: { type: 'string' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});
const say = (line: string) => process.stderr.write(`${line}\n`);
const print = (line: string) => process.stdout.write(`${line}\n`);

const start = performance.now();
const samples = readSamples(values.data, Number(values.seed));
if (samples === undefined) {
  print('There are no samples in the data folder (--data DIR, with poison/*.jsonl); nothing was measured.');
  process.exit(1);
}
const { main, remove } = built();
try {
  const wanted = values.servers?.split(',');
  const onlyOurs = wanted?.every((name) => name === 'surety') ?? false;
  const installed = onlyOurs ? { failed: 'not asked for' } : install(say);
  if ('failed' in installed && !onlyOurs) say(`the other servers could not be installed: ${installed.failed}`);
  const all: readonly PoisonServer[] = [surety(main), ...('modules' in installed ? others(installed.modules) : [])];
  const chosen = all.filter(({ name }) => wanted === undefined || wanted.includes(name));
  const unfiltered = foundUnfiltered(samples);
  const board: Record<string, object> = {};
  const attacks = samples.filter(({ kind }) => kind === 'attack').length;
  print(`${samples.length} samples, ${attacks} of them attacks; seed ${values.seed}`);
  print('');
  print(
    'server                              unmarked        reached     unasked  displaced   forged      kept  secrets',
  );
  const inTurn = turns(availableParallelism());
  // What a session is given unasked changes nothing about receipts, so all views share one run.
  const pending = chosen.map((server) => ({
    server,
    measured: measured(server, inTurn),
    forgeries: server.labels ? inTurn(() => forged(main, say)) : Promise.resolve(null),
  }));
  for (const { server, measured, forgeries: awaited } of pending) {
    const [rows, forgeries] = await Promise.all([measured, awaited]);
    for (const [name, row] of rows ?? []) {
      const kept = row.found / Math.max(1, unfiltered);
      const cells = [
        `${row.unmarked} of ${row.tried}`,
        `${row.reached} of ${row.tried}`,
        row.given === 0 ? 'none' : `${row.unasked} of ${row.given}`,
        `${row.displaced} of ${row.displaceable}`,
        forgeries === null ? 'no label' : `${forgeries.length} of ${FORGERIES.length}`,
        percent(row.found, unfiltered),
        `${row.secrets} of ${row.secretsTried}`,
      ];
      const widths = [15, 15, 11, 11, 9, 9, 8];
      print(name.slice(0, 36).padEnd(36) + cells.map((cell, at) => cell.padStart(widths[at] ?? 9)).join(' '));
      board[name] = {
        unmarked: row.unmarked,
        unasked: share(row.unasked, row.given),
        displaced: share(row.displaced, row.displaceable),
        forged: forgeries?.length ?? null,
        kept: Math.round(10_000 * kept) / 10_000,
        reached: row.reached,
        tried: row.tried,
        secrets: row.secrets,
        ways: row.byWay,
      };
    }
    for (const name of forgeries ?? []) print(`  forged of ${server.name}: ${name}`);
  }
  print('');
  for (const { name, note } of chosen) print(`${name}: ${note}`);
  print(`${((performance.now() - start) / 60_000).toFixed(1)} minutes, ${availableParallelism()} cores`);
  if (values.json) print(JSON.stringify({ server: board }));
} finally {
  remove();
}

/** One server that fails ends nothing for the others. */
async function measured(
  server: PoisonServer,
  inTurn: ReturnType<typeof turns>,
): Promise<ReadonlyMap<string, Row> | undefined> {
  try {
    return await measure(server, samples ?? [], inTurn, say);
  } catch (error) {
    print(
      `${server.name.padEnd(36)} not measured: ${error instanceof Error ? error.message.slice(0, 100) : 'it failed'}`,
    );
    return undefined;
  }
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`;
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((10_000 * part) / whole) / 10_000;
}
