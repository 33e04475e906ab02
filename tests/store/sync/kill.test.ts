import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { lastSync } from '../../../src/actions/sync/sync-notices.ts';
import { thisMachine } from '../../../src/store/places/host.ts';
import { FaultyDisk, type Life } from '../../../testkit/faults.ts';
import { BODY, bareRemote, git, Machine, memoryFile } from '../../../testkit/fleet.ts';
import { MAIN } from '../../../testkit/program.ts';
import { TestStore, temporaryFolder } from '../../../testkit/store.ts';

/** Every moment with 1; each n-th of them otherwise, beginning with another one in each scenario. */
const EVERY = Number(process.env.SURETY_KILL_EVERY ?? 8);
const PATH = process.env.PATH ?? '';
const REAL_GIT = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
afterEach(() => {
  process.env.PATH = PATH;
});

/** A process that dies at the n-th git it calls, before that does anything; with it goes whatever it was going to write. */
class Mortal implements Life {
  readonly #folder = temporaryFolder();
  readonly #calls = join(this.#folder, 'calls');
  readonly #over = join(this.#folder, 'over');

  constructor() {
    // What a git calls in turn is part of that call. The shell counts by itself: wc and cat would be two more programs a call.
    const lines = [
      '#!/bin/sh',
      `[ -n "$SURETY_INNER" ] && exec ${REAL_GIT} "$@"`,
      'export SURETY_INNER=1',
      `[ -e ${this.#over} ] && exit 137`,
      `echo >> ${this.#calls}`,
      'calls=0',
      `while read -r call; do calls=$((calls + 1)); done < ${this.#calls}`,
      `read -r last < ${this.#folder}/last`,
      `[ "$calls" -eq "$last" ] && { : > ${this.#over}; exit 137; }`,
      `exec ${REAL_GIT} "$@"`,
    ];
    writeFileSync(join(this.#folder, 'git'), `${lines.join('\n')}\n`);
    chmodSync(join(this.#folder, 'git'), 0o755);
  }

  begin(lastCall = 0): void {
    for (const file of [this.#calls, this.#over]) rmSync(file, { force: true });
    writeFileSync(join(this.#folder, 'last'), `${lastCall}\n`);
    process.env.PATH = `${this.#folder}:${PATH}`;
  }

  get calls(): number {
    return existsSync(this.#calls) ? readFileSync(this.#calls, 'utf8').length : 0;
  }

  isOver(): boolean {
    return existsSync(this.#over);
  }

  end(): void {
    writeFileSync(this.#over, '');
  }
}

interface Scenario {
  /** Leaves the machine where its next sync has all this to do. */
  readonly prepare: (here: Machine, remote: string) => Promise<void>;
  /** What the store holds when it is done, and the words that must be in it. */
  readonly names: readonly string[];
  readonly words: Readonly<Record<string, string>>;
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'sends a store for the first time': {
    prepare: async (here) => {
      await here.store.propose('the build');
      await here.store.decide('demote', await here.store.propose('the door'), 'wrong');
    },
    names: ['memories/user_the_build.md', 'quarantine/user_the_door.md'],
    words: { 'memories/user_the_build.md': 'two cores' },
  },
  'joins a remote with memories of its own': {
    prepare: async (here, remote) => {
      const desk = await Machine.open('desk', remote);
      await desk.store.propose('the build');
      await desk.store.propose('the window');
      await desk.store.decide('demote', await desk.store.propose('the door'), 'wrong');
      await desk.sync();
      await here.store.propose('the build', { body: 'The build takes nine cores on this very machine.' });
      await here.store.propose('the roof');
    },
    names: [
      'memories/user_the_build.md',
      'memories/user_the_roof.md',
      'memories/user_the_window.md',
      'quarantine/user_the_build.md',
      'quarantine/user_the_door.md',
    ],
    words: { 'memories/user_the_build.md': 'nine cores', 'quarantine/user_the_build.md': 'two cores' },
  },
  'commits, merges a conflict and sends': {
    prepare: async (here, remote) => {
      const desk = await Machine.open('desk', remote);
      const both = await here.store.propose('the build');
      const gone = await here.store.propose('the door');
      await here.store.propose('the wall');
      await here.sync();
      await desk.sync();
      desk.store.edit(both, (text) => text.replace('two cores', 'six cores'));
      await desk.store.decide('demote', gone, 'wrong');
      desk.store.remove('user_the_wall');
      await desk.store.propose('the window');
      await desk.sync();
      here.store.edit(both, (text) => text.replace('two cores', 'nine cores'));
      await here.store.propose('the roof');
    },
    names: [
      'memories/user_the_build.md',
      'memories/user_the_roof.md',
      'memories/user_the_window.md',
      'quarantine/user_the_build.md',
      'quarantine/user_the_door.md',
    ],
    words: { 'memories/user_the_build.md': 'nine cores', 'quarantine/user_the_build.md': 'six cores' },
  },
};

test.each(Object.keys(SCENARIOS))(
  'a sync that is killed at any moment while it %s is finished by the next one: nothing lost, doubled or half-merged',
  { timeout: 900_000 + 1_200_000 / EVERY },
  async (name) => {
    const scenario = SCENARIOS[name] as Scenario;
    const life = new Mortal();
    const disk = new FaultyDisk(life);
    const remote = bareRemote();
    const here = await Machine.open('here', remote, { disk });
    await scenario.prepare(here, remote);
    here.store.vault.close();
    const backup = temporaryFolder();
    const copy = (from: string, to: string) => cpSync(from, to, { recursive: true, preserveTimestamps: true });
    copy(here.store.home, join(backup, 'home'));
    copy(remote, join(backup, 'remote'));

    /** The same sync again in a new process, up to its end or its death. */
    const live = async (lastCall: number, lastStep: number, moment: 'before' | 'torn' = 'before') => {
      here.store.vault.close();
      for (const [folder, kept] of [[here.store.home, 'home'] as const, [remote, 'remote'] as const]) {
        rmSync(folder, { recursive: true });
        copy(join(backup, kept), folder);
      }
      await here.store.reopen();
      life.begin(lastCall);
      disk.arm(lastStep === 0 ? undefined : { at: lastStep, moment, how: 'die' });
      await here.sync().catch(() => undefined);
      const ended = { calls: life.calls, steps: [...disk.steps], died: life.isOver() };
      life.begin();
      process.env.PATH = PATH;
      disk.arm();
      return ended;
    };

    const recovers = async (when: string) => {
      await here.store.reopen();
      const { code } = await here.sync();
      expect([0, 3], when).toContain(code);
      expect(here.names(), when).toEqual(scenario.names);
      for (const [path, word] of Object.entries(scenario.words)) expect(here.files()[path], when).toContain(word);
      expect(here.status(), when).toBe('');
      expect(here.store.trouble(), when).toBeUndefined();
      const head = here.git('rev-parse', 'HEAD');
      expect(here.git('ls-remote', 'origin', 'refs/heads/main'), when).toContain(head);
      expect(here.git('rev-parse', 'origin/main'), when).toBe(head);
    };

    const { calls, steps } = await live(0, 0);
    await recovers('after a whole sync');
    let deaths = 0;
    const from = Object.keys(SCENARIOS).indexOf(name);
    for (let call = 1 + (from % EVERY); call <= calls; call += EVERY) {
      if ((await live(call, 0)).died) deaths += 1;
      await recovers(`before call ${call} of ${calls}`);
    }
    for (let step = 1 + (from % EVERY); step <= steps.length; step += EVERY) {
      if ((await live(0, step, steps[step - 1] === 'write' ? 'torn' : 'before')).died) deaths += 1;
      await recovers(`at step ${step} of ${steps.length} (${steps[step - 1]})`);
    }
    expect(deaths).toBeGreaterThan((calls + steps.length) / EVERY / 2);
  },
);

// The program itself, with every git it started.

/**
 * `surety` with a git that, at its n-th call or the one beside it, has just been started when it and the program are killed:
 * two that start at once count both before either looks.
 */
function surety(home: string, path: string, ...args: string[]): Promise<number | string> {
  const { GIT_CONFIG_GLOBAL = '' } = process.env;
  const env = { PATH: path, HOME: home, GIT_CONFIG_GLOBAL, GIT_CONFIG_NOSYSTEM: '1' };
  const child = spawn(process.execPath, [MAIN, ...args], { env, cwd: home, detached: true, stdio: 'ignore' });
  return new Promise((done) => child.on('close', (code, signal) => done(code ?? signal ?? '')));
}

function killingGit(lastCall: number): string {
  const folder = temporaryFolder();
  const calls = join(folder, 'calls');
  const lines = [
    '#!/bin/sh',
    `[ -n "$SURETY_INNER" ] && exec ${REAL_GIT} "$@"`,
    'export SURETY_INNER=1',
    `echo >> ${calls}`,
    `[ "$(wc -l < ${calls})" -ge ${lastCall} ] && { ${REAL_GIT} "$@" & kill -9 $PPID 0; }`,
    `exec ${REAL_GIT} "$@"`,
  ];
  writeFileSync(join(folder, 'git'), `${lines.join('\n')}\n`);
  chmodSync(join(folder, 'git'), 0o755);
  return `${folder}:${PATH}`;
}

test('killed with SIGKILL together with the git it has just started, again and again, it gets there in the end', async () => {
  const [home, remote] = [temporaryFolder(), bareRemote()];
  const desk = await Machine.open('desk', remote);
  await desk.store.propose('the build');
  await desk.sync();
  expect(await surety(home, PATH, 'init', '--remote', remote)).toBe(0);
  const memories = join(home, '.surety', 'memories');
  for (const [n, call] of [9, 12, 14, 16, 18, 20, 5].entries()) {
    writeFileSync(join(memories, `user_note_${n}.md`), memoryFile(`Note ${n}`, `${BODY} It is number ${n}.`));
    expect(await surety(home, killingGit(call), 'sync'), `killed at call ${call}`).toBe('SIGKILL');
  }
  expect(await surety(home, PATH, 'sync')).toBe(0);
  const names = ['user_note_0.md', 'user_note_1.md', 'user_note_2.md', 'user_note_3.md', 'user_note_4.md'];
  expect(readdirSync(memories).sort()).toEqual([...names, 'user_note_5.md', 'user_note_6.md', 'user_the_build.md']);
  const root = join(home, '.surety');
  expect(git(root, 'status', '--porcelain')).toBe('');
  expect(git(remote, 'rev-parse', 'main')).toBe(git(root, 'rev-parse', 'HEAD'));
  git(remote, 'fsck', '--strict');
});

test('locks on refs that a dead git left behind are in nobody’s way; one that is held is waited for', async () => {
  const remote = bareRemote();
  const here = await Machine.open('here', remote);
  await here.store.propose('the build');
  await here.sync();
  const locks = ['refs/heads/main', 'refs/remotes/origin/main', 'HEAD', 'packed-refs', 'index'];
  for (const name of locks) {
    writeFileSync(join(here.root, '.git', `${name}.lock`), '');
    utimesSync(join(here.root, '.git', `${name}.lock`), 0, 0);
  }
  await here.store.propose('the door');
  expect((await here.sync()).code).toBe(0);
  expect(git(remote, 'rev-parse', 'main')).toBe(here.git('rev-parse', 'HEAD'));

  const held = join(here.root, '.git/refs/heads/main.lock');
  writeFileSync(held, '');
  await here.store.propose('the roof');
  const syncing = here.sync();
  setTimeout(() => rmSync(held), 300);
  expect((await syncing).code).toBe(0);
  expect(git(remote, 'rev-parse', 'main')).toBe(here.git('rev-parse', 'HEAD'));
});

test('two syncs at once while an agent proposes: both come to their end, and nothing is lost', async () => {
  const [home, remote] = [temporaryFolder(), bareRemote()];
  const desk = await Machine.open('desk', remote);
  for (let n = 0; n < 5; n++) await desk.store.propose(`from the desk ${n}`);
  await desk.sync();
  expect(await surety(home, PATH, 'init', '--remote', remote)).toBe(0);
  const agent = await TestStore.open({ home, machine: thisMachine() });
  const syncs = [surety(home, PATH, 'sync'), surety(home, PATH, 'sync')];
  const ids: string[] = [];
  for (let n = 0; n < 12; n++) ids.push(await agent.propose(`meanwhile ${n}`));
  expect(await Promise.all(syncs)).toEqual([0, 0]);
  expect(await surety(home, PATH, 'sync')).toBe(0);
  const there = git(remote, 'ls-tree', '-r', '--name-only', 'main').split('\n');
  for (const id of [...ids, 'user_from_the_desk_4']) expect(there).toContain(`memories/${id}.md`);
  expect(git(join(home, '.surety'), 'status', '--porcelain')).toBe('');
});

test('what a sync merged is told, even if it fails or is killed before it has sent anything', async () => {
  const remote = bareRemote();
  const [a, b] = [await Machine.open('desk', remote), await Machine.open('laptop', remote)];
  const id = await a.store.propose('the build');
  for (const machine of [a, b]) await machine.sync();
  a.store.edit(id, (text) => text.replace('two cores', 'six cores'));
  b.store.edit(id, (text) => text.replace('two cores', 'nine cores'));
  await a.sync();
  git(remote, 'config', 'receive.maxInputSize', '1');
  const failed = await b.sync();
  expect(failed).toMatchObject({ code: 6, notices: [{ kind: 'conflict', about: id }] });
  git(remote, 'config', '--unset', 'receive.maxInputSize');
  expect(await b.sync()).toMatchObject({ code: 0, notices: [] });
  expect(lastSync(b.session)?.notices.map(({ kind, about }) => `${kind} ${about}`)).toContain(`conflict ${id}`);
});
