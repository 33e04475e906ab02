import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { columnsOf } from '../../../src/core/text/display-width.ts';
import { sanitize } from '../../../src/core/text/safe-text.ts';

/** No code point has more than two columns, so those that have two need no comparison, which saves most of the time. */
const MOST = 2;
/** Surrogates and private-use characters never reach a terminal: the sanitizer replaces them by U+FFFD. */
const REPLACED = /^[\p{Cs}\p{Co}]$/u;

test('no code point is counted narrower than string-width counts it', () => {
  const smaller: string[] = [];
  for (let point = 0; point <= 0x10ffff; point++) {
    const char = String.fromCodePoint(point);
    const columns = columnsOf(char);
    if (columns < MOST && !REPLACED.test(char) && columns < stringWidth(char)) smaller.push(point.toString(16));
  }
  expect(smaller).toEqual([]);
});

test('no text is counted narrower than string-width counts it', () => {
  const unit = fc.oneof(
    fc.integer({ min: 0x20, max: 0x10ffff }).map((point) => sanitize(String.fromCodePoint(point), 'body').toString()),
    fc.constantFrom(
      '\u0301',
      '\u200D',
      '\uFE0F',
      '\u{1F468}',
      '\u{1F3FD}',
      '\u1100',
      '\u1161',
      '\u11A8',
      '\uFF9E',
      '#\uFE0F\u20E3',
      '\u0C3F',
      '\u{1F1E9}',
    ),
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
      const text = units.join('');
      expect(columnsOf(text)).toBeGreaterThanOrEqual(stringWidth(text));
    }),
    { numRuns: 3000 },
  );
});

// string-width gives these no column; terminals give them one, because they are drawn around the following digits or
// letters.
test.each([0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6dd, 0x70f, 0x890, 0x891, 0x8e2, 0x110bd, 0x110cd])(
  'the format character %i takes a column',
  (point) => expect(columnsOf(String.fromCodePoint(point))).toBe(1),
);

test('an unassigned code point may be wide', () => {
  for (const point of [0x378, 0x1f8ff, 0x1faff, 0x3fff0, 0x4ffff]) {
    expect(columnsOf(String.fromCodePoint(point)), point.toString(16)).toBe(2);
  }
});
