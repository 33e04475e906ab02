import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fileWith } from '../../src/core/checks/sample-file.ts';
import { sampleToken } from '../../src/core/secrets/sample-tokens.ts';
import { CLIENTS, makeHome } from '../../testkit/clients.ts';
import { piped } from '../../testkit/piped.ts';
import { prepare, sharedEnv } from '../../testkit/prepared.ts';
import { runHook } from '../../testkit/run-hook.ts';
import type { TestStore } from '../../testkit/store.ts';
import { audited, storeTenDaysAgo, TestTerminal, terminalTest } from '../../testkit/terminal.ts';

function git(folder: string, ...args: string[]): void {
  execFileSync('git', ['-C', folder, ...args]);
}

function repository({ home }: { readonly home: string }, path: string, origin?: string): string {
  const folder = join(home, path);
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q');
  if (origin !== undefined) git(folder, 'remote', 'add', 'origin', `https://example.com/${origin}.git`);
  return folder;
}

/** What a session that starts in a folder is given, and what the person is shown. */
async function startIn(store: TestStore, cwd: string) {
  const { answer, err } = await runHook(store.home, 'session-start', { source: 'startup', cwd });
  expect(err).toBe('');
  return { given: answer?.hookSpecificOutput?.additionalContext ?? '', shown: answer?.systemMessage ?? '' };
}

/** surety doctor in a folder; answers its only question. */
async function doctorIn(store: TestStore, folder: string, answer: 'y' | 'n') {
  const terminal = new TestTerminal(store.home, ['doctor'], { wrap: ['env', '-C', folder] });
  const asked = await terminal.answer(answer);
  return { asked, ...(await terminal.end()) };
}

const HELD_BACK =
  'This folder calls itself the project acme/shop, which this machine knows from another folder. The 1 memory of that project is not loaded here.';

terminalTest(
  'a second folder that calls itself a known project is given nothing of it until a person said so',
  async () => {
    const store = await storeTenDaysAgo();
    await store.add('shop rule', { project: 'acme/shop' });
    const [first, second] = [repository(store, 'shop', 'acme/shop'), repository(store, 'evil', 'acme/shop')];
    expect((await startIn(store, first)).given).toContain('user_shop_rule');

    for (let start = 0; start < 2; start++) {
      const { given, shown } = await startIn(store, second);
      expect(given).not.toContain('user_shop_rule');
      expect(shown).toContain(`Surety: ${HELD_BACK} surety doctor, run in this folder, settles it.`);
    }
    const status = await piped(store.home, ['status', '--json'], {}, ['env', '-C', second]);
    expect(JSON.parse(status.out).project).toEqual({
      name: null,
      notLoaded: [{ project: 'acme/shop', memories: 1, why: 'unconfirmed' }],
    });

    // A no ends the line at session start, not the offer.
    expect((await doctorIn(store, second, 'n')).asked).toContain('Is this folder the project acme/shop, too?');
    const settled = await startIn(store, second);
    expect(settled.given + settled.shown).not.toContain('shop');
    expect((await doctorIn(store, second, 'y')).code).toBe(0);
    expect((await startIn(store, second)).given).toContain('user_shop_rule');
    expect((await startIn(store, first)).given).toContain('user_shop_rule');
    expect(audited(store)).toEqual([
      'doctor-confirm-project declined person-said-no',
      'doctor-confirm-project accepted',
    ]);
  },
);

test('a work tree has what its main checkout has, and a folder that was moved is asked about', async () => {
  const store = await storeTenDaysAgo();
  await store.add('shop rule', { project: 'acme/shop' });
  const main = repository(store, 'shop', 'acme/shop');
  expect((await startIn(store, main)).given).toContain('user_shop_rule');
  git(main, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first');
  git(main, 'worktree', 'add', '-q', '-b', 'feature', join(store.home, 'tree'));
  expect((await startIn(store, join(store.home, 'tree'))).given).toContain('user_shop_rule');
  renameSync(main, join(store.home, 'moved'));
  expect((await startIn(store, join(store.home, 'moved'))).shown).toContain(HELD_BACK);
});

test('folders of one name that never used a memory of it are not in each other’s way', async () => {
  const store = await storeTenDaysAgo();
  const [first, second] = [repository(store, 'a/test'), repository(store, 'b/test')];
  for (const folder of [first, second]) expect(await startIn(store, folder)).toEqual({ given: '', shown: '' });
  await store.add('test rule', { project: 'test' });
  expect((await startIn(store, second)).given).toContain('user_test_rule');
  expect((await startIn(store, first)).given).not.toContain('user_test_rule');
});

test('a repository that gets a remote keeps the memories it had under its folder’s name', async () => {
  const store = await storeTenDaysAgo();
  await store.add('old rule', { project: 'shop' });
  const folder = repository(store, 'shop');
  expect((await startIn(store, folder)).given).toContain('user_old_rule');
  git(folder, 'remote', 'add', 'origin', 'https://example.com/acme/shop.git');
  await store.add('new rule', { project: 'acme/shop' });
  const { given, shown } = await startIn(store, folder);
  expect(given).toMatch(/user_new_rule[\s\S]*user_old_rule|user_old_rule[\s\S]*user_new_rule/);
  expect(shown).not.toContain('not loaded');
});

terminalTest.each(['another remote', 'a remote before the first session'])(
  'after %s the person is shown what is not loaded any more, and one yes keeps it',
  async (what) => {
    const store = await storeTenDaysAgo();
    const isFirst = what !== 'another remote';
    const before = isFirst ? 'shop' : 'acme/shop';
    await store.add('old rule', { project: before });
    const folder = repository(store, 'shop', 'acme/shop');
    if (!isFirst) {
      expect((await startIn(store, folder)).given).toContain('user_old_rule');
      git(folder, 'remote', 'set-url', 'origin', 'https://example.com/me/shop.git');
    }
    const { given, shown } = await startIn(store, folder);
    expect(given).not.toContain('user_old_rule');
    const now = isFirst ? 'acme/shop' : 'me/shop';
    expect(shown).toContain(`This folder is the project ${now} now and may have been ${before} before.`);
    expect((await doctorIn(store, folder, 'y')).asked).toContain(`Load the memories of ${before} in this folder, too?`);
    const kept = await startIn(store, folder);
    expect(kept.given).toContain('user_old_rule');
    expect(kept.shown).not.toContain('not loaded');
  },
);

terminalTest.each(['a folder', 'a folder and its remote', 'a folder known before it had a mark'])(
  '%s that was moved and renamed at once is known again, and one yes loads its memories',
  async (what) => {
    const store = await storeTenDaysAgo();
    const [before, now] = what.includes('remote') ? ['acme/shop', 'acme/store'] : ['shop', 'store'];
    await store.add('old rule', { project: before });
    const folder = repository(store, 'work/shop', before.includes('/') ? before : undefined);
    const start = async (cwd: string) => expect((await startIn(store, cwd)).given).toContain('user_old_rule');
    await start(folder);
    if (what.includes('mark')) {
      const file = join(store.places.state, 'projects.json');
      writeFileSync(file, readFileSync(file, 'utf8').replace(/,\s*"marks": \{[^}]*\}/, ''));
      await start(folder);
    }
    const moved = join(store.home, 'store');
    renameSync(folder, moved);
    if (now.includes('/')) git(moved, 'remote', 'set-url', 'origin', `https://example.com/${now}.git`);

    const { given, shown } = await startIn(store, moved);
    expect(given).not.toContain('user_old_rule');
    expect(shown).toContain(
      `This folder is the project ${now} now and may have been ${before} before. The 1 memory of ${before} is not loaded here.`,
    );
    expect((await doctorIn(store, moved, 'y')).asked).toContain(`Load the memories of ${before} in this folder, too?`);
    await start(moved);
  },
);

test('of two repositories that lay in one place each is known again by what it was itself', async () => {
  const store = await storeTenDaysAgo();
  await store.add('old rule', { project: 'acme/shop' });
  const folder = repository(store, 'work', 'acme/shop');
  expect((await startIn(store, folder)).given).toContain('user_old_rule');
  renameSync(folder, join(store.home, 'aside'));
  await store.add('other rule', { project: 'acme/other' });
  repository(store, 'work', 'acme/other');
  expect((await startIn(store, folder)).given).toContain('user_other_rule');

  renameSync(folder, join(store.home, 'second'));
  for (const [place, before] of [
    ['aside', 'acme/shop'],
    ['second', 'acme/other'],
  ] as const) {
    git(join(store.home, place), 'remote', 'remove', 'origin');
    const { shown } = await startIn(store, join(store.home, place));
    expect(shown).toContain(`may have been ${before} before`);
    expect(shown).not.toContain(before === 'acme/shop' ? 'acme/other' : 'acme/shop');
  }
});

test('a copy of a repository under another name, and one made after it, are not taken for it', async () => {
  const store = await storeTenDaysAgo();
  await store.add('old rule', { project: 'shop' });
  const folder = repository(store, 'shop');
  expect((await startIn(store, folder)).given).toContain('user_old_rule');
  cpSync(folder, join(store.home, 'copy'), { recursive: true });
  rmSync(folder, { recursive: true });
  for (const other of [join(store.home, 'copy'), repository(store, 'other')])
    expect(await startIn(store, other)).toEqual({ given: '', shown: '' });
});

test.each(CLIENTS)(
  'a proposal through $client gets no project from a folder that is not believed',
  async ({ connect }) => {
    const home = makeHome();
    onTestFinished(() => home.remove());
    const [first, second] = ['shop', 'evil'].map((name) => repository({ home: home.folder }, name, 'acme/shop'));
    const proposedIn = async (cwd: string | undefined, name: string) => {
      const session = await connect({ home, cwd: cwd ?? '' });
      const proposal = {
        name,
        description: 'When it runs.',
        type: 'project',
        body: `${name} runs at night, at three.`,
      };
      const { text } = await session.callTool('propose_memory', proposal);
      const { text: context } = await session.readResource('memory://context');
      await session.close();
      return { text, context };
    };
    expect((await proposedIn(first, 'The build')).text).toContain(
      'Its project is acme/shop, where this session works.',
    );
    const { text, context } = await proposedIn(second, 'The test');
    expect(text).toContain('It has no project: this folder calls itself acme/shop, which this machine knows');
    expect(context).toContain('project_the_test');
    expect(context).not.toContain('project_the_build');
  },
);

test.each(CLIENTS)(
  'a project that an agent names through $client is the session’s, however it is written',
  async ({ connect }) => {
    const home = makeHome();
    onTestFinished(() => home.remove());
    const store = await prepare(home);
    // As an older version stored it: compared by its slug, and left as it is.
    store.write(
      'memories',
      'user_older',
      fileWith({ project: 'Acme/Shop' }, 'The older build runs at night, at three.'),
    );
    const before = store.text('memories', 'user_older');
    const folder = repository({ home: home.folder }, 'shop', 'Acme/Shop');
    const session = await connect({ home, cwd: folder, env: sharedEnv(home) });
    const spellings = ['Acme/Shop', 'https://example.com/Acme/Shop', 'acme/shop'];
    for (const [at, project] of spellings.entries()) {
      const body = `The build number ${at} runs at night, at three.`;
      await session.callTool('propose_memory', {
        type: 'user',
        name: `Build ${at}`,
        description: 'When.',
        body,
        project,
      });
      expect(store.text('memories', `user_build_${at}`)).toContain('\nproject: acme/shop\n');
    }
    const { text: context } = await session.readResource('memory://context');
    const ids = ['user_build_0', 'user_build_1', 'user_build_2', 'user_older'];
    for (const id of ids) expect(context).toContain(id);
    expect(context).not.toContain('of other projects');
    for (const project of spellings) {
      const { structured } = await session.callTool('search_memories', { query: 'build night', project });
      const { hits } = structured as unknown as { hits: { id: string }[] };
      expect(hits.map(({ id }) => id).sort(), project).toEqual(ids);
      const { out } = await piped(store.home, ['list', '--project', project, '--json']);
      expect(JSON.parse(out).memories).toHaveLength(4);
    }
    await session.close();
    expect(store.text('memories', 'user_older')).toBe(before);
  },
);

test.each(CLIENTS)(
  'the project of a folder with long names fits into a proposal through $client',
  async ({ connect }) => {
    const home = makeHome();
    onTestFinished(() => home.remove());
    const folder = repository({ home: home.folder }, 'shop', `${'o'.repeat(70)}/${'n'.repeat(70)}`);
    const session = await connect({ home, cwd: folder });
    const proposal = { type: 'project', name: 'The build', description: 'When.', body: 'The build runs at night.' };
    expect(await session.callTool('propose_memory', proposal)).toMatchObject({ isError: false });
    expect((await session.readResource('memory://context')).text).toContain('project_the_build');
    await session.close();
  },
);

test('a token that is given as a project is refused as it was sent', async () => {
  const store = await storeTenDaysAgo();
  const project = `ghp_${sampleToken(36)}`;
  await expect(store.propose('build', { project })).rejects.toMatchObject({ code: 'secret-found' });
  expect(store.files('memories')).toEqual([]);
});

test('a damaged list of folders breaks nothing', async () => {
  const store = await storeTenDaysAgo();
  await store.add('shop rule', { project: 'acme/shop' });
  const folder = repository(store, 'shop', 'acme/shop');
  for (const bytes of ['{', '[]', '{"folders": {"x": 7, "y": {"is": "z"}}}', '\0']) {
    writeFileSync(join(store.places.state, 'projects.json'), bytes);
    expect((await startIn(store, folder)).given, bytes).toContain('user_shop_rule');
  }
});
