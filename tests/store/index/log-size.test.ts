import { globSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { Disk } from '../../../src/store/disk/disk.ts';
import type { IndexRow } from '../../../src/store/index/rows.ts';
import { LARGEST_LOG } from '../../../src/store/index/schema.ts';
import { SearchIndex } from '../../../src/store/index/search-index.ts';
import { CLIENTS, makeHome } from '../../../testkit/clients.ts';
import { piped } from '../../../testkit/piped.ts';
import { indexIn, temporaryFolder } from '../../../testkit/store.ts';

const memory = { type: 'user', name: 'Branches', description: 'd', body: 'Branches are merged by rebase, always.' };

test.each(['a closed input', 'SIGTERM', 'SIGINT', 'a command'] as const)(
  'what is in the index’s log is in the database after %s, and the log is gone',
  async (how) => {
    const home = makeHome();
    onTestFinished(() => home.remove());
    const session = await CLIENTS[0]?.connect({ home });
    if (session === undefined) throw new Error('no client');
    await session.callTool('propose_memory', memory);
    await session.callTool('search_memories', { query: 'rebase' });
    if (how === 'SIGTERM' || how === 'SIGINT') session.server.kill(how);
    else session.server.endInput();
    await session.server.exit;
    if (how === 'a command') await piped(home.folder, ['list'], home.env);
    const [index = ''] = globSync(join(home.folder, 'cache/surety/*/index-*.db'));
    expect(readdirSync(join(index, '..')).filter((name) => /-(?:wal|shm)$/.test(name))).toEqual([]);
    const db = new Database(index, { readonly: true });
    expect(db.prepare('SELECT count(*) FROM files').pluck().get()).toBe(1);
    db.close();
  },
);

test('a log that grew while somebody read is cut again', () => {
  const folder = temporaryFolder();
  const index = new SearchIndex(folder, '', new Disk());
  const rows = (from: number) =>
    Array.from({ length: 500 }, (_, n): IndexRow => {
      const body = Array.from({ length: 150 }, (__, word) => `word${(from + n) * 150 + word}`).join(' ');
      const id = `user_${from + n}`;
      const stamp = { inode: 1n, size: 1, modified: 1n };
      const text = { type: 'user', project: null, name: '', about: '', body } as const;
      const nothing = {
        claim: null,
        digest: null,
        saying: null,
        blocked: null,
        held: null,
        anchored: 0 as const,
        seal: null,
        reading: null,
      };
      return { place: 'memories', stem: id, stamp, id, rules: '', text, ...nothing };
    });
  index.put(rows(0));
  const log = `${indexIn(folder)}-wal`;
  const reader = new Database(indexIn(folder), { readonly: true });
  reader.exec('BEGIN; SELECT count(*) FROM files');
  reader.prepare('SELECT count(*) FROM files').get();
  for (let from = 500; statSync(log).size < 3 * LARGEST_LOG; from += 500) index.put(rows(from));
  reader.exec('COMMIT');
  reader.close();
  for (const stem of ['user_1', 'user_2', 'user_3']) index.drop('memories', stem);
  expect(statSync(log).size).toBeLessThanOrEqual(LARGEST_LOG);
  index.close();
});
