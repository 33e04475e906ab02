import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Evidence } from '../../../src/core/ledger/evidence.ts';
import { keyOf } from '../../../src/core/ledger/hash-index.ts';
import { Statements } from '../../../src/core/ledger/packed-statements.ts';
import type { LedgerFace, Statement } from '../../../src/core/ledger/statement.ts';
import { sha256 } from '../../../src/core/memory/memory.ts';
import { ACTORS, TIERS } from '../../../src/core/trust/tiers.ts';

const SHA = fc.array(fc.nat(255), { minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const TEXT = fc.oneof(
  SHA,
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', '\ud800', 'F'.repeat(64), 'x'.repeat(251), 'x'.repeat(252), 'ж'.repeat(300)),
);
/** So late that nothing is ahead of it. */
const ALWAYS = () => Number.POSITIVE_INFINITY;
const TIER = fc.constantFrom(...TIERS, null);

const statement: fc.Arbitrary<Omit<Statement, 'ledger'>> = fc.record({
  hash: TEXT,
  authentic: fc.boolean(),
  line: fc.constant(0),
  at: fc.double({ noNaN: true }),
  clock: fc.double({ noNaN: true }),
  store: fc.constantFrom(null, 'a'.repeat(32), 'b'.repeat(32)),
  action: fc.constantFrom('propose', 'seen', 'something new'),
  actor: fc.constantFrom(...ACTORS),
  level: fc.constantFrom(0, 1, 3, 2.5, -1),
  channel: fc.constantFrom('page', 'tool', undefined),
  id: TEXT,
  from: TIER,
  to: TIER,
  rules: TEXT,
  digest: fc.option(TEXT),
  saying: fc.option(TEXT),
  was: fc.option(TEXT),
  settled: fc.array(TEXT, { maxLength: 3 }),
  replaces: fc.option(TEXT),
  after: fc.oneof(fc.array(SHA, { maxLength: 3 }), fc.constant(Array.from({ length: 300 }, () => 'a'.repeat(64)))),
  passkeys: fc.option(fc.constant({ credential: 'one', ledgers: [['a'.repeat(64), 3, 'b'.repeat(64)]] as const })),
  assertion: fc.option(
    fc.constant({ credential: 'a', authenticatorData: 'b', clientDataJSON: 'c', signature: 'd', nonce: 'e' }),
  ),
});

test('a statement comes out of a packed ledger as it went in', () => {
  const ledger: LedgerFace = { fingerprint: 'here', raises: true };
  fc.assert(
    fc.property(fc.array(statement, { maxLength: 20 }), (some) => {
      const packed = new Statements(ledger);
      for (const [line, each] of some.entries()) packed.add({ ...each, line });
      expect([packed.count, packed.rows]).toEqual([some.length, some.length]);
      for (const [row, each] of some.entries()) {
        expect(packed.at(row)).toEqual({ ...each, line: row, ledger });
        expect([packed.idAt(row), packed.rowHashAt(row), packed.hashAt(row)]).toEqual([each.id, each.hash, each.hash]);
        expect([packed.idKeyAt(row), packed.hashKeyAt(row)]).toEqual([keyOf(each.id), keyOf(each.hash)]);
      }
    }),
  );
});

test('a packed ledger that was kept elsewhere states the same, and goes on where it ended', () => {
  const ledger: LedgerFace = { fingerprint: 'here', raises: true };
  const long = statement.map((each) => ({ ...each, id: 'x'.repeat(300_000), after: [] }));
  const some = fc.array(fc.oneof({ weight: 20, arbitrary: statement }, long), { maxLength: 20 });
  fc.assert(
    fc.property(some, some, some, (first, second, third) => {
      let packed = new Statements(ledger);
      for (const more of [first, second, third]) {
        for (const each of more) packed.add({ ...each, line: packed.count });
        const { commons, rows, chunks } = packed.packed();
        const told = JSON.parse(JSON.stringify(commons)) as typeof commons;
        packed = Statements.unpacked(ledger, {
          commons: told,
          rows: rows.slice(),
          chunks: chunks.map((chunk) => Buffer.from(chunk)),
        });
      }
      const all = [...first, ...second, ...third];
      expect(packed.count).toBe(all.length);
      for (const [row, each] of all.entries()) expect(packed.at(row)).toEqual({ ...each, line: row, ledger });
    }),
  );
});

test('entries are counted apart from rows, of which an entry about many memories has many', () => {
  const [one] = fc.sample(statement, { numRuns: 1, seed: 3 });
  if (one === undefined) throw new Error('there is one');
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 30 }), (sizes) => {
      const packed = new Statements({ fingerprint: 'here', raises: true });
      for (const [line, size] of sizes.entries())
        for (let i = 0; i < size; i++) packed.add({ ...one, line, hash: `hash ${line}`, id: `${line} ${i}` });
      expect([packed.count, packed.rows]).toEqual([sizes.length, sizes.reduce((sum, size) => sum + size, 0)]);
      for (const line of sizes.keys()) expect(packed.hashAt(line)).toBe(`hash ${line}`);
      for (const line of [-1, sizes.length]) expect(packed.hashAt(line)).toBeUndefined();
      const evidence = new Evidence(ALWAYS);
      evidence.take(packed);
      for (const [line, size] of sizes.entries())
        for (let i = 0; i < size; i++) expect(evidence.of(`${line} ${i}`)).toHaveLength(1);
    }),
  );
});

test('rows larger than a chunk, and those behind them, keep their place', () => {
  const [one] = fc.sample(statement, { numRuns: 1, seed: 1 });
  if (one === undefined) throw new Error('there is one');
  const packed = new Statements({ fingerprint: 'here', raises: true });
  const ids = [
    'a',
    'b'.repeat(300_000),
    'c',
    'д'.repeat(200_000),
    'e',
    ...Array.from({ length: 5_000 }, (_, i) => `f${i}`),
  ];
  for (const id of ids) packed.add({ ...one, id, after: [] });
  expect(ids.every((id, row) => packed.idAt(row) === id && packed.at(row).id === id)).toBe(true);
});

/** The rule as it is written down in the docs, over a plain list: a line counts once, as its author's. */
function plainly(statements: readonly Statement[]): Statement[] {
  let kept: Statement[] = [];
  for (const s of statements) {
    const same = kept.filter(({ hash }) => hash === s.hash);
    const original = same.find(({ authentic }) => authentic);
    const known = s.authentic ? original : same.find(({ ledger }) => ledger.fingerprint === s.ledger.fingerprint);
    if (original !== undefined && !s.authentic) continue;
    if (known !== undefined && (known.ledger.raises || !s.ledger.raises)) continue;
    kept = [...kept.filter((other) => other !== known && !(s.authentic && same.includes(other))), s];
  }
  return kept;
}

test('evidence answers as a plain list of statements would, however lines are repeated among ledgers', () => {
  const faces: LedgerFace[] = [
    { fingerprint: 'here', raises: true },
    { fingerprint: 'here', raises: false },
    { fingerprint: 'friend', raises: true },
    { fingerprint: 'stranger', raises: false },
  ];
  const line = fc.record({ face: fc.nat(faces.length - 1), hash: fc.nat(4), authentic: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 30 }),
      fc.array(statement, { minLength: 1, maxLength: 1 }),
      (lines, [one]) => {
        if (one === undefined) return;
        const packs = faces.map((face) => new Statements(face));
        const evidence = new Evidence(ALWAYS);
        const taken: Statement[] = [];
        for (const { face, hash, authentic } of lines) {
          // The hash is that of the line, so lines with the same one say the same.
          const said = { ...one, hash: `hash ${hash}`, id: `id ${hash % 3}`, authentic };
          const [ledger, pack] = [faces[face], packs[face]];
          if (ledger === undefined || pack === undefined) continue;
          pack.add(said);
          evidence.take(pack);
          taken.push({ ...said, ledger });
        }
        const expected = plainly(taken);
        for (const id of ['id 0', 'id 1', 'id 2']) {
          expect(evidence.of(id)).toEqual(expected.filter((s) => s.id === id));
          expect(evidence.knows(id)).toBe(expected.some((s) => s.id === id));
        }
      },
    ),
  );
});

test('twenty thousand lines on one id are taken in one by one, not each against all others', () => {
  const [one] = fc.sample(statement, { numRuns: 1, seed: 2 });
  if (one === undefined) throw new Error('there is one');
  const pack = new Statements({ fingerprint: 'here', raises: true });
  const evidence = new Evidence(ALWAYS);
  for (let at = 0; at < 20_000; at++) {
    pack.add({ ...one, id: 'user_one', hash: sha256(String(at)), after: [], to: 'inferred', at });
    evidence.take(pack);
  }
  expect(evidence.of('user_one')).toHaveLength(20_000);
  expect(evidence.firstSeen('user_one', String(one.digest))).toBe(one.digest === null ? undefined : 0);
});
