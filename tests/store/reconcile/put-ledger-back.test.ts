import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { auditOf, takeInFiles } from '../../../src/actions/session.ts';
import { takeSyncLock } from '../../../src/store/sync/sync-lock.ts';
import { TestStore } from '../../../testkit/store.ts';

const SAID = 'this machine’s own ledger was set back, as a git checkout does; it was put back from the kept copy';

function git(store: TestStore, ...args: string[]): void {
  const who = ['-c', 'user.name=Somebody', '-c', 'user.email=somebody@example.org', '-c', 'commit.gpgsign=false'];
  execFileSync('git', ['-C', store.places.root, ...who, ...args], { stdio: 'ignore' });
}

/** A store whose ledger git has just set back to what it was before the last decisions. */
async function setBack(): Promise<{ store: TestStore; id: string; whole: string }> {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  git(store, 'init', '-q');
  git(store, 'add', 'memories', 'ledger');
  git(store, 'commit', '-qm', 'before');
  await store.decide('reaffirm', id);
  await store.propose('the last word');
  await store.reconcile();
  const whole = readFileSync(store.ledgerPath, 'utf8');
  git(store, 'checkout', '-q', '--', 'ledger');
  expect(store.trouble()).toBe('shorter');
  expect(store.tier(id)).toBe('inferred');
  return { store, id, whole };
}

test('a ledger that git set back is put back by itself, told, and on record', async () => {
  const { store, id, whole } = await setBack();
  const told: string[] = [];
  const session = { vault: store.vault, audit: auditOf(store.places, () => undefined), proposals: 0 };
  await takeInFiles(session, (line) => told.push(line));
  expect(readFileSync(store.ledgerPath, 'utf8').startsWith(whole)).toBe(true);
  expect(store.trouble()).toBeUndefined();
  expect(store.tier(id)).toBe('verified');
  expect(told.join('\n')).toContain(SAID);
  expect(store.audit()).toContainEqual(expect.objectContaining({ action: 'put-back-ledger', outcome: 'accepted' }));
});

test.each(['index.lock', 'MERGE_HEAD', 'rebase-merge', 'rebase-apply'])(
  'nothing is put back while git is at work (%s)',
  async (name) => {
    const { store } = await setBack();
    if (name.startsWith('rebase')) mkdirSync(join(store.places.root, '.git', name));
    else writeFileSync(join(store.places.root, '.git', name), '');
    await store.reconcile();
    expect(store.trouble()).toBe('shorter');
  },
);

test('nor while a sync is at work, and right after it', async () => {
  const { store } = await setBack();
  const end = await takeSyncLock(store.places.guard, 0);
  await store.reconcile();
  expect(store.trouble()).toBe('shorter');
  end();
  await store.reconcile();
  expect(store.trouble()).toBeUndefined();
});

test('what is no beginning of the copy is left to a person', async () => {
  const { store } = await setBack();
  const lines = store.ledgerLines();
  store.writeLedger([...lines.slice(0, -1), `${lines.at(-1)}`.replace('"sig":"', '"sig":"A')]);
  await store.reconcile();
  expect(store.trouble()).not.toBeUndefined();
});

test('nor is a copy put back that this machine has not signed the end of', async () => {
  const { store } = await setBack();
  writeFileSync(join(store.places.state, 'heads.json'), '{}');
  await store.reconcile();
  expect(store.trouble()).not.toBeUndefined();
});

test('nor one that goes on after the remembered end with a decision', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  const heads = readFileSync(join(store.places.state, 'heads.json'));
  const before = store.ledgerLines();
  await store.decide('demote', id);
  writeFileSync(join(store.places.state, 'heads.json'), heads);
  store.writeLedger(before.slice(0, -1));
  await store.reconcile();
  expect(store.trouble()).toBe('shorter');
});
