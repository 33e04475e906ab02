// npm run torture [-- --kills 60] [--seed 1] [--json] [--main dist/main.js] [--other OTHER/main.js] [--injected] [--keep FOLDER] [--only FAULT]
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { built } from '../testkit/built.ts';
import { FAULTS, type FaultName } from './faults.ts';
import { canMount, ground, type Means } from './ground.ts';
import { Lane } from './lane.ts';
import { otherBuild } from './other-build.ts';
import { round } from './round.ts';
import { type Outcome, outcomeOf, table } from './table.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    main: { type: 'string' },
    other: { type: 'string' },
    injected: { type: 'boolean', default: false },
    keep: { type: 'string' },
    only: { type: 'string' },
    inside: { type: 'boolean', default: false },
  },
});

/** Kills in one round, at most: enough for servers to meet, few enough to look at the store often. */
const A_ROUND = 6;

/** Four stores at once, so that one goes on while another waits for a lock that a dead process left. */
const LANES: readonly {
  name: string;
  small: boolean;
  ownClock: boolean;
  /** Whether the person signs on the page with a passkey. */
  signs?: boolean;
  faults: readonly FaultName[];
}[] = [
  {
    name: 'disk',
    small: false,
    ownClock: false,
    signs: true,
    faults: ['kills only', 'index deleted or spoiled', 'git checkout', 'lock left behind'],
  },
  {
    name: 'small disk',
    small: true,
    ownClock: false,
    faults: ['full disk', 'read-only folder', 'kills only', 'a stranger syncs'],
  },
  { name: 'clock', small: false, ownClock: true, faults: ['clock jumps', 'clock years ahead', 'kills only'] },
  {
    name: 'losses',
    small: false,
    ownClock: false,
    faults: ['files deleted', 'key lost', 'two builds', 'git checkout'],
  },
];

/** Once more in a namespace of its own, where mounting is allowed and everything mounted goes away with it. */
function inNamespace(): number | undefined {
  if (values.inside || values.injected || process.platform !== 'linux') return undefined;
  const asRoot = process.getuid?.() === 0;
  const args = [...(asRoot ? ['-m'] : ['-rm']), process.execPath, ...process.argv.slice(1), '--inside'];
  if (spawnSync('unshare', [...(asRoot ? ['-m'] : ['-rm']), 'true']).status !== 0) return undefined;
  const { status, signal } = spawnSync('unshare', args, { stdio: 'inherit' });
  if (signal !== null) process.stderr.write(`the run was ended by ${signal}\n`);
  return status ?? 1;
}

async function torture(kills: number, seed: number): Promise<Outcome> {
  const means: Means = !values.injected && canMount() ? 'mounted' : 'injected';
  const bin = built(values.main);
  const other = values.other === undefined ? otherBuild(bin.main) : built(values.other);
  const began = performance.now();
  const rounds: { fault: FaultName; kills: number }[] = [];
  let left = kills;
  const lanes = LANES.flatMap((each) => {
    const faults = each.faults.filter((fault) => values.only === undefined || fault === values.only);
    return faults.length === 0 ? [] : [{ ...each, faults }];
  });
  if (lanes.length === 0) throw new Error(`--only is one of: ${Object.keys(FAULTS).join(', ')}`);
  const lane = async ({ name, small, ownClock, signs = false, faults }: (typeof LANES)[number], at: number) => {
    const land = ground(small, means);
    try {
      const opened = await Lane.open({
        name,
        seed: seed * 1000 + at,
        main: bin.main,
        other: other.main,
        ground: land,
        ownClock,
        signs,
      });
      for (let n = 0; left > 0; n++) {
        const count = Math.min(A_ROUND, left, Math.ceil(kills / lanes.length));
        left -= count;
        const fault = faults[n % faults.length] ?? 'kills only';
        await round(opened, fault, count);
        rounds.push({ fault, kills: count });
        if (!values.json) process.stderr.write(`${kills - left} of ${kills} kills begun; ${name}: ${fault}\n`);
      }
      if (values.keep !== undefined) keepTrail(opened, join(values.keep, `${name}.jsonl`));
      return opened;
    } finally {
      if (values.keep !== undefined) cpSync(land.folder, join(values.keep, name), { recursive: true });
      land.remove();
    }
  };
  try {
    const done = await Promise.all(lanes.map(lane));
    return outcomeOf({ lanes: done, rounds, seed, means, seconds: (performance.now() - began) / 1000 });
  } finally {
    other.remove();
    bin.remove();
  }
}

/** What was done and told, step by step, for looking into a damage. */
function keepTrail({ journal, damages }: Lane, path: string): void {
  const lines = [...journal.trail, ...damages.values()].map((each) => JSON.stringify(each));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${lines.join('\n')}\n`);
}

const status = inNamespace();
if (status !== undefined) process.exitCode = status;
else {
  const [kills, seed] = [Number(values.kills), Number(values.seed)];
  if (!(kills > 0) || !Number.isInteger(seed)) throw new Error('--kills and --seed are numbers');
  const outcome = await torture(kills, seed);
  process.stdout.write(values.json ? `${JSON.stringify(outcome)}\n` : table(outcome, Object.keys(FAULTS)));
  process.exitCode = outcome.harmed ? 1 : 0;
}
