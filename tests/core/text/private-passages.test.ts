import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dropPrivate } from '../../../src/core/text/private-passages.ts';

test.each<[name: string, text: string, left: string, dropped: number]>([
  ['P01 simple', 'a <private>x</private> b', 'a  b', 1],
  ['P01 with an attribute', 'a <private reason="y" z>x</private> b', 'a  b', 1],
  ['P01 nested', 'a <private>x <private>y</private> z</private> b', 'a  b', 1],
  ['P01 unclosed', 'a <private>x and the rest\nof it', 'a ', 1],
  ['P01 nested and unclosed', 'a <private>x <private>y</private> z b', 'a ', 1],
  ['P01 upper case', 'a <PRIVATE>x</Private> b', 'a  b', 1],
  ['two elements', 'a <private>x</private> b <private>y</private> c', 'a  b  c', 2],
  ['words are kept apart', 'a<private>x</private>b', 'a b', 1],
  ['words are kept apart, with spaces before them', 'a b<private>x</private>c', 'a b c', 1],
  ['words are kept apart, with spaces behind them', 'a<private>x</private>b c', 'a b c', 1],
  ['at the beginning', '<private>x</private>b', 'b', 1],
  ['at the end', 'a<private>x</private>', 'a', 1],
  ['the whole text', '<private>x</private>', '', 1],
  ['an opening tag without its end', 'a <private x', 'a ', 1],
  ['a closing tag without its end', 'a <private>x</private b', 'a ', 1],
  ['a closing tag alone', 'a </private> b', 'a </private> b', 0],
  ['a closing tag before an element', 'a </private> b <private>x</private> c', 'a </private> b  c', 1],
  ['zero-width characters inside the tag', 'a <pri\u200Bvate>x</private> b', 'a  b', 1],
  ['full-width letters', 'a ＜ｐｒｉｖａｔｅ＞x＜/private＞ b', 'a  b', 1],
  ['look-alike letters', 'a <рrіvаtе>x</private> b', 'a  b', 1],
  ['spaces in the tag', 'a < private >x</ private > b', 'a  b', 1],
  ['an element inside a tag', 'a <pri<private>x</private>vate>y', 'a <pri vate>y', 1],
  ['what is left cannot be a tag', 'a <<private>x</private>private>y', 'a ', 2],
  ['other elements', '<privately> and <private-x> and private', '<privately> and <private-x> and private', 0],
])('%s', (_, text, left, dropped) => {
  expect(dropPrivate(text)).toEqual({ text: left, dropped });
});

test('a text that takes more than five passes is cut at its first tag', () => {
  /** Each element is between the two halves of another tag, which is one only once it is gone. */
  const nested = (levels: number): string =>
    levels === 0 ? '<private>x</private>' : `<${nested(levels - 1)}private>y</private>`;
  expect(dropPrivate(`a ${nested(3)} b`)).toEqual({ text: 'a  b', dropped: 4 });
  expect(dropPrivate(`a ${nested(4)} b`)).toEqual({ text: 'a ', dropped: 5 });
  expect(dropPrivate(`a ${nested(6)} b`)).toEqual({ text: 'a <<', dropped: 5 });
});

test('nothing private is left, however tags are nested', () => {
  const piece = fc.constantFrom(
    '<private>',
    '</private>',
    '<',
    'private',
    '>',
    '</',
    'pri',
    'vate',
    ' ',
    'x',
    '\u200B',
    'Ｐ',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const { text } = dropPrivate(pieces.join(''));
      expect(dropPrivate(text)).toEqual({ text, dropped: 0 });
      expect(text).not.toMatch(/<private>/i);
    }),
    { numRuns: 2000 },
  );
});

test('a text without private parts is unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      fc.pre(!/private/i.test(text.normalize('NFKC')));
      expect(dropPrivate(text)).toEqual({ text, dropped: 0 });
    }),
  );
});
