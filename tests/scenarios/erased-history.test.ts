import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { thisMachine } from '../../src/store/places/host.ts';
import { bareRemote, git, Machine } from '../../testkit/fleet.ts';
import { temporaryFolder } from '../../testkit/store.ts';
import { plain, TestTerminal, terminalTest } from '../../testkit/terminal.ts';

/** Two machines in step, an erasure on one of them, and the commands that it printed. */
async function erased() {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote, { machine: thisMachine() });
  const laptop = await Machine.open('laptop', remote);
  for (const { store } of [desk, laptop]) store.now = Date.now() - 60_000;
  const id = await desk.store.add('the surprise');
  await desk.store.add('the editor');
  for (const machine of [desk, laptop, desk]) await machine.sync();
  laptop.trust(desk);
  const terminal = new TestTerminal(desk.store.home, ['erase', id], { columns: 400 });
  await terminal.reply(/: $/, id);
  const { code } = await terminal.end();
  expect(code).toBe(0);
  const told = plain(terminal.screen);
  expect(told).toContain('One sync of a machine that still has these commits brings them back.');
  const commands = told.split('\n').flatMap((line) => /^ {2}(git .*)$/.exec(line)?.[1] ?? []);
  await desk.store.reopen();
  for (const machine of [desk, laptop, desk, laptop]) await machine.sync();
  return { remote, desk, laptop, id, commands };
}

function run(commands: readonly string[]): void {
  const env = { ...process.env, FILTER_BRANCH_SQUELCH_WARNING: '1', GIT_CONFIG_COUNT: '1' };
  const allow = { GIT_CONFIG_KEY_0: 'protocol.file.allow', GIT_CONFIG_VALUE_0: 'always' };
  const cwd = temporaryFolder();
  for (const each of commands) execFileSync('/bin/sh', ['-c', each], { cwd, env: { ...env, ...allow }, stdio: 'pipe' });
}

const commitsWith = (folder: string, id: string) =>
  git(folder, 'log', '--all', '--reflog', '--full-history', '--format=%H', '--', `memories/${id}.md`);

terminalTest('the commands that erase prints take a text out of every history, and syncs leave it out', async () => {
  const { remote, desk, laptop, id, commands } = await erased();
  const blob = git(remote, 'rev-parse', `${commitsWith(remote, id).split('\n').at(-1)}:memories/${id}.md`);
  run(commands);
  run(commands.slice(-4).map((each) => each.replaceAll(desk.root, laptop.root)));
  for (const machine of [desk, laptop, desk, laptop]) expect((await machine.sync()).code).toBe(0);
  expect(commitsWith(remote, id)).toBe('');
  for (const { root } of [desk, laptop]) {
    expect(commitsWith(root, id)).toBe('');
    expect(() => git(root, 'cat-file', '-e', blob)).toThrow();
  }
  expect(laptop.names()).toEqual(['memories/user_the_editor.md']);
  expect(desk.names()).toEqual(laptop.names());
});

terminalTest('a machine that brings an erased text back into the history says so', async () => {
  const { remote, laptop, id, commands } = await erased();
  run(commands);
  const { code, said, notices } = await laptop.sync();
  expect(commitsWith(remote, id)).not.toBe('');
  expect([code, said.includes('All is well')]).toEqual([2, false]);
  expect(notices.find(({ about }) => about === id)?.what).toContain('its text is in the history again');
});
