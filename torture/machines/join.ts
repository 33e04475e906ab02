import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runCommand } from '../command.ts';
import { propose } from './decisions.ts';
import { Fleet } from './fleet.ts';
import { Machine } from './machine.ts';
import { trustAll } from './person.ts';
import { syncOf } from './sync.ts';

const NAMES = ['desk', 'laptop', 'server', 'tablet'] as const;

/** So many for each machine, so that there is something to decide about. */
const FIRST_PROPOSALS = 2;

/** So many machines with one remote between them, where a person lets each one's word count on every other. */
export async function openFleet(folder: string, main: string, machines: number, chance: () => number): Promise<Fleet> {
  const fleet = new Fleet(folder, main);
  const env = { PATH: process.env.PATH ?? '', HOME: folder };
  await promisify(execFile)('git', ['init', '-q', '--bare', '-b', 'main', fleet.remote], { env });
  for (const name of NAMES.slice(0, machines)) await joinFleet(fleet, name);
  // A machine that has written nothing has no ledger that could be trusted.
  for (let n = 0; n < machines * FIRST_PROPOSALS; n++)
    await propose(fleet, fleet.machines[n % machines] as Machine, chance);
  for (const each of [...fleet.machines, ...fleet.machines]) await syncOf(fleet, each);
  await trustAll(fleet);
  return fleet;
}

/** A new machine: it clones what the remote has. */
export async function joinFleet(fleet: Fleet, name: string): Promise<void> {
  const machine = new Machine(name, fleet.newHome(name), fleet.main, fleet.passkey);
  const { code, err } = await runCommand(machine, ['init', '--remote', fleet.remote]);
  if (code !== 0) throw new Error(`a machine could not be set up: ${err}`);
  fleet.machines.push(machine);
  await syncOf(fleet, machine);
}
