import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN } from '../../../testkit/program.ts';
import { temporaryFolder } from '../../../testkit/store.ts';
import { piped, storeTenDaysAgo } from '../../../testkit/terminal.ts';

/** What each shell would offer after these words, by its own completion; the program is found as `surety` on the PATH. */
const ASKS: Record<string, (script: string, words: readonly string[]) => string[]> = {
  bash: (script, words) => [
    '-c',
    `source ${script}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _surety; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  fish: (script, words) => ['--no-config', '-c', `source ${script}; complete -C '${words.join(' ')}'`],
};

async function offered(shell: string, home: string, words: readonly string[]): Promise<string[]> {
  const bin = join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'surety'), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`, { mode: 0o755 });
  const script = join(home, `completion.${shell}`);
  writeFileSync(script, (await piped(home, ['completion', shell])).out);
  const args = ASKS[shell]?.(script, words) ?? [];
  const env = { HOME: home, PATH: `${bin}:${process.env.PATH}`, TERM: 'dumb' };
  return execFileSync(shell, args, { encoding: 'utf8', env })
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t')[0] ?? '');
}

const isHere = (shell: string) => {
  try {
    return execFileSync(shell, ['--version'], { stdio: 'ignore' }) !== undefined;
  } catch {
    return false;
  }
};

for (const shell of Object.keys(ASKS)) {
  test.skipIf(!isHere(shell))(`${shell} completes commands, options and the ids that fit`, async () => {
    const store = await storeTenDaysAgo();
    const kept = await store.add('night build', { body: 'The build runs at night.' });
    const away = await store.add('mail queue', { body: 'Mail goes through the queue.' });
    await store.decide('demote', away);
    expect(await offered(shell, store.home, ['surety', 'prom'])).toEqual(['promote']);
    expect(await offered(shell, store.home, ['surety', 'demote', 'user_'])).toEqual([kept]);
    expect(await offered(shell, store.home, ['surety', 'restore', ''])).toEqual([away]);
    expect((await offered(shell, store.home, ['surety', 'show', ''])).sort()).toEqual([kept, away].sort());
    expect(await offered(shell, store.home, ['surety', 'demote', '--rea'])).toEqual(['--reason']);
  });
}

test.skipIf(!isHere('zsh'))('zsh reads its script without a complaint, and the function is there', async () => {
  const home = temporaryFolder();
  const script = join(home, '_surety');
  writeFileSync(script, (await piped(home, ['completion', 'zsh'])).out);
  const load = `autoload -U compinit && compinit -D -u -d ${home}/dump && source ${script} && print $_comps[surety]`;
  expect(
    execFileSync('zsh', ['-f', '-c', load], { encoding: 'utf8', env: { HOME: home, PATH: process.env.PATH } }),
  ).toBe('_surety\n');
});

test('a shell that is not known is named as what is wrong, and where there is no store no id is printed', async () => {
  const home = temporaryFolder();
  expect(await piped(home, ['completion', 'csh'])).toMatchObject({
    code: 64,
    err: expect.stringContaining('bash, zsh, fish'),
  });
  expect(await piped(home, ['completion', '--ids', 'demote'])).toMatchObject({ code: 1, out: '' });
  expect(await piped(home, ['completion', '--ids', 'import'])).toMatchObject({ code: 64, out: '' });
});
