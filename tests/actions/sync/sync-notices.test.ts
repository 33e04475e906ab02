import { expect, test } from 'vitest';
import { lastSync, syncLine, tickOffSyncNotices } from '../../../src/actions/sync/sync-notices.ts';
import { type SyncNotice, SyncNotices } from '../../../src/store/sync/notices.ts';
import { DAY, TestStore } from '../../../testkit/store.ts';

function remember(store: TestStore, notices: readonly SyncNotice[]): void {
  const at = new Date(store.now).toISOString();
  const record = { at, code: 0, said: 'All is well.', succeededAt: at, sent: 0, received: 0, stays: {}, machines: [] };
  new SyncNotices(store.vault).write({ ...record, notices });
}

test('a sync that was long ago is said until the person has seen it, and again after the next sync', async () => {
  const store = await TestStore.open();
  remember(store, []);
  expect(syncLine(store)).toBeNull();
  for (const _ of [1, 2]) {
    store.now += 3 * DAY;
    const { notices = [] } = lastSync(store) ?? {};
    expect(notices.map(({ what }) => what)).toEqual([expect.stringContaining('has not worked for 3 days')]);
    await tickOffSyncNotices(store, notices);
    store.now += 3 * DAY;
    expect(syncLine(store)).toBeNull();
    remember(store, []);
  }
});

test('a sync that is dated ahead of the clock says so, because nobody can tell how long ago it worked', async () => {
  const store = await TestStore.open();
  store.now += 30 * DAY;
  remember(store, []);
  store.now -= DAY;
  expect(syncLine(store)).toBeNull();
  store.now -= 29 * DAY;
  const { notices = [] } = lastSync(store) ?? {};
  expect(notices.map(({ about, what }) => `${about} ${what}`)).toEqual([
    'sync is dated 2026-03-31, which is still to come, so a clock was wrong; run surety sync, or see to its timer',
  ]);
  await tickOffSyncNotices(store, notices);
  expect(syncLine(store)).toBeNull();
});

test('a machine that is trusted by now is not called unknown', async () => {
  const store = await TestStore.open();
  await store.add('two cores');
  const at = new Date(store.now).toISOString();
  const machine = (fingerprint: string): SyncNotice => ({
    kind: 'machine',
    about: `desk (${fingerprint.slice(0, 16)})`,
    what: 'is a machine never seen here',
    at,
  });
  const [trusted, stranger] = [machine(store.vault.self.fingerprint), machine('0'.repeat(64))];
  remember(store, [trusted, stranger]);
  expect(lastSync(store)?.notices).toEqual([stranger]);
});
