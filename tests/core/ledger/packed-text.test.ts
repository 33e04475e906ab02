import { expect, test } from 'vitest';
import { sizeOf, sizeOfAll, TextReader, writeText, writeTexts } from '../../../src/core/ledger/packed-text.ts';

/** A text of each form, and the number of bytes that it takes. */
const TEXTS: readonly [text: string | null, bytes: number][] = [
  [null, 1],
  ['', 1],
  ['user_build', 11],
  ['\u0000\u00ff', 3],
  ['0123456789abcdef'.repeat(4), 33],
  ['0123456789ABCDEF'.repeat(4), 65],
  ['z'.repeat(64), 65],
  [`${'0123456789abcdef'.repeat(4).slice(1)}\n`, 65],
  [`${'0123456789abcdef'.repeat(4).slice(1)}é`, 65],
  [`x${'0123456789abcdef'.repeat(4)}`, 66],
  ['a'.repeat(63), 64],
  ['x'.repeat(251), 252],
  ['x'.repeat(252), 257],
  ['x'.repeat(70_000), 70_005],
  ['é'.repeat(300), 305],
  ['\u0100', 7],
  ['ядра', 13],
  ['a\ud800', 9],
  ['ж'.repeat(300), 605],
];

const bufferOf = (size: number, fill = 0) => Buffer.alloc(size, fill);

function packed(texts: readonly (string | null)[], start = 3): Buffer {
  const chunk = bufferOf(400_000, 0xaa);
  texts.reduce((offset, text) => writeText(chunk, offset, text), start);
  return chunk;
}

test.each(TEXTS)('%.20j comes out as it went in, and takes no more room than was asked for', (text, bytes) => {
  const chunk = bufferOf(200_000, 0xaa);
  expect(writeText(chunk, 3, text)).toBe(3 + bytes);
  expect(chunk[3 + bytes]).toBe(0xaa);
  expect(sizeOf(text)).toBeGreaterThanOrEqual(bytes);
  expect(new TextReader(chunk, 3).text()).toBe(text);
});

test('the room that is asked for is that of the longest form', () => {
  expect(['', 'ж', 'жж', null].map(sizeOf)).toEqual([5, 7, 9, 1]);
});

test('behind each text the next one is found, whether the first was read or passed', () => {
  const texts = TEXTS.map(([text]) => text);
  const chunk = packed(texts);
  const ways = [(reader: TextReader) => reader.text(), (reader: TextReader) => reader.pass()];
  for (const step of ways) {
    for (const at of texts.keys()) {
      const reader = new TextReader(chunk, 3);
      for (let i = 0; i < at; i++) step(reader);
      expect(reader.text()).toBe(texts[at]);
    }
  }
});

test.each([0, 1, 254, 255, 256, 300])(
  'a list of %i texts comes out as it went in, and what follows it too',
  (length) => {
    const texts = Array.from({ length }, (_, i) => (i % 3 === 0 ? 'ab'.repeat(32) : `text ${i}`));
    const chunk = bufferOf(40_000);
    const end = writeText(chunk, writeTexts(chunk, 5, texts), 'behind');
    const reader = new TextReader(chunk, 5);
    expect(sizeOfAll(texts)).toBeGreaterThanOrEqual(end - 5 - 7);
    expect(reader.texts()).toEqual(texts);
    expect(reader.text()).toBe('behind');
    const bytes = texts.reduce((sum, text) => sum + (text.length === 64 ? 33 : text.length + 1), 0);
    expect(end).toBe(5 + (length < 255 ? 1 : 5) + bytes + 7);
  },
);
