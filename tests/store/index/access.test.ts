import {
  chmodSync,
  chownSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CLIENTS, type Home, makeHome, type Session } from '../../../testkit/clients.ts';

/** No permission keeps root from anything, so under root the server runs as nobody. */
const NOBODY = process.getuid?.() === 0 ? 65_534 : undefined;
const [{ connect } = { connect: () => Promise.reject(new Error('no client')) }] = CLIENTS;

/** A home with a store that has one memory and an index of it, and no server on it. */
async function withMemory(): Promise<Home> {
  const home = makeHome();
  onTestFinished(() => home.remove());
  own(home.folder);
  const session = await start(home);
  const made = await session.callTool('propose_memory', {
    type: 'user',
    name: 'Merging',
    description: 'How branches are merged',
    body: 'Branches are merged by rebase, never by a merge commit.',
  });
  expect(made.isError).toBe(false);
  await session.close();
  return home;
}

function start(home: Home): Promise<Session> {
  return connect({ home, ...(NOBODY !== undefined && { uid: NOBODY }) });
}

function own(folder: string): void {
  if (NOBODY === undefined) return;
  const inside = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  for (const path of [folder, ...inside]) chownSync(path, NOBODY, NOBODY);
}

function indexIn(home: Home): string {
  const [index = ''] = globSync(join(home.folder, 'cache/surety/*/index-*.db'));
  return index;
}

/** What a new server finds, one more file in the store among it, and what it says about the index meanwhile. */
async function found(home: Home): Promise<{ finds: boolean; lines: string[] }> {
  const path = join(home.folder, '.surety/memories/user_editor.md');
  writeFileSync(path, '---\nname: Editor\ndescription: d\ntype: user\n---\nCommits are squashed after a rebase.\n');
  if (NOBODY !== undefined) chownSync(path, NOBODY, NOBODY);
  const session = await start(home);
  const { text } = await session.callTool('search_memories', { query: 'rebase' });
  await session.callTool('search_memories', { query: 'rebase' });
  await session.close();
  const lines = session.server.stderr.split('\n').filter((line) => line.includes('index'));
  return { finds: text.includes('user_merging') && text.includes('user_editor'), lines };
}

describe('a server goes on, and says so in one line on stderr, with an index that is', () => {
  test('deleted', async () => {
    const home = await withMemory();
    for (const suffix of ['', '-wal', '-shm']) rmSync(indexIn(home) + suffix, { force: true });
    expect(await found(home)).toEqual({
      finds: true,
      lines: ['surety: there is no search index; it is made from the files'],
    });
  });

  test('truncated', async () => {
    const home = await withMemory();
    const index = indexIn(home);
    // What it was written last lies beside it until then.
    const db = new Database(index);
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
    own(join(index, '..'));
    truncateSync(index, Math.floor(statSync(index).size / 2));
    expect(await found(home)).toEqual({ finds: true, lines: [expect.stringContaining('it is built again')] });
  });

  test('read-only', async () => {
    const home = await withMemory();
    chmodSync(indexIn(home), 0o400);
    expect(await found(home)).toEqual({ finds: true, lines: [expect.stringContaining('it is built again')] });
  });

  test('read-only in a folder that is too', async () => {
    const home = await withMemory();
    const folder = join(indexIn(home), '..');
    chmodSync(indexIn(home), 0o400);
    chmodSync(folder, 0o500);
    const { finds, lines } = await found(home);
    chmodSync(folder, 0o700);
    expect(finds).toBe(true);
    expect(lines.at(-1)).toContain('this process keeps one in memory');
  });

  test('not to be had, because the cache folder cannot be made', async () => {
    const home = await withMemory();
    const cache = join(home.folder, 'cache');
    rmSync(cache, { recursive: true });
    mkdirSync(cache, { mode: 0o500 });
    own(cache);
    const { finds, lines } = await found(home);
    chmodSync(cache, 0o700);
    expect(finds).toBe(true);
    expect(lines[0]).toContain('this process keeps its search index in memory');
  });
});

test('nobody else can read a database of Surety, not even one who gets past the folder', async () => {
  const home = await withMemory();
  const session = await start(home);
  await session.callTool('search_memories', { query: 'rebase' });
  const inHome = readdirSync(home.folder, { recursive: true, encoding: 'utf8' });
  const databases = inHome.filter((name) => /\.db(?:-\w+)?$/.test(name)).map((name) => join(home.folder, name));
  expect(databases.map((path) => basename(path))).toEqual(
    expect.arrayContaining([basename(indexIn(home)), 'guard.db']),
  );
  for (const path of databases) expect([path, lstatSync(path).mode & 0o777]).toEqual([path, 0o600]);
  await session.close();
});
