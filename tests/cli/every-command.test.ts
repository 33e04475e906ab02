import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { COMMANDS } from '../../src/cli/registry.ts';
import { canWrap, FULL, NO_RIGHTS, READ_ONLY } from '../../testkit/bad-disk.ts';
import { contentsOf } from '../../testkit/contents.ts';
import { piped } from '../../testkit/piped.ts';
import { temporaryFolder } from '../../testkit/store.ts';
import { plain, storeTenDaysAgo, TestTerminal, terminalTest } from '../../testkit/terminal.ts';

/**
 * How a command is used, so that every one of them meets every bad day: one line for each. `answers` are typed, one at each
 * question; a command without them is run with pipes. A command that `writes` must refuse on a disk that takes nothing.
 * `unneeded`: it does without a store. `makes`: it makes one where there is none. `silent`: without one it says nothing. `fails` is its exit code for a store that
 * cannot be used, where that is not 1. `apart`: it never comes near anybody's store.
 */
interface Use {
  readonly args?: readonly string[];
  readonly answers?: readonly string[];
  readonly writes?: true;
  /** It only moves a file, which a full disk allows: a lowering waits for nothing. */
  readonly lowers?: true;
  readonly input?: string;
  readonly unneeded?: true;
  readonly silent?: true;
  readonly makes?: true;
  readonly apart?: true;
  readonly fails?: number;
}

const USES: Readonly<Record<string, Use>> = {
  init: { unneeded: true },
  add: { args: [...named('A rule'), 'notes/text.txt'], answers: ['y'], writes: true, makes: true },
  remember: { args: ['We deploy only on weekdays.'], answers: ['y'], writes: true, makes: true },
  backfill: { args: ['--execute'], answers: ['i'], writes: true },
  import: { args: ['notes/memories'], answers: ['i'], writes: true, makes: true },
  export: { args: ['exported'], writes: true },
  list: {},
  show: { args: ['user_ready'] },
  search: { args: ['ready'] },
  status: {},
  audit: {},
  doctor: {},
  log: {},
  adopt: { args: ['user_ready'], answers: ['y', 'y'], writes: true },
  promote: { args: ['user_ready'], answers: ['y'], writes: true },
  demote: { args: ['user_ready'], answers: ['y'], writes: true, lowers: true },
  restore: { args: ['user_away'], answers: ['y'], writes: true },
  archive: { args: ['user_away'], answers: ['y'], writes: true },
  erase: { args: ['user_ready'], answers: ['user_ready'], writes: true },
  check: { args: ['notes/memories'], unneeded: true },
  sync: { writes: true, fails: 6 },
  machines: {},
  passkey: {},
  demo: { apart: true },
  completion: { args: ['--ids', 'show'] },
  hook: { args: ['session-start'], input: '{}', silent: true, fails: 0 },
  review: { args: ['--category', 'ready'], answers: ['y'], writes: true },
  open: { answers: ['q'] },
};

function named(name: string): string[] {
  return ['--type', 'user', '--name', name, '--description', 'What the rule is about'];
}

const NAMES = Object.keys(COMMANDS);
const useOf = (name: string): Use => USES[name] ?? {};

interface Met {
  readonly code: number;
  /** Everything it said, on whichever stream. */
  readonly said: string;
}

/** Runs a command as it is used; questions that go on after the last answer are left. */
async function met(
  home: string,
  name: string,
  wrap: readonly string[] = [],
  more: readonly string[] = [],
): Promise<Met> {
  const { args = [], answers, input } = useOf(name);
  const line = [name, ...more, ...args];
  if (answers === undefined) {
    const { code, out, err } = await piped(home, line, {}, wrap, input);
    return { code, said: out + err };
  }
  const terminal = new TestTerminal(home, line, { wrap });
  const left = [...answers];
  const talk = async () => {
    for (;;) {
      const shown = await terminal.until(/(?:answer|reason\)|leaves it|q leaves): $/);
      // On a full disk the question comes back; a question about one text has no q.
      const leaving = /\[q\]|q leaves/.test(shown) ? 'q' : 'n';
      terminal.press(`${left.shift() ?? leaving}\r`);
    }
  };
  talk().catch(() => {});
  const code = await terminal.exit;
  return { code, said: plain(terminal.screen) };
}

/** A store in which every command has something to do, and notes outside of it. */
async function home(): Promise<string> {
  const store = await storeTenDaysAgo();
  await store.propose('ready');
  await store.propose('away');
  await store.decide('demote', 'user_away');
  await store.reconcile();
  const note =
    '---\nname: A note\ndescription: d\ntype: user\n---\nA note from elsewhere that is long enough to be one.\n';
  store.write('memories', 'user_found', note.replace('elsewhere', 'the folder'));
  mkdirSync(join(store.home, 'notes', 'memories'), { recursive: true });
  writeFileSync(join(store.home, 'notes', 'memories', 'user_note.md'), note);
  writeFileSync(join(store.home, 'notes', 'text.txt'), 'A rule in my own words, which is long enough to be kept.\n');
  store.vault.close();
  return store.home;
}

/** Exit codes that a command's help names. */
async function documented(name: string): Promise<number[]> {
  const { help } = (await COMMANDS[name]?.load()) ?? { help: '' };
  return [...help.slice(help.indexOf('exit codes')).matchAll(/(?:^|[ ,])(\d+)(?= )/gm)].map(([, code]) => Number(code));
}

const ADVICE = /\b(?:run|choose|give|make|check|put|see|correct|name|mount|surety [a-z]+)\b/i;

/** Ended with the code for a store that cannot be used, and told what to do, in one sentence that is no bug report. */
async function refused(name: string, { code, said }: Met): Promise<void> {
  const { fails = 1 } = useOf(name);
  expect({ name, code, said }).toEqual({ name, code: fails, said: expect.stringMatching(ADVICE) });
  expect(said).not.toMatch(/please report|^ {4}at /m);
  expect(await documented(name)).toContain(code);
}

test('every command of the table is tried here', () => {
  expect(Object.keys(USES).sort()).toEqual(NAMES.toSorted());
});

test.each(NAMES)(
  'surety %s --help tells how it is used and how it ends; what it does not know is exit 64',
  async (name) => {
    const folder = temporaryFolder();
    const { code, out, err } = await piped(folder, [name, '--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(new RegExp(`^usage: surety ${name}\\b`));
    expect(out.includes('--root DIR')).toBe(!useOf(name).apart);
    expect(await documented(name)).toEqual(expect.arrayContaining([0, 64]));
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(135);
    expect(await piped(folder, [name, '--yes'])).toEqual({
      code: 64,
      out: '',
      err: `surety ${name} does not know the option at argument 2; surety ${name} --help lists what it knows.\n`,
    });
    expect(contentsOf(folder)).toEqual({});
  },
);

for (const name of NAMES.filter((each) => !useOf(each).apart)) {
  const { answers, unneeded, silent, makes, writes, lowers, fails = 1 } = useOf(name);
  const either = answers === undefined ? test : terminalTest;

  if (!unneeded && !makes) {
    either(`surety ${name} makes no store where there is none, and names the command that does`, async () => {
      const folder = temporaryFolder();
      const outcome = await met(folder, name);
      expect(contentsOf(folder)).toEqual({});
      if (silent) return expect(outcome).toEqual({ code: fails, said: '' });
      await refused(name, outcome);
      expect(outcome.said).toContain('surety init');
    });
  }

  either(`surety ${name} says what to do when the store’s folder is a file`, async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.surety'), 'x');
    await refused(name, await met(folder, name));
    expect(contentsOf(folder)).toEqual({ '.surety': expect.any(String) });
  });

  const closed = (run: () => Promise<void>) =>
    canWrap(NO_RIGHTS)
      ? either(`surety ${name} says what to do when the memories may not be read`, run)
      : test.skip(`NOT TESTED, root cannot lay down its rights here: surety ${name} without the right to read`, run);
  closed(async () => {
    const folder = await home();
    const memories = join(folder, '.surety', 'memories');
    chmodSync(memories, 0);
    onTestFinished(() => chmodSync(memories, 0o700));
    const outcome = await met(folder, name, NO_RIGHTS);
    if (!unneeded) await refused(name, outcome);
    else expect(await documented(name)).toContain(outcome.code);
  });

  const readOnly = (run: () => Promise<void>) =>
    canWrap(READ_ONLY)
      ? either(`surety ${name} ${writes ? 'refuses' : 'works'} on a read-only disk`, run)
      : test.skip(`NOT TESTED, no disk can be made read-only here: surety ${name} on one`, run);
  readOnly(async () => {
    const folder = await home();
    const before = contentsOf(join(folder, '.surety'));
    const outcome = await met(folder, name, READ_ONLY);
    if (writes) await refused(name, outcome);
    else expect([0, 3]).toContain(outcome.code);
    expect(contentsOf(join(folder, '.surety'))).toEqual(before);
  });

  const full = (run: () => Promise<void>) =>
    canWrap(FULL)
      ? either(
          `surety ${name} ${writes && !lowers ? 'refuses' : 'works'} on a full disk, and leaves nothing half-written`,
          run,
        )
      : test.skip(`NOT TESTED, no disk can be filled here: surety ${name} on one`, run);
  full(async () => {
    const folder = await home();
    onTestFinished(() => {
      rmSync(`${folder}.copy`, { recursive: true, force: true });
      rmSync(`${folder}.changes`, { force: true });
    });
    const outcome = await met(folder, name, FULL);
    if (writes && !lowers && fails === 1) await refused(name, outcome);
    else expect(await documented(name)).toContain(outcome.code);
    expect(outcome.said).not.toMatch(/please report|^ {4}at /m);
    const changes = readFileSync(`${folder}.changes`, 'utf8').split('\n').filter(Boolean);
    expect(
      changes.filter((line) => !(lowers && /^Only in \S+(?:memories|quarantine): user_ready\.md$/.test(line))),
    ).toEqual([]);
  });
}
