import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { SoftwareAuthenticator } from '../../testkit/authenticator.ts';
import { pick } from '../../testkit/seeded.ts';
import { digestWhenStored, type Text } from '../checker/file.ts';
import type { Known } from '../checker/machines.ts';
import { textWith } from '../texts.ts';
import type { Machine } from './machine.ts';

/** So few that two machines often give one id to two texts. */
const NAMES = ['The branch', 'The cache', 'The deploy', 'The query', 'The release', 'The window'];

/** Everything that can be wrong with machines that sync: what the table of a run counts. */
export const HARMS = {
  raised: 'verified without a person’s yes, or against what files and ledgers are worth',
  lowered: 'served as less than files and ledgers are worth',
  'yes lost': 'texts with a person’s yes that are in no file, no commit and no copy',
  'proposal lost': 'acknowledged proposals that are on no machine',
  apart: 'memories that machines disagree about in the end, and no machine says so',
  stuck: 'syncs that fail for ever, or fail without saying what to do',
  'no copy': 'verified texts of which a machine keeps no copy in the end',
  restless: 'machines that change something with every sync, for ever',
  running: 'processes that outlive what started them',
  bugs: 'calls that failed by a bug',
} as const;
export type Harm = keyof typeof HARMS;

/** Machines with one remote between them, and what the outside knows of them. */
export class Fleet implements Known {
  readonly folder: string;
  readonly main: string;
  readonly remote: string;
  readonly machines: Machine[] = [];
  readonly passkey = new SoftwareAuthenticator();
  readonly trail: string[] = [];
  readonly harms = new Map<string, Harm>();
  readonly allowed = new Set<string>();
  readonly vouched: { id: string; digest: string; by: string }[] = [];
  readonly proposed = new Map<string, string>();
  readonly removed = new Set<string>();
  readonly counts = new Map<string, number>();
  isPasskeyRequired = false;
  #homes = 0;
  #texts = 0;

  constructor(folder: string, main: string) {
    this.folder = folder;
    this.main = main;
    this.remote = join(folder, 'remote.git');
  }

  /** A home of its own for a machine that joins. */
  newHome(name: string): string {
    return join(this.folder, `${name}-${this.#homes++}`);
  }

  /** A machine is gone with its key and all it kept. */
  leave(machine: Machine): void {
    this.machines.splice(this.machines.indexOf(machine), 1);
    rmSync(machine.home, { recursive: true, force: true });
  }

  note(what: string): void {
    this.trail.push(what);
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** The same harm is found by every later look: it is told once. */
  harm(kind: Harm, what: string): void {
    if (this.harms.has(what)) return;
    this.harms.set(what, kind);
    this.note(`HARM ${kind}: ${what}`);
  }

  /** A text nobody has proposed yet. */
  newText(chance: () => number): Text {
    const number = this.#texts++;
    const mark = `markm${number}x${Math.floor(chance() * 65_536).toString(16)}`;
    return { ...textWith(mark, 8_001 + number, chance), name: pick(NAMES, chance) };
  }

  /** A person says yes to this text of a memory: from now on it may be verified. */
  allow(id: string, digest: string | null): void {
    if (digest !== null) this.allowed.add(`${id} ${digest}`);
  }

  allowText(id: string, text: Text): void {
    this.allow(id, digestWhenStored(id, text));
  }

  /** What a machine's servers did wrong by their own word. */
  takeBugs(): void {
    for (const { name, journal } of this.machines)
      for (const { what } of journal.wrong.splice(0)) this.harm('bugs', `${name}: ${what}`);
  }
}
