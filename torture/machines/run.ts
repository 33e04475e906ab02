// npm run torture:machines [-- --machines 3] [--events 45] [--seed 7] [--json] [--main dist/main.js] [--keep FOLDER]
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { built } from '../../testkit/built.ts';
import { pick, seeded } from '../../testkit/seeded.ts';
import { EVENTS, nextEvent } from './events.ts';
import type { Fleet } from './fleet.ts';
import { openFleet } from './join.ts';
import { look } from './look.ts';
import { type Outcome, outcomeOf, table } from './outcome.ts';
import { settle } from './settle.ts';

const { values } = parseArgs({
  options: {
    machines: { type: 'string', default: '3' },
    events: { type: 'string', default: '45' },
    seed: { type: 'string', default: '7' },
    json: { type: 'boolean', default: false },
    main: { type: 'string' },
    keep: { type: 'string' },
  },
});

/** Events between two looks. */
const A_LOOK = 5;

async function torture(main: string, machines: number, events: number, seed: number): Promise<Outcome> {
  const began = performance.now();
  const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'surety-machines-'));
  mkdirSync(folder, { recursive: true });
  try {
    const fleet = await openFleet(folder, main, machines, seeded(seed));
    try {
      await happen(fleet, events, seed);
      if (fleet.harms.size === 0) await settle(fleet);
      await look(fleet);
    } catch (error) {
      fleet.harm('bugs', error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
    return outcomeOf(fleet, { seed, machines, events, seconds: (performance.now() - began) / 1000 });
  } finally {
    // A store’s records are found by its path, so what is kept is not moved.
    if (values.keep === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Stops at the first harm, because everything after it may come of it. */
async function happen(fleet: Fleet, events: number, seed: number): Promise<void> {
  for (let n = 0; n < events && fleet.harms.size === 0; n++) {
    // Each event has chance of its own, so that what an earlier one came to draws no other event.
    const chance = seeded(seed * 100_003 + n);
    const event = nextEvent(chance);
    const machine = pick(fleet.machines, chance);
    fleet.note(`${n}. ${event} (${machine.name})`);
    fleet.count(event);
    await EVENTS[event]?.[1](fleet, machine, chance);
    if (n % A_LOOK === A_LOOK - 1) await look(fleet);
  }
}

const [machines, events, seed] = [Number(values.machines), Number(values.events), Number(values.seed)];
if (![machines, events, seed].every(Number.isInteger) || machines < 2 || machines > 4 || events < 1)
  throw new Error('--machines is 2 to 4; --events and --seed are whole numbers');
const bin = built(values.main);
try {
  const outcome = await torture(bin.main, machines, events, seed);
  process.stdout.write(values.json ? `${JSON.stringify(outcome)}\n` : table(outcome));
  process.exitCode = outcome.harmed ? 1 : 0;
} finally {
  bin.remove();
}
