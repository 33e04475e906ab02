import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { pick } from '../../testkit/seeded.ts';
import { filesOf } from '../checker/machines.ts';
import { Repository } from '../repository.ts';
import { decide, propose } from './decisions.ts';
import type { Fleet } from './fleet.ts';
import { ON_MEMORIES, onLedger, removeMany } from './hand.ts';
import { joinFleet } from './join.ts';
import type { Machine } from './machine.ts';
import { distrustOne, eraseMemory, mendLedgers, putBack, requirePasskeyAt, trustAll } from './person.ts';
import { hasWorked, syncOf } from './sync.ts';

type Happens = (fleet: Fleet, machine: Machine, chance: () => number) => Promise<void>;

const HOUR_MS = 3_600_000;
/** No jump of more than 400 days, for which a person would have to confirm the date. */
const CLOCKS_APART = [-30 * 24, -9 * 24, -26, -3, 0, 0, 0, 3, 26, 9 * 24, 200 * 24];
/** A sync takes about so long, from its start to its end. */
const SYNC_MS = 1_500;

/** What can happen, and how often beside the others. */
export const EVENTS: Readonly<Record<string, readonly [often: number, Happens]>> = {
  'an agent proposes': [14, propose],
  'a sync': [18, async (fleet, machine) => void (await syncOf(fleet, machine))],
  'a sync is killed': [
    10,
    async (fleet, machine, chance) => void (await syncOf(fleet, machine, { killAfter: chance() * SYNC_MS })),
  ],
  'two machines sync at once': [
    5,
    async (fleet, machine, chance) => {
      const other = pick(
        fleet.machines.filter((each) => each !== machine),
        chance,
      );
      await Promise.all([syncOf(fleet, machine), syncOf(fleet, other)]);
    },
  ],
  'an agent proposes during a sync': [
    3,
    async (fleet, machine, chance) => {
      await Promise.all([syncOf(fleet, machine), propose(fleet, machine, chance)]);
    },
  ],
  'a person promotes': [10, (fleet, machine, chance) => decide(fleet, machine, 'promote', chance)],
  'a person adopts': [5, (fleet, machine, chance) => decide(fleet, machine, 'adopt', chance)],
  'a person reaffirms': [2, (fleet, machine, chance) => decide(fleet, machine, 'reaffirm', chance)],
  'a person demotes': [5, (fleet, machine, chance) => decide(fleet, machine, 'demote', chance)],
  'a person restores': [5, (fleet, machine, chance) => decide(fleet, machine, 'restore', chance)],
  'a person erases': [1, erase],
  'a passkey is required': [1, requireOnce],
  'a clock is off': [
    4,
    async (fleet, machine, chance) => {
      const hours = pick(CLOCKS_APART, chance);
      machine.setClock(hours * HOUR_MS);
      fleet.note(`${machine.name}: the clock is ${hours} hours off`);
    },
  ],
  'a file is changed by hand': [
    8,
    async (fleet, machine, chance) => {
      const done = pick(ON_MEMORIES, chance)(fleet, machine, chance);
      fleet.note(`${machine.name}: ${done ?? 'nothing to change by hand'}`);
    },
  ],
  'a ledger is changed by hand': [
    3,
    async (fleet, machine, chance) => {
      fleet.note(`${machine.name}: ${onLedger(fleet, machine, chance) ?? 'no ledger to change'}`);
    },
  ],
  'a person mends ledgers': [2, (fleet, machine, chance) => mendLedgers(fleet, machine, chance() < 0.5)],
  'a commit by hand': [3, commitByHand],
  'many files are deleted': [
    1,
    async (fleet, machine, chance) => fleet.note(`${machine.name}: ${removeMany(fleet, machine, chance)}`),
  ],
  'a sync takes deletions': [1, async (fleet, machine) => void (await syncOf(fleet, machine, { takeDeletions: true }))],
  'a person puts missing files back': [1, putBack],
  'a person distrusts a machine': [1, distrustOne],
  'a backup is made': [2, backUp],
  'a backup is restored': [1, restoreBackup],
  'a machine is replaced': [1, replace],
};

export function nextEvent(chance: () => number): string {
  const names = Object.entries(EVENTS).flatMap(([name, [often]]) => Array.from({ length: often }, () => name));
  return pick(names, chance);
}

async function erase(fleet: Fleet, machine: Machine, chance: () => number): Promise<void> {
  const file = pick(filesOf(machine.root), chance);
  if (file === undefined) return;
  fleet.removed.add(file.id);
  await eraseMemory(fleet, machine, file.id);
}

/** Once in a run: a second first passkey on another machine would leave none that counts. */
async function requireOnce(fleet: Fleet, machine: Machine): Promise<void> {
  if (fleet.isPasskeyRequired) return syncOf(fleet, machine).then(() => undefined);
  fleet.isPasskeyRequired = true;
  await requirePasskeyAt(fleet, machine);
  // The others have to hear of it before anybody enrols anything there.
  await syncOf(fleet, machine);
}

async function commitByHand(fleet: Fleet, machine: Machine, chance: () => number): Promise<void> {
  const repository = new Repository(machine.root);
  if (chance() < 0.7) {
    await repository.commit();
    fleet.note(`${machine.name}: everything is committed by hand`);
  } else fleet.note(`${machine.name}: pulled by hand: ${await repository.pull()}`);
}

/** One is kept of each machine, and the older the better. */
async function backUp(fleet: Fleet, machine: Machine): Promise<void> {
  if (machine.backup !== undefined) return;
  machine.backup = `${machine.home}.backup`;
  await copyFolder(machine.home, machine.backup);
  fleet.note(`${machine.name}: a backup is made`);
}

/** Everything of a machine is as it was once; what it had sent since comes back, and a person accepts its ledger. */
async function restoreBackup(fleet: Fleet, machine: Machine): Promise<void> {
  const { backup, home } = machine;
  if (backup === undefined || !hasWorked(await syncOf(fleet, machine))) return;
  rmSync(home, { recursive: true });
  await copyFolder(backup, home);
  machine.setClock(0);
  fleet.note(`${machine.name}: its backup is restored`);
  await syncOf(fleet, machine);
  await mendLedgers(fleet, machine);
}

/** With the times of all files, as a program for backups does it. */
async function copyFolder(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to]);
}

/** A new machine in the place of one that has sent all it had. */
async function replace(fleet: Fleet, machine: Machine): Promise<void> {
  machine.setClock(0);
  if (!hasWorked(await syncOf(fleet, machine))) return;
  fleet.leave(machine);
  fleet.note(`${machine.name}: a new machine takes its place`);
  await joinFleet(fleet, `${machine.name}'`);
  for (const each of fleet.machines) await syncOf(fleet, each);
  await trustAll(fleet);
}
