import { expect, test } from 'vitest';
import { cutText, joinTexts, nameOfSegment, segmentNamed, seqOf } from '../../../src/core/ledger/segments.ts';

const FINGERPRINT = '0123456789abcdef'.repeat(4);
/** A line as an entry begins. */
const line = (seq: number, says = '') => `{"v":2,"seq":${seq},"says":"${says}"}\n`;
const lines = (...numbers: readonly number[]) => numbers.map((seq) => line(seq)).join('');

test.each([
  [0, `${FINGERPRINT}.jsonl`],
  [1, `${FINGERPRINT}.000000001.jsonl`],
  [999_999_999, `${FINGERPRINT}.999999999.jsonl`],
  [1_000_000_000, `${FINGERPRINT}.1000000000.jsonl`],
  [999_999_999_999_999, `${FINGERPRINT}.999999999999999.jsonl`],
])('the file that begins with entry %i is found by its name', (first, name) => {
  expect(segmentNamed(name)).toEqual({ fingerprint: FINGERPRINT, first });
  expect(nameOfSegment({ fingerprint: FINGERPRINT, first })).toBe(name);
});

test.each([
  ['a second name of the first file', `${FINGERPRINT}.000000000.jsonl`],
  ['a number that is too short', `${FINGERPRINT}.12345678.jsonl`],
  ['a second spelling of a number', `${FINGERPRINT}.0000000012.jsonl`],
  ['a number that no entry can have', `${FINGERPRINT}.1000000000000000.jsonl`],
  ['a number in words', `${FINGERPRINT}.ninety-nine.jsonl`],
  ['letters among the digits', `${FINGERPRINT}.1xxxxxxxxxx.jsonl`],
  ['something in front', `x${FINGERPRINT}.jsonl`],
  ['something behind', `${FINGERPRINT}.jsonl~`],
  ['a fingerprint that is too short', `${FINGERPRINT.slice(1)}.jsonl`],
  ['capital letters', `${FINGERPRINT.toUpperCase()}.jsonl`],
  ['another ending', `${FINGERPRINT}.json`],
  ['no dot before the number', `${FINGERPRINT}000000001.jsonl`],
  ['any character for the last dot', `${FINGERPRINT}xjsonl`],
  ['nothing', ''],
])('%s is not the name of a file of a ledger', (_, name) => {
  expect(segmentNamed(name)).toBeUndefined();
});

test.each<[string, number | undefined]>([
  [line(0), 0],
  [line(12), 12],
  ['{"v":123,"seq":999999999999999,', 999_999_999_999_999],
  ['{"v":1234,"seq":1,', undefined],
  ['{"v":,"seq":1,', undefined],
  ['{"v":x,"seq":1,', undefined],
  ['{"v":1,"seq":1000000000000000,', undefined],
  ['{"v":1,"seq":,', undefined],
  ['{"v":1,"seq":x,', undefined],
  [` ${line(1)}`, undefined],
  ['', undefined],
])('the number in %j is %s', (text, seq) => {
  expect(seqOf(text)).toBe(seq);
});

test('files of a ledger are one text, with what a file repeats of those before taken once', () => {
  expect(joinTexts([])).toBe('');
  expect(joinTexts([lines(0, 1), lines(2, 3)])).toBe(lines(0, 1, 2, 3));
  expect(joinTexts([lines(0, 1), lines(1, 2)])).toBe(lines(0, 1, 2));
  expect(joinTexts([lines(0, 1, 2), lines(1)])).toBe(lines(0, 1, 2));
  expect(joinTexts([lines(0, 1, 2), lines(0, 1, 2, 3)])).toBe(lines(0, 1, 2, 3));
  expect(joinTexts([lines(0), lines(0)])).toBe(lines(0));
  expect(joinTexts([lines(0, 1), lines(1, 2), lines(2, 3)])).toBe(lines(0, 1, 2, 3));
});

test('a file that says something else of an entry is kept whole, so that the fork is seen', () => {
  const other = line(1, 'other') + line(2);
  expect(joinTexts([lines(0, 1), other])).toBe(lines(0, 1) + other);
  expect(joinTexts([lines(0, 1), line(0, 'other')])).toBe(lines(0, 1) + line(0, 'other'));
  expect(joinTexts([lines(0, 2), lines(1)])).toBe(lines(0, 2, 1));
  expect(joinTexts([lines(0, 5, 1), lines(5, 1)])).toBe(lines(0, 5, 1, 5, 1));
  // The second of two lines of one number does not hide that the first is repeated.
  expect(joinTexts([line(0) + line(0, 'other'), line(0)])).toBe(line(0) + line(0, 'other'));
});

test('what does not begin or end with an entry is kept, and a half-written last line as well', () => {
  expect(joinTexts([`rubbish\n${line(0)}`, 'rubbish\n'])).toBe(`rubbish\n${line(0)}rubbish\n`);
  expect(joinTexts([`${line(0)}rubbish\n`, line(0)])).toBe(`${line(0)}rubbish\n${line(0)}`);
  expect(joinTexts([lines(0, 1), `${line(1)}{"v":2,"se`])).toBe(`${lines(0, 1)}{"v":2,"se`);
});

test('a text is cut into files that begin with the wanted entries', () => {
  const cut = (text: string, ...firsts: readonly number[]) => [...cutText(text, firsts)];
  expect(cut(lines(0, 1, 2, 3, 4), 2, 4)).toEqual([
    [0, lines(0, 1)],
    [2, lines(2, 3)],
    [4, lines(4)],
  ]);
  expect(cut(lines(0, 1), 0)).toEqual([[0, lines(0, 1)]]);
  expect(cut(lines(0, 1), 7)).toEqual([[0, lines(0, 1)]]);
  expect(cut(lines(0, 1))).toEqual([[0, lines(0, 1)]]);
  expect(cut('')).toEqual([]);
});

test('a cut loses nothing of a text that is damaged, repeats an entry or lacks its beginning', () => {
  const cut = (text: string, ...firsts: readonly number[]) => [...cutText(text, firsts)];
  expect(cut(`${lines(0, 1)}rubbish\n${line(2)}{"v":2`, 2)).toEqual([
    [0, `${lines(0, 1)}rubbish\n`],
    [2, `${line(2)}{"v":2`],
  ]);
  expect(cut(lines(0, 1, 1, 2), 1)).toEqual([
    [0, lines(0)],
    [1, lines(1, 1, 2)],
  ]);
  expect(cut(lines(0, 3, 2), 3, 2)).toEqual([
    [0, lines(0)],
    [3, lines(3, 2)],
  ]);
  // Only a line begins an entry.
  expect(cut(`${line(0)}x${line(2)}`, 2)).toEqual([[0, `${line(0)}x${line(2)}`]]);
  // What comes before any wanted entry is in the first file, whatever it begins with.
  expect(cut(lines(2, 3), 2)).toEqual([[0, lines(2, 3)]]);
});
