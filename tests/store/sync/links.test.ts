import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { connectStore } from '../../../src/actions/sync/connect-remote.ts';
import { refuseChanges } from '../../../src/store/git/refuse-repository.ts';
import { bareRemote, git, Machine, TOKEN } from '../../../testkit/fleet.ts';
import { temporaryFolder } from '../../../testkit/store.ts';

// What somebody put below .git leads git nowhere else, and memories go to one address that is named.

const variables = { ...process.env };
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
  Object.assign(process.env, variables);
});

const SHELL_TEXT = '$(touch ~/mark)';

/** The operator's own settings of git with more behind them. */
function ownSettings(more: string): void {
  const settings = join(temporaryFolder(), 'config');
  writeFileSync(settings, `${readFileSync(variables.GIT_CONFIG_GLOBAL ?? '', 'utf8')}${more}`);
  process.env.GIT_CONFIG_GLOBAL = settings;
}

/** A machine that has synced once, with a second memory waiting, and a shell's rc file of the person's. */
async function waiting() {
  ownSettings(`[user]\n name = "${SHELL_TEXT}"\n email = me@example.com\n`);
  const remote = bareRemote();
  const machine = await Machine.open('desk', remote);
  await machine.store.propose('the build');
  expect((await machine.sync()).code).toBe(0);
  await machine.store.propose('the door');
  const outside = temporaryFolder();
  const rc = join(outside, 'rc');
  writeFileSync(rc, '# mine\n');
  return { machine, remote, outside, rc, own: join(machine.root, '.git') };
}

/** Puts something in the place of a file or folder below .git, and gives back what takes it away again. */
function inPlaceOf(path: string, put: (path: string) => void): () => void {
  mkdirSync(join(path, '..'), { recursive: true });
  const was = join(temporaryFolder(), 'was');
  const there = existsSync(path);
  if (there) renameSync(path, was);
  put(path);
  return () => {
    rmSync(path);
    if (there) renameSync(was, path);
  };
}

test.each([
  'logs/refs/heads/main',
  'logs/refs/remotes/origin/main',
  'logs/HEAD',
  'refs/heads/main',
  'refs/remotes/origin/main',
  'packed-refs',
  'surety-index',
  'index',
  'info/exclude',
  'gc.log',
  'hooks/post-commit',
])('.git/%s as a link or a hard link to a file elsewhere is refused by its name, and that file stays', async (path) => {
  const { machine, remote, rc, own } = await waiting();
  const head = git(remote, 'rev-parse', 'main');
  for (const [how, put] of [
    ['link', (at: string) => symlinkSync(rc, at)],
    ['hard link', (at: string) => linkSync(rc, at)],
  ] as const) {
    const undo = inPlaceOf(join(own, path), put);
    const { code, said } = await machine.sync();
    expect(code, how).toBe(6);
    expect(said).toContain(`.git/${path}`);
    expect(said).toMatch(/remove it, then sync/);
    undo();
  }
  expect(readFileSync(rc, 'utf8')).toBe('# mine\n');
  expect(git(remote, 'rev-parse', 'main')).toBe(head);
  expect((await machine.sync()).code).toBe(0);
});

test.each([
  'logs',
  'logs/refs',
  'refs/remotes/origin',
  'refs/heads',
  'objects/a7',
  'objects/pack',
  'objects/info',
  'info',
])('.git/%s as a link to a folder elsewhere is refused, and nothing is written there', async (path) => {
  const { machine, outside, own } = await waiting();
  const elsewhere = join(outside, 'folder');
  mkdirSync(elsewhere);
  const undo = inPlaceOf(join(own, path), (at) => symlinkSync(elsewhere, at));
  expect(await machine.sync()).toMatchObject({ code: 6, said: expect.stringContaining(`.git/${path} is a link`) });
  expect(readdirSync(elsewhere)).toEqual([]);
  undo();
  expect((await machine.sync()).code).toBe(0);
});

test('a pipe below .git is refused and waited for by nobody', async () => {
  const { machine, own } = await waiting();
  execFileSync('mkfifo', [join(own, 'shallow')]);
  expect(await machine.sync()).toMatchObject({ code: 6, said: expect.stringContaining('neither a file nor a folder') });
});

test('objects that a clone shares with another folder are no way out', async () => {
  const { machine, outside, own } = await waiting();
  const folder = join(own, 'objects', machine.git('rev-parse', 'HEAD').slice(0, 2));
  linkSync(join(folder, readdirSync(folder)[0] ?? ''), join(outside, 'shared'));
  expect((await machine.sync()).code).toBe(0);
});

test('a link or a setting that comes while a sync is at work is refused by the next git that is started', async () => {
  const { machine, rc, own } = await waiting();
  const refuse = refuseChanges(machine.store.places);
  expect(refuse).not.toThrow();
  symlinkSync(rc, join(own, 'ORIG_HEAD'));
  expect(refuse).toThrow('.git/ORIG_HEAD');
  rmSync(join(own, 'ORIG_HEAD'));
  appendFileSync(join(own, 'config'), `[remote "origin"]\n\tpushurl = ${bareRemote()}\n`);
  expect(refuse).toThrow('was changed while it was synced');
});

test('the name of who commits stands in the commit, clean, and in no reflog', async () => {
  const { machine, remote, own } = await waiting();
  machine.git('config', 'core.logAllRefUpdates', 'true');
  mkdirSync(join(own, 'logs/refs/heads'), { recursive: true });
  writeFileSync(join(own, 'logs/refs/heads/main'), '');
  ownSettings(`[user]\n name = "A\\u001b[31mB ${SHELL_TEXT}"\n email = me@example.com\n`.replace('\\u001b', '\u001b'));
  expect((await machine.sync()).code).toBe(0);
  const log = readFileSync(join(own, 'logs/refs/heads/main'), 'utf8');
  expect(log).toMatch(/^\w+ \w+ surety <surety@localhost> \d+ \+0000\tsurety sync\n$/);
  const who = git(remote, 'log', '-1', '--format=%an|%cn|%ce', 'main');
  expect(who).toContain('me@example.com');
  expect(who).not.toMatch(/\p{Cc}/u);
});

test('connecting a store follows no link below .git either', async () => {
  const { machine, outside, own } = await waiting();
  rmSync(join(own, 'refs/remotes'), { recursive: true });
  symlinkSync(outside, join(own, 'refs/remotes'));
  await expect(connectStore(machine.store.vault, bareRemote())).rejects.toThrow('.git/refs/remotes is a link');
});

// Where memories go.

test('every sync names the address it pushes to, without what logs in there', async () => {
  const { machine, remote } = await waiting();
  expect(await machine.sync()).toMatchObject({ said: expect.stringContaining(`Remote: ${remote}`), pushesTo: remote });
  const url = `https://somebody:${TOKEN}@127.0.0.1:1/store.git`;
  machine.git('remote', 'set-url', 'origin', url);
  machine.git('config', '--add', 'remote.origin.url', url);
  const { said } = await machine.sync();
  expect(said).toContain('https://127.0.0.1:1/store.git');
  expect(said).not.toContain(TOKEN);
});

test('a second address in the store’s own settings gets nothing', async () => {
  const { machine, remote, own } = await waiting();
  const other = bareRemote();
  const config = join(own, 'config');
  const plain = readFileSync(config);
  const head = git(remote, 'rev-parse', 'main');
  for (const [key, value] of [
    ['remote.origin.pushurl', other],
    ['remote.origin.url', other],
    ['remote.pushDefault', other],
    ['branch.main.pushRemote', other],
    ['remote.origin.mirror', 'true'],
    [`url.${other}.pushInsteadOf`, remote],
    [`url.${other}.insteadOf`, remote],
  ] as const) {
    machine.git('config', '--add', key, value);
    expect((await machine.sync()).code, key).toBe(6);
    writeFileSync(config, plain);
  }
  expect(git(other, 'for-each-ref')).toBe('');
  expect(git(remote, 'rev-parse', 'main')).toBe(head);
  expect((await machine.sync()).code).toBe(0);
});

test('an address that the operator’s own settings put in its place is named, and several are refused', async () => {
  const { machine, remote } = await waiting();
  const other = bareRemote();
  ownSettings(`[url "${other}"]\n pushInsteadOf = ${remote}\n`);
  const { code, said, pushesTo, notices } = await machine.sync();
  expect({ code, pushesTo }).toEqual({ code: 0, pushesTo: other });
  expect(said).toContain(`Fetched from ${remote}, pushed to ${other}`);
  expect(notices).toContainEqual(expect.objectContaining({ kind: 'remote', what: expect.stringContaining(other) }));
  ownSettings(`[remote "origin"]\n pushurl = ${other}\n pushurl = ${remote}\n`);
  const refused = await machine.sync();
  expect(refused.code).toBe(6);
  expect(refused.said).toContain(`2 addresses it pushes to: ${other}, ${remote}`);
});

test('another address than at the last sync is told once', async () => {
  const { machine } = await waiting();
  const other = bareRemote();
  machine.git('remote', 'set-url', 'origin', other);
  const [first, second] = [await machine.sync(), await machine.sync()];
  expect(first.notices.map(({ kind }) => kind)).toContain('remote');
  expect(second.notices).toEqual([]);
});

test('another branch than at the last sync is told once, because no other machine syncs it', async () => {
  const { machine, remote } = await waiting();
  await machine.sync();
  machine.git('checkout', '--quiet', '-b', 'experiment');
  const id = await machine.store.propose('the attic');
  const [first, second] = [await machine.sync(), await machine.sync()];
  expect(first.notices).toMatchObject([{ kind: 'remote', about: 'the branch' }]);
  expect(first.notices[0]?.what).toContain('experiment (main before)');
  expect(second.notices).toEqual([]);
  expect(git(remote, 'ls-tree', '-r', '--name-only', 'main')).not.toContain(id);
  machine.git('checkout', '--quiet', 'main');
  expect((await machine.sync()).notices[0]?.what).toContain('main (experiment before)');
});
