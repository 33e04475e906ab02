import { chmodSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { repositoryProblems } from '../../../src/actions/upkeep/doctor-repository.ts';
import { remakeRepository } from '../../../src/store/sync/remake-repository.ts';
import { bareRemote, git, Machine } from '../../../testkit/fleet.ts';

/** What a power cut leaves of a file that git had not synced. */
function empty(path: string): void {
  chmodSync(path, 0o600);
  truncateSync(path, 0);
}

const objectPath = (at: Machine, oid: string) => join(at.root, '.git', 'objects', oid.slice(0, 2), oid.slice(2));

async function synced(): Promise<{ remote: string; a: Machine; id: string }> {
  const remote = bareRemote();
  const a = await Machine.open('desk', remote);
  const id = await a.store.add('the build');
  expect((await a.sync()).code).toBe(0);
  await a.store.propose('the door');
  return { remote, a, id };
}

test.each([
  ['a commit', (a: Machine) => a.git('rev-parse', 'HEAD')],
  ['a tree', (a: Machine) => a.git('rev-parse', 'HEAD:memories')],
  ['the top tree', (a: Machine) => a.git('rev-parse', 'HEAD^{tree}')],
] as const)(
  '%s that a power cut emptied is named by sync, and doctor makes a fresh repository from the files',
  async (_, oidOf) => {
    const { remote, a, id } = await synced();
    const oid = oidOf(a);
    expect(await repositoryProblems(a.store.places)).toEqual([]);
    empty(objectPath(a, oid));
    const before = a.files();
    const outcome = await a.sync();
    expect(outcome.code).toBe(6);
    expect(outcome.said).toContain(oid);
    expect(outcome.said).toContain('Run surety doctor');
    expect(a.files()).toEqual(before);

    const [problem] = await repositoryProblems(a.store.places);
    expect(problem).toMatchObject({ code: 'repository-damaged', severity: 'problem' });
    expect(problem?.about).toContain(oid);
    expect(problem?.repairs.map(({ name }) => name)).toEqual(['remake-repository']);
    const settings = readFileSync(join(a.root, '.git', 'config'), 'utf8');
    await remakeRepository(a.store.vault);
    expect(readFileSync(join(a.root, '.git', 'config'), 'utf8')).toBe(settings);
    const [aside = ''] = readdirSync(a.root).filter((name) => name.startsWith('.git-damaged-'));
    expect(statSync(join(a.root, aside, 'objects')).isDirectory()).toBe(true);
    expect(await repositoryProblems(a.store.places)).toEqual([]);
    expect(a.files()).toEqual(before);

    expect((await a.sync()).code).toBe(0);
    expect(a.store.standing(id)).toBe('verified:vouched');
    expect(a.status()).toBe('');
    expect(git(remote, 'ls-tree', '--name-only', 'main', 'memories/').split('\n')).toHaveLength(2);
    const b = await Machine.open('laptop', remote);
    expect((await b.sync()).code).toBe(0);
    expect(b.names()).toEqual(a.names());
  },
);

test('an empty ref and an empty HEAD are damage as well', async () => {
  const { a } = await synced();
  writeFileSync(join(a.root, '.git', 'refs', 'heads', 'main'), '');
  const outcome = await a.sync();
  expect(outcome.code).toBe(6);
  expect(outcome.said).toContain('refs/heads/main');
  expect(outcome.said).toContain('Run surety doctor');
  await remakeRepository(a.store.vault);
  expect((await a.sync()).code).toBe(0);
  expect(a.status()).toBe('');

  const { a: other } = await synced();
  empty(join(other.root, '.git', 'HEAD'));
  expect((await other.sync()).said).toContain('(HEAD)');
  await remakeRepository(other.store.vault);
  expect((await other.sync()).code).toBe(0);
});

test('a remote that is out of reach is not called damage', async () => {
  const { a } = await synced();
  a.git('remote', 'set-url', 'origin', join(a.root, 'nowhere'));
  const { code, said } = await a.sync();
  expect(code).toBe(6);
  expect(said).not.toContain('damaged');
});

test('doctor says that no branch is checked out, because sync needs one', async () => {
  const { a } = await synced();
  a.git('checkout', '--quiet', '--detach');
  expect(await a.sync()).toMatchObject({ code: 6, said: expect.stringContaining('detached') });
  const [problem, ...more] = await repositoryProblems(a.store.places);
  expect(problem).toMatchObject({ code: 'repository-detached', severity: 'problem', about: [a.root], repairs: [] });
  expect(more).toEqual([]);
  a.git('checkout', '--quiet', 'main');
  expect(await repositoryProblems(a.store.places)).toEqual([]);
});

test('doctor says that there is no git, because sync needs one', async () => {
  const { a } = await synced();
  vi.stubEnv('PATH', a.root);
  try {
    expect(await a.sync()).toMatchObject({ code: 6, said: expect.stringContaining('git is not installed') });
    const [problem, ...more] = await repositoryProblems(a.store.places);
    expect(problem).toMatchObject({ code: 'git-missing', severity: 'problem', about: [a.root], repairs: [] });
    expect(more).toEqual([]);
  } finally {
    vi.unstubAllEnvs();
  }
  expect(await repositoryProblems(a.store.places)).toEqual([]);
});
