import { describe, expect, test } from 'vitest';
import { PACKING, type Packed, Statements } from '../../../src/core/ledger/packed-statements.ts';
import type { LedgerTrust, Statement } from '../../../src/core/ledger/statement.ts';
import { ACTORS, TIERS } from '../../../src/core/trust/tiers.ts';

const HERE: LedgerTrust = { fingerprint: 'here', raises: true };
const CHUNK = 2 ** 18;
const [HASH, DIGEST] = ['ab'.repeat(32), 'cd'.repeat(32)];

/** A promotion; each test changes what it is about. */
function says(changes: Partial<Statement> = {}): Omit<Statement, 'ledger'> {
  return {
    ...{ hash: HASH, authentic: false, line: 0, at: 1_000, clock: 2_000, store: null },
    ...{ action: 'promote', actor: 'operator', level: 3, channel: 'page', id: 'user_build' },
    ...{ from: 'inferred', to: 'verified', rules: 'r', digest: DIGEST, saying: null, was: null },
    ...{ settled: [], replaces: null, after: [], passkeys: null, assertion: null },
    ...changes,
  };
}

/** A ledger of these entries, one row each. */
function ledgerOf(...entries: readonly Partial<Statement>[]): Statements {
  const ledger = new Statements(HERE);
  for (const [line, entry] of entries.entries()) ledger.add(says({ line, ...entry }));
  return ledger;
}

/** What is read of a cache. */
function kept(ledger: Statements): Packed {
  const { commons, rows, idKeys, hashKeys, chunks } = ledger.packed();
  return {
    commons: structuredClone(commons),
    rows: rows.slice(),
    idKeys: idKeys.slice(),
    hashKeys: hashKeys.slice(),
    chunks: chunks.map((chunk) => Buffer.from(chunk)),
  };
}

const bytesOf = (ledger: Statements) => ledger.packed().chunks.reduce((sum, { length }) => sum + length, 0);

describe('a row', () => {
  // A header, an id, two hashes in binary, four texts that are missing and two empty lists.
  const ROW = 28 + (1 + 'user_build'.length) + 2 * 33 + 4 + 2;

  test('takes only the room of its parts, and nothing else is kept in the cache', () => {
    expect(bytesOf(ledgerOf({}))).toBe(ROW);
    expect(bytesOf(ledgerOf({}, {}))).toBe(2 * ROW);
    const long = { id: 'x'.repeat(CHUNK) };
    expect(ledgerOf(long, {}).packed().chunks).toHaveLength(2);
    expect(ledgerOf(long, {}).packed().chunks.at(-1)).toHaveLength(ROW);
  });

  test('takes no more room for an assertion than its parts have characters', () => {
    const assertion = {
      ...{ credential: 'cre-d_1', authenticatorData: 'a7', clientDataJSON: '', signature: 'xy-_', nonce: 'no' },
    };
    expect(bytesOf(ledgerOf({ assertion }))).toBe(ROW + Object.values(assertion).join('.').length);
    expect(ledgerOf({ assertion }).at(0).assertion).toEqual(assertion);
  });

  test.each(['x.y', 'ü', ' ', '{', '"'])('has an assertion as it was written, also with %j in any part', (odd) => {
    const plain = { credential: 'c', authenticatorData: 'a', clientDataJSON: 'd', signature: 's', nonce: 'n' };
    for (const part of Object.keys(plain)) {
      const assertion = { ...plain, [part]: odd };
      expect(ledgerOf({ assertion }).at(0)).toMatchObject({ assertion, passkeys: null });
    }
  });

  test('may need all the room that is asked for', () => {
    const wide = (length: number) => 'ж'.repeat(length);
    const many = Array.from({ length: 300 }, () => wide(500));
    const entry = {
      ...{ id: wide(9), hash: wide(9), digest: wide(9), saying: wide(9), replaces: wide(9), was: wide(9) },
      ...{ settled: many, after: many },
    };
    expect(ledgerOf(entry).at(0)).toMatchObject(entry);
  });

  test('that ends where a chunk of the usual size does is followed by another', () => {
    const id = 'x'.repeat(CHUNK - bytesOf(ledgerOf({ id: 'x'.repeat(300) })) + 300);
    const ledger = ledgerOf({ id }, { id: 'next' });
    expect(ledgerOf({ id }).packed().chunks).toMatchObject([{ length: CHUNK }]);
    expect([ledger.idAt(0) === id, ledger.idAt(1)]).toEqual([true, 'next']);
  });

  test('that is larger than a chunk is still whole after it was kept twice', () => {
    const id = 'x'.repeat(CHUNK + 5_000);
    const once = Statements.unpacked(HERE, kept(ledgerOf({ id })));
    const twice = Statements.unpacked(HERE, kept(once));
    twice.add(says({ line: 1, id: 'next' }));
    expect([twice.idAt(0) === id, twice.at(0).digest, twice.idAt(1)]).toEqual([true, DIGEST, 'next']);
  });

  test('of an actor that this version does not know is an agent’s, which raises nothing', () => {
    const packed = kept(ledgerOf({}));
    const chunk = packed.chunks[0] as Buffer;
    expect(Statements.unpacked(HERE, packed).at(0).actor).toBe('operator');
    chunk[3] = ACTORS.length;
    expect(Statements.unpacked(HERE, packed).at(0).actor).toBe('agent');
  });

  test.each<[string, Partial<Statement>]>([
    ['action', { action: 'adopt' }],
    ['level', { level: 1 }],
    ['channel', { channel: 'dialog' }],
    ['rules', { rules: 's' }],
    ['store', { store: 'a'.repeat(32) }],
  ])('has its own %s where the row before has another', (_, changes) => {
    const ledger = ledgerOf({}, changes, changes, {});
    for (const [line, own] of [{}, changes, changes, {}].entries())
      expect(ledger.at(line)).toMatchObject(says({ line, ...own }));
    // Each combination is kept once.
    expect(ledger.packed().commons).toHaveLength(2);
  });

  test('says whether it decides, quarantines, verifies, and what was there before', () => {
    const ledger = ledgerOf(
      { to: null, from: null, was: null },
      { to: 'quarantined', was: 'before', saying: 's' },
      { to: 'inferred', was: DIGEST, replaces: 'user_other' },
      { to: 'verified', at: 5 },
    );
    const rows = [0, 1, 2, 3];
    expect(rows.map((row) => ledger.decidesAt(row))).toEqual([false, true, true, true]);
    expect(rows.map((row) => ledger.quarantinesAt(row))).toEqual([false, true, false, false]);
    expect(rows.map((row) => ledger.sayingQuarantinedAt(row))).toEqual([null, 's', null, null]);
    expect(rows.map((row) => ledger.wasAt(row))).toEqual([null, 'before', DIGEST, null]);
    expect(rows.map((row) => ledger.verifiesAt(row))).toEqual([false, false, false, true]);
  });
});

describe('a ledger', () => {
  test('says which of its entries can raise something', () => {
    const ledger = ledgerOf(
      { action: 'propose', from: null, to: 'inferred' },
      {},
      { action: 'seen', to: null },
      { action: 'trusted', to: null },
      { action: 'seen', to: null },
    );
    // An entry about many memories has a row for each.
    ledger.add(says({ line: 4, action: 'seen', to: null, id: 'user_other' }));
    ledger.add(says({ line: 5, action: 'restore' }));
    const lines = [-1, 0, 1, 2, 3, 4, 5, 6];
    expect(lines.map((line) => ledger.canRaiseAt(line))).toEqual([false, false, true, false, true, false, true, false]);
  });

  test('without entries has no hash, no time and no store, and raises nothing', () => {
    const empty = ledgerOf();
    expect([empty.count, empty.hashAt(0), empty.canRaiseAt(0), empty.lastTimes(), empty.firstNamed()]).toEqual([
      0,
      undefined,
      false,
      undefined,
      undefined,
    ]);
  });

  test('has the time and the clock of its last entry', () => {
    expect(ledgerOf({}, { at: 7, clock: 3 }).lastTimes()).toEqual({ at: 7, clock: 3 });
    expect(ledgerOf({ at: 7, clock: 3 }, {}).lastTimes()).toEqual({ at: 1_000, clock: 2_000 });
  });

  test('is bound to a store only by the first entry that names one, if that is the record of the store', () => {
    const [store, id] = ['a'.repeat(32), 'b'.repeat(32)];
    const record: Partial<Statement> = { action: 'store', id, store, to: null };
    expect(ledgerOf({}, {}).firstNamed()).toBeUndefined();
    expect(ledgerOf({}, {}, record, { store }).firstNamed()).toEqual({ line: 2, binds: id });
    expect(ledgerOf({}, { store }, record).firstNamed()).toEqual({ line: 1, binds: undefined });
    expect(ledgerOf(record).firstNamed()).toEqual({ line: 0, binds: id });
  });
});

test('the packing names the tiers and actors, so that a cache with other numbers for them is not read', () => {
  expect(JSON.parse(PACKING)).toEqual([expect.any(Number), TIERS, ACTORS]);
});
