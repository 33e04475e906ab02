import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { search } from '../../src/actions/agent/search.ts';
import { notFoundYet } from '../../src/actions/pending-notice.ts';
import { auditOf, type Session } from '../../src/actions/session.ts';
import { insideOf } from '../../src/store/vault/inside-of-vault.ts';
import { CLIENTS, makeHome } from '../../testkit/clients.ts';
import { TestStore } from '../../testkit/store.ts';

const MANY = 600;

function text(n: number): string {
  return `---\nname: Number ${n}\ndescription: d\ntype: user\n---\nWhat was noted about deployments, number ${n}.\n`;
}

test('a search during the first scan of a store finds what has been read, and says that there is more', async () => {
  const store = await TestStore.open();
  for (let n = 0; n < MANY; n++) store.write('memories', `user_n${n}`, text(n));
  const { vault } = store;
  const scanning = store.reconcile().then(() => undefined);
  const session: Session = { vault, audit: auditOf(store.places, () => {}), proposals: 0, scanning };
  while (vault.count('memories') === 0) await new Promise((next) => setImmediate(next));
  const read = vault.count('memories');
  expect(read).toBeLessThan(MANY);
  const { hits } = await search(vault, { query: 'deployments', limit: 5 }, { soFar: true });
  expect(hits).toHaveLength(5);
  expect(notFoundYet(session)).toContain(`${read} so far`);
  // It was no scan of its own that found them.
  expect(vault.count('memories')).toBe(read);
  await scanning;
  session.scanning = undefined;
  expect(notFoundYet(session)).toBeNull();
  expect(vault.count('memories')).toBe(MANY);
});

test('where the disk had no room for what is new, a search says so until there is', async () => {
  const store = await TestStore.open();
  store.write('memories', 'user_n1', text(1));
  await store.reconcile();
  const { vault } = store;
  const session: Session = { vault, audit: auditOf(store.places, () => {}), proposals: 0 };
  const { index } = insideOf(vault);
  const put = index.put.bind(index);
  index.put = () => {
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  };
  store.write('memories', 'user_n2', text(2));
  await store.reconcile();
  expect((await search(vault, { query: 'deployments', limit: 5 })).hits).toHaveLength(1);
  expect(notFoundYet(session)).toContain('The disk is full');
  index.put = put;
  await store.reconcile();
  expect((await search(vault, { query: 'deployments', limit: 5 })).hits).toHaveLength(2);
  expect(notFoundYet(session)).toBeNull();
});

test('while the first scan goes on a server finds and reads, and a proposal waits until it is over', async () => {
  const home = makeHome();
  onTestFinished(() => home.remove());
  const memories = join(home.folder, '.surety/memories');
  mkdirSync(memories, { recursive: true });
  writeFileSync(join(memories, 'user_n1.md'), text(1));
  const guarded = join(home.folder, '.surety/.surety');
  mkdirSync(guarded, { recursive: true, mode: 0o700 });
  // Whoever writes holds this: the scan can read, and cannot write down yet that it saw something new.
  const guard = new Database(join(guarded, 'guard.db'));
  onTestFinished(() => void guard.close());
  guard.exec('BEGIN IMMEDIATE');
  const session = await CLIENTS[0]?.connect({ home });
  if (session === undefined) throw new Error('no client');
  const found = await session.callTool('search_memories', { query: 'deployments' });
  expect(found.text).toContain('user_n1');
  expect((await session.callTool('read_memory', { id: 'user_n1' })).text).toContain('number 1');
  let proposed = false;
  const proposal = session.callTool('propose_memory', {
    type: 'user',
    name: 'Number 2',
    description: 'd',
    body: 'What was noted about deployments, number 1.',
  });
  void proposal.then(() => {
    proposed = true;
  });
  await session.callTool('search_memories', { query: 'deployments' });
  expect(proposed).toBe(false);
  guard.exec('COMMIT');
  // Held against what the scan found: it is there already.
  expect((await proposal).text).toContain('user_n1');
  await session.close();
});
