import { expect, test } from 'vitest';
import { passkeyQuestionFor } from '../../src/store/maintenance/passkeys.ts';
import { SoftwareAuthenticator } from '../../testkit/authenticator.ts';
import { answered, decideSigned, enrol, forgeReceipt, offered } from '../../testkit/passkeys.ts';
import { TestStore } from '../../testkit/store.ts';
import { readLedgers } from '../../torture/checker/ledger.ts';
import { falselySigned, signedReceipts } from '../../torture/checker/passkeys.ts';

/** How many receipts of this machine say that a passkey signed them, and of how many that is not true. */
function counted({ places, vault }: TestStore): readonly [signed: number, falsely: number] {
  const own = readLedgers(places.root).find(({ fingerprint }) => fingerprint === vault.self.fingerprint);
  if (own === undefined) throw new Error('this machine has no ledger');
  return [signedReceipts(own).length, falselySigned(own).length];
}

test('the checker tells a yes that a passkey signed from one that only says so', async () => {
  const store = await TestStore.open();
  const [signed, bare, swapped, stranger] = [
    await store.propose('the build'),
    await store.propose('the release'),
    await store.propose('the editor'),
    await store.propose('the disk'),
  ];
  store.pass(7);
  const passkey = new SoftwareAuthenticator();
  await enrol(store, passkey);
  await decideSigned(store, 'promote', signed, passkey);
  expect(counted(store)).toEqual([1, 0]);
  forgeReceipt(store, bare);
  expect(counted(store)).toEqual([2, 1]);
  forgeReceipt(store, swapped, {
    assertion: answered(passkey, passkeyQuestionFor(store.vault, offered(store, 'promote', stranger))),
  });
  expect(counted(store)).toEqual([3, 2]);
  forgeReceipt(store, stranger, {
    assertion: answered(
      new SoftwareAuthenticator(),
      passkeyQuestionFor(store.vault, offered(store, 'promote', stranger)),
    ),
  });
  expect(counted(store)).toEqual([4, 3]);
});
