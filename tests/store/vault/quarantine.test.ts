import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { standingKey } from '../../../src/core/ledger/standing.ts';
import { type MemoryId, parseId } from '../../../src/core/memory/ids.ts';
import { witnessed } from '../../../src/core/trust/consent.ts';
import { Disk } from '../../../src/store/disk/disk.ts';
import { archive } from '../../../src/store/maintenance/archive.ts';
import { type Erasable, erasable, erase, GONE } from '../../../src/store/maintenance/erase.ts';
import { requestsOf } from '../../../src/store/records/request-queue.ts';
import type { Loaded } from '../../../src/store/vault/loaded-memory.ts';
import { Died, type Fault, FaultyDisk, MACHINE } from '../../../testkit/faults.ts';
import { TestStore, temporaryFolder } from '../../../testkit/store.ts';

const TIERS = ['gone', 'quarantined', 'inferred', 'verified'];

const requestsIn = (store: TestStore) => requestsOf(store.vault);

function idOf(text: string): MemoryId {
  const id = parseId(text);
  if (id === undefined) throw new Error('not an id');
  return id;
}

class UnmovingDisk extends Disk {
  stuck = false;

  override move(from: string, to: string): void {
    if (this.stuck) throw Object.assign(new Error('input/output error'), { code: 'EIO' });
    super.move(from, to);
  }
}

function yesToErase({ id, seen }: Erasable) {
  const standing = seen ? standingKey(seen.standing) : GONE;
  return witnessed('terminal', { verb: 'erase', id, digest: seen?.digest ?? null, standing, settles: [] });
}

function eraseIt(store: TestStore, id: string) {
  const found = erasable(store.vault, idOf(id), requestsIn(store));
  return erase(store.vault, found, requestsIn(store), yesToErase(found));
}

function archiveIt(store: TestStore, seen: Loaded) {
  const { id, digest, standing } = seen;
  const shown = { verb: 'archive', id, digest, standing: standingKey(standing), settles: [] } as const;
  return archive(store.vault, seen, '2026-03', witnessed('terminal', shown));
}

/** Every moment at which a process can die while it does this. */
function moments(steps: readonly string[]): Pick<Fault, 'at' | 'moment'>[] {
  return [
    ...steps.flatMap((step, n) => [
      { at: n + 1, moment: 'before' as const },
      ...(step === 'write' ? [{ at: n + 1, moment: 'torn' as const }] : []),
    ]),
    { at: steps.length, moment: 'after' as const },
  ];
}

/** A verified memory, once edited and reaffirmed, with a request; or the same in quarantine. */
async function storeWith(
  disk: FaultyDisk,
  tier: 'verified' | 'quarantined',
): Promise<{ store: TestStore; id: string }> {
  const store = await TestStore.open({ machine: MACHINE, disk, home: temporaryFolder() });
  await store.add('bystander');
  const id = await store.verified('build');
  store.edit(id, (text) => text.replace('two cores', 'four cores'));
  await store.decide('reaffirm', id);
  if (tier === 'quarantined') await store.decide('demote', id, 'no');
  const { digest } = store.load(id);
  const client = { name: 'c', version: '1' };
  await store.vault.exclusively(() =>
    requestsIn(store).add({ id, verb: 'demote', digest, askedAt: new Date(store.now).toISOString(), client }),
  );
  return { store, id };
}

describe.each(['verified', 'quarantined'] as const)('erasing a %s memory', (tier) => {
  test('a process that dies at any step leaves no higher standing, and running it again finishes the work', async () => {
    const counting = new FaultyDisk();
    const { store: first, id } = await storeWith(counting, tier);
    counting.arm();
    await eraseIt(first, id);
    const all = moments(counting.steps);
    expect(all.length).toBeGreaterThan(8);
    for (const moment of all) {
      const disk = new FaultyDisk();
      const { store } = await storeWith(disk, tier);
      const text = store.load(id).bytes;
      disk.arm({ ...moment, how: 'die' });
      await eraseIt(store, id).catch((error: unknown) => expect(error).toBeInstanceOf(Error));
      expect(disk.struck, JSON.stringify(moment)).toBe(true);
      disk.arm();
      await store.reopen();
      const now = store.vault.load(id)?.standing.tier ?? 'gone';
      expect(TIERS.indexOf(now), JSON.stringify(moment)).toBeLessThanOrEqual(TIERS.indexOf(tier));
      await store.reconcile();
      expect(store.trouble()).toBeUndefined();

      expect(await eraseIt(store, id)).toEqual({ left: [] });
      const { traces } = erasable(store.vault, idOf(id), requestsIn(store));
      expect(traces).toEqual({ files: [], vouched: [], request: false });
      expect(readdirSync(store.places.memories).filter((name) => name.startsWith('.tmp-'))).toEqual([]);
      expect(store.standing('user_bystander')).toBe('verified:vouched');
      expect(store.vault.evidence.of(id).filter((s) => s.action === 'erased').length).toBe(1);
      // Put back by somebody who had a copy, it is what the ledger says.
      store.write('memories', id, text);
      expect(store.tier(id)).toBe('quarantined');
    }
  });
});

test('a process that dies while it archives leaves the memory quarantined, and running it again finishes the work', async () => {
  const counting = new FaultyDisk();
  const { store: first, id } = await storeWith(counting, 'quarantined');
  counting.arm();
  await archiveIt(first, first.load(id));
  for (const moment of moments(counting.steps)) {
    const disk = new FaultyDisk();
    const { store } = await storeWith(disk, 'quarantined');
    const text = store.text('quarantine', id);
    disk.arm({ ...moment, how: 'die' });
    await archiveIt(store, store.load(id)).catch((error: unknown) => expect(error).toBeInstanceOf(Died));
    disk.arm();
    await store.reopen();
    await store.reconcile();
    const still = store.vault.load(id);
    if (still !== undefined) {
      expect(still.standing.tier).toBe('quarantined');
      await archiveIt(store, still);
    }
    expect(readFileSync(join(store.places.archive, '2026-03', `${id}.md`), 'utf8')).toBe(text);
    expect(store.trouble()).toBeUndefined();
  }
});

test('where the file cannot follow its record, nobody is told that nothing changed, and archiving again finishes it', async () => {
  const disk = new UnmovingDisk();
  const store = await TestStore.open({ disk });
  const id = await store.propose('the build');
  await store.decide('demote', id);
  disk.stuck = true;
  const refused = archiveIt(store, store.load(id));
  await expect(refused).rejects.toMatchObject({ code: 'unfinished' });
  await expect(refused).rejects.not.toThrow('Nothing was changed');
  expect(store.tier(id)).toBe('quarantined');
  disk.stuck = false;
  await archiveIt(store, store.load(id));
  expect(store.files('quarantine')).toEqual([]);
});

test('a yes to erase or to archive counts for the memory that was shown, and once', async () => {
  const store = await TestStore.open();
  const [one, other] = [await store.add('one'), await store.add('other')];
  const [shown, wrong] = [one, other].map((id) => erasable(store.vault, idOf(id), requestsIn(store)));
  if (shown === undefined || wrong === undefined) throw new Error('nothing found');
  await expect(erase(store.vault, wrong, requestsIn(store), yesToErase(shown))).rejects.toMatchObject({
    code: 'consent-mismatch',
  });
  const fake = { ...yesToErase(shown), spend: () => {} } as never;
  await expect(erase(store.vault, shown, requestsIn(store), fake)).rejects.toMatchObject({ code: 'needs-person' });
  const seen = store.load(one);
  await expect(archiveIt(store, seen)).rejects.toMatchObject({ code: 'not-allowed' });
  expect(store.files('memories')).toEqual(['user_one.md', 'user_other.md']);
  const used = yesToErase(shown);
  await erase(store.vault, shown, requestsIn(store), used);
  const gone = erasable(store.vault, idOf(one), requestsIn(store));
  await expect(erase(store.vault, gone, requestsIn(store), used)).rejects.toMatchObject({ code: 'consent-spent' });
});

test('a ledger line that names another memory’s text takes that memory’s copy away from nobody', async () => {
  const store = await TestStore.open();
  const [victim, id] = [await store.add('victim'), await store.add('build')];
  const digest = store.load(victim).digest ?? '';
  const copy = join(store.places.state, 'vouched', digest);
  expect(existsSync(copy)).toBe(true);
  // Whoever can write into ledger/ can state anything about any id; unsigned, it only cannot raise.
  const line = store.ledgerLines().find((each) => each.includes(`"id":"${id}"`)) ?? '';
  const forged = line.replace(/"digest":"[0-9a-f]{64}"/, `"digest":"${digest}"`);
  writeFileSync(join(store.places.ledger, `${'ab'.repeat(32)}.jsonl`), `${forged}\n`);
  await store.reconcile();
  expect(store.vault.evidence.of(id).some((s) => s.digest === digest)).toBe(true);
  expect(await eraseIt(store, id)).toEqual({ left: [] });
  expect(existsSync(copy)).toBe(true);
});
