import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thisMachine } from '../../../src/store/places/host.ts';
import { bareRemote, git, Machine } from '../../../testkit/fleet.ts';
import { MAIN } from '../../../testkit/program.ts';
import { temporaryFolder } from '../../../testkit/store.ts';
import { plain, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

function surety(home: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((done) => {
    const { PATH = '', GIT_CONFIG_GLOBAL = '' } = process.env;
    const env = { PATH, HOME: home, GIT_CONFIG_GLOBAL, GIT_CONFIG_NOSYSTEM: '1' };
    execFile(process.execPath, [MAIN, ...args], { env, cwd: home }, (error, out, err) =>
      done({ code: error ? Number(error.code) : 0, out, err }),
    );
  });
}

/** The home of a machine that is about to sync for the first time, and a desk that has already sent one memory. */
async function besideDesk(how: 'add' | 'propose'): Promise<{ there: Machine; home: string; remote: string }> {
  const remote = bareRemote();
  const there = await Machine.open('desk', remote);
  await there.store[how]('the build');
  await there.sync();
  const home = temporaryFolder();
  await surety(home, 'init', '--remote', remote);
  return { there, home, remote };
}

test('init --remote makes the store a repository that syncs, and changes nothing that is set', async () => {
  const [home, remote] = [temporaryFolder(), bareRemote()];
  const made = await surety(home, 'init', '--remote', remote);
  expect(made).toMatchObject({ code: 0, err: '' });
  expect(made.out).toMatch(/^remote +set; surety sync brings the two together$/m);
  const root = join(home, '.surety');
  expect(git(root, 'remote', 'get-url', 'origin')).toBe(remote);
  expect(existsSync(join(root, '.git', 'hooks'))).toBe(false);
  expect((await surety(home, 'init', '--remote', remote)).code).toBe(0);
  const other = await surety(home, 'init', '--remote', '/somewhere/else');
  expect(other.code).toBe(1);
  expect(other.err).toContain('syncs with another address already');
  expect(other.err).toContain(`git -C "${root}" remote set-url origin`);
  expect(git(root, 'remote', 'get-url', 'origin')).toBe(remote);
});

test.each(['--upload-pack=touch /tmp/x', 'ext::sh -c touch% /tmp/x', 'two\nlines', ''])(
  'init --remote refuses %j',
  async (url) => {
    const home = temporaryFolder();
    const { code } = await surety(home, 'init', `--remote=${url}`);
    expect([1, 64]).toContain(code);
    if (existsSync(join(home, '.surety', '.git')))
      expect(readFileSync(join(home, '.surety', '.git', 'config'), 'utf8')).not.toContain('url');
  },
);

test('a remote given as a folder is found from anywhere, and its default branch is followed', async () => {
  const [home, remote] = [temporaryFolder(), join(temporaryFolder(), 'remote.git')];
  git(home, 'init', '--quiet', '--bare', '--initial-branch=trunk', remote);
  git(home, 'clone', '--quiet', remote, join(home, 'clone'));
  git(join(home, 'clone'), 'commit', '--quiet', '--allow-empty', '-m', 'first');
  git(join(home, 'clone'), 'push', '--quiet', 'origin', 'HEAD:trunk');
  await surety(home, 'init', '--remote', remote);
  expect(await surety(home, 'sync')).toMatchObject({ code: 0, err: '' });
  expect(git(remote, 'log', '--format=%s', 'trunk').split('\n').length).toBe(2);
});

terminalTest('a machine that was trusted and is trusted no more is not called new again', async () => {
  const { home } = await besideDesk('add');
  await surety(home, 'sync');
  const status = async () => (await surety(home, 'status')).out.replaceAll(/\s+/g, ' ');
  expect(await status()).toContain('is a machine never seen here');
  const terminal = new TestTerminal(home, ['machines', 'trust', 'desk']);
  await terminal.answer('y');
  expect((await terminal.end()).code).toBe(0);
  expect(await status()).not.toContain('never seen');
  expect((await surety(home, 'machines', 'distrust', 'desk')).code).toBe(0);
  expect(await status()).toContain('of a machine that is not trusted');
  expect(await status()).not.toMatch(/never seen|machines trust/);
});

test('a machine that vouches for nothing is said to vouch for nothing', async () => {
  const { there, home } = await besideDesk('propose');
  const short = there.store.vault.self.fingerprint.slice(0, 16);
  expect(plain((await surety(home, 'sync')).out).replaceAll(/\s+/g, ' ')).toContain(
    `is a machine never seen here; it vouches for nothing that is here yet; its word counts only after surety machines trust ${short} `,
  );
  expect((await surety(home, 'machines')).out.replaceAll(/\s+/g, ' ')).toContain(
    'does not count: it vouches for nothing that is here',
  );
});

test('sync says what it did, in words and for programs', async () => {
  const { home, remote } = await besideDesk('add');
  const { code, out } = await surety(home, 'sync');
  expect(code).toBe(0);
  expect(plain(out).replaceAll('\n', ' ')).toMatch(
    /desk \([0-9a-f]{16}\) is a machine never seen here; 1 memory it vouches for is advisory until surety machines trust [0-9a-f]{16} 0 memories sent, 1 memory received\. All is well\./,
  );
  const json = JSON.parse((await surety(home, 'sync', '--json')).out);
  expect(json).toEqual({
    code: 0,
    said: `0 memories sent, 0 memories received. All is well. Remote: ${remote}`,
    pushesTo: remote,
    sent: 0,
    received: 0,
    removed: 0,
    notices: [],
  });
});

test('sync says so when only a decision travels', async () => {
  const remote = bareRemote();
  const [a, b] = [await Machine.open('desk', remote), await Machine.open('laptop', remote)];
  const id = await a.store.add('the build');
  for (const machine of [a, b, a, b]) await machine.sync();
  a.trust(b);
  expect(a.store.standing(id)).toBe('verified:vouched');
  const only = '0 memories sent, 0 memories received. Only entries of the ledgers, such as decisions,';
  expect((await a.sync({ dry: true })).said).toContain('such as decisions, would be sent. All is well.');
  expect((await a.sync()).said).toContain(`${only} were sent. All is well.`);
  expect((await b.sync()).said).toContain(`${only} were received. All is well.`);
  expect((await b.sync()).said).toContain('0 memories sent, 0 memories received. All is well.');
});

test('a sync that fails is told in status until one works again', async () => {
  const remote = bareRemote();
  const here = await Machine.open('here', remote, { machine: thisMachine() });
  await here.sync();
  rmSync(remote, { recursive: true });
  expect((await surety(here.store.home, 'sync')).code).toBe(6);
  expect((await surety(here.store.home, 'status')).out).toContain('could not be reached');
  git(here.root, 'init', '--quiet', '--bare', remote);
  expect((await surety(here.store.home, 'sync')).code).toBe(0);
  expect(JSON.parse((await surety(here.store.home, 'status', '--json')).out).sync).toMatchObject({
    code: 0,
    notices: [],
  });
});

test('sync without a repository exits 6, a command line that is not understood 64', async () => {
  const home = temporaryFolder();
  await surety(home, 'init');
  const none = await surety(home, 'sync');
  expect(none).toMatchObject({ code: 6, out: '' });
  expect(none.err).toContain('Run surety init --remote URL once');
  for (const args of [['--pull-only', '--push-only'], ['--lock-timeout', 'soon'], ['--force'], ['--yes']])
    expect((await surety(home, 'sync', ...args)).code).toBe(64);
});

terminalTest('review names what a sync parked, and the list of the quarantine has it', async () => {
  const remote = bareRemote();
  const here = await Machine.open('here', remote, { machine: thisMachine() });
  const there = await Machine.open('desk', remote);
  // The program reads the real clock, by which a sync of the tests' own day would be months late.
  for (const { store } of [here, there]) store.now = Date.now();
  const id = await here.store.propose('two cores', {
    body: 'First line that stays.\nTwo cores are enough.\nLast line.',
  });
  await here.sync();
  await there.sync();
  there.store.edit(id, (text) => text.replace('Two cores', 'Six cores'));
  here.store.edit(id, (text) => text.replace('Two cores', 'Nine cores'));
  await there.sync();
  expect((await here.sync()).code).toBe(3);
  expect((await surety(here.store.home, 'status')).out.replaceAll(/\s+/g, ' ')).toContain(
    `${id} was changed here and on desk at once; yours stays, the other is in quarantine`,
  );
  const terminal = new TestTerminal(here.store.home, ['review', '--category', 'quarantined']);
  const { shown } = await terminal.end();
  const [, told = ''] = /From the last syncs:\n(.*?)\n\n/s.exec(shown) ?? [];
  expect(told.split('\n').map((row) => row.search(/\S/))).toEqual([2, 4, 2, 4, 4]);
  expect(shown).toContain('Nothing waits for you under quarantined.');
  expect((await surety(here.store.home, 'list', '--quarantined')).out).toContain(id);
  expect(JSON.parse((await surety(here.store.home, 'status', '--json')).out).sync).toMatchObject({
    code: 3,
    notices: [],
  });

  // The person prefers the other text: the one in place is put away, and the parked one can then be restored.
  await here.store.decide('demote', id, 'the other one is right');
  await here.store.decide('restore', id);
  expect(here.store.text('memories', id)).toContain('Six cores');
  expect(here.store.standing(id)).toBe('verified:vouched');
});
