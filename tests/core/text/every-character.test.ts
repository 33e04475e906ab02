import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COMPOSES } from '../../../src/core/text/combining-marks.ts';
import { hiddenText } from '../../../src/core/text/hidden-message.ts';
import { examine, examinePoints, isPlain } from '../../../src/core/text/sanitize.ts';
import { cpuTime } from '../../../testkit/cpu-time.ts';

// What takes seconds: every character there is, and long texts. Small changes of the sources are tried without these tests.

const every = <T>(list: Iterable<T>) => fc.constantFrom(...list);
const length = (value: string) => [...value].length;
const NEVER =
  /[[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Bidi_Control}\p{DI}\u2800\uFFF9-\uFFFC]--[\t\n\u200C\u200D\p{VS}\u{E0020}-\u{E007F}]]/v;

test('every single code point is kept, normalized or reported', () => {
  for (let code = 0; code <= 0x10ffff; code++) {
    const raw = String.fromCodePoint(code);
    const { text, removed } = examine(raw, 'body');
    if (NEVER.test(text)) expect.fail(`U+${code.toString(16)} survives`);
    if (/[\r\v\f\x85\u2028\u2029]/v.test(raw)) expect(text).toBe('\n');
    else if (removed.length === 0 && text !== raw.normalize('NFC'))
      expect.fail(`U+${code.toString(16)} changes unsaid`);
    else if (removed.length > 0 && text !== '' && text !== '\uFFFD') expect.fail(`U+${code.toString(16)} half removed`);
  }
});

test('the fast path and the full path give the same result', () => {
  const plain: string[] = [];
  for (let code = 0; code <= 0xffff; code++)
    if (isPlain(String.fromCharCode(code))) plain.push(String.fromCharCode(code));
  expect(plain.length).toBeGreaterThan(500);
  const long = (raw: string) =>
    examinePoints(raw, 'body')
      .points.map(({ char }) => char)
      .join('');
  for (const one of plain) expect(long(one)).toBe(one);
  const some = fc.array(fc.oneof(every(plain), every('a \n')), { maxLength: 30 }).map((chars) => chars.join(''));
  fc.assert(fc.property(some, (raw) => long(raw) === raw));
});

test('no character has a normal form of more than three, and each part of one is known to compose', () => {
  let longest = 1;
  for (let code = 0; code <= 0x10ffff; code++) {
    const raw = String.fromCodePoint(code);
    const normal = raw.normalize('NFC');
    if (normal !== raw) longest = Math.max(longest, length(normal));
    // This class decides where composing runs are cut; a character it lacks would stay unnormalized.
    for (const part of [...raw.normalize('NFD')].slice(1))
      if (!COMPOSES.test(part)) expect.fail(`U+${code.toString(16)}`);
  }
  expect(longest).toBe(3);
});

test('128 KiB of hostile characters take time in proportion', () => {
  const patterns = [
    '\u0301\u0323',
    '\u0344',
    '\u200D',
    '\u200C\u0301',
    '\u{E0061}',
    '\uFE0F',
    '&',
    '\u1161',
    '👨\u200D',
  ];
  patterns.push(
    'a\u{E0061}',
    '🏴\u{E0061}\u{E0061}',
    'क\u200C\u0301\u200D',
    '\uE000',
    '\r\n',
    'e\u0301',
    '\0',
    '\uD800',
  );
  for (const pattern of patterns) {
    const raw = `a${pattern.repeat(131_072 / pattern.length)}`;
    const took = cpuTime(() => {
      examine(raw, 'body');
      hiddenText(raw);
    });
    // It takes about a fifth of a second; normalizing the first pattern without the cap takes ten seconds.
    expect(took, JSON.stringify(pattern)).toBeLessThan(5_000);
  }
});
