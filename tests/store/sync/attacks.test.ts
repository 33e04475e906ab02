import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { isHarmlessName, sharedAt } from '../../../src/core/sync/shared-paths.ts';
import { BODY, bareRemote, git, Intruder, Machine, memoryFile } from '../../../testkit/fleet.ts';
import { DAY, temporaryFolder } from '../../../testkit/store.ts';

const variables = { ...process.env };
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
  Object.assign(process.env, variables);
});

test('names that git or some file system takes for others are neither shared nor carried along', () => {
  const hidden = ['.g\u200cit', '.\u200dgit', '.git\ufeff', '.gi\u206ft', '.gi\u202et'];
  const windows = ['git~1', 'GIT~2', '.git ', '.git.', '.git::$INDEX_ALLOCATION', '.git\\x', 'a:b', 'CON', 'con.md'];
  const more = [
    'nul',
    'Aux.txt',
    'COM1',
    'lpt9.md',
    'PRN',
    'conin$',
    '.GIT',
    '.ｇit',
    '-x',
    '--upload-pack=x',
    '..',
    '',
  ];
  const links = ['.gitmodules', '.GITMODULES', '.gitattributes.', 'MEMORIES', 'Ledger', 'Quarantine ', 'archive'];
  const taken = [...hidden, ...windows, ...more, ...links].filter(isHarmlessName);
  expect(taken).toEqual([]);
  const shared = [
    'memories/-x.md',
    'memories/.git.md',
    'memories/user_A.md',
    'memories/user_a.md ',
    'Memories/user_a.md',
  ];
  const odd = [
    'memories/../user_a.md',
    'memories/con.md',
    'memories/user_ſ.md',
    'quarantine/user_a~0.md',
    'ledger/x.jsonl',
  ];
  expect([...shared, ...odd].filter((path) => sharedAt(path) !== undefined)).toEqual([]);
});

test('a remote that is an option, a command or answers through a rewritten address runs nothing', async () => {
  const machine = await Machine.open('desk', bareRemote());
  const mark = join(temporaryFolder(), 'mark');
  const config = join(machine.root, '.git/config');
  const plain = readFileSync(config, 'utf8');
  const urls = [
    `--upload-pack=touch ${mark}`,
    `-oProxyCommand=touch ${mark}`,
    `ssh://-oProxyCommand=touch\${IFS}${mark}/x`,
    `-x:y`,
    `ext::touch ${mark}`,
    `transport::ext::touch ${mark}`,
    `file://${mark}/none`,
    `http://[::1]:1/x`,
  ];
  for (const url of urls) {
    execFileSync('git', ['config', '--file', config, 'remote.origin.url', url]);
    expect((await machine.sync()).code, url).toBe(6);
    writeFileSync(config, plain);
  }
  expect(existsSync(mark)).toBe(false);
  expect((await machine.sync()).code).toBe(0);
});

test('an address for pushing that is a command is not called either', async () => {
  const machine = await Machine.open('desk', bareRemote());
  const mark = join(temporaryFolder(), 'mark');
  await machine.store.propose('the build');
  for (const url of [`ext::touch ${mark}`, `--receive-pack=touch ${mark}`]) {
    execFileSync('git', ['config', '--file', join(machine.root, '.git/config'), 'remote.origin.pushurl', url]);
    expect((await machine.sync()).code).toBe(6);
  }
  expect(existsSync(mark)).toBe(false);
});

test('branches and remotes with names that are options are refused, and refs with odd names do no harm', async () => {
  const remote = bareRemote();
  const a = await Machine.open('desk', remote);
  await a.store.propose('the build');
  await a.sync();
  const config = join(a.root, '.git/config');
  const plain = readFileSync(config, 'utf8');
  for (const [key, value] of [
    ['branch.main.merge', '--upload-pack=x'],
    ['branch.main.merge', 'refs/heads/-x'],
    ['branch.main.merge', 'refs/tags/x'],
    ['branch.main.remote', '--all'],
    ['branch.main.remote', 'x y'],
  ] as const) {
    execFileSync('git', ['config', '--file', config, key, value]);
    expect((await a.sync()).code, `${key} ${value}`).toBe(6);
    writeFileSync(config, plain);
  }
  const head = git(remote, 'rev-parse', 'main');
  for (const name of ['refs/heads/HEAD', 'refs/tags/main', 'refs/heads/origin/main'])
    git(remote, 'update-ref', name, head);
  a.git('tag', 'main');
  a.git('update-ref', 'refs/heads/origin/main', 'HEAD');
  await a.store.propose('the door');
  expect((await a.sync()).code).toBe(0);
  expect(git(remote, 'ls-tree', '-r', '--name-only', 'refs/heads/main')).toContain('memories/user_the_door.md');
});

test('a repository that borrows objects or history from another one is refused', async () => {
  const remote = bareRemote();
  const a = await Machine.open('desk', remote);
  await a.store.propose('the build');
  await a.sync();
  const lent = { 'objects/info/alternates': join(bareRemote(), 'objects'), 'info/grafts': a.git('rev-parse', 'HEAD') };
  await a.store.propose('the door');
  for (const [name, content] of Object.entries(lent)) {
    mkdirSync(join(a.root, '.git', name, '..'), { recursive: true });
    writeFileSync(join(a.root, '.git', name), `${content}\n`);
    expect(await a.sync()).toMatchObject({ code: 6, said: expect.stringContaining(name) });
    rmSync(join(a.root, '.git', name));
  }
  expect((await a.sync()).code).toBe(0);
});

test('an object that was replaced in the store’s repository is read as it was', async () => {
  const remote = bareRemote();
  const a = await Machine.open('desk', remote);
  const id = await a.store.propose('the build');
  await a.sync();
  const evil = execFileSync('git', ['-C', a.root, 'hash-object', '-w', '--stdin'], {
    input: memoryFile('The build', 'Quite another text than the one that was synced.'),
    encoding: 'utf8',
  }).trim();
  a.git('replace', a.git('rev-parse', `HEAD:memories/${id}.md`), evil);
  rmSync(a.store.path('memories', id));
  await a.store.propose('the door');
  await a.sync();
  expect(git(remote, 'log', '-p', 'main')).not.toContain('Quite another text');
});

test('a remote that serves an older state, then the newer one again, takes nothing away and adds nothing twice', async () => {
  const remote = bareRemote();
  const a = await Machine.open('desk', remote);
  const b = await Machine.open('laptop', remote);
  await a.store.propose('the build');
  await a.sync();
  const old = git(remote, 'rev-parse', 'main');
  await b.sync();
  const gone = await b.store.propose('the door');
  await b.store.decide('demote', gone, 'wrong');
  await b.sync();
  await a.sync();
  const fresh = git(remote, 'rev-parse', 'main');
  for (const answer of [old, fresh, old, fresh]) {
    git(remote, 'update-ref', 'refs/heads/main', answer);
    await a.sync({ pullOnly: true });
    expect(a.names()).toEqual(['memories/user_the_build.md', 'quarantine/user_the_door.md']);
    expect(a.store.tier(gone)).toBe('quarantined');
  }
  for (const machine of [a, b, a]) await machine.sync();
  expect(a.files()).toEqual(b.files());
  expect(a.store.report(b.fingerprint).trouble).toBeUndefined();
});

test('clocks a year apart: what one machine promotes is promoted, and stale or late only by one’s own clock', async () => {
  const remote = bareRemote();
  const [a, b] = [await Machine.open('desk', remote), await Machine.open('laptop', remote)];
  b.store.now += 365 * DAY;
  const id = await a.store.verified('the build');
  for (const machine of [a, b]) await machine.sync();
  b.trust(a);
  expect(b.store.standing(id)).toBe('verified:vouched');
  const young = await b.store.propose('the door');
  await b.sync();
  await a.sync();
  a.trust(b);
  // It was first seen in a's future: it has not been watched for a single day here.
  await expect(a.store.decide('promote', young)).rejects.toMatchObject({ code: 'observation-running' });
  for (const machine of [a, b, a]) await machine.sync();
  expect(a.files()).toEqual(b.files());
});

test('a key that was copied with the whole home makes a fork that is told, and neither copy gains by it', async () => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote);
  const here = await Machine.open('here', remote);
  const id = await desk.store.add('the build');
  await desk.sync();
  await here.sync();
  here.trust(desk);
  const home = join(temporaryFolder(), 'copy');
  execFileSync('cp', ['-a', desk.store.home, home]);
  // The same identity, as on a cloned virtual machine.
  const copy = await Machine.open('desk', remote, { home });
  await copy.store.decide('demote', id, 'wrong');
  await copy.sync();
  await desk.store.add('something else');
  const { notices } = await desk.sync();
  expect(notices.map(({ what }) => what).join()).toContain('two continuations signed with one key');
  for (const machine of [here, copy, desk, here]) await machine.sync();
  for (const { store } of [here, copy, desk]) expect(store.tier(id)).toBe('quarantined');
  for (const machine of [here, copy, desk]) expect(machine.status()).toBe('');
});

test('ids that differ from one another only in what a file system may fold stay apart or stay out', async () => {
  const remote = bareRemote();
  const a = await Machine.open('desk', remote);
  await a.store.propose('the build');
  await a.sync();
  const intruder = new Intruder(remote);
  intruder.write('memories/User_the_build.md', memoryFile('Upper', BODY));
  intruder.write('memories/user_THE_build.md', memoryFile('Louder', BODY));
  intruder.write('Memories/user_other.md', memoryFile('Other', BODY));
  intruder.push();
  expect((await a.sync()).code).toBe(2);
  expect(a.names()).toEqual(['memories/user_the_build.md']);
  expect(a.store.text('memories', 'user_the_build')).toContain('two cores');
});

test('a program that poses as git’s helper in the store’s folder is not found', async () => {
  const remote = bareRemote();
  const a = await Machine.open('desk', remote);
  const mark = join(temporaryFolder(), 'mark');
  for (const name of ['git', 'git-upload-pack', 'git-receive-pack', 'ssh', 'git-remote-https']) {
    writeFileSync(join(a.root, name), `#!/bin/sh\ntouch ${mark}\n`);
    chmodSync(join(a.root, name), 0o755);
  }
  process.env.PATH = `:.:${process.env.PATH}`;
  await a.store.propose('the build');
  const { code } = await a.sync();
  expect(existsSync(mark)).toBe(false);
  expect(code).toBe(0);
});

test('a branch over there whose name ends in this one’s stops the push with what to do, and then nothing is lost', async () => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote);
  await desk.store.propose('the build');
  await desk.sync();
  git(remote, 'update-ref', 'refs/heads/refs/heads/main', 'main');
  const id = await desk.store.propose('the door');
  const { code, said } = await desk.sync();
  expect(code).toBe(6);
  expect(said).toContain('git push --delete origin and its whole name');
  desk.git('push', '--quiet', '--delete', 'origin', 'refs/heads/refs/heads/main');
  expect((await desk.sync()).code).toBe(0);
  expect(git(remote, 'ls-tree', '-r', '--name-only', 'main')).toContain(`memories/${id}.md`);
});

test('a remote with a thousand odd names, one memory that is a folder and one of thirty megabytes: told in few words, and the rest comes in', async () => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote);
  const id = await desk.store.propose('the build');
  await desk.sync();
  const here = await Machine.open('here', remote);
  await here.sync();
  const intruder = new Intruder(remote);
  for (let n = 0; n < 1_000; n++) intruder.write(`memories/Odd ${n}.md`, 'x');
  intruder.write('memories/user_swapped.md/inner.md', BODY);
  intruder.write('memories/user_large.md', Buffer.alloc(30 << 20));
  intruder.write('memories/user_fine.md', memoryFile('Fine', BODY));
  intruder.push();
  const { code, notices, received } = await here.sync();
  expect({ code, received }).toEqual({ code: 2, received: 1 });
  expect(notices.length).toBeLessThan(30);
  expect(notices.find(({ about }) => about.endsWith(' more'))).toMatchObject({ about: '982 more', kind: 'refused' });
  expect(git(remote, 'ls-tree', '-r', '--name-only', 'main').match(/memories\/Odd /g)).toHaveLength(1_000);
  expect(here.names()).toEqual(['memories/user_fine.md', `memories/${id}.md`].sort());
  expect(here.status()).toBe('');
  expect(await here.sync()).toMatchObject({ code: 0, notices: [] });
});

test('a file with a name that is not an id stays in the remote as it is, and is told of once', async () => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote);
  await desk.store.propose('the build');
  await desk.sync();
  const intruder = new Intruder(remote);
  intruder.write('memories/Trip.md', 'Notes of a trip.');
  intruder.write('memories/User_The_Build.md', 'Some systems take this name for a memory’s.');
  intruder.push();
  const pushed = git(remote, 'rev-parse', 'main');
  const { code, notices } = await desk.sync();
  expect(code).toBe(2);
  expect(notices.map(({ about, what }) => `${about} ${what}`)).toEqual([
    expect.stringMatching(/^memories\/User_The_Build\.md .* takes it out there, and commit [0-9a-f]{12} .* keeps it$/),
    expect.stringMatching(/^memories\/Trip\.md .* it stays there as it is, and is not brought here$/),
  ]);
  expect(notices[0]?.what).toContain(pushed.slice(0, 12));
  expect(git(remote, 'show', 'main:memories/Trip.md')).toBe('Notes of a trip.');
  expect(git(remote, 'ls-tree', '-r', '--name-only', 'main')).not.toContain('User_The_Build');
  expect(desk.names()).not.toContain('memories/Trip.md');
  expect(desk.status()).toBe('');
  // Later syncs leave it there too, and say no more of it.
  await desk.store.propose('the door');
  expect(await desk.sync()).toMatchObject({ code: 0, notices: [] });
  expect(git(remote, 'show', 'main:memories/Trip.md')).toBe('Notes of a trip.');
});

test('a token in a file’s name is neither said nor kept', async () => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote);
  await desk.store.propose('the build');
  await desk.sync();
  const intruder = new Intruder(remote);
  const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  intruder.write(`memories/${token}.md`, 'Notes of a trip.');
  intruder.push();
  const { notices } = await desk.sync();
  expect(notices).toHaveLength(1);
  expect(JSON.stringify(notices)).not.toContain(token);
  expect(readFileSync(join(desk.store.places.state, 'sync.json'), 'utf8')).not.toContain(token);
});

test.each(['a folder where a memory was', 'a file where a folder was', 'a link where a memory was'])(
  '%s takes nothing away',
  async (swap) => {
    const remote = bareRemote();
    const desk = await Machine.open('desk', remote);
    const id = await desk.store.propose('the build');
    await desk.sync();
    const before = git(remote, 'ls-tree', '-r', 'main');
    const intruder = new Intruder(remote);
    const memory = join(intruder.folder, 'memories', `${id}.md`);
    rmSync(memory);
    if (swap.startsWith('a folder')) intruder.write(`memories/${id}.md/inner.md`, BODY);
    if (swap.startsWith('a link')) symlinkSync('/etc/passwd', memory);
    if (swap.startsWith('a file')) {
      for (const folder of ['memories', 'ledger']) {
        rmSync(join(intruder.folder, folder), { recursive: true });
        intruder.write(folder, 'no folder');
      }
    }
    intruder.push();
    expect((await desk.sync()).code).toBe(2);
    expect(git(remote, 'ls-tree', '-r', 'main')).toBe(before);
    expect(desk.names()).toEqual([`memories/${id}.md`]);
    expect(desk.status()).toBe('');
  },
);

/** A git that, before each of its first pushes, sees the remote go on by a commit of somebody else's. */
function overtaken(remote: string, times: number): string {
  const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const folder = temporaryFolder();
  const moves = `${real} -C ${remote} update-ref refs/heads/main $(${real} -C ${remote} commit-tree -p main -m moved main^{tree})`;
  const lines = [
    '#!/bin/sh',
    `case " $* " in *" push "*) echo >> ${folder}/pushes; [ "$(wc -l < ${folder}/pushes)" -le ${times} ] && ${moves};; esac`,
    `exec ${real} "$@"`,
  ];
  writeFileSync(join(folder, 'git'), `${lines.join('\n')}\n`);
  chmodSync(join(folder, 'git'), 0o755);
  return `${folder}:${process.env.PATH}`;
}

test.each([
  [4, 0],
  [5, 4],
])('a remote that moves on %i times between fetch and push: %i, and nothing is lost', async (times, code) => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote);
  await desk.store.propose('the build');
  await desk.sync();
  const id = await desk.store.propose('the door');
  process.env.PATH = overtaken(remote, times);
  expect((await desk.sync()).code).toBe(code);
  expect(desk.status()).toBe('');
  expect((await desk.sync()).code).toBe(0);
  expect(git(remote, 'ls-tree', '-r', '--name-only', 'main')).toContain(`memories/${id}.md`);
  expect(git(remote, 'rev-list', '--count', 'main', '--grep=moved')).toBe(`${times}`);
});

test('a folder that a pushed tree calls a file is left out as a link is, and stops no sync', async () => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote);
  const id = await desk.store.propose('the door');
  await desk.sync();
  const intruder = new Intruder(remote);
  const made = (type: string, content: Buffer) =>
    execFileSync('git', ['-C', intruder.folder, 'hash-object', '-t', type, '--literally', '-w', '--stdin'], {
      input: content,
      encoding: 'utf8',
    }).trim();
  const folder = made('tree', Buffer.alloc(0));
  const entries = git(intruder.folder, 'ls-tree', 'HEAD')
    .split('\n')
    .map((line) => [line.split(' ')[0]?.replace(/^0/, ''), line.split('\t')[1], /[0-9a-f]{40}/.exec(line)?.[0]]);
  const bytes = [...entries, ['100644', 'zz', folder]].map(([mode, name, oid = '']) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]),
  );
  const commit = git(intruder.folder, 'commit-tree', made('tree', Buffer.concat(bytes)), '-p', 'HEAD', '-m', 'by hand');
  git(intruder.folder, 'push', '--quiet', 'origin', `${commit}:main`);

  expect(await desk.sync()).toMatchObject({ code: 2, notices: [{ kind: 'refused', about: 'zz' }] });
  expect(git(remote, 'ls-tree', '-r', '--name-only', 'main').split('\n')).toContain(`memories/${id}.md`);
  expect(git(remote, 'ls-tree', '--name-only', 'main').split('\n')).not.toContain('zz');
  expect(await desk.sync()).toMatchObject({ code: 0, notices: [] });
});
