import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runCommand } from './command.ts';
import type { Ground } from './ground.ts';
import { Journal } from './journal.ts';
import type { Lane } from './lane.ts';
import { Life, type Surroundings } from './life.ts';

/** A machine that nobody here trusts: a home, a key and a store of its own, and the same remote. */
class Stranger implements Surroundings {
  readonly main: string;
  readonly home: string;
  readonly ground: Ground;
  readonly ownClock = false;
  readonly journal = new Journal();
  readonly during = 'a stranger';

  constructor({ main, ground, home }: Lane, number: number) {
    this.main = main;
    this.ground = ground;
    this.home = join(home, `stranger-${number}`);
    mkdirSync(this.home);
  }

  get env(): Record<string, string> {
    return { PATH: process.env.PATH ?? '', HOME: this.home };
  }

  hear(): void {}
}

/** Every code but "anything else went wrong": no repository, no remote, git failed, a bug. */
const WORKED = [0, 1, 2, 3, 4, 5];

/** The remote that this store and strangers share; made once. */
export async function shareRemote(lane: Lane): Promise<string> {
  const remote = join(lane.home, 'remote.git');
  if (existsSync(remote)) return remote;
  await promisify(execFile)('git', ['init', '-q', '--bare', '-b', 'main', remote], { env: lane.env });
  await runCommand(lane, ['init', '--remote', remote]);
  return remote;
}

/** A stranger proposes other texts under the names of verified memories, and so under their ids, and syncs. */
export async function strangerSyncs(lane: Lane, remote: string): Promise<void> {
  const { journal } = lane;
  const stranger = new Stranger(lane, lane.nextNumber());
  await runCommand(stranger, ['init', '--remote', remote]);
  const life = await Life.start(stranger, true);
  for (const id of journal.certainly('verified').slice(-6)) {
    const { type, name, description } = journal.acknowledged.get(id) ?? lane.newText();
    const reply = await life.call('propose_memory', { type, name, description, body: lane.newText().body });
    if (reply.kind !== 'said') continue;
    const taken = String(reply.said.id);
    journal.note(taken, 'a stranger proposes something else under it');
    journal.dispute(taken);
  }
  await life.leave();
  await runCommand(stranger, ['sync', '--json']);
  rmSync(stranger.home, { recursive: true, force: true });
}

/** This store's sync, perhaps killed at some moment of it; without that it has to work. */
export async function syncHere(lane: Lane, killAfter?: number): Promise<void> {
  const { code } = await runCommand(lane, ['sync', '--json'], killAfter);
  if (killAfter === undefined && !WORKED.includes(code ?? -1))
    lane.journal.wrong.push({ kind: 'bug', what: `a sync ended with ${code}` });
}
