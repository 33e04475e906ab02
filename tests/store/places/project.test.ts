import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { folderProjectAt } from '../../../src/store/places/project.ts';
import { TOKEN } from '../../../testkit/fleet.ts';
import { temporaryFolder } from '../../../testkit/store.ts';

/** In a format that has no capitals. */
const LOWER_TOKEN = `dop_v1_${createHash('sha256').update('token').digest('hex')}`;

const projectAt = (folder: string) => folderProjectAt(folder)?.name;

function repository(origin?: string): string {
  const folder = join(temporaryFolder(), 'My Shop');
  mkdirSync(join(folder, 'src'), { recursive: true });
  execFileSync('git', ['init', '-q', folder]);
  if (origin !== undefined) execFileSync('git', ['-C', folder, 'remote', 'add', 'origin', origin]);
  return join(folder, 'src');
}

test.each([
  ['git@github.com:Acme/Shop.git', 'acme/shop'],
  ['https://github.com/acme/shop', 'acme/shop'],
  ['ssh://git@host:2222/team/sub/shop.git/', 'sub/shop'],
])('the project of %s is %s', (origin, project) => {
  expect(projectAt(repository(origin))).toBe(project);
});

test('a repository without an origin is known by its folder, and no repository is no project', () => {
  expect(projectAt(repository())).toBe('my-shop');
  expect(projectAt(temporaryFolder())).toBeUndefined();
});

test.each([
  ['in the path', (token: string) => `https://git.example.com/${token}/shop.git`],
  ['after it', (token: string) => `https://git.example.com/acme/shop.git?access_token=${token}`],
  ['in the place of the name', (token: string) => `git@git.example.com:acme/${token}.git`],
])('a token %s of the address names no project: the folder does', (_what, address) => {
  for (const token of [TOKEN, LOWER_TOKEN]) expect(projectAt(repository(address(token)))).toBe('my-shop');
});

test('a token before the host changes no project, and one in a folder’s name is left out', () => {
  expect(projectAt(repository(`https://x:${TOKEN}@github.com/acme/shop.git`))).toBe('acme/shop');
  const folder = join(temporaryFolder(), `shop ${TOKEN}`);
  execFileSync('git', ['init', '-q', folder]);
  expect(projectAt(folder)).toBe('shop-hidden');
});

test('a hostile git configuration is read in time and yields a plain slug', () => {
  const folder = repository();
  const config = join(folder, '..', '.git', 'config');
  writeFileSync(config, `[remote "origin"]\n${'\t \n'.repeat(20_000)}url = https://x/<b>"a/\u001b[2Jname\n`);
  expect(projectAt(folder)).toMatch(/^[a-z0-9._-]+\/[a-z0-9._-]+$/);
});

test.each([
  ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
  ['a link to a device', (path: string) => symlinkSync('/dev/zero', path)],
])('a git configuration that is %s is not waited for: the folder gives the name', (_what, make) => {
  const folder = repository('git@github.com:Acme/Shop.git');
  const config = join(folder, '..', '.git', 'config');
  rmSync(config);
  make(config);
  expect(projectAt(folder)).toBe('my-shop');
});

/** A work tree beside the repository, made by git. */
function linkedTree(origin?: string): { tree: string; main: string } {
  const main = dirname(repository(origin));
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', main, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
  git('commit', '-q', '--allow-empty', '-m', 'first');
  const tree = join(dirname(main), 'feature one');
  git('worktree', 'add', '-q', '-b', 'feature', tree);
  mkdirSync(join(tree, 'src'));
  return { tree, main };
}

test('a linked work tree has the project of its main checkout', () => {
  expect(projectAt(join(linkedTree('git@github.com:Acme/Shop.git').tree, 'src'))).toBe('acme/shop');
  expect(projectAt(linkedTree().tree)).toBe('my-shop');
});

test('a work tree of a bare repository has the project of that one', () => {
  const { main } = linkedTree();
  const bare = join(dirname(main), 'Shop.git');
  execFileSync('git', ['clone', '-q', '--bare', main, bare]);
  execFileSync('git', ['-C', bare, 'remote', 'remove', 'origin']);
  const tree = join(dirname(main), 'second');
  execFileSync('git', ['-C', bare, 'worktree', 'add', '-q', tree]);
  expect(projectAt(tree)).toBe('shop');
});

test.each<[what: string, name: (entry: string) => string]>([
  ['of another work tree', (entry) => entry],
  ['of a repository', (entry) => dirname(dirname(entry))],
  ['of nothing', () => '/no/such/place'],
])('a folder whose .git names the entry %s has its own name', (_what, name) => {
  const { main } = linkedTree('git@github.com:Acme/Shop.git');
  const stranger = join(dirname(main), 'stranger');
  mkdirSync(stranger);
  writeFileSync(join(stranger, '.git'), `gitdir: ${name(join(main, '.git', 'worktrees', 'feature-one'))}\n`);
  expect(projectAt(stranger)).toBe('stranger');
});
