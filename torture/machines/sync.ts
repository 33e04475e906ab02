import { runCommand } from '../command.ts';
import type { Fleet } from './fleet.ts';
import type { Machine, SyncEnd } from './machine.ts';
import { awaitEnd } from './processes.ts';

/** Another process was at work, or the remote kept moving: the next sync goes on. */
const PASSING: readonly (number | null)[] = [4, 5];
const WORKED: readonly (number | null)[] = [0, 2, 3];

interface How {
  readonly killAfter?: number;
  readonly takeDeletions?: boolean;
}

/** A sync by the program; undefined where it was killed. */
export async function syncOf(fleet: Fleet, machine: Machine, how: How = {}): Promise<SyncEnd | undefined> {
  const { killAfter, takeDeletions = false } = how;
  const args = ['sync', '--json', ...(takeDeletions ? ['--take-deletions'] : [])];
  const { code, out, err } = await runCommand(machine, args, killAfter);
  fleet.count(code === null ? 'syncs killed' : `syncs that ended with ${code}`);
  if (code === null) {
    // Its git goes on to its own end.
    if (!(await awaitEnd(machine.home))) fleet.harm('running', `git of a killed sync on ${machine.name} still runs`);
    fleet.note(`${machine.name}: sync killed after ${Math.round(killAfter ?? 0)} ms`);
    machine.syncs.push(undefined);
    return undefined;
  }
  machine.hear(err);
  const ended = endOf(code, out, err);
  fleet.note(
    `${machine.name}: sync ends with ${code}: ${ended.said}${ended.notices.map((each) => ` | ${each}`).join('')}`,
  );
  if (!WORKED.includes(code) && !namesAWay(ended))
    fleet.harm('stuck', `a sync on ${machine.name} ended with ${code} and named nothing to do: ${ended.said}`);
  machine.syncs.push(ended);
  return ended;
}

export function hasWorked(end: SyncEnd | undefined): boolean {
  return end !== undefined && WORKED.includes(end.code);
}

function endOf(code: number, out: string, err: string): SyncEnd {
  try {
    const { said, notices } = JSON.parse(out) as {
      said: string;
      notices: { kind: string; about: string; what: string }[];
    };
    return { code, said, notices: notices.map(({ kind, about, what }) => `${kind} ${about}: ${what}`) };
  } catch {
    return { code, said: err, notices: [] };
  }
}

/** A command or a thing to do; what passes by itself needs none but another try. */
function namesAWay({ code, said, notices }: SyncEnd): boolean {
  return PASSING.includes(code) || /\b(?:surety|git) [a-z]+|[Rr]un |again/.test([said, ...notices].join('\n'));
}
