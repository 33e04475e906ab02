import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { GitTrees } from '../../../src/store/git/trees.ts';
import type { BlobContent } from '../../../src/store/git/writer.ts';
import { mergeLedgerFiles } from '../../../src/store/sync/merge-ledgers.ts';
import type { MergeCircumstances } from '../../../src/store/sync/merge-sides.ts';
import { BODY, bareRemote, git, Intruder, Machine, memoryFile } from '../../../testkit/fleet.ts';
import { placesIn, temporaryFolder } from '../../../testkit/store.ts';

const variables = { ...process.env };
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
  Object.assign(process.env, variables);
});

const inRemote = (remote: string) => git(remote, 'ls-tree', '-r', '--name-only', 'main').split('\n').sort();

/** A program that leaves a mark when anybody runs it. */
function trap() {
  const folder = temporaryFolder();
  const mark = join(folder, 'mark');
  const program = join(folder, 'trap');
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${mark}\ncat\n`);
  chmodSync(program, 0o755);
  return { program, sprung: () => (existsSync(mark) ? readFileSync(mark, 'utf8') : '') };
}

const HOOKS = [
  'applypatch-msg',
  'commit-msg',
  'fsmonitor-watchman',
  'post-applypatch',
  'post-checkout',
  'post-commit',
  'post-index-change',
  'post-merge',
  'post-receive',
  'post-rewrite',
  'post-update',
  'pre-applypatch',
  'pre-auto-gc',
  'pre-commit',
  'pre-merge-commit',
  'pre-push',
  'pre-rebase',
  'pre-receive',
  'prepare-commit-msg',
  'proc-receive',
  'push-to-checkout',
  'reference-transaction',
  'sendemail-validate',
  'update',
];

function plantHooks(gitFolder: string, program: string): void {
  mkdirSync(join(gitFolder, 'hooks'), { recursive: true });
  for (const hook of HOOKS) {
    rmSync(join(gitFolder, 'hooks', hook), { force: true });
    copyFileSync(program, join(gitFolder, 'hooks', hook));
  }
}

// Nothing that the store or the remote brings along is run.

test('hooks, filters, drivers and monitors are not run, whether the store, the remote or its attributes ask for them', async () => {
  const { program, sprung } = trap();
  const remote = bareRemote();
  const a = await Machine.open('desk', remote);
  const b = await Machine.open('laptop', remote);
  plantHooks(join(a.root, '.git'), program);
  plantHooks(join(b.root, '.git'), program);
  plantHooks(remote, program);
  git(remote, 'config', 'core.hooksPath', join(remote, 'hooks'));
  git(remote, 'config', 'core.alternateRefsCommand', program);
  // An alternate makes the side that receives ask for its refs, with whatever command its settings name.
  const other = bareRemote();
  writeFileSync(join(remote, 'objects/info/alternates'), `${join(other, 'objects')}\n`);
  // The operator has such programs for other repositories: an attribute of this one must not call them.
  const own = readFileSync(process.env.GIT_CONFIG_GLOBAL ?? '', 'utf8');
  const settings = join(temporaryFolder(), 'config');
  const drivers = `[filter "x"]\n clean = ${program}\n smudge = ${program}\n process = ${program}\n required = true\n[merge "x"]\n driver = ${program} %A\n[diff "x"]\n textconv = ${program}\n command = ${program}\n[diff]\n external = ${program}\n[core]\n fsmonitor = ${program}\n hooksPath = ${join(a.root, '.git/hooks')}\n attributesFile = ${join(temporaryFolder(), 'attributes')}\n pager = ${program}\n editor = ${program}\n`;
  writeFileSync(settings, own + drivers);
  process.env.GIT_CONFIG_GLOBAL = settings;

  const attributes = '* filter=x merge=x diff=x text eol=crlf ident working-tree-encoding=UTF-16\n';
  for (const machine of [a, b]) {
    mkdirSync(join(machine.root, '.git/info'), { recursive: true });
    writeFileSync(join(machine.root, '.git/info/attributes'), attributes);
    writeFileSync(join(machine.root, '.gitattributes'), attributes);
  }
  const id = await a.store.add('the build', { body: `A line.\nAnother line that ends in nothing special. $Id$` });
  await a.sync();
  await b.sync();
  a.store.edit(id, (text) => text.replace('A line', 'One line'));
  b.store.edit(id, (text) => text.replace('A line', 'Two lines'));
  for (const machine of [a, b, a, b]) await machine.sync();
  expect(sprung()).toBe('');
  expect(a.files()).toEqual(b.files());
  expect(git(remote, 'show', 'main:.gitattributes')).toBe('* -text');
});

const DANGEROUS: readonly (readonly [key: string, value: string])[] = [
  ['core.sshCommand', 'x'],
  ['core.fsmonitor', 'x'],
  ['core.hooksPath', 'x'],
  ['core.worktree', '/'],
  ['core.gitProxy', 'x'],
  ['core.askPass', 'x'],
  ['core.attributesFile', 'x'],
  ['core.alternateRefsCommand', 'x'],
  ['core.editor', 'x'],
  ['filter.x.clean', 'x'],
  ['merge.x.driver', 'x'],
  ['diff.x.textconv', 'x'],
  ['diff.external', 'x'],
  ['include.path', '/tmp/x'],
  ['includeIf.gitdir:/.path', '/tmp/x'],
  ['credential.helper', 'x'],
  ['gpg.program', 'x'],
  ['gpg.ssh.program', 'x'],
  ['remote.origin.uploadpack', 'x'],
  ['remote.origin.receivepack', 'x'],
  ['remote.origin.vcs', 'x'],
  ['remote.origin.proxy', 'x'],
  ['url./elsewhere.insteadOf', 'x'],
  ['url./elsewhere.pushInsteadOf', 'x'],
  ['protocol.ext.allow', 'always'],
  ['http.proxy', 'x'],
  ['alias.fetch', '!x'],
  ['extensions.worktreeConfig', 'true'],
  ['submodule.x.update', '!x'],
  ['uploadpack.packObjectsHook', 'x'],
  ['gc.recentObjectsHook', 'x'],
];

test('a store whose own settings could make git run something is refused by the setting’s name', async () => {
  const machine = await Machine.open('desk', bareRemote());
  const config = join(machine.root, '.git/config');
  const harmless = readFileSync(config);
  for (const [key, value] of DANGEROUS) {
    execFileSync('git', ['config', '--file', config, key, value]);
    const { code, said } = await machine.sync();
    expect(code, key).toBe(6);
    expect(said.toLowerCase()).toContain(`sets ${key.toLowerCase()}`);
    expect(said).toContain('git config --global');
    writeFileSync(config, harmless);
  }
  expect((await machine.sync()).code).toBe(0);
});

test('a token in a setting’s name is not said', async () => {
  const machine = await Machine.open('desk', bareRemote());
  const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  const key = `url.https://x-access-token:${token}@github.com/.insteadOf`;
  execFileSync('git', ['config', '--file', join(machine.root, '.git/config'), key, 'x']);
  const { code, said } = await machine.sync();
  expect(code).toBe(6);
  expect(said).not.toContain(token);
});

test.each(['ext::sh -c touch% MARK% >&2', 'fd::7'])('a remote that is a command (%s) is not called', async (url) => {
  const machine = await Machine.open('desk', bareRemote());
  const mark = join(temporaryFolder(), 'mark');
  machine.git('remote', 'set-url', 'origin', url.replace('MARK', mark));
  expect((await machine.sync()).code).toBe(6);
  expect(existsSync(mark)).toBe(false);
});

// No other repository is touched.

function snapshot(folder: string): string[] {
  return (readdirSync(folder, { recursive: true, encoding: 'utf8' }) as string[]).sort().map((name) => {
    try {
      return `${name} ${readFileSync(join(folder, name), 'base64')}`;
    } catch {
      return name;
    }
  });
}

test('git’s variables point it at no other repository', async () => {
  const remote = bareRemote();
  const machine = await Machine.open('desk', remote);
  await machine.store.propose('the build');
  const other = temporaryFolder();
  git(other, 'init', '--quiet');
  git(other, 'commit', '--quiet', '--allow-empty', '-m', 'theirs');
  const before = snapshot(other);
  const { program, sprung } = trap();
  Object.assign(process.env, {
    GIT_DIR: join(other, '.git'),
    GIT_WORK_TREE: other,
    GIT_COMMON_DIR: join(other, '.git'),
    GIT_INDEX_FILE: join(other, '.git/index'),
    GIT_OBJECT_DIRECTORY: join(other, '.git/objects'),
    GIT_NAMESPACE: 'x',
    GIT_EXTERNAL_DIFF: program,
    GIT_EDITOR: program,
    GIT_PAGER: program,
    GIT_TEMPLATE_DIR: other,
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'core.hooksPath',
    GIT_CONFIG_VALUE_0: program,
    GIT_CONFIG_KEY_1: 'core.fsmonitor',
    GIT_CONFIG_VALUE_1: program,
    GIT_CONFIG_PARAMETERS: `'core.fsmonitor'='${program}'`,
  });
  expect((await machine.sync()).code).toBe(0);
  Object.assign(process.env, variables);
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
  expect(sprung()).toBe('');
  expect(snapshot(other)).toEqual(before);
  expect(inRemote(remote)).toContain('memories/user_the_build.md');
});

test('a store inside a home folder that is a repository: that one is neither used nor changed', async () => {
  const home = temporaryFolder();
  git(home, 'init', '--quiet');
  git(home, 'commit', '--quiet', '--allow-empty', '-m', 'dotfiles');
  git(home, 'remote', 'add', 'origin', bareRemote());
  const before = snapshot(join(home, '.git'));
  const remote = bareRemote();
  const machine = await Machine.open('desk', remote, { home });
  await machine.store.propose('the build');
  expect((await machine.sync()).code).toBe(0);
  expect(inRemote(remote)).toContain('memories/user_the_build.md');
  rmSync(join(machine.root, '.git'), { recursive: true });
  expect((await machine.sync()).code).toBe(6);
  expect(snapshot(join(home, '.git'))).toEqual(before);
});

test.each(['a link', 'a file that names another', 'a common folder elsewhere', 'objects elsewhere'])(
  'a .git that is %s is refused, and the other repository is left alone',
  async (how) => {
    const machine = await Machine.open('desk', bareRemote());
    await machine.store.propose('the build');
    const other = join(temporaryFolder(), 'other');
    mkdirSync(other);
    git(other, 'init', '--quiet');
    const before = snapshot(other);
    const own = join(machine.root, '.git');
    if (how === 'a common folder elsewhere') writeFileSync(join(own, 'commondir'), join(other, '.git'));
    else if (how === 'objects elsewhere') {
      rmSync(join(own, 'objects'), { recursive: true });
      symlinkSync(join(other, '.git/objects'), join(own, 'objects'));
    } else {
      renameSync(own, join(machine.store.home, 'was'));
      if (how === 'a link') symlinkSync(join(other, '.git'), own);
      else writeFileSync(own, `gitdir: ${join(other, '.git')}\n`);
    }
    const { code, said } = await machine.sync();
    expect(code).toBe(6);
    expect(said).toMatch(/link|another repository/);
    expect(snapshot(other)).toEqual(before);
    // A linked work tree as a store is refused before that, wherever it is opened.
    if (how.startsWith('a file')) expect(() => placesIn(machine.store.home)).toThrow();
  },
);

test('a remote that holds something else than a store is refused, and nothing is pushed to it', async () => {
  const remote = bareRemote();
  const intruder = new Intruder(remote);
  intruder.write('src/main.c', 'int main() {}');
  intruder.write('Makefile', 'all:');
  intruder.push();
  const head = git(remote, 'rev-parse', 'main');
  const machine = await Machine.open('desk', remote);
  await machine.store.propose('the build');
  const { code, said } = await machine.sync();
  expect({ code, said }).toMatchObject({ code: 6, said: expect.stringContaining('not a store') });
  expect(git(remote, 'rev-parse', 'main')).toBe(head);
  expect(existsSync(join(machine.root, 'src'))).toBe(false);
});

// What does not come in.

/** A tree made by hand: names that git itself would not take. */
function treeOf(folder: string, entries: readonly (readonly [mode: string, oid: string, name: string])[]): string {
  const bytes = entries.map(([mode, oid, name]) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(oid, 'hex')]),
  );
  return execFileSync('git', ['-C', folder, 'hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], {
    input: Buffer.concat(bytes),
    encoding: 'utf8',
  }).trim();
}

function blobOf(folder: string, content: string | Buffer): string {
  return execFileSync('git', ['-C', folder, 'hash-object', '-w', '--stdin'], {
    input: content,
    encoding: 'utf8',
  }).trim();
}

function pushTree(folder: string, tree: string): void {
  const commit = git(folder, 'commit-tree', tree, '-p', 'origin/main', '-m', 'hostile');
  git(folder, 'push', '--quiet', 'origin', `${commit}:refs/heads/main`);
}

test('links, submodules and names with a meaning of their own never touch the disk, and the rest comes in', async () => {
  const remote = bareRemote();
  const a = await Machine.open('desk', remote);
  const id = await a.store.propose('the build');
  await a.sync();
  const { folder } = new Intruder(remote);
  const good = blobOf(folder, memoryFile('Good', BODY));
  const evil = blobOf(folder, memoryFile('Evil', BODY));
  const target = blobOf(folder, '/etc/passwd');
  const gone = 'a'.repeat(40);
  const latin = Buffer.from('user_\xff.md', 'latin1').toString('latin1');
  const memories = treeOf(folder, [
    ['100644', evil, '../user_up.md'],
    ['100644', evil, '..'],
    ['100644', evil, '.git'],
    ['100644', blobOf(folder, '* filter=x\n'), '.gitattributes'],
    ['100644', evil, 'USER_CASE.md'],
    ['100644', evil, '\\..\\..\\user_back.md'],
    ['100644', evil, 'e\u0301.md'],
    ['100755', evil, `user_${'x'.repeat(250)}.md`],
    ['100644', evil, latin],
    ['100644', evil, 'user_a\nb.md'],
    ['100644', good, 'user_good.md'],
    ['120000', target, 'user_link.md'],
    ['160000', gone, 'user_sub.md'],
    ['40000', treeOf(folder, [['100644', evil, 'user_deep.md']]), 'user_tree.md'],
  ]);
  const hooks = treeOf(folder, [['100755', evil, 'post-checkout']]);
  const top = treeOf(folder, [
    ['40000', treeOf(folder, [['40000', hooks, 'hooks']]), '.git'],
    ['100644', blobOf(folder, '[submodule "x"]\n\tpath = sub\n\turl = ext::sh -c x\n'), '.gitmodules'],
    ['40000', memories, 'MEMORIES'],
    ['100644', evil, 'README.md'],
    ['40000', treeOf(folder, [['120000', target, 'inner']]), 'docs'],
    ['120000', target, 'key.json'],
    ['120000', blobOf(folder, '/tmp'), 'ledger'],
    ['40000', memories, 'memories'],
    ['160000', gone, 'sub'],
  ]);
  pushTree(folder, top);

  const b = await Machine.open('laptop', remote);
  const outcome = await b.sync();
  expect(outcome.code).toBe(2);
  expect(b.names()).toEqual(['memories/user_good.md']);
  expect(readdirSync(b.root).sort()).toEqual(
    ['.git', '.gitattributes', '.gitignore', '.surety', 'ledger', 'memories', 'quarantine', 'store.json'].sort(),
  );
  expect(existsSync(join(b.root, '.git/hooks'))).toBe(false);
  expect(outcome.notices.filter(({ kind }) => kind === 'refused').length).toBeGreaterThan(10);
  expect(outcome.notices.every(({ about }) => !/\p{Cc}/u.test(about))).toBe(true);
  expect(b.status()).toBe('');
  // The next commit has none of it, so that a plain clone is harmless again; what is only somebody's is kept.
  expect(inRemote(remote)).toEqual(
    [
      '.gitattributes',
      '.gitignore',
      'README.md',
      `ledger/${b.fingerprint}.jsonl`,
      'memories/user_good.md',
      'store.json',
    ].sort(),
  );
  expect((await b.sync()).code).toBe(0);
  // The first machine had not taken anything out; it keeps its ledger and hears of the rest.
  await a.sync();
  await b.sync();
  await a.sync();
  expect(a.files()).toEqual(b.files());
  expect(a.names()).toEqual(['memories/user_good.md']);
  expect(a.status()).toBe('');
  void id;
});

test('a file too large for a memory does not come in, and an older version of it stays', async () => {
  const remote = bareRemote();
  const a = await Machine.open('desk', remote);
  const id = await a.store.propose('the build');
  await a.sync();
  const intruder = new Intruder(remote);
  intruder.write(`memories/${id}.md`, memoryFile('Build', 'x'.repeat(100_000)));
  intruder.write('memories/user_large.md', memoryFile('Large', 'x'.repeat(5_000_000)));
  intruder.push();
  const before = a.store.text('memories', id);
  expect((await a.sync()).code).toBe(2);
  expect(a.names()).toEqual([`memories/${id}.md`]);
  expect(a.store.text('memories', id)).toBe(before);
  expect(a.status()).toBe('');
  expect((await a.sync()).code).toBe(0);
});

test('folders that multiply without end do not exhaust the machine', async () => {
  const remote = bareRemote();
  const a = await Machine.open('desk', remote);
  await a.store.propose('the build');
  await a.sync();
  const { folder } = new Intruder(remote);
  let tree = treeOf(folder, [['100644', blobOf(folder, 'x'), 'x']]);
  for (let depth = 0; depth < 12; depth++) {
    tree = treeOf(
      folder,
      Array.from({ length: 10 }, (_, i) => ['40000', tree, `d${i}`] as const),
    );
  }
  const top = git(folder, 'ls-tree', 'origin/main')
    .split('\n')
    .map((line) => {
      const [mode = '', , oid = '', name = ''] = line.split(/\s+/);
      return [mode.replace(/^0/, ''), oid, name] as const;
    });
  pushTree(folder, treeOf(folder, [...top, ['40000', tree, 'zzz'] as const]));
  const { code, said } = await a.sync();
  expect({ code, said }).toMatchObject({ code: 6, said: expect.stringContaining('thousands of files') });
});

test('what is somebody else’s in the repository is carried along and never written into the folder', async () => {
  const remote = bareRemote();
  const a = await Machine.open('desk', remote);
  const id = await a.store.propose('the build');
  await a.sync();
  const intruder = new Intruder(remote);
  intruder.write('README.md', 'Memories of somebody.');
  intruder.write('.github/workflows/check.yml', 'on: push');
  intruder.push();
  await a.store.propose('the door');
  expect((await a.sync()).code).toBe(0);
  expect(inRemote(remote)).toEqual(
    expect.arrayContaining(['README.md', '.github/workflows/check.yml', `memories/${id}.md`]),
  );
  expect(existsSync(join(a.root, 'README.md'))).toBe(false);
  expect(existsSync(join(a.root, '.github'))).toBe(false);
  expect(a.status()).toBe('');
});

// Trust that is only claimed.

test('verified files without receipts, and receipts of machines nobody trusts, verify nothing', async () => {
  const remote = bareRemote();
  const stranger = await Machine.open('stranger', remote);
  const vouched = await stranger.store.add('the attack');
  await stranger.sync();
  const intruder = new Intruder(remote);
  intruder.write(
    'memories/user_claim.md',
    memoryFile('Claim', BODY, { 'trust-level': 'verified', 'last-verified': '2026-03-01' }),
  );
  intruder.push();
  const here = await Machine.open('here', remote);
  const outcome = await here.sync();
  expect(here.store.standing(vouched)).toBe('inferred:disputed');
  expect(here.store.standing('user_claim')).toBe('inferred:unproven');
  expect(outcome.notices).toMatchObject([
    { kind: 'machine', what: expect.stringContaining('1 memory it vouches for is advisory') },
  ]);
});

async function trusting() {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote);
  const here = await Machine.open('here', remote);
  const id = await desk.store.add('the build');
  const gone = await desk.store.add('the door');
  await desk.store.decide('demote', gone, 'wrong');
  await desk.sync();
  await here.sync();
  here.trust(desk);
  const own = await here.store.add('the window');
  for (const machine of [here, desk, here]) await machine.sync();
  expect(here.store.standing(id)).toBe('verified:vouched');
  return { remote, desk, here, id, gone, own };
}

const lines = (text: string) => text.split('\n').filter((line) => line !== '');
const joined = (all: readonly string[]) => all.map((line) => `${line}\n`).join('');

test.each<[string, (text: string) => string | undefined]>([
  ['cut', (text) => joined(lines(text).slice(0, 1))],
  ['taken out', () => undefined],
  ['changed in one byte', (text) => text.replace('"level":3', '"level":2')],
  ['reordered', (text) => joined(lines(text).reverse())],
  [
    'given a line nobody signed',
    (text) => `${text}${(lines(text).at(-1) ?? '').replace('user_the_door', 'user_the_window')}\n`,
  ],
  ['replaced by rubbish', () => 'rubbish\n'],
])('a ledger that is %s in the remote changes no standing and is whole again after one sync', async (_, change) => {
  const { remote, desk, here, id, gone, own } = await trusting();
  for (const target of [desk, here]) {
    const intruder = new Intruder(remote);
    const path = `ledger/${target.fingerprint}.jsonl`;
    const before = readFileSync(join(intruder.folder, path), 'utf8');
    const after = change(before);
    if (after === undefined) rmSync(join(intruder.folder, path));
    else intruder.write(path, after);
    intruder.push();
    const outcome = await here.sync();
    expect(outcome.code).toBe(2);
    expect(outcome.notices).toMatchObject([{ kind: 'ledger', about: target.fingerprint.slice(0, 16) }]);
    expect(here.store.standing(id)).toBe('verified:vouched');
    expect(here.store.standing(own)).toBe('verified:vouched');
    expect(here.store.tier(gone)).toBe('quarantined');
    expect(here.store.report(target.fingerprint).trouble).toBeUndefined();
    expect(`${git(remote, 'show', `main:${path}`)}\n`).toBe(before);
    expect(here.status()).toBe('');
  }
});

test('a ledger that was cut or forged in this folder is mended by sync, and nothing of the damage is pushed', async () => {
  const { remote, desk, here, id, own } = await trusting();
  for (const target of [desk, here]) {
    const path = join(here.root, 'ledger', `${target.fingerprint}.jsonl`);
    const before = readFileSync(path, 'utf8');
    for (const damage of [joined(lines(before).slice(0, 1)), `${before}${lines(before).at(-1)}x\n`, undefined]) {
      if (damage === undefined) rmSync(path);
      else writeFileSync(path, damage);
      await here.sync();
      expect(readFileSync(path, 'utf8')).toBe(before);
      expect(`${git(remote, 'show', `main:ledger/${target.fingerprint}.jsonl`)}\n`).toBe(before);
      expect(here.store.standing(id)).toBe('verified:vouched');
      expect(here.store.standing(own)).toBe('verified:vouched');
      expect(here.status()).toBe('');
    }
  }
});

test('a stranger’s ledger can lower and is told; a thousand rubbish ledgers do not come in', async () => {
  const { remote, here, id } = await trusting();
  const intruder = new Intruder(remote);
  for (let i = 0; i < 1100; i++) intruder.write(`ledger/${i.toString(16).padStart(64, '0')}.jsonl`, `{"v":1}\n`);
  intruder.push();
  expect((await here.sync()).code).toBe(2);
  expect(readdirSync(join(here.root, 'ledger'))).toHaveLength(2);
  expect(here.store.standing(id)).toBe('verified:vouched');
});

test('a ledger that comes to a store with a thousand is left out, and told as one too many', async () => {
  const path = (n: number) => `ledger/${n.toString(16).padStart(64, '0')}.jsonl`;
  const shared = new Map(Array.from({ length: 1_000 }, (_, n) => [path(n), 'known'] as const));
  const side = (files: ReadonlyMap<string, string>) => ({ shared: files, others: new Map(), refused: [] });
  const sides = { base: side(shared), ours: side(shared), theirs: side(new Map([...shared, [path(1_000), 'new']])) };
  const trees = { fitting: async () => new Map(), blobs: async () => new Map() } as unknown as GitTrees;
  const files = new Map<string, BlobContent>();
  const findings = await mergeLedgerFiles(sides, { trees, fingerprint: '' } as MergeCircumstances, files);
  expect(findings).toMatchObject([{ fault: 'too-many' }]);
  expect(files.size).toBe(0);
});

test('a backup that was restored, or a cloned machine: two continuations of one ledger are told, and both lower', async () => {
  const { desk, here, id } = await trusting();
  // Desk goes on, then is set back to before, and goes on differently.
  const [home, old] = [desk.store.home, join(temporaryFolder(), 'backup')];
  execFileSync('cp', ['-a', home, old]);
  await desk.store.decide('demote', id, 'wrong');
  await desk.sync();
  await here.sync();
  expect(here.store.tier(id)).toBe('quarantined');
  desk.store.vault.close();
  rmSync(home, { recursive: true });
  execFileSync('cp', ['-a', old, home]);
  await desk.store.reopen();
  expect(desk.store.standing(id)).toBe('verified:vouched');
  await desk.store.add('something else');
  const outcome = await desk.sync();
  expect(outcome.notices.map(({ kind, what }) => `${kind} ${what}`).join()).toContain('ledger has two continuations');
  // The demotion it had forgotten counts again, and its own ledger is whole.
  expect(desk.store.tier(id)).toBe('quarantined');
  expect(desk.store.report().trouble).toBeUndefined();
  await here.sync();
  expect(here.store.tier(id)).toBe('quarantined');
  expect(here.store.report(desk.fingerprint).trouble).toBe('forked');
});

test('a key that was copied to another machine refuses to sign there, so nothing is synced', async () => {
  const { desk } = await trusting();
  desk.store.vault.close();
  await desk.store.reopen({ machine: { name: 'copy', identity: 'another computer' } });
  expect(await desk.sync()).toMatchObject({
    code: 6,
    sent: 0,
    received: 0,
    said: expect.stringContaining('was made on another machine'),
  });
});

test('two machines of one name are told apart', async () => {
  const remote = bareRemote();
  const [a, b] = [
    await Machine.open('desk', remote, { machine: { name: 'desk', identity: 'one' } }),
    await Machine.open('desk', remote, { machine: { name: 'desk', identity: 'two' } }),
  ];
  await a.store.propose('the build');
  await a.sync();
  await b.store.propose('the door');
  const { notices } = await b.sync();
  expect(notices).toMatchObject([
    { kind: 'machine', what: expect.stringContaining('another machine has the same name') },
  ]);
});

test('a damaged store.json that somebody pushed is refused, and the commands of docs/sync.md take it back', async () => {
  const remote = bareRemote();
  const machine = await Machine.open('desk', remote);
  const id = await machine.store.add('the build');
  expect((await machine.sync()).code).toBe(0);
  const intruder = new Intruder(remote);
  intruder.write('store.json', 'garbage');
  intruder.push();
  const before = machine.files();
  const refused = await machine.sync();
  expect(refused).toMatchObject({ code: 6, said: expect.stringContaining('revert the commit in the remote') });
  expect(machine.files()).toEqual(before);

  const mended = join(temporaryFolder(), 'mended');
  git(remote, 'clone', '--quiet', remote, mended);
  git(mended, 'revert', '--no-edit', 'HEAD');
  git(mended, 'push', '--quiet', 'origin', 'HEAD:main');
  expect(await machine.sync()).toMatchObject({ code: 0, notices: [] });
  expect(machine.store.standing(id)).toBe('verified:vouched');
});
