import { compareServed } from '../checker/check.ts';
import { proposalsLost, tiersAt, unasked, yesesLost } from '../checker/machines.ts';
import type { Tier } from '../checker/standing.ts';
import { runCommand } from '../command.ts';
import type { Fleet } from './fleet.ts';
import type { Machine } from './machine.ts';
import { awaitEnd } from './processes.ts';

/** Everything that must hold at any moment at which nobody is at work. */
export async function look(fleet: Fleet): Promise<void> {
  fleet.takeBugs();
  const machines = fleet.machines.map(({ seen }) => seen);
  for (const seen of machines) for (const what of unasked(seen, fleet)) fleet.harm('raised', what);
  for (const what of yesesLost(machines, fleet)) fleet.harm('yes lost', what);
  for (const what of proposalsLost(machines, fleet)) fleet.harm('proposal lost', what);
  for (const machine of fleet.machines) await compareListed(fleet, machine);
  if (!(await awaitEnd(fleet.folder))) fleet.harm('running', 'a process goes on after all that started it has ended');
}

/** What the program lists must be what its files and ledgers are worth. */
async function compareListed(fleet: Fleet, machine: Machine): Promise<void> {
  const { out, err, code } = await runCommand(machine, ['list', '--json']);
  machine.hear(err);
  if (code !== 0) return fleet.harm('bugs', `${machine.name}: surety list ended with ${code}: ${err}`);
  const { memories } = JSON.parse(out) as { memories: { file: string; tier: string }[] };
  const listed = new Map(memories.map(({ file, tier }) => [file.replace(/\.md$/, ''), tier]));
  const earned = new Map<string, Tier>([...tiersAt(machine.seen)].filter(([file]) => listed.has(file)));
  for (const { kind, what } of compareServed(earned, listed))
    fleet.harm(kind === 'below' ? 'lowered' : 'raised', `${machine.name}: ${what}`);
}
