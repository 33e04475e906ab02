import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Verb } from './journal.ts';
import type { Lane } from './lane.ts';
import { preloads } from './life.ts';
import { rivalIn } from './person.ts';

const VERBS = ['promote', 'restore', 'reaffirm'] as const satisfies readonly Verb[];

/** The command that asks about one memory. What a person put into quarantine is in no queue, so it is restored by its id. */
function commandFor(lane: Lane, verb: (typeof VERBS)[number]): readonly string[] | undefined {
  if (verb !== 'restore') return ['review', '--category', verb === 'promote' ? 'ready' : 'changed', '--limit', '1'];
  const id = lane.pick(lane.journal.certainly('quarantined').slice(-20));
  return id === undefined ? undefined : ['restore', id];
}

/** Whether a pseudo-terminal can be made here. */
export const HAS_TERMINAL =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true;

const LONGEST_MS = 20_000;

/**
 * A person at `surety review` or `surety restore`, who says yes to one memory, and leaves one or says no to it while somebody
 * else is asked about it. The program may be killed at any moment of it.
 */
export async function atTerminal(lane: Lane): Promise<void> {
  const { journal } = lane;
  const verb = lane.pick(VERBS);
  const command = commandFor(lane, verb);
  if (command === undefined) return;
  const child = started(lane, command);
  const killAfter = lane.chance() < 0.3 ? lane.chance() * 2_000 : LONGEST_MS;
  let killed = false;
  const killer = setTimeout(() => {
    killed = kill(child.pid);
  }, killAfter);
  let screen = '';
  let asked: ReturnType<typeof journal.begin> | undefined;
  child.stdin.on('error', () => undefined);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    if (asked !== undefined || !/answer: $/.test(screen)) return;
    const id = /^id +([a-z0-9_]+)/m.exec(screen)?.[1] ?? '';
    if (!journal.may.has(id) || journal.busy.has(id)) {
      if (verb === 'restore') journal.no({ verb, id });
      return void child.stdin.write(verb === 'restore' ? 'n\r' : 's\r');
    }
    asked = journal.begin(verb, id);
    const rival = rivalIn(screen);
    if (rival !== undefined && !journal.takesPlaceOf(asked, rival)) {
      journal.ended(asked);
      asked = undefined;
      return void child.stdin.write('s\r');
    }
    journal.yes(asked);
    child.stdin.write('y\r');
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(killer);
  if (killed) lane.terminalKills += 1;
  if (asked === undefined) return;
  if (code === 0 && screen.includes(`${asked.id} is `)) journal.ended(asked, 'verified');
  else journal.inDoubt(asked);
}

/** A person at `surety doctor` who says yes to what this names and no to all else; the code it ends with. */
export async function atDoctor(lane: Lane, wanted: RegExp): Promise<number | null> {
  const child = started(lane, ['doctor']);
  const late = setTimeout(() => kill(child.pid), LONGEST_MS * 3);
  let fresh = '';
  child.stdin.on('error', () => undefined);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    fresh += text;
    // A long list comes in screens.
    if (/Enter [a-z ]+, q leaves: $/.test(fresh)) {
      child.stdin.write('\r');
      fresh += '\n';
    }
    if (!/answer: $/.test(fresh)) return;
    child.stdin.write(wanted.test(fresh) ? 'y\r' : 'n\r');
    fresh = '';
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(late);
  return code;
}

/** The program with these arguments, at a terminal of its own. */
function started(lane: Lane, args: readonly string[]) {
  const words = [process.execPath, ...preloads(lane), lane.main, ...args].map((word) => `"${word}"`);
  const env = { ...lane.env, TERM: 'dumb', NO_COLOR: '1', LANG: 'C.UTF-8' };
  const command = `stty cols 100 rows 60; exec ${words.join(' ')}`;
  return spawn('script', ['-qefc', command, '/dev/null'], { cwd: lane.home, env });
}

/** The program itself and not the terminal around it, which has one child. */
function kill(terminal: number | undefined): boolean {
  try {
    const program = Number(/\d+/.exec(readFileSync(`/proc/${terminal}/task/${terminal}/children`, 'utf8'))?.[0] ?? 0);
    // Zero would be this process's whole group.
    return program > 0 && process.kill(program, 'SIGKILL');
  } catch {
    // It ended a moment ago.
    return false;
  }
}
