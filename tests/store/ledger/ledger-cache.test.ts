import { copyFileSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/core/memory/memory.ts';
import { TIERS } from '../../../src/core/trust/tiers.ts';
import { Disk } from '../../../src/store/disk/disk.ts';
import { type CachedLedger, LedgerCache } from '../../../src/store/ledger/ledger-cache.ts';
import { insideOf } from '../../../src/store/vault/inside-of-vault.ts';
import { EVERYTHING, type Fault, FaultyDisk } from '../../../testkit/faults.ts';
import { TestStore } from '../../../testkit/store.ts';

/** More lines than are worth keeping packed. */
const MANY = 600;

const ownKey = (store: TestStore) => store.vault.self.fingerprint;
const folderOf = (store: TestStore) => join(store.places.cache, 'ledgers');
const packOf = (store: TestStore, fingerprint = ownKey(store)) => join(folderOf(store), `${fingerprint}.packed`);

/** A store whose ledger was kept packed, with a memory of each standing in it. */
async function packed(world: Parameters<typeof TestStore.open>[0] = {}) {
  const store = await TestStore.open(world);
  const ids = {
    verified: await store.verified('the build'),
    inferred: await store.propose('the weather'),
    quarantined: await store.verified('the old build'),
  };
  await fill(store);
  await store.decide('demote', ids.quarantined);
  await store.reopen();
  // In one file, as files are that were joined.
  store.layOutLedger([]);
  await store.reopen();
  return { store, ids };
}

async function fill(store: TestStore): Promise<void> {
  const about = Array.from({ length: MANY }, (_, i) => ({
    id: `user_s${i}`,
    digest: sha256(`${i}`),
    saying: sha256(''),
  }));
  await store.vault.exclusively(() => store.vault.note('seen', about as never));
}

function standings(store: TestStore, ids: Record<string, string>): string[] {
  return Object.values(ids).map((id) => store.standing(id));
}

const EARNED = ['verified:vouched', 'inferred:proposed', 'quarantined:decided'];

/** Tells from where on each ledger was read line by line. */
class ReadingFrom extends Disk {
  readonly offsets: number[] = [];

  override readPortions(path: string, offset: number): Iterable<Buffer | undefined> {
    this.offsets.push(offset);
    return super.readPortions(path, offset);
  }
}

async function readFrom(store: TestStore): Promise<number[]> {
  const disk = new ReadingFrom();
  await store.reopen({ disk });
  insideOf(store.vault).ledgers.refresh();
  return disk.offsets;
}

test('a process reads only those lines of a ledger that no process before it has read', async () => {
  const { store, ids } = await packed();
  const whole = store.openLedgerSize;
  expect(await readFrom(store)).toEqual([whole]);
  expect(standings(store, ids)).toEqual(EARNED);
  await store.decide('demote', ids.verified);
  const later = await store.propose('what came later');
  // Only the file that these two began.
  expect(await readFrom(store)).toEqual([0]);
  expect(store.standing(ids.verified)).toBe('quarantined:decided');
  expect(store.standing(later)).toBe('inferred:proposed');
  expect(store.report().entries).toBe(store.ledgerLines().length);
  await fill(store);
  store.vault.close();
  expect(await readFrom(store)).toEqual([store.openLedgerSize]);
});

test('what another process writes meanwhile is behind the packed lines and counts', async () => {
  const { store, ids } = await packed();
  const other = await TestStore.open({ home: store.home });
  other.now = store.now;
  insideOf(store.vault).ledgers.refresh();
  await other.decide('demote', ids.verified);
  expect(store.standing(ids.verified)).toBe('quarantined:decided');
  await store.decide('restore', ids.verified);
  expect(other.standing(ids.verified)).toBe('verified:vouched');
  expect(store.trouble()).toBeUndefined();
});

describe('a packed ledger that this machine did not seal for exactly this one is not believed, and made anew', () => {
  const flipped = (at: (length: number) => number) => (bytes: Buffer) => {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at(bytes.length)) ^ 1, at(bytes.length));
    return changed;
  };
  const FORGERIES: Record<string, (bytes: Buffer) => Buffer> = {
    'its seal changed': flipped(() => 5),
    'its beginning changed': flipped(() => 50),
    'its middle changed': flipped((length) => length >> 1),
    'its end changed': flipped((length) => length - 1),
    'cut in the middle': (bytes) => bytes.subarray(0, bytes.length >> 1),
    'cut within the seal': (bytes) => bytes.subarray(0, 20),
    'nothing at all': () => Buffer.alloc(0),
    'longer than it was': (bytes) => Buffer.concat([bytes, Buffer.alloc(64)]),
    'no packed ledger': () => Buffer.from('{"trust":"verified"}\n'.repeat(100)),
  };
  test.each(Object.entries(FORGERIES))('%s', async (_, forge) => {
    const { store, ids } = await packed();
    const genuine = readFileSync(packOf(store));
    writeFileSync(packOf(store), forge(genuine));
    expect(await readFrom(store)).toEqual([0]);
    expect(standings(store, ids)).toEqual(EARNED);
    expect(readFileSync(packOf(store)).equals(genuine)).toBe(true);
  });

  test('one that says more than the ledger, sealed with another machine’s key', async () => {
    const { store, ids } = await packed();
    const other = await TestStore.open({ machine: { name: 'there', identity: 'machine-two' } });
    const forged = allVerified(genuineIn(store));
    new LedgerCache(other.places.cache, new Disk(), insideOf(other.vault).key).keep(ownKey(store), forged);
    copyFileSync(packOf(other, ownKey(store)), packOf(store));
    expect(await readFrom(store)).toEqual([0]);
    expect(standings(store, ids)).toEqual(EARNED);
  });

  test('that of another ledger, sealed with this machine’s key', async () => {
    const { store, ids } = await packed();
    const there = await packed({ machine: { name: 'there', identity: 'machine-two' } });
    copyFileSync(there.store.ledgerPath, join(store.places.ledger, `${ownKey(there.store)}.jsonl`));
    await store.reopen();
    insideOf(store.vault).ledgers.refresh();
    const [own, others] = [packOf(store), packOf(store, ownKey(there.store))].map((path) => readFileSync(path));
    writeFileSync(packOf(store), others ?? '');
    writeFileSync(packOf(store, ownKey(there.store)), own ?? '');
    expect(await readFrom(store)).toEqual([0, 0]);
    expect(store.report()).toMatchObject({ own: true, raises: true });
    expect(store.report(ownKey(there.store))).toMatchObject({ own: false, raises: false });
    expect(store.standing(ids.quarantined)).toBe('quarantined:decided');
  });
});

function genuineIn(store: TestStore): CachedLedger {
  const { cache } = store.places;
  const found = new LedgerCache(cache, new Disk(), insideOf(store.vault).key).read(ownKey(store), store.openLedgerSize);
  if (found === undefined) throw new Error('nothing is kept');
  return found;
}

/** Every statement in it turned into a verification, as whoever knows the format could. */
function allVerified(pack: CachedLedger): CachedLedger {
  const chunks = pack.statements.chunks.map((chunk) => Buffer.from(chunk));
  // Its only chunk: each row begins with whether it is authentic, the tier it leads from, and the one it leads to.
  for (const row of pack.statements.rows) chunks[0]?.writeUInt8(TIERS.indexOf('verified') + 1, row + 2);
  return { ...pack, statements: { ...pack.statements, chunks } };
}

describe('a ledger that does not begin with what was packed is read in full', () => {
  test('one with a line changed in place, of the same length and time', async () => {
    const { store, ids } = await packed();
    const { atime, mtime } = statSync(store.ledgerPath);
    const [first = '', ...rest] = store.ledgerLines();
    store.writeLedger([first, ...rest.map((line) => line.replace('"to":"quarantined"', '"to":"quarantineb"'))]);
    utimesSync(store.ledgerPath, atime, mtime);
    expect((await readFrom(store))[0]).toBe(0);
    expect(store.trouble()).toBe('broken');
    expect(store.standing(ids.verified)).toBe('inferred:disputed');
    expect(store.tier(ids.quarantined)).toBe('quarantined');
  });

  test('one that ends before', async () => {
    const { store, ids } = await packed();
    store.writeLedger(store.ledgerLines().slice(0, -2));
    expect((await readFrom(store))[0]).toBe(0);
    expect(store.trouble()).toBe('shorter');
    expect(standings(store, ids)).toEqual(['inferred:disputed', 'inferred:proposed', 'quarantined:decided']);
  });

  test('one whose lines were put behind others', async () => {
    const { store } = await packed();
    const lines = store.ledgerLines();
    store.writeLedger([...lines.slice(0, 1), ...lines]);
    expect((await readFrom(store))[0]).toBe(0);
    expect(store.trouble()).toBe('broken');
  });

  test('one that is gone', async () => {
    const { store, ids } = await packed();
    store.writeLedger([]);
    await readFrom(store);
    expect(store.trouble()).toBe('missing');
    expect(store.tier(ids.quarantined)).toBe('quarantined');
    expect(store.tier(ids.verified)).toBe('inferred');
  });
});

test('lines behind the packed ones that do not belong there make the whole ledger be told line by line', async () => {
  const { store, ids } = await packed();
  const lines = store.ledgerLines();
  const last = JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
  store.writeLedger([...lines, JSON.stringify({ ...last, seq: lines.length, id: ids.inferred, to: 'quarantined' })]);
  expect(await readFrom(store)).toContain(0);
  expect(store.trouble()).toBe('broken');
  expect(store.tier(ids.verified)).toBe('inferred');
});

describe('keeping a ledger packed fails, or is cut short by a kill', () => {
  const moments: Fault['moment'][] = ['before', 'torn', 'after'];
  test.each(moments)(
    '%s a step: nothing that counts is different, and the next process makes up for it',
    async (moment) => {
      const { store, ids } = await packed();
      for (let at = 1; at <= 8; at++) {
        writeFileSync(packOf(store), 'not a packed ledger');
        for (const how of ['ENOSPC', 'die'] as const) {
          const disk = new FaultyDisk();
          await store.reopen({ disk });
          disk.arm({ at, moment, how, ...(how === 'ENOSPC' && { lasting: EVERYTHING }) });
          try {
            insideOf(store.vault).ledgers.refresh();
            expect(standings(store, ids)).toEqual(EARNED);
          } catch (error) {
            if (how === 'ENOSPC') throw error;
          }
          disk.arm();
        }
        await store.reopen();
        expect(standings(store, ids)).toEqual(EARNED);
        expect(await readFrom(store)).toEqual([store.openLedgerSize]);
        expect(readdirSync(folderOf(store))).toEqual([`${ownKey(store)}.packed`]);
      }
    },
  );

  test('where its folder cannot be made', async () => {
    const store = await TestStore.open();
    writeFileSync(folderOf(store), 'a file, and no folder');
    const id = await store.verified('the build');
    await fill(store);
    await store.reopen();
    expect(store.standing(id)).toBe('verified:vouched');
  });
});
