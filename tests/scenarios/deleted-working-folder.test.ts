import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { piped } from '../../testkit/piped.ts';
import { BARE_ENV, MAIN } from '../../testkit/program.ts';
import { storeTenDaysAgo } from '../../testkit/terminal.ts';
import { Wire } from '../../testkit/wire.ts';

// A folder that was deleted while a shell or a client was in it, as `git worktree remove` does: there is no project then.

/** Starts a program in a folder that is gone. */
const IN_NO_FOLDER = ['sh', '-c', 'cd gone && rmdir ../gone && exec "$@"', 'sh'];

async function inNoFolder(home: string, args: readonly string[], input?: string) {
  mkdirSync(join(home, 'gone'));
  return piped(home, args, {}, IN_NO_FOLDER, input);
}

test.each([['status'], ['list'], ['search', 'rebase'], ['doctor'], ['check'], ['log']] as const)(
  'surety %s works',
  async (...args) => {
    const store = await storeTenDaysAgo();
    const id = await store.add('rebase');
    const there = await piped(store.home, args);
    const { code, out, err } = await inNoFolder(store.home, args);
    expect({ code, out, err }).toEqual(there);
    expect(err).not.toContain('ENOENT');
    if (args[0] === 'search') expect(out).toContain(id);
  },
);

test('a server searches, reads and takes proposals, without a project', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.add('rebase');
  mkdirSync(join(store.home, 'gone'));
  const [command = '', ...args] = [...IN_NO_FOLDER, process.execPath, MAIN];
  const wire = await Wire.open({ command, args, cwd: store.home, env: { ...BARE_ENV, HOME: store.home } });
  expect(await wire.mustCall('search_memories', { query: 'rebase' })).toMatchObject({
    structuredContent: { hits: [{ id }] },
  });
  const proposal = { type: 'project', name: 'spaces', description: 'Spaces in SQL', body: 'Use spaces in SQL.' };
  const proposed = await wire.mustCall('propose_memory', proposal);
  expect(proposed).toMatchObject({ structuredContent: { outcome: 'created' } });
  expect(JSON.stringify(proposed)).not.toContain('Its project is');
  await wire.close();
});

test('a hook lets tools pass, and keeps them from the store', async () => {
  const store = await storeTenDaysAgo();
  const guard = (path: string) =>
    inNoFolder(
      store.home,
      ['hook', 'pre-tool-use'],
      JSON.stringify({ tool_name: 'Read', tool_input: { file_path: path } }),
    );
  expect(await guard('/etc/hostname')).toEqual({ code: 0, out: '', err: '' });
  expect((await guard(join(store.places.memories, 'x.md'))).out).toContain('closed to tools');
});
