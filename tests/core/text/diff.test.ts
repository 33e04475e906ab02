import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compare, compareWords, differs, onlyChanges } from '../../../src/core/text/diff.ts';
import { cpuTime } from '../../../testkit/cpu-time.ts';

describe('the difference by lines', () => {
  test('without the new lines it is the old text, and without the old lines the new text', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 });
    fc.assert(
      fc.property(lines, lines, (old, now) => {
        const compared = compare(old, now);
        expect(compared.filter(({ side }) => side !== 'new').map(({ text }) => text)).toEqual(old);
        expect(compared.filter(({ side }) => side !== 'old').map(({ text }) => text)).toEqual(now);
        expect(onlyChanges(compared).filter((each) => each !== undefined && differs(each))).toEqual(
          compared.filter(differs),
        );
      }),
    );
  });
});

describe('the difference by words', () => {
  const text = fc.array(fc.constantFrom('one', 'two', 'three', ' ', '. ', '\n', '⟨U+200B⟩', 'ü', ', '), {
    maxLength: 40,
  });

  test('both texts can be rebuilt from it', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const [old, now] = [before.join(''), after.join('')];
        const stretches = compareWords(old, now);
        const read = (side: 'old' | 'new') =>
          stretches.flatMap((each) => (each.side === 'both' || each.side === side ? [each.text] : [])).join('');
        expect(read('old')).toBe(old);
        expect(read('new')).toBe(now);
      }),
    );
  });

  test('one changed word is one change', () => {
    expect(compareWords('two cores are enough', 'three cores are enough')).toEqual([
      { side: 'old', text: 'two' },
      { side: 'new', text: 'three' },
      { side: 'both', text: ' cores are enough' },
    ]);
  });

  test('two texts of maximum length are compared quickly', () => {
    const long = (word: string) => `${word} a `.repeat(1250);
    expect(cpuTime(() => compareWords(long('x'), long('y')))).toBeLessThan(2_000);
  });
});
