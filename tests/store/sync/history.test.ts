import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BODY, bareRemote, git, Intruder, Machine, memoryFile, PreparedPair } from '../../../testkit/fleet.ts';
import { temporaryFolder } from '../../../testkit/store.ts';

const inRemote = (remote: string) => git(remote, 'ls-tree', '-r', '--name-only', 'main').split('\n').sort();
const kinds = ({ notices }: { notices: readonly { kind: string }[] }) => notices.map(({ kind }) => kind);

const inStep = new PreparedPair(async (a, b) => {
  const ids: string[] = [];
  for (const about of ['one', 'two', 'three']) {
    ids.push(await a.store.propose(`the ${about}`));
    await a.sync();
  }
  await b.sync();
  await a.sync();
  return ids;
});

async function twoInStep() {
  const { made: ids, ...pair } = await inStep.restore();
  return { ...pair, ids };
}

test('a remote that was set back by force gets back what it lost', async () => {
  const { remote, a, b, ids } = await twoInStep();
  git(remote, 'update-ref', 'refs/heads/main', git(remote, 'rev-list', '--max-parents=0', 'main'));
  const outcome = await b.sync();
  expect(kinds(outcome)).toContain('history');
  expect(outcome.sent).toBe(2);
  expect(b.names()).toEqual(ids.map((id) => `memories/${id}.md`).sort());
  expect(inRemote(remote)).toEqual(expect.arrayContaining(b.names()));
  await a.sync();
  await b.sync();
  expect(a.files()).toEqual(b.files());
});

test('a remote whose history was rewritten takes nothing of this machine’s away', async () => {
  const { remote, a, b } = await twoInStep();
  const mine = await a.store.propose('something of desk');
  const intruder = new Intruder(remote);
  git(intruder.folder, 'checkout', '--quiet', '--orphan', 'other');
  rmSync(join(intruder.folder, 'memories'), { recursive: true });
  intruder.write('memories/user_new.md', memoryFile('New', BODY));
  intruder.push('rewritten', '--force');
  const outcome = await a.sync();
  const history = outcome.notices.find(({ kind }) => kind === 'history');
  expect(history?.what).toContain('was rewritten');
  // The three that the remote had before, and one it never had.
  expect(outcome.sent).toBe(4);
  expect(a.names()).toEqual(
    expect.arrayContaining([`memories/${mine}.md`, 'memories/user_new.md', 'memories/user_the_one.md']),
  );
  expect(a.status()).toBe('');
  for (const machine of [b, a, b]) await machine.sync();
  expect(a.files()).toEqual(b.files());
});

test('two stores with nothing in common become one, and of one name with two texts both are kept', async () => {
  const remote = bareRemote();
  const a = await Machine.open('desk', remote);
  const one = await a.store.propose('the build', { body: 'The build takes two minutes on this very machine.' });
  const only = await a.store.propose('the door');
  await a.sync();
  const elsewhere = bareRemote();
  const b = await Machine.open('laptop', elsewhere);
  await b.store.propose('the build', { body: 'The build takes nine minutes on that other machine.' });
  await b.sync();
  b.git('remote', 'set-url', 'origin', remote);
  const outcome = await b.sync();
  expect(outcome.code).toBe(3);
  expect(kinds(outcome)).toEqual(expect.arrayContaining(['conflict', 'history', 'machine']));
  expect(b.names()).toEqual([`memories/${one}.md`, `memories/${only}.md`, `quarantine/${one}.md`].sort());
  expect(b.store.text('memories', one)).toContain('nine minutes');
  expect(b.store.text('quarantine', one)).toContain('two minutes');
  expect(b.git('rev-list', '--max-parents=0', 'HEAD').split('\n')).toHaveLength(2);
  await a.sync();
  await b.sync();
  expect(a.files()).toEqual(b.files());
});

test('a branch that was deleted over there is put back', async () => {
  const { remote, b } = await twoInStep();
  git(remote, 'update-ref', '-d', 'refs/heads/main');
  await b.store.propose('the window');
  expect((await b.sync()).code).toBe(0);
  expect(inRemote(remote)).toEqual(expect.arrayContaining(b.names()));
});

test('a commit that was pushed before a secret was purged by force is not pushed again', async () => {
  const { remote, a } = await twoInStep();
  const intruder = new Intruder(remote);
  const clean = git(remote, 'rev-parse', 'main');
  const token = ['ghp', 'Zq8Wv3Lk1Rt7Yx5Nc9Bd2Fh4Jm6Ps0Ug3Ei7'].join('_');
  intruder.write('memories/user_deploy.md', memoryFile('Deploy', `Deploy with ${token} in the header.`));
  intruder.push();
  expect((await a.sync()).code).toBe(2);
  git(remote, 'update-ref', 'refs/heads/main', clean);
  const outcome = await a.sync();
  expect(outcome.code).toBe(1);
  expect(git(remote, 'rev-parse', 'main')).toBe(clean);
  a.git('reset', '--quiet', '--soft', 'origin/main');
  expect((await a.sync()).code).toBe(0);
  expect(git(remote, 'log', '-p', 'main')).not.toContain(token);
});

// Deletions

test('a memory taken out on one machine goes on the other; one that was changed meanwhile stays', async () => {
  const { a, b, ids } = await twoInStep();
  const [gone = '', changed = ''] = ids;
  rmSync(a.store.path('memories', gone));
  rmSync(a.store.path('memories', changed));
  b.store.edit(changed, (text) => text.replace('two cores', 'six cores'));
  for (const machine of [a, b, a, b]) await machine.sync();
  expect(a.names()).not.toContain(`memories/${gone}.md`);
  expect(a.store.text('memories', changed)).toContain('six cores');
  expect(a.files()).toEqual(b.files());
  expect(b.git('log', '--oneline', '--', `memories/${gone}.md`)).not.toBe('');
});

const twentyInStep = new PreparedPair(async (a, b) => {
  for (let i = 0; i < 20; i++) await a.store.propose(`thing number ${i}`);
  await a.sync();
  await b.sync();
  await a.sync();
});
const twenty = () => twentyInStep.restore();

test('a remote that takes most memories out at once empties no machine, unless somebody says so', async () => {
  const { remote, a, b } = await twenty();
  const intruder = new Intruder(remote);
  rmSync(join(intruder.folder, 'memories'), { recursive: true });
  intruder.push();
  const outcome = await a.sync();
  expect(outcome).toMatchObject({ code: 2, notices: [{ kind: 'deletions', about: '20 memories' }] });
  expect(a.names()).toHaveLength(20);
  expect(inRemote(remote).filter((path) => path.startsWith('memories/'))).toHaveLength(20);
  expect(a.status()).toBe('');
  await b.sync();
  const again = new Intruder(remote);
  rmSync(join(again.folder, 'memories'), { recursive: true });
  again.push();
  expect((await b.sync({ takeDeletions: true })).code).toBe(0);
  expect(b.names()).toEqual([]);
});

test('memories that are missing here all at once are put back, and not taken out everywhere', async () => {
  const { remote, a } = await twenty();
  for (const name of readdirSync(a.store.places.memories)) rmSync(join(a.store.places.memories, name));
  const outcome = await a.sync();
  expect(kinds(outcome)).toEqual(['deletions']);
  expect(a.names()).toHaveLength(20);
  expect(inRemote(remote).filter((path) => path.startsWith('memories/'))).toHaveLength(20);
  for (const name of readdirSync(a.store.places.memories)) rmSync(join(a.store.places.memories, name));
  expect((await a.sync({ takeDeletions: true })).code).toBe(0);
  expect(inRemote(remote).filter((path) => path.startsWith('memories/'))).toEqual([]);
});

test.each(['the remote', 'this folder'])(
  'a wipe of memories/ in %s takes none, not even one that has another text of its id in quarantine',
  async (where) => {
    const remote = bareRemote();
    const [a, b] = [await Machine.open('desk', remote), await Machine.open('laptop', remote)];
    for (let i = 0; i < 10; i++) await a.store.propose(`thing number ${i}`);
    await b.store.propose('thing number 0', { body: 'Another machine says something else about this thing.' });
    await b.sync();
    expect((await a.sync()).code).toBe(3);
    const twin = 'quarantine/user_thing_number_0.md';
    expect(a.names()).toContain(twin);
    const before = a.files()['memories/user_thing_number_0.md'];
    const intruder = new Intruder(remote);
    const memories = where === 'the remote' ? join(intruder.folder, 'memories') : a.store.places.memories;
    for (const name of readdirSync(memories)) rmSync(join(memories, name));
    if (where === 'the remote') intruder.push();
    const outcome = await a.sync();
    expect(outcome.notices).toMatchObject([{ kind: 'deletions', about: '10 memories' }]);
    expect(a.names()).toHaveLength(11);
    expect(a.files()['memories/user_thing_number_0.md']).toBe(before);
    expect(a.store.tier('user_thing_number_0')).toBe('inferred');
  },
);

test('a shared folder that is missing stops the sync: nothing counts as taken out', async () => {
  const { remote, a } = await twenty();
  const head = git(remote, 'rev-parse', 'main');
  rmSync(a.store.places.memories, { recursive: true });
  expect(await a.sync()).toMatchObject({ code: 6, said: expect.stringContaining('memories folder is missing') });
  expect(git(remote, 'rev-parse', 'main')).toBe(head);
});

// What stays here

test('an edit with personal data stays here, the version without it stays in the remote, and what comes in meanwhile is not overwritten', async () => {
  const { remote, a, b, ids } = await twoInStep();
  const [id = ''] = ids;
  const path = `memories/${id}.md`;
  a.store.edit(id, (text) => text.replace('two cores are enough', 'the host is 10.20.30.40'));
  expect(await a.sync()).toMatchObject({ code: 1, notices: [{ kind: 'stays', about: path }] });
  expect(git(remote, 'log', '-p', 'main')).not.toContain('10.20.30.40');
  expect(a.status()).toBe('');
  b.store.edit(id, (text) => text.replace('two cores', 'six cores'));
  await b.sync();
  expect((await a.sync()).code).toBe(0);
  expect(a.store.text('memories', id)).toContain('10.20.30.40');
  expect(git(remote, 'show', `main:${path}`)).toContain('six cores');
  expect(a.status()).toBe('');
  // Once it may leave, the other text is parked like any other.
  a.store.edit(id, (text) => text.replace('10.20.30.40', 'in the cellar'));
  await a.sync();
  expect(a.store.text('memories', id)).toContain('in the cellar');
  expect(a.store.text('quarantine', id)).toContain('six cores');
  await b.sync();
  await a.sync();
  expect(b.files()).toEqual(a.files());
});

test('a private file in quarantine makes room for one of the same name that comes in', async () => {
  const { a, b, ids } = await twoInStep();
  const [id = ''] = ids;
  const token = ['ghp', 'Zq8Wv3Lk1Rt7Yx5Nc9Bd2Fh4Jm6Ps0Ug3Ei7'].join('_');
  a.store.edit(id, (text) => text.replace('two cores are enough', `use ${token}`));
  await b.store.decide('demote', id, 'wrong');
  await b.sync();
  expect((await a.sync()).code).toBe(1);
  expect(a.names()).toContain(`quarantine/${id}.md`);
  expect(a.store.text('quarantine', id)).toContain('two cores');
  expect(a.store.text('quarantine', `${id}~2`)).toContain(token);
  expect(a.git('log', '-p', '--all')).not.toContain(token);
  expect(a.status()).toBe('');
  await b.sync();
  expect(b.names()).not.toContain(`quarantine/${id}~2.md`);
});

// At the same time

test('memories that are written while a sync runs are not lost, and are in the next one', async () => {
  const { remote, a, b } = await twoInStep();
  for (let i = 0; i < 5; i++) await b.store.propose(`from the laptop ${i}`);
  await b.sync();
  const syncing = a.sync();
  const ids: string[] = [];
  for (let i = 0; i < 10; i++) ids.push(await a.store.propose(`meanwhile ${i}`));
  expect((await syncing).code).toBe(0);
  expect((await a.sync()).code).toBe(0);
  for (const id of ids) expect(inRemote(remote)).toContain(`memories/${id}.md`);
  expect(a.status()).toBe('');
});

test('five machines that sync at once all get through, and end alike', async () => {
  const remote = bareRemote();
  const machines: Machine[] = [];
  for (let i = 0; i < 5; i++) machines.push(await Machine.open(`machine${i}`, remote));
  await machines[0]?.sync();
  for (const machine of machines) await machine.store.propose(`something of ${machine.name}`);
  let left = machines;
  for (let round = 0; round < 5 && left.length > 0; round++) {
    const codes = await Promise.all(left.map((machine) => machine.sync()));
    for (const { code } of codes) expect([0, 4]).toContain(code);
    left = left.filter((_, i) => codes[i]?.code === 4);
  }
  for (let round = 0; round < 2; round++) for (const machine of machines) await machine.sync();
  for (const machine of machines) {
    expect(machine.files()).toEqual(machines[0]?.files());
    expect(machine.names()).toHaveLength(5);
  }
});

// Git's own ways

test('commits are signed where the operator’s git signs, and not made where signing fails', async () => {
  const settings = process.env.GIT_CONFIG_GLOBAL ?? '';
  const before = readFileSync(settings, 'utf8');
  const program = join(temporaryFolder(), 'gpg');
  writeFileSync(
    program,
    '#!/bin/sh\ncat > /dev/null\necho "[GNUPG:] SIG_CREATED " >&2\necho "-----BEGIN PGP SIGNATURE-----"\n',
  );
  chmodSync(program, 0o755);
  try {
    const remote = bareRemote();
    const a = await Machine.open('desk', remote);
    await a.store.propose('the build');
    writeFileSync(
      settings,
      `${before}[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = ${program}\n[user]\n\tsigningkey = x\n`,
    );
    expect((await a.sync()).code).toBe(0);
    expect(git(remote, 'cat-file', 'commit', 'main')).toContain('gpgsig -----BEGIN PGP SIGNATURE-----');
    writeFileSync(program, '#!/bin/sh\nexit 1\n');
    await a.store.propose('the door');
    const head = git(remote, 'rev-parse', 'main');
    expect(await a.sync()).toMatchObject({ code: 6, said: expect.stringContaining('could not be signed') });
    expect(git(remote, 'rev-parse', 'main')).toBe(head);
  } finally {
    writeFileSync(settings, before);
  }
});

test('a repository of the newer kind, whose objects are named by SHA-256, syncs as well', async () => {
  const remote = join(temporaryFolder(), 'remote.git');
  mkdirSync(remote);
  git(remote, 'init', '--quiet', '--bare', '--object-format=sha256');
  const a = await Machine.open('desk', remote);
  rmSync(join(a.root, '.git'), { recursive: true });
  execFileSync('git', [
    '-C',
    a.root,
    'init',
    '--quiet',
    '--object-format=sha256',
    '--initial-branch=main',
    '--template=',
  ]);
  a.git('remote', 'add', 'origin', remote);
  await a.store.propose('the build');
  expect((await a.sync()).code).toBe(0);
  expect(inRemote(remote)).toContain('memories/user_the_build.md');
  expect(a.status()).toBe('');
});

test('a merge by hand that is not finished, and a head that is on no branch, are left alone', async () => {
  const { a } = await twoInStep();
  writeFileSync(join(a.root, '.git/MERGE_HEAD'), `${a.git('rev-parse', 'HEAD')}\n`);
  expect(await a.sync()).toMatchObject({ code: 6, said: expect.stringContaining('by hand is not finished') });
  rmSync(join(a.root, '.git/MERGE_HEAD'));
  a.git('checkout', '--quiet', '--detach');
  expect(await a.sync()).toMatchObject({ code: 6, said: expect.stringContaining('detached') });
  a.git('checkout', '--quiet', 'main');
  expect((await a.sync()).code).toBe(0);
});

test('what somebody committed or pulled by hand in between is gone on from', async () => {
  const { a, b } = await twoInStep();
  await b.store.propose('the window');
  await b.sync();
  a.git('pull', '--quiet', 'origin', 'main');
  a.store.write('memories', 'user_hand', memoryFile('Hand', BODY));
  a.git('add', '-A');
  a.git('commit', '--quiet', '-m', 'by hand');
  expect((await a.sync()).code).toBe(0);
  await b.sync();
  await a.sync();
  expect(b.names()).toContain('memories/user_hand.md');
  expect(a.files()).toEqual(b.files());
});

test('a remote that refuses what it is given is told with its words, cleaned', async () => {
  const { remote, a } = await twoInStep();
  git(remote, 'config', 'receive.denyDeletes', 'true');
  git(remote, 'config', 'receive.maxInputSize', '1');
  await a.store.propose('the window');
  const { code, said } = await a.sync();
  expect(code).toBe(6);
  expect(said).toMatch(/Git says: /);
  expect(said).not.toMatch(/\p{Cc}/u);
});

test('a remote that was only tried by mistake makes the right one no rewritten one', async () => {
  const remote = bareRemote();
  const foreign = bareRemote();
  const intruder = new Intruder(foreign);
  for (let i = 0; i < 12; i++) intruder.write(`src/${i}.c`, `int a${i};\n`);
  intruder.push();
  const a = await Machine.open('desk', foreign);
  await a.store.propose('the build');
  // The very first address was wrong.
  expect((await a.sync()).code).toBe(6);
  a.git('remote', 'set-url', 'origin', remote);
  expect(await a.sync()).toMatchObject({ code: 0, notices: [] });
  // A later one is, too.
  for (const dry of [false, true]) {
    a.git('remote', 'set-url', 'origin', foreign);
    expect((await a.sync({ dry })).code).toBe(6);
    a.git('remote', 'set-url', 'origin', remote);
    expect(await a.sync()).toMatchObject({ code: 0, notices: [] });
  }
  // A dry run with another store changes as little.
  const another = bareRemote();
  const b = await Machine.open('laptop', another);
  await b.store.propose('the tests');
  await b.sync();
  a.git('remote', 'set-url', 'origin', another);
  expect(kinds(await a.sync({ dry: true }))).not.toContain('failed');
  a.git('remote', 'set-url', 'origin', remote);
  expect(await a.sync()).toMatchObject({ code: 0, notices: [] });
  // What is rewritten under the same address is told as before.
  const clone = new Intruder(remote);
  git(clone.folder, 'checkout', '--quiet', '--orphan', 'fresh');
  clone.push('another history', '--force');
  expect(kinds(await a.sync())).toContain('history');
});

test('another address continues no history, so none is called rewritten', async () => {
  const [remote, moved] = [bareRemote(), bareRemote()];
  const a = await Machine.open('desk', remote);
  await a.store.propose('the build');
  await a.sync();
  git(moved, 'fetch', '--quiet', remote, 'main:main');
  await a.store.propose('the tests');
  await a.sync();
  a.git('remote', 'set-url', 'origin', moved);
  expect(kinds(await a.sync())).toEqual(['remote']);
});
