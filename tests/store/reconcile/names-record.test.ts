import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fileWith } from '../../../src/core/checks/sample-file.ts';
import { Disk } from '../../../src/store/disk/disk.ts';
import { updateIndexByNames } from '../../../src/store/reconcile/reconcile.ts';
import { insideOf } from '../../../src/store/vault/inside-of-vault.ts';
import { SoftwareAuthenticator } from '../../../testkit/authenticator.ts';
import { enrol, requirePasskey } from '../../../testkit/passkeys.ts';
import { TestStore, yes } from '../../../testkit/store.ts';

/** More than are scanned in full each time. */
const FILES = 260;
/** A folder that changed less than three seconds ago is listed each time. */
const SETTLED_MS = 3_200;

class CountingDisk extends Disk {
  listed = 0;
  override namesInPortions(folder: string, portion: number) {
    this.listed += 1;
    return super.namesInPortions(folder, portion);
  }
}

async function settledStore(): Promise<{ store: TestStore; disk: CountingDisk }> {
  const disk = new CountingDisk();
  const store = await TestStore.open({ disk });
  for (let at = 0; at < FILES; at++) store.write('memories', `user_number_${at}`, fileWith({ name: `Number ${at}` }));
  await store.add('the build');
  await store.reconcile();
  await setTimeout(SETTLED_MS);
  await updateIndexByNames(store.vault);
  return { store, disk };
}

/** What a new process finds by names, and whether it listed the folders for it. */
async function lookAgain(store: TestStore, disk: CountingDisk) {
  await store.reopen();
  const before = disk.listed;
  const { notices, files } = await updateIndexByNames(store.vault);
  const missing = store.vault.missing.all().map(({ id }) => id);
  return { listed: disk.listed > before, notices: notices.map(({ kind, stem }) => `${kind} ${stem}`), files, missing };
}

const AS_BEFORE = { listed: false, notices: [], files: FILES + 1, missing: [] };

test('names are not listed again while both folders are as they were', async () => {
  const { store, disk } = await settledStore();
  expect(await lookAgain(store, disk)).toEqual(AS_BEFORE);
  store.edit('user_number_1', (text) => text.replace('Number 1', 'Number one'));
  expect(await lookAgain(store, disk)).toEqual(AS_BEFORE);
});

test('a file that came or went is noticed at once, and what is missing stays told', async () => {
  const { store, disk } = await settledStore();
  store.write('memories', 'user_new', fileWith({ name: 'New' }));
  expect(await lookAgain(store, disk)).toMatchObject({ listed: true, notices: ['added user_new'], files: FILES + 2 });
  store.remove('user_the_build');
  expect(await lookAgain(store, disk)).toMatchObject({
    listed: true,
    notices: ['removed user_the_build'],
    missing: ['user_the_build'],
  });
  await setTimeout(SETTLED_MS);
  await updateIndexByNames(store.vault);
  expect(await lookAgain(store, disk)).toEqual({ ...AS_BEFORE, files: FILES + 1, missing: ['user_the_build'] });
});

test('what was decided since then about a missing memory counts', async () => {
  const { store, disk } = await settledStore();
  store.remove('user_the_build');
  await updateIndexByNames(store.vault);
  await setTimeout(SETTLED_MS);
  await updateIndexByNames(store.vault);
  const seen = store.vault.missing.load('user_the_build');
  if (seen === undefined) throw new Error('nothing is missing');
  await store.vault.demoteMissing(seen, yes('demote', seen), 'it was meant');
  expect(await lookAgain(store, disk)).toEqual({ ...AS_BEFORE, files: FILES });
});

test('where a passkey is required, what an earlier scan found is not taken over', async () => {
  const { store, disk } = await settledStore();
  const passkey = new SoftwareAuthenticator();
  await enrol(store, passkey);
  expect(await lookAgain(store, disk)).toEqual({ ...AS_BEFORE, listed: true });
  expect(await lookAgain(store, disk)).toEqual(AS_BEFORE);
  await requirePasskey(store, passkey);
  for (let time = 0; time < 2; time++) expect(await lookAgain(store, disk)).toEqual({ ...AS_BEFORE, listed: true });
});

test('folders with a file that is not read are listed each time, and it is told each time', async () => {
  const { store, disk } = await settledStore();
  writeFileSync(join(store.places.memories, 'Not an id.md'), 'text');
  await setTimeout(SETTLED_MS);
  for (let times = 0; times < 2; times++)
    expect(await lookAgain(store, disk)).toMatchObject({ listed: true, notices: ['not-an-id Not an id'] });
});

test('a folder in the place of another, and a record that somebody wrote, are no reason to believe a record', async () => {
  const { store, disk } = await settledStore();
  const { index } = insideOf(store.vault);
  const record = index.namesRecord() ?? '';
  expect(record).toContain('"files":');
  index.keepNamesRecord(record.replace(`"files":${FILES + 1}`, '"files":1'));
  expect(await lookAgain(store, disk)).toEqual({ ...AS_BEFORE, listed: true });
  expect(await lookAgain(store, disk)).toEqual(AS_BEFORE);
  renameSync(store.places.memories, `${store.places.memories}-aside`);
  renameSync(`${store.places.memories}-aside`, store.places.memories);
  expect((await lookAgain(store, disk)).listed).toBe(true);
});
