import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { Git, GitFailure } from '../../../src/store/git/git.ts';
import { bareRemote, git } from '../../../testkit/fleet.ts';
import { MAIN } from '../../../testkit/program.ts';
import { temporaryFolder } from '../../../testkit/store.ts';
import { TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

afterEach(() => vi.unstubAllEnvs());

/** A remote that takes the call, sends a byte now and then, and never comes to an end. */
function endless(): { readonly ssh: string; readonly called: () => number | undefined } {
  const folder = temporaryFolder();
  const [ssh, pid] = [join(folder, 'ssh'), join(folder, 'pid')];
  writeFileSync(
    ssh,
    `#!/bin/sh\necho $$ > ${pid}.new; mv ${pid}.new ${pid}\nprintf fff0; while :; do printf x; sleep 1; done\n`,
  );
  chmodSync(ssh, 0o755);
  return { ssh, called: () => (existsSync(pid) ? Number(readFileSync(pid, 'utf8')) : undefined) };
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const NOWHERE = 'ssh://nobody@nowhere.example/store.git';

test('a remote that never comes to an end is given up, with every program that was started for it', async () => {
  const { ssh, called } = endless();
  vi.stubEnv('GIT_SSH_COMMAND', ssh);
  vi.stubEnv('GIT_SSH_VARIANT', 'ssh');
  const root = temporaryFolder();
  git(root, 'init', '--quiet');
  const asked = new Git(root).run(['fetch', '--', NOWHERE, 'main'], { timeout: 8_000 });
  await expect(asked).rejects.toThrow(new GitFailure('git took too long and was stopped', ''));
  const pid = called() ?? 0;
  expect(pid).toBeGreaterThan(0);
  await expect.poll(() => lives(pid)).toBe(false);
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'a sync that is ended with %s ends the git it has started, and what that has started',
  async (signal) => {
    const { ssh, called } = endless();
    const home = temporaryFolder();
    const { PATH = '', GIT_CONFIG_GLOBAL = '' } = process.env;
    const env = { PATH, HOME: home, GIT_CONFIG_GLOBAL, GIT_CONFIG_NOSYSTEM: '1', GIT_SSH_COMMAND: ssh };
    const surety = (...args: string[]) => {
      const child = spawn(process.execPath, [MAIN, ...args], { env, cwd: home, stdio: 'ignore' });
      const ended = new Promise((done) => child.on('close', (code, by) => done(by ?? code)));
      return { child, ended };
    };
    await surety('init', '--remote', join(home, 'none.git')).ended;
    git(join(home, '.surety'), 'remote', 'set-url', 'origin', NOWHERE);
    const { child, ended } = surety('sync');
    await expect.poll(called).toBeDefined();
    child.kill(signal);
    expect(await ended).toBe(signal);
    const pid = called() ?? 0;
    await expect.poll(() => lives(pid)).toBe(false);
  },
);

/** A remote over ssh that takes two seconds to answer. */
function slow(): Record<string, string> {
  const ssh = join(temporaryFolder(), 'ssh');
  writeFileSync(ssh, '#!/bin/sh\nsleep 2\nfor last; do :; done\nexec sh -c "$last"\n');
  chmodSync(ssh, 0o755);
  const { PATH = '', GIT_CONFIG_GLOBAL = '' } = process.env;
  return { PATH, GIT_CONFIG_GLOBAL, GIT_CONFIG_NOSYSTEM: '1', GIT_SSH_COMMAND: ssh, GIT_SSH_VARIANT: 'ssh' };
}

terminalTest('a sync says at a terminal what it waits for, and in a pipe only what happened', async () => {
  const [home, env] = [temporaryFolder(), slow()];
  const surety = (...args: string[]) =>
    spawnSync(process.execPath, [MAIN, ...args], { env: { ...env, HOME: home }, cwd: home, encoding: 'utf8' });
  surety('init', '--remote', `ssh://somebody@host.example${bareRemote()}`);
  const terminal = new TestTerminal(home, ['sync'], { env });
  await terminal.until(/waiting\s+for\s+ssh:[\s\S]+to\s+send\s+what\s+is\s+new\s+there/);
  await terminal.until(/waiting\s+for\s+ssh:[\s\S]+to\s+take\s+what\s+is\s+new\s+here/);
  expect((await terminal.end()).shown).toContain('All is well.');
  expect(surety('sync')).toMatchObject({ status: 0, stderr: '' });
});
