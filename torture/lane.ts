import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SoftwareAuthenticator } from '../testkit/authenticator.ts';
import { pick, seeded } from '../testkit/seeded.ts';
import { check, compareServed, type Damage, type Report } from './checker/check.ts';
import { sha256, type Text } from './checker/file.ts';
import { enrolIn } from './enrol.ts';
import type { Ground } from './ground.ts';
import { Journal } from './journal.ts';
import { Life } from './life.ts';
import { textWith } from './texts.ts';

export const DAY_MS = 86_400_000;

interface LaneOptions {
  readonly name: string;
  readonly seed: number;
  readonly main: string;
  /** Another build of the program, for a round with both at once. */
  readonly other: string;
  readonly ground: Ground;
  /** With a clock of its own a lane keeps the observation of seven days; without one it needs none. */
  readonly ownClock: boolean;
  /** Whether a passkey is enrolled, with which the person signs on the page. */
  readonly signs: boolean;
}

/** One store, the servers on it, and what the outside knows of it. */
export class Lane {
  readonly name: string;
  readonly #builds: readonly [main: string, other: string];
  readonly home: string;
  readonly root: string;
  readonly ground: Ground;
  readonly ownClock: boolean;
  readonly passkey: SoftwareAuthenticator | undefined;
  readonly chance: () => number;
  readonly journal = new Journal();
  readonly lives = new Set<Life>();
  readonly damages = new Map<string, Damage & { readonly during: string }>();
  /** What goes wrong at the moment. */
  during = '';
  /** Milliseconds that this lane's clock is apart from the real one. */
  apart = 0;
  #furthest = 0;
  #lines: readonly string[] = [];
  /** Files that git put beside another and that the operator was told of. */
  readonly doubledByGit = new Set<string>();
  #texts = 0;
  #number = 0;
  leftovers = 0;
  files = 0;
  signed = 0;
  kills = 0;
  terminalKills = 0;
  mended = 0;
  /** Own ledgers that git set back and a server put back by itself. */
  putBack = 0;
  /** Memories whose file was deleted: of how many the operator was told, and how many came back after a yes. */
  readonly missing = { told: 0, back: 0 };
  /** Verified texts that a stranger's displaced, and that the operator was told of. */
  displaced = 0;

  private constructor({ name, seed, main, other, ground, ownClock, signs }: LaneOptions) {
    this.name = name;
    this.#builds = [main, other];
    this.ground = ground;
    this.ownClock = ownClock;
    this.passkey = signs ? new SoftwareAuthenticator() : undefined;
    this.home = realpathSync(ground.folder);
    this.root = join(this.home, '.surety');
    this.chance = seeded(seed);
  }

  static async open(options: LaneOptions): Promise<Lane> {
    const lane = new Lane(options);
    for (const folder of ['.config/surety', 'work']) mkdirSync(join(lane.home, folder), { recursive: true });
    if (!options.ownClock) {
      writeFileSync(join(lane.home, '.config/surety/config.json'), JSON.stringify({ observationDays: 0 }));
    }
    lane.setClock(0);
    const first = await Life.start(lane, true);
    await first.call('review_queue', {});
    await first.leave();
    if (!existsSync(join(lane.root, 'memories'))) throw new Error('the store could not be made');
    if (lane.passkey !== undefined) await enrolIn(lane.home, lane.passkey);
    return lane;
  }

  /** The program that is started next. */
  get main(): string {
    return this.during === 'two builds' ? this.pick(this.#builds) : this.#builds[0];
  }

  get env(): Record<string, string> {
    const { ground, home } = this;
    return { PATH: process.env.PATH ?? '', HOME: home, TORTURE_CLOCK: this.#clockFile, ...ground.env };
  }

  get #clockFile(): string {
    return join(this.home, 'clock');
  }

  /** This machine's folder for this store, as docs/file-format.md says. */
  get state(): string {
    return join(this.home, '.local/state/surety', sha256(this.root).slice(0, 32));
  }

  get cache(): string {
    return join(this.home, '.cache/surety', sha256(this.root).slice(0, 32));
  }

  /** By the public half of the key that this machine has. */
  get own(): string {
    const { publicKey } = JSON.parse(readFileSync(join(this.home, '.config/surety/key.json'), 'utf8'));
    return createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('hex');
  }

  /** Moves the clock of all servers of this lane, the running ones included. What is `absurd` is no time that has passed. */
  setClock(apart: number, absurd = false): void {
    this.apart = apart;
    if (!absurd) this.#furthest = Math.max(this.#furthest, apart);
    writeFileSync(this.#clockFile, String(apart));
    for (const life of this.lives) life.lookAtClock();
  }

  /** A week and a day after the latest moment any server of this lane has seen. */
  passAWeek(): void {
    if (this.ownClock) this.setClock(this.#furthest + 8 * DAY_MS);
  }

  /** A text nobody has proposed yet, with a word in it that stands nowhere else. */
  newText(): Text {
    const number = this.#texts++;
    const mark = `mark${this.name[0]}${number}x${Math.floor(this.chance() * 65_536).toString(16)}`;
    return textWith(mark, 8_001 + number, this.chance);
  }

  nextNumber(): number {
    return ++this.#number;
  }

  pick<T>(choices: readonly T[]): T {
    return pick(choices, this.chance);
  }

  hear(log: string): void {
    this.journal.hear(log);
  }

  /** Files and ledgers as they are while nobody writes. */
  check(settled: boolean): Report {
    const { root, state, own } = this;
    const report = check({ root, state, own, settled }, this.journal, this.#lines);
    this.#lines = report.lines;
    this.leftovers = report.leftovers;
    this.files = report.files;
    this.signed = report.signed;
    this.note(report.damages);
    return report;
  }

  compare(report: Report, served: ReadonlyMap<string, string>): void {
    this.note(compareServed(report.tiers, served, this.journal.deleted));
  }

  /** What git has doubled is no damage as long as somebody says so. */
  told(doubled: readonly string[], named: ReadonlySet<string>): void {
    for (const file of doubled) {
      if (named.has(file)) this.doubledByGit.add(file);
      else this.note([{ kind: 'duplicated', what: `${file} was doubled by git, and nobody is told` }]);
    }
  }

  /** The same damage is found by every later look: it is told once, with where it came about. */
  note(damages: readonly Damage[]): void {
    for (const damage of damages)
      if (!this.damages.has(damage.what)) this.damages.set(damage.what, { ...damage, during: this.during });
  }
}
