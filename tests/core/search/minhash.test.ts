import fc from 'fast-check';
import { expect, test } from 'vitest';
import { minHashesOf } from '../../../src/core/search/minhash.ts';
import { termVectorOf } from '../../../src/core/search/term-vector.ts';

const traits = (body: string, name = '') => minHashesOf(termVectorOf({ name, about: '', body }).vector);
const share = (one: readonly number[], other: readonly number[]) => one.some((trait) => other.includes(trait));
const word = fc.integer({ min: 0, max: 5_000 }).map((n) => `w${n.toString(36)}q`);
const words = (least: number, most: number) => fc.uniqueArray(word, { minLength: least, maxLength: most });

test('the same words give the same hashes, in any order and number and with any stop words between', () => {
  fc.assert(
    fc.property(words(1, 40), (all) => {
      const again = [...all].reverse().map((each) => `the ${each} and`);
      expect(traits([...again, ...all].join(' '))).toEqual(traits(all.join(' ')));
    }),
  );
});

test('names that share more than half of their words share a hash', () => {
  fc.assert(
    fc.property(words(1, 4), words(0, 3), words(0, 3), (shared, mine, theirs) => {
      const one = [...new Set([...shared, ...mine])];
      const other = [...new Set([...theirs, ...shared])];
      const common = one.filter((each) => other.includes(each)).length;
      fc.pre(common * 2 > Math.max(one.length, other.length) && Math.max(one.length, other.length) <= 4);
      expect(share(traits('', one.join(' ')), traits('', other.join(' ')))).toBe(true);
    }),
  );
});

test('a text with a tenth changed shares a hash with its former version, and unlike texts hardly ever do', () => {
  const text = (from: number) => Array.from({ length: 30 }, (_, at) => `w${((from + at) * 7919) % 100_003}q`);
  const all = Array.from({ length: 300 }, (_, at) => text(at * 30));
  const missed = all.filter((each, at) => {
    const edited = each.map((one, place) => (place % 10 === at % 10 ? `other${at}z${place}` : one));
    return !share(traits(each.join(' ')), traits(edited.join(' ')));
  });
  const confused = all.slice(1).filter((each, at) => share(traits(each.join(' ')), traits(all[at]?.join(' ') ?? '')));
  expect([missed.length, confused.length]).toEqual([0, 0]);
});

test('a text without words, or of stop words only, has no hashes', () => {
  expect([traits(''), traits('it is what it is')]).toEqual([[], []]);
});
