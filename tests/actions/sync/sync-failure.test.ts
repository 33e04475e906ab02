import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lastSync } from '../../../src/actions/sync/sync-notices.ts';
import { bareRemote, git, Machine } from '../../../testkit/fleet.ts';
import { temporaryFolder } from '../../../testkit/store.ts';

const settings = (...args: string[]) =>
  git(temporaryFolder(), 'config', '--file', process.env.GIT_CONFIG_GLOBAL ?? '', ...args);

test('a sync that ssh refuses names the address and says what ssh said', async () => {
  const ssh = join(temporaryFolder(), 'ssh');
  writeFileSync(ssh, '#!/bin/sh\necho "git@host.example: Permission denied (publickey)." >&2\nexit 255\n', {
    mode: 0o755,
  });
  settings('core.sshCommand', ssh);
  try {
    const desk = await Machine.open('desk', 'git@host.example:you/memories.git');
    const { code, said } = await desk.sync();
    expect(code).toBe(6);
    expect(said).toContain('the remote git@host.example:you/memories.git could not be reached or read');
    expect(said).toContain('Permission denied (publickey).');
    expect(said).not.toContain('correct access rights');
  } finally {
    settings('--unset', 'core.sshCommand');
  }
});

test('a sync with a folder that is no repository says so, and names it', async () => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote);
  renameSync(remote, `${remote}-moved`);
  await desk.store.propose('two cores');
  const { said } = await desk.sync();
  expect(said).toContain(`the remote ${remote} could not be reached`);
  expect(said).toContain('what is here is kept, and the next surety sync sends it');
  expect(said).toContain('does not appear to be a git repository');
  renameSync(`${remote}-moved`, remote);
  expect(await desk.sync()).toMatchObject({ code: 0, sent: 1 });
});

test('a sync of a store that was never set up for it leaves nothing to be told later', async () => {
  const desk = await Machine.open('desk', bareRemote());
  renameSync(join(desk.store.places.root, '.git'), join(temporaryFolder(), 'git'));
  const { code, said } = await desk.sync();
  expect([code, said]).toEqual([6, expect.stringContaining('Run surety init --remote URL once')]);
  expect(lastSync(desk.session)).toBeUndefined();
});

test('a sync of a store whose repository is gone is told later', async () => {
  const desk = await Machine.open('desk', bareRemote());
  expect((await desk.sync()).code).toBe(0);
  renameSync(join(desk.store.places.root, '.git'), join(temporaryFolder(), 'git'));
  expect((await desk.sync()).code).toBe(6);
  expect(lastSync(desk.session)?.notices).toMatchObject([{ kind: 'failed' }]);
});

test('an address that was set back before a sync worked with it is not told any more', async () => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote);
  const told = () => lastSync(desk.session)?.notices.filter(({ kind }) => kind === 'remote') ?? [];
  await desk.sync();
  desk.store.pass(1);
  desk.git('remote', 'set-url', 'origin', join(temporaryFolder(), 'nowhere.git'));
  expect((await desk.sync()).code).toBe(6);
  expect(told()).toHaveLength(1);
  desk.git('remote', 'set-url', 'origin', remote);
  desk.store.pass(1);
  expect((await desk.sync()).code).toBe(0);
  expect(told()).toEqual([]);
  // One that a sync did work with is told until it was seen.
  desk.git('remote', 'set-url', 'origin', bareRemote());
  desk.store.pass(1);
  for (let again = 0; again < 2; again++) expect((await desk.sync()).code).toBe(0);
  expect(told()).toHaveLength(1);
});
