import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connectStore } from '../../../src/actions/sync/connect-remote.ts';
import { fileWith } from '../../../src/core/checks/sample-file.ts';
import { bareRemote, git, Machine } from '../../../testkit/fleet.ts';
import { temporaryFolder } from '../../../testkit/store.ts';

/** A machine whose store is a plain clone of the remote, and not set up by `surety init --remote`. */
async function cloned(name: string, remote: string): Promise<Machine> {
  const machine = await Machine.open(name, remote);
  const clone = join(temporaryFolder(), 'clone');
  git(machine.root, 'clone', '--quiet', remote, clone);
  rmSync(join(machine.root, '.git'), { recursive: true });
  cpSync(join(clone, '.git'), join(machine.root, '.git'), { recursive: true });
  return machine;
}

/** A remote whose HEAD names a branch that nobody pushed, as where git's default branch is `master`. */
function remoteWithHead(branch: string): string {
  const remote = bareRemote();
  git(remote, 'symbolic-ref', 'HEAD', `refs/heads/${branch}`);
  return remote;
}

test('a plain clone of a remote whose HEAD names a branch that nobody pushed takes over the one branch there', async () => {
  const remote = remoteWithHead('master');
  const desk = await Machine.open('desk', remote);
  const id = await desk.store.propose('the build');
  expect(await desk.sync()).toMatchObject({ code: 0, sent: 1 });
  const laptop = await cloned('laptop', remote);
  expect(laptop.git('symbolic-ref', 'HEAD')).toBe('refs/heads/master');
  await laptop.store.propose('the window');
  expect(await laptop.sync()).toMatchObject({ sent: 1, received: 1 });
  expect(laptop.names()).toContain(`memories/${id}.md`);
  await desk.sync();
  await laptop.sync();
  expect(desk.files()).toEqual(laptop.files());
  expect(git(remote, 'branch', '--format=%(refname:short)')).toBe('main');
});

test('a dry run says what the branch there would bring, and stays on the one here', async () => {
  const remote = bareRemote();
  git(remote, 'symbolic-ref', 'HEAD', 'refs/heads/trunk');
  const desk = await cloned('desk', remote);
  await desk.store.propose('the build');
  await desk.sync();
  const laptop = await Machine.open('laptop', remote);
  const before = readFileSync(join(laptop.root, '.git/HEAD'), 'utf8');
  expect(await laptop.sync({ dry: true })).toMatchObject({ code: 0, received: 1 });
  expect(readFileSync(join(laptop.root, '.git/HEAD'), 'utf8')).toBe(before);
  expect(await laptop.sync()).toMatchObject({ received: 1 });
  expect(laptop.git('symbolic-ref', 'HEAD')).toBe('refs/heads/trunk');
});

test.each([
  ['checkout -b main', ['main'], 1],
  ['surety sync --new-branch', ['main', 'notes'], 0],
])('two machines on two branches are told before either is sent, and %s settles it', async (way, after, received) => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote);
  await desk.store.propose('the build');
  await desk.sync();
  const laptop = await Machine.open('laptop', remote);
  await laptop.store.propose('the window');
  laptop.git('checkout', '--quiet', '--orphan', 'notes');
  laptop.git('commit', '--quiet', '--allow-empty', '-m', 'by hand');
  const refused = await laptop.sync();
  expect(refused).toMatchObject({ code: 6, sent: 0, received: 0 });
  expect(refused.said).toContain('The remote has main and not notes, the branch of this store.');
  expect(refused.said).toContain(way);
  expect(git(remote, 'branch', '--format=%(refname:short)')).toBe('main');
  const newBranch = way.startsWith('surety');
  if (!newBranch) laptop.git(...way.split(' '), '--quiet');
  expect(await laptop.sync({ newBranch })).toMatchObject({ received, said: expect.stringContaining('All is well') });
  expect(git(remote, 'branch', '--format=%(refname:short)').split('\n')).toEqual(after);
});

test('what was committed here on a branch of the remote’s name keeps a name when the store follows the remote’s branch', async () => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote);
  await desk.store.propose('the build');
  await desk.sync();
  const laptop = await Machine.open('laptop', remote);
  laptop.git('commit', '--quiet', '--allow-empty', '-m', 'only here');
  laptop.git('checkout', '--quiet', '--orphan', 'notes');
  laptop.git('commit', '--quiet', '--allow-empty', '-m', 'by hand');
  await laptop.store.propose('the window');
  const { said } = await laptop.sync();
  const advised = [...said.matchAll(/git -C \S+ ([^,]+), then/g)].map(([, words = '']) => words);
  expect(advised).toEqual(['branch -m main main-before', 'checkout -b main']);
  for (const words of advised) laptop.git(...words.split(' '), '--quiet');
  expect(await laptop.sync()).toMatchObject({ received: 1, said: expect.stringContaining('All is well') });
  expect(laptop.git('log', '--format=%s', 'main-before')).toBe('only here');
});

test('a name that leads out of the branches is not taken over, whatever git says of it', async () => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote);
  await desk.store.propose('the build');
  await desk.sync();
  const [bin, { PATH = '' }] = [temporaryFolder(), process.env];
  const said = 'ref: refs/heads/a/../../../x\tHEAD\n0\trefs/heads/a/../../../x';
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh\ncase "$*" in *ls-remote*) printf '${said}\\n';; *) PATH="${PATH}" exec git "$@";; esac\n`,
    { mode: 0o755 },
  );
  process.env.PATH = `${bin}:${PATH}`;
  onTestFinished(() => {
    process.env.PATH = PATH;
  });
  const laptop = await Machine.open('laptop', remote);
  expect(await laptop.sync()).toMatchObject({
    code: 6,
    said: expect.stringContaining('The remote has other branches'),
  });
  expect(laptop.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
});

test('a remote whose one branch has a name that no command may hold is named without it', async () => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote);
  await desk.store.propose('the build');
  await desk.sync();
  git(remote, 'branch', '-m', 'main', '$(touch-x)');
  const laptop = await Machine.open('laptop', remote);
  const { code, said } = await laptop.sync();
  expect({ code, said }).toMatchObject({
    code: 6,
    said: expect.stringContaining('The remote has other branches and not'),
  });
  expect(said).not.toContain('touch');
});

test('what sync says of a new branch sends nothing that must not leave, and holds no name of a branch in a command', async () => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote);
  await desk.store.propose('the build');
  await desk.sync();
  const laptop = await Machine.open('laptop', remote);
  laptop.store.write('memories', 'user_bob', fileWith({}, 'Bob listens at 10.1.2.3 all day.'));
  laptop.git('symbolic-ref', 'HEAD', 'refs/heads/$(touch-x)');
  laptop.git('add', '-A');
  laptop.git('commit', '--quiet', '-m', 'by hand');
  const refused = await laptop.sync();
  expect(refused).toMatchObject({ code: 6 });
  expect(refused.said).toContain('and not $(touch-x), the branch of this store.');
  expect(refused.said.slice(refused.said.indexOf('Machines'))).not.toMatch(/touch|push/);
  const kept = await laptop.sync({ newBranch: true });
  expect(kept).toMatchObject({ code: 1, sent: 0, said: expect.not.stringContaining('were sent') });
  expect(git(remote, 'branch', '--format=%(refname:short)')).toBe('main');
});

test('a new branch is sent from a store without commits, too', async () => {
  const remote = remoteWithHead('gone');
  const desk = await Machine.open('desk', remote);
  await desk.store.propose('the build');
  await desk.sync();
  for (const name of ['one', 'two']) git(remote, 'branch', name, 'main');
  git(remote, 'branch', '-D', 'main');
  const laptop = await Machine.open('laptop', remote);
  await laptop.store.propose('the window');
  expect((await laptop.sync()).said).toContain('The remote has one, two and not main');
  expect(await laptop.sync({ newBranch: true })).toMatchObject({ code: 0, sent: 1, received: 0 });
  expect(await laptop.sync()).toMatchObject({ code: 0 });
  expect(git(remote, 'branch', '--format=%(refname:short)').split('\n')).toEqual(['main', 'one', 'two']);
});

test('a branch that follows one the remote does not have can follow its own name', async () => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote);
  await desk.store.propose('the build');
  await desk.sync();
  const laptop = await Machine.open('laptop', remote);
  laptop.git('commit', '--quiet', '--allow-empty', '-m', 'by hand');
  laptop.git('config', 'branch.main.remote', 'origin');
  laptop.git('config', 'branch.main.merge', 'refs/heads/notes');
  const { said } = await laptop.sync();
  expect(said).toContain('The remote has main and not notes');
  const [, command = ''] = / (config branch.+), then/.exec(said) ?? [];
  laptop.git(...command.split(' '));
  expect(await laptop.sync()).toMatchObject({ received: 1 });
});

test('a store that was restored without its repository has sent only what the remote did not have', async () => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote);
  await desk.store.propose('the door');
  await desk.store.propose('the lift');
  expect(await desk.sync()).toMatchObject({ code: 0, sent: 2 });
  rmSync(join(desk.root, '.git'), { recursive: true });
  await connectStore(desk.store.vault, remote);
  await desk.store.propose('the stairs');
  expect(await desk.sync({ dry: true })).toMatchObject({ sent: 1, received: 0 });
  const outcome = await desk.sync();
  expect(outcome).toMatchObject({ sent: 1, received: 0 });
  expect(outcome.said).toContain('1 memory sent, 0 memories received.');
});

test('what an empty remote takes is counted as sent, also where an earlier sync committed it', async () => {
  const desk = await Machine.open('desk', bareRemote());
  await desk.store.propose('the door');
  expect(await desk.sync()).toMatchObject({ code: 0, sent: 1 });
  await desk.store.propose('the lift');
  desk.git('remote', 'set-url', 'origin', bareRemote());
  expect(await desk.sync({ dry: true })).toMatchObject({ sent: 2 });
  expect(await desk.sync({ pullOnly: true })).toMatchObject({ sent: 0 });
  expect((await desk.sync()).said).toContain('2 memories sent, 0 memories received.');
  expect((await desk.sync()).said).toContain('0 memories sent, 0 memories received.');
});
