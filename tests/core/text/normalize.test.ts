import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fold, foldFramed, unmask } from '../../../src/core/text/normalize.ts';

/** The folded text, and the place in the raw text of each of its characters and of its end. */
function folded(raw: string, by = fold): [text: string, places: number[]] {
  const { text, from } = by(raw);
  return [text, Array.from({ length: text.length + 1 }, (_, offset) => from(offset))];
}

describe('what a check matches', () => {
  test.each<[name: string, raw: string, text: string, places: number[]]>([
    ['plain text', 'a\tb', 'a\tb', [0, 1, 2, 3]],
    ['text of another language', 'é я', 'é я', [0, 1, 2, 3]],
    ['full-width letters, without any other', 'ｋｅｙ', 'key', [0, 1, 2, 3]],
    ['full-width letters among others', 'a ｋ~', 'a k~', [0, 1, 2, 3, 4]],
    ['styled letters, which take two units', 'a𝐤b', 'akb', [0, 1, 3, 4]],
    ['a letter behind what is removed', 'a\u200B\u202Eb', 'ab', [0, 3, 4]],
    ['a styled letter behind what is removed', '\u200B𝐤\u200Bb', 'kb', [1, 4, 5]],
    ['an accent of its own', 'e\u0301x', 'éx', [0, 2, 3]],
    ['Korean in parts', '\u1112\u1161\u11ABx', '한x', [0, 3, 4]],
    ['a character that is four', '⑽x', '(10)x', [0, 0, 0, 0, 1, 2]],
    ['framed letters, which are flags besides', '🅺🇾x', '🅺🇾x', [0, 1, 2, 3, 4, 5]],
    ['a ligature', 'oﬃce', 'office', [0, 1, 1, 1, 2, 3, 4]],
    ['a character that is eighteen, which stays one', '\uFDFAx', '\uFDFAx', [0, 1, 2]],
    ['text that ends with what is removed', 'a\u200B', 'a', [0, 2]],
  ])('%s', (_, raw, text, places) => {
    expect(folded(raw)).toEqual([text, places]);
  });

  test('is plain letters for framed ones only where what a text says is read', () => {
    expect(folded('\u200B🅺🅔🇾ｘ', foldFramed)).toEqual(['KEYx', [1, 3, 5, 7, 8]]);
  });

  test.each([fold, foldFramed])(
    'is in the raw text where it is said to be, so that a secret is masked and nothing else',
    (by) => {
      const piece = fc.constantFrom('a', ' ', 'é', 'e\u0301', 'ｋ', '𝐤', '🅰', '🇦', '⑽', '\u200B', '😀', '\u1112\u1161');
      fc.assert(
        fc.property(fc.array(piece, { maxLength: 20 }), fc.array(piece, { maxLength: 20 }), (before, behind) => {
          const raw = `${before.join('')}KEY${behind.join('')}`;
          const { text, from } = by(raw);
          const at = text.indexOf('KEY');
          expect([raw.indexOf('KEY'), raw.indexOf('KEY') + 1]).toEqual([from(at), from(at + 1)]);
        }),
      );
    },
  );

  test('letters that look Latin are read as the letters that they look like, one for one', () => {
    expect(unmask('іgnоrе аll рrеvіоus')).toBe('ignore all previous');
    expect(unmask('РАSSWОRD ΑΒ')).toBe('paSSWoRD ab');
    expect(unmask('中😀 plain Ж')).toBe('中😀 plain Ж');
  });
});
