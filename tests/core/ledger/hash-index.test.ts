import { describe, expect, test } from 'vitest';
import { grown, HashIndex, KeySet, keyOf } from '../../../src/core/ledger/hash-index.ts';

/** FNV-1a as its authors write it, with numbers of any size. */
function fnv(text: string): number {
  let key = 0x811c9dc5n;
  for (const char of text) key = ((key ^ BigInt(char.charCodeAt(0))) * 0x01000193n) & 0xffffffffn;
  return Number(key);
}

describe('a key', () => {
  test('is the one that kept ledgers were written with', () => {
    expect(keyOf('')).toBe(0x811c9dc5);
    expect(keyOf('a')).toBe(0xe40c292c);
    expect(keyOf('foobar')).toBe(0xbf9cf968);
  });

  test('of a hash is its beginning, and only of 64 characters that begin like one', () => {
    expect(keyOf(`fedcba98${'0'.repeat(56)}`)).toBe(0xfedcba98);
    for (const text of ['z'.repeat(64), 'a'.repeat(63), 'a'.repeat(65)]) expect(keyOf(text)).toBe(fnv(text));
  });
});

describe('a hash index', () => {
  /** Many numbers, three to a key, and keys that share a bucket. */
  const added = Array.from({ length: 1_000 }, (_, i) => ({ key: (i % 334) * 64 + (i % 2), number: i + 5 }));
  const wanted = (key: number) => added.filter((each) => each.key === key).map(({ number }) => number);

  test.each([
    ['one by one', 0],
    ['with room for all', 1_000],
    ['with room for some', 70],
  ])('finds every number again in the order it was added, %s', (_, room) => {
    const index = new HashIndex();
    index.expect(room);
    for (const { key, number } of added) index.add(key, number);
    index.expect(room);
    for (const { key } of added) expect([index.has(key), index.of(key)]).toEqual([true, wanted(key)]);
  });

  test('finds nothing under a key that was not added, also where another shares its bucket', () => {
    const index = new HashIndex();
    expect(index.of(0)).toEqual([]);
    index.add(64, 1);
    expect([index.of(0), index.of(64), index.of(128)]).toEqual([[], [1], []]);
    index.add(192, 2);
    expect([0, 64, 128, 192].map((key) => index.has(key))).toEqual([false, true, false, true]);
  });

  test('is empty until something is added', () => {
    const index = new HashIndex();
    expect([index.isEmpty, index.has(0)]).toEqual([true, false]);
    index.add(0, 0);
    expect([index.isEmpty, index.has(0)]).toEqual([false, true]);
  });

  test('keeps a full set of 64 and the next', () => {
    const index = new HashIndex();
    for (let number = 0; number < 65; number++) index.add(7, number);
    expect(index.of(7)).toEqual(Array.from({ length: 65 }, (_, number) => number));
  });
});

test('a list that has grown is twice as long and begins as before', () => {
  expect([...grown(Uint32Array.of(3, 1, 2))]).toEqual([3, 1, 2, 0, 0, 0]);
});

describe('a set of keys', () => {
  /** In no order, every third key twice, the largest key among them. */
  const added = Array.from({ length: 1_000 }, (_, i) => (Math.imul(i - (i % 3 === 2 ? 1 : 0), 0x9e3779b1) - 1) >>> 0);

  test('has what was added to it and nothing else, also between additions', () => {
    const [keys, wanted] = [new KeySet(), new Set<number>()];
    expect(keys.has(0)).toBe(false);
    for (const key of added) {
      keys.add(key);
      wanted.add(key);
      for (const asked of [key, key + 1, key - 1, 0]) expect(keys.has(asked)).toBe(wanted.has(asked));
    }
    for (const key of added) expect(keys.has(key)).toBe(true);
    expect(wanted).toContain(0xffffffff);
  });
});
