import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
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
  ['checkout', ['checkout', '--quiet', '-B', 'main'], ['main'], 1],
  ['push', ['push', '--quiet', 'origin', 'notes'], ['main', 'notes'], 0],
])(
  'two machines on two branches are told before either is sent, and %s settles it',
  async (_name, way, after, received) => {
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
    expect(refused.said).toContain('checkout -B main');
    expect(refused.said).toContain('push origin notes');
    expect(git(remote, 'branch', '--format=%(refname:short)')).toBe('main');
    laptop.git(...way);
    expect(await laptop.sync()).toMatchObject({ received, said: expect.stringContaining('All is well') });
    expect(git(remote, 'branch', '--format=%(refname:short)').split('\n')).toEqual(after);
  },
);

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
