import { appendFileSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { log } from '../../../src/actions/report/log.ts';
import { hashOf } from '../../../src/core/ledger/entry.ts';
import { forge } from '../../../testkit/passkeys.ts';
import { TestStore } from '../../../testkit/store.ts';

test('a line that a stranger repeats stays its author’s alone, and bends nobody’s order', async () => {
  const store = await TestStore.open();
  const friend = await TestStore.open({ machine: { name: 'friend', identity: 'machine-two' } });
  const stranger = await TestStore.open({ machine: { name: 'stranger', identity: 'machine-three' } });
  const id = await store.propose('the build');
  const proposed = store.ledgerLines().at(-1) ?? '';
  store.pass(8);
  await store.decide('promote', id);
  friend.now = store.now;
  friend.pass(10);
  forge(friend, { action: 'seen', id });
  // What was first is repeated behind an entry that follows what was last.
  stranger.now = friend.now;
  forge(stranger, { action: 'seen', id, after: friend.ledgerLines().slice(-1).map(hashOf) });
  appendFileSync(stranger.ledgerPath, `${proposed}\n`);
  for (const { ledgerPath, vault } of [friend, stranger])
    copyFileSync(ledgerPath, join(store.places.ledger, `${vault.self.fingerprint}.jsonl`));
  await store.reconcile();
  const { self } = store.vault;
  const lines = log(store.vault, id).entries.map(({ own, machine, entry }) => `${own} ${machine} ${entry.action}`);
  expect(lines).toEqual([
    `true ${self.machine} propose`,
    `true ${self.machine} promote`,
    'false friend seen',
    'false stranger seen',
  ]);
});
