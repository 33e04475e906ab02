import fc from 'fast-check';
import { expect, test } from 'vitest';
import { traitsOf } from '../../../src/core/search/minhash.ts';
import { imprintOf } from '../../../src/core/search/term-vector.ts';

const traits = (body: string, name = '') => traitsOf(imprintOf({ name, about: '', body }).imprint);
const share = (one: readonly number[], other: readonly number[]) => one.some((trait) => other.includes(trait));
const word = fc.integer({ min: 0, max: 5_000 }).map((n) => `w${n.toString(36)}q`);
const words = (least: number, most: number) => fc.uniqueArray(word, { minLength: least, maxLength: most });

test('the same words have the same traits in any order, however often and with whatever small words between them', () => {
  fc.assert(
    fc.property(words(1, 40), (all) => {
      const again = [...all].reverse().map((each) => `the ${each} and`);
      expect(traits([...again, ...all].join(' '))).toEqual(traits(all.join(' ')));
    }),
  );
});

test('names that share more than half of their words share a trait', () => {
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

test('a text of which a tenth was changed shares a trait with what it was, and unlike ones hardly ever do', () => {
  const text = (from: number) => Array.from({ length: 30 }, (_, at) => `w${((from + at) * 7919) % 100_003}q`);
  const all = Array.from({ length: 300 }, (_, at) => text(at * 30));
  const missed = all.filter((each, at) => {
    const edited = each.map((one, place) => (place % 10 === at % 10 ? `other${at}z${place}` : one));
    return !share(traits(each.join(' ')), traits(edited.join(' ')));
  });
  const confused = all.slice(1).filter((each, at) => share(traits(each.join(' ')), traits(all[at]?.join(' ') ?? '')));
  expect([missed.length, confused.length]).toEqual([0, 0]);
});

test('a text of small words only, or of none, has no traits', () => {
  expect([traits(''), traits('it is what it is')]).toEqual([[], []]);
});
