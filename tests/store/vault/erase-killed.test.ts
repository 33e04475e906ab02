import { expect, test } from 'vitest';
import { shownForErasing } from '../../../src/actions/review/shown.ts';
import type { MemoryId } from '../../../src/core/memory/ids.ts';
import { witnessed } from '../../../src/core/trust/consent.ts';
import { Disk } from '../../../src/store/disk/disk.ts';
import { erasable, erase, erasedAndHere } from '../../../src/store/maintenance/erase.ts';
import { requestsOf } from '../../../src/store/records/request-queue.ts';
import { FaultyDisk } from '../../../testkit/faults.ts';
import { TestStore } from '../../../testkit/store.ts';
import { filesWith } from '../../../testkit/terminal.ts';

const WORD = 'zanzibarquokka';

async function eraseWith(disk: FaultyDisk, at: number) {
  const store = await TestStore.open({ disk });
  const id = (await store.add('surprise', { body: `Nobody is to know of the ${WORD}.` })) as MemoryId;
  await store.reconcile();
  const requests = requestsOf(store.vault);
  const found = erasable(store.vault, id, requests);
  disk.arm({ at, moment: 'before', how: 'die' });
  await erase(store.vault, found, requests, witnessed('terminal', shownForErasing(found))).catch(() => {});
  await store.reopen({ disk: new Disk() });
  return { store, id };
}

test('an erasure that died at any step has not begun, is in quarantine, has left nothing, or shows', async () => {
  const seen = new Set<string>();
  for (let at = 1; ; at++) {
    const disk = new FaultyDisk();
    const { store, id } = await eraseWith(disk, at);
    if (!disk.struck) break;
    const shown = erasedAndHere(store.vault);
    if (!store.vault.evidence.isErased(id)) seen.add(store.tier(id));
    else if (filesWith(store.home, WORD).length === 0) seen.add('nothing left');
    else {
      seen.add('shows');
      expect(shown, `step ${at}`).toEqual([id]);
    }
    store.vault.close();
  }
  expect([...seen].sort()).toEqual(['nothing left', 'quarantined', 'shows', 'verified']);
});
