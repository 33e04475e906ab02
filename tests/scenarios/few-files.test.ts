import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Refusal } from '../../src/core/refusal.ts';
import { Disk } from '../../src/store/disk/disk.ts';
import { asDiskRefusal } from '../../src/store/disk/disk-errors.ts';
import { canWrap } from '../../testkit/bad-disk.ts';
import { CLIENTS, type Home, makeHome } from '../../testkit/clients.ts';
import { temporaryFolder } from '../../testkit/store.ts';

let home: Home;
beforeAll(() => {
  home = makeHome();
});
afterAll(() => home.remove());

const CALLS = [
  ['search_memories', { query: 'rebase' }],
  ['read_memory', { id: 'user_branches' }],
  ['propose_memory', { type: 'user', name: 'Commits', description: 'd', body: 'Commits are squashed before a merge.' }],
  ['review_queue', {}],
  ['promote', { id: 'user_branches' }],
  ['demote', { id: 'user_branches', reason: 'a try' }],
] as const;

test.runIf(canWrap(['prlimit', '--nofile=100']))(
  'a server that may open no more files refuses in words, keeps its index, and works again when it may',
  async () => {
    const session = await CLIENTS[0]?.connect({ home });
    if (session === undefined) throw new Error('no client');
    const memory = { type: 'user', name: 'Branches', description: 'd', body: 'Branches are merged by rebase, always.' };
    expect((await session.callTool('propose_memory', memory)).isError).toBe(false);
    expect((await session.callTool('search_memories', { query: 'rebase' })).text).toContain('user_branches');
    const { pid } = session.server;
    const mayOpen = (files: number) => execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${files}:4096`]);
    mayOpen(readdirSync(`/proc/${pid}/fd`).length - 1);
    const outcomes: [string, string][] = [];
    for (const [tool, args] of CALLS) outcomes.push([tool, (await session.callTool(tool, args)).text]);
    mayOpen(4096);
    for (const [, said] of outcomes) expect(said).not.toContain('"code":"bug"');
    const searched = outcomes[0]?.[1];
    expect(searched).toContain('Nothing was changed: this process has as many files open as it may.');
    expect(session.server.stderr).not.toContain('built again');
    expect((await session.callTool('search_memories', { query: 'rebase' })).text).toContain('user_branches');
    await session.close();
  },
  120_000,
);

const CODES = [
  ['EMFILE', 'as many files open as it may'],
  ['ENFILE', 'as many files open as it can'],
  ['ENAMETOOLONG', 'longer than this disk takes'],
  ['EDQUOT', 'quota'],
  ['ETXTBSY', 'another program has the file open'],
  ['EBUSY', 'another program has the file open'],
  ['EFBIG', 'larger than this disk'],
  ['ENOMEM', 'no memory left'],
  ['ESTALE', 'does not answer'],
  ['EIO', 'the disk refused it (EIO)'],
  ['EOVERFLOW', 'the disk refused it (EOVERFLOW)'],
  ['ERR_FS_FILE_TOO_LARGE', 'the disk refused it (ERR_FS_FILE_TOO_LARGE)'],
  ['SQLITE_BUSY_SNAPSHOT', 'the disk refused it (SQLITE_BUSY_SNAPSHOT)'],
  ['SQLITE_PROTOCOL', 'the disk refused it (SQLITE_PROTOCOL)'],
] as const;

test.each(CODES)('what the system says with %s is a refusal in words', (code, words) => {
  const refusal = asDiskRefusal(Object.assign(new Error(code), { code }));
  expect(refusal).toBeInstanceOf(Refusal);
  expect(refusal).toMatchObject({ code: 'disk-failed', message: expect.stringContaining(words) });
});

test('a file whose name is longer than the disk takes is not there, and cannot be made', () => {
  const disk = new Disk();
  const path = `${temporaryFolder()}/${'x'.repeat(300)}`;
  expect(disk.read(path, 100)).toEqual({ kind: 'absent' });
  expect(() => disk.replace(`${path}/y`, 'text')).toThrow('ENAMETOOLONG');
});
