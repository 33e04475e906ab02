import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { choicesFor } from '../../src/actions/review/answers.ts';
import { itemsToReview, openCase } from '../../src/actions/review/review.ts';
import { WaitingLine } from '../../src/actions/review-queue.ts';
import { fileWith } from '../../src/core/checks/sample-file.ts';
import { ReadingDisk } from '../../src/store/disk/reading-disk.ts';
import { CLIENTS, type Home, makeHome } from '../../testkit/clients.ts';
import { piped } from '../../testkit/piped.ts';
import { prepare, sharedEnv } from '../../testkit/prepared.ts';
import { personAt, repositoryIn, sessionOf } from '../../testkit/review-page.ts';
import { runHook } from '../../testkit/run-hook.ts';
import type { TestStore } from '../../testkit/store.ts';
import { TestTerminal, terminalTest } from '../../testkit/terminal.ts';

const RULE = {
  type: 'project' as const,
  name: 'Deploying',
  description: 'When the shop is deployed',
  body: 'Deployments run on weekdays only.',
};
const ANCHOR = { path: 'src/deploy.ts', text: 'weekdaysOnly' };

let home: Home;
let store: TestStore;
let shop: string;
beforeEach(async () => {
  home = makeHome();
  store = await prepare(home);
  shop = join(home.folder, 'shop');
  repositoryIn(shop, { 'src/deploy.ts': 'export const weekdaysOnly = true;\n' });
});
afterEach(() => home.remove());

const deploy = (text: string) => writeFileSync(join(shop, 'src/deploy.ts'), text);

interface Found {
  readonly hits: readonly { readonly id: string; readonly anchor?: string }[];
}

describe.each(CLIENTS)('$client', ({ connect }) => {
  const session = (cwd: string) => connect({ home, cwd, env: sharedEnv(home) });

  test('an anchor is proposed, stored, and looked at in each search of a session in the project', async () => {
    const client = await session(shop);
    const { structured } = await client.callTool('propose_memory', { ...RULE, anchors: [ANCHOR] });
    const { id } = structured as { id: string };
    expect(store.text('memories', id)).toContain('anchors: [[src/deploy.ts, weekdaysOnly]]');
    expect(store.text('memories', id)).toContain('acme/shop');
    // A look that had no time says so, and the next one has what it read.
    const found = async () => {
      for (;;) {
        const { structured } = await client.callTool('search_memories', { query: 'deployments weekdays' });
        const [hit] = (structured as unknown as Found).hits;
        if (hit?.anchor !== 'unseen') return hit;
      }
    };
    expect(await found()).not.toHaveProperty('anchor');
    deploy('export const everyDay = true;\n');
    expect(await found()).toMatchObject({
      id,
      anchor: 'changed',
      stored: { anchor: 'src/deploy.ts is there, without its text; check before you rely on it' },
    });
    const read = await client.callTool('read_memory', { id });
    expect(read.structured).toMatchObject({ tier: 'inferred', anchor: 'changed' });
    expect(read.text).toContain('src/deploy.ts is there, without its text');
    expect((await client.readResource('memory://context')).text).toContain('anchor="changed"');
    rmSync(join(shop, 'src'), { recursive: true });
    expect(await found()).toMatchObject({ anchor: 'gone' });
    await client.close();
  });

  test('a search of a session in a repository of thousands of files says what became of an anchor', async () => {
    mkdirSync(join(shop, 'many'));
    for (let n = 0; n < 4_000; n++) writeFileSync(join(shop, `many/a-file-with-a-rather-long-name-${n}.txt`), '');
    execFileSync('git', ['-C', shop, 'add', '.']);
    await store.add('deploying', { ...RULE, project: 'acme/shop', anchors: [['src/gone.ts']] });
    const client = await session(shop);
    // On a busy machine the first search may come before the repository's index was read.
    const hits = async () =>
      ((await client.callTool('search_memories', { query: 'deployments weekdays' })).structured as unknown as Found)
        .hits;
    await expect.poll(hits).toMatchObject([{ anchor: 'gone' }]);
    await client.close();
  });

  test('in another folder nothing is said of it', async () => {
    await store.add('deploying', { ...RULE, project: 'acme/shop', anchors: [['src/gone.ts']] });
    const other = join(home.folder, 'other');
    mkdirSync(other);
    const client = await session(other);
    const { hits } = (await client.callTool('search_memories', { query: 'deployments weekdays' }))
      .structured as unknown as Found;
    expect(hits).toHaveLength(1);
    expect(hits[0]).not.toHaveProperty('anchor');
    await client.close();
  });

  test('however a path in the checkout is written, it is stored as git writes it, and holds', async () => {
    const client = await session(shop);
    const spellings = ['./src/deploy.ts', 'src\\deploy.ts', 'src//deploy.ts', join(shop, 'src/deploy.ts')];
    for (const [at, path] of spellings.entries()) {
      const rule = { ...RULE, name: `Rule ${at}`, body: `Deployments of service ${at} run on weekdays only.` };
      await client.callTool('propose_memory', { ...rule, anchors: [{ ...ANCHOR, path }] });
      expect(store.text('memories', `project_rule_${at}`)).toContain('anchors: [[src/deploy.ts, weekdaysOnly]]');
    }
    // As an older version stored it.
    const older = fileWith({ type: 'project', project: 'acme/shop', anchors: '[[./src/deploy.ts]]' });
    store.write('memories', 'project_older', older);
    const read = async (id: string) => (await client.callTool('read_memory', { id })).structured;
    await expect.poll(() => read('project_older')).not.toHaveProperty('anchor');
    rmSync(join(shop, 'src'), { recursive: true });
    expect(await read('project_older')).toMatchObject({ anchor: 'gone' });
    await client.close();
  });

  test('a path that no repository can have is refused, and nothing is stored', async () => {
    const client = await session(shop);
    for (const path of [
      '/etc/passwd',
      '.git/config',
      './.git/config',
      '../other/main.ts',
      join(shop, '..', 'x.ts'),
      '.',
    ]) {
      const refused = await client.callTool('propose_memory', { ...RULE, anchors: [{ path }] });
      expect(refused, path).toMatchObject({ isError: true });
      expect(refused.text).toContain('a path is written from the top of the repository');
    }
    expect(store.files('memories')).toEqual([]);
    await client.close();
  });

  test.each([
    ['more than eight', Array.from({ length: 9 }, () => ANCHOR)],
    ['a text over 120 characters', [{ path: 'a', text: 'x'.repeat(121) }]],
    ['no path', [{ text: 'x' }]],
  ])('%s is refused', async (_, anchors) => {
    const client = await session(shop);
    expect(await client.callTool('propose_memory', { ...RULE, anchors })).toMatchObject({ isError: true });
    await client.close();
  });
});

/** Where a session can work, and what each says of an anchor whose text left the file. */
const PLACES: readonly (readonly [kind: string, folder: (git: Git) => string, anchor: string | undefined])[] = [
  ['a folder of the checkout', () => join(shop, 'src'), 'changed'],
  [
    'a linked work tree with a detached HEAD',
    (git) => {
      git('worktree', 'add', '--quiet', '--detach', join(home.folder, 'linked'));
      writeFileSync(join(home.folder, 'linked/src/deploy.ts'), '');
      return join(home.folder, 'linked');
    },
    'changed',
  ],
  [
    'a detached HEAD',
    (git) => {
      git('checkout', '--quiet', '--detach');
      return shop;
    },
    'changed',
  ],
  [
    'a sparse checkout without the file',
    (git) => {
      git('checkout', '--quiet', '--', '.');
      git('sparse-checkout', 'set', '--cone', 'docs');
      return shop;
    },
    'unseen',
  ],
  ['no repository', () => home.folder, undefined],
  [
    'a checkout of another project',
    () => {
      const other = join(home.folder, 'other');
      repositoryIn(other, { 'src/deploy.ts': '' });
      execFileSync('git', ['-C', other, 'config', 'remote.origin.url', 'https://example.com/acme/other.git']);
      return other;
    },
    undefined,
  ],
];
type Git = (...args: string[]) => void;

test.each(PLACES)('a session in %s says what became of an anchor there', async (_kind, folder, anchor) => {
  await store.add('deploying', { ...RULE, project: 'acme/shop', anchors: [['src/deploy.ts', 'weekdaysOnly']] });
  const git: Git = (...args) =>
    execFileSync('git', ['-C', shop, '-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args]);
  mkdirSync(join(shop, 'docs'));
  writeFileSync(join(shop, 'docs/README.md'), 'Docs.\n');
  git('add', '.');
  git('commit', '--quiet', '--message=All');
  deploy('');
  const client = await CLIENTS.at(-1)?.connect({ home, cwd: folder(git), env: sharedEnv(home) });
  const look = async () => {
    const found = await client?.callTool('search_memories', { query: 'deployments weekdays' });
    return (found?.structured as Found | undefined)?.hits.map((hit) => hit.anchor);
  };
  // A look that had no time says `unseen`, and the next one has what it read. Two looks that agree had the time.
  await expect.poll(async () => [await look(), await look()]).toEqual([[anchor], [anchor]]);
  await client?.close();
});

test('a session start says so, counts it as waiting, and never changes a tier', async () => {
  const id = await store.add('deploying', {
    ...RULE,
    project: 'acme/shop',
    anchors: [['src/deploy.ts', 'weekdaysOnly']],
  });
  const start = async (cwd: string) => {
    for (;;) {
      const { answer } = await runHook(home.folder, 'session-start', { cwd, source: 'startup' });
      if (!answer?.hookSpecificOutput?.additionalContext?.includes('anchor="unseen"')) return answer;
    }
  };
  expect((await start(shop))?.hookSpecificOutput?.additionalContext).not.toContain('anchor="');
  deploy('');
  expect((await start(shop))?.hookSpecificOutput?.additionalContext).toContain('anchor="changed"');
  // What waits is counted with a time limit of its own, which a busy machine reaches.
  const counted = expect.poll(async () => (await start(shop))?.systemMessage);
  await counted.toContain('1 verified, with an anchor that is lost');
  expect((await start(home.folder))?.systemMessage ?? '').not.toContain('anchor that is lost');
  expect(store.tier(id)).toBe('verified');
});

test('a verified memory with a lost anchor waits in the review, and can be vouched for again', async () => {
  const id = await store.add('deploying', {
    ...RULE,
    project: 'acme/shop',
    anchors: [['src/deploy.ts', 'weekdaysOnly']],
  });
  deploy('');
  await store.reopen();
  const session = sessionOf(store);
  const item = { category: 'questionable', id, stem: id } as const;
  expect(itemsToReview(session, 'questionable')).toEqual([item]);
  const open = openCase(session, item);
  expect(open && choicesFor(open).map(({ key, means }) => `${key} ${means}`)).toContain('y yes, it still holds');
});

terminalTest('the review shows what became of the anchor, and asks once until it is lost in another way', async () => {
  const id = await store.add('deploying', {
    ...RULE,
    project: 'acme/shop',
    anchors: [['src/deploy.ts', 'weekdaysOnly']],
  });
  deploy('');
  const review = () => new TestTerminal(home.folder, ['review', '--category', 'questionable'], { cwd: shop });
  const terminal = review();
  expect(await terminal.until(/answer: $/)).toContain('src/deploy.ts: is there, without its text');
  terminal.press('y');
  await terminal.until(/any other key ends the review: $/);
  terminal.press(' ');
  expect((await terminal.end()).code).toBe(0);
  expect((await review().end()).shown).toContain('Nothing waits for you');
  expect(store.tier(id)).toBe('verified');
  rmSync(join(shop, 'src/deploy.ts'));
  const again = review();
  expect(await again.until(/answer: $/)).toContain('src/deploy.ts: is gone');
  again.press('q');
  await again.end();
});

terminalTest('a yes to a text whose anchor is gone already asks about that anchor once', async () => {
  const anchors = [['src/nowhere.ts']];
  const id = await store.propose('deploying', { ...RULE, project: 'acme/shop', anchors });
  const adopting = new TestTerminal(home.folder, ['adopt', id], { cwd: shop });
  expect(await adopting.until(/answer: $/)).toContain('src/nowhere.ts: is gone');
  adopting.press('y\r');
  expect((await adopting.end()).code).toBe(0);
  expect(store.tier(id)).toBe('verified');
  const review = new TestTerminal(home.folder, ['review', '--category', 'questionable'], { cwd: shop });
  expect((await review.end()).shown).toContain('Nothing waits for you');
});

describe('what a person settled about a lost anchor', () => {
  const waits = () => itemsToReview(sessionOf(store), 'questionable').map(({ id }) => id);
  const anchored = (anchors: string[][]) => store.add('deploying', { ...RULE, project: 'acme/shop', anchors });
  /** As the review does it with the answer that it still holds. */
  async function stillHolds(id: string): Promise<void> {
    const session = sessionOf(store);
    const open = openCase(session, { category: 'questionable', id, stem: id });
    const yes = open && choicesFor(open).find(({ key }) => key === 'y')?.effect;
    if (open === undefined || typeof yes !== 'function') throw new Error('it cannot be vouched for');
    await yes(session, open, personAt(open));
  }

  test('stays settled in the next process, and through an edit that loses it in the same way', async () => {
    const id = await anchored([['src/deploy.ts', 'weekdaysOnly']]);
    deploy('');
    expect(waits()).toEqual([id]);
    await stillHolds(id);
    expect(waits()).toEqual([]);
    await store.reopen();
    deploy('export const somethingElse = true;\n');
    expect(waits()).toEqual([]);
  });

  test('is asked about again when the anchor is lost in another way, and then is settled in both', async () => {
    const id = await anchored([['src/deploy.ts', 'weekdaysOnly']]);
    deploy('');
    await stillHolds(id);
    rmSync(join(shop, 'src/deploy.ts'));
    expect(waits()).toEqual([id]);
    await stillHolds(id);
    expect(waits()).toEqual([]);
    // A repository that goes to and fro asks nobody again.
    deploy('');
    expect(waits()).toEqual([]);
  });

  test('is settled for the anchors that were lost then, not for another one', async () => {
    const id = await anchored([['src/deploy.ts', 'weekdaysOnly'], ['README.md']]);
    writeFileSync(join(shop, 'README.md'), '# Shop\n');
    execFileSync('git', ['-C', shop, 'add', '.']);
    deploy('');
    await stillHolds(id);
    expect(waits()).toEqual([]);
    rmSync(join(shop, 'README.md'));
    expect(waits()).toEqual([id]);
  });

  test('is settled for this text only, and by this machine only', async () => {
    const id = await anchored([['src/deploy.ts', 'weekdaysOnly']]);
    deploy('');
    await stillHolds(id);
    const path = join(store.places.state, 'anchors.json');
    const signed = readFileSync(path, 'utf8');
    writeFileSync(path, signed.replace('changed', 'gone'));
    expect(waits()).toEqual([id]);
    writeFileSync(path, signed);
    expect(waits()).toEqual([]);
    store.edit(id, (text) => text.replace('weekdays only', 'weekdays'));
    await store.reconcile();
    store.pass(1);
    await store.decide('reaffirm', id);
    expect(waits()).toEqual([id]);
  });

  test('is looked up in a list that is read once, however many memories have lost an anchor', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 5; at++)
      ids.push(await store.add(`rule ${at}`, { ...RULE, project: 'acme/shop', anchors: [[`src/${at}.ts`]] }));
    for (const id of ids) await stillHolds(id);
    const read = vi.spyOn(ReadingDisk.prototype, 'read');
    onTestFinished(() => read.mockRestore());
    const line = new WaitingLine(sessionOf(store));
    for (const known of store.vault.survey()) line.count(known);
    expect(read.mock.calls.filter(([path]) => path.endsWith('anchors.json'))).toHaveLength(1);
  });
});

test('audit names lost anchors in the repository it is started in', async () => {
  const id = await store.add('deploying', {
    ...RULE,
    project: 'acme/shop',
    anchors: [['src/old.ts'], ['src/deploy.ts']],
  });
  const report = JSON.parse((await piped(home.folder, ['audit', '--json'], {}, ['env', '-C', shop])).out);
  expect(report.lostAnchors).toEqual([{ id, path: 'src/old.ts', state: 'gone' }]);
});

test('a file that gains anchors by hand has changed since it was vouched for', async () => {
  const id = await store.add('deploying', { ...RULE, project: 'acme/shop' });
  expect(store.standing(id)).toContain('verified');
  store.edit(id, (text) => text.replace('\n---\n', '\nanchors: [[src/deploy.ts]]\n---\n'));
  await store.reconcile();
  expect(store.load(id).standing.reason).toBe('changed');
});
