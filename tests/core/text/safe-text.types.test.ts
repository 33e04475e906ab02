import { expect, test } from 'vitest';
import {
  joinText,
  type SafeText,
  SafeText as SafeTextClass,
  sanitize,
  text,
  Untrusted,
} from '../../../src/core/text/safe-text.ts';

// The compiler is the test: `tsc` fails on any line below that is no longer an error.
const untrusted = Untrusted.of('raw');
const wantsSafe = (value: SafeText): SafeText => value;
const wantsString = (value: string): string => value;
const wantsUntrusted = (value: Untrusted): Untrusted => value;

test('a string is not safe text', () => {
  // @ts-expect-error a string where SafeText is wanted
  wantsSafe('plain');
  // @ts-expect-error joining takes SafeText only
  expect(() => joinText(['plain'], text`, `)).toThrow(TypeError);
  // @ts-expect-error a separator must be SafeText too
  expect(() => joinText([text`a`, text`b`], ', ')).toThrow(TypeError);
});

test('untrusted text fits neither a string nor safe text', () => {
  // @ts-expect-error Untrusted where SafeText is wanted
  wantsSafe(untrusted);
  // @ts-expect-error Untrusted where a string is wanted
  wantsString(untrusted);
  // @ts-expect-error a template literal is a string, and evaluating it throws
  expect(() => wantsSafe(`${untrusted}`)).toThrow(TypeError);
});

test('safe text is neither a string nor untrusted', () => {
  // @ts-expect-error SafeText where a string is wanted
  wantsString(text`ours`);
  // @ts-expect-error SafeText where Untrusted is wanted
  wantsUntrusted(text`ours`);
  // @ts-expect-error an object with the members of SafeText is not SafeText
  wantsSafe({ length: 1, toString: () => 'x', toJSON: () => 'x', [Symbol.iterator]: () => 'x'[Symbol.iterator]() });
});

test('safe text cannot be constructed', () => {
  // @ts-expect-error the constructor is private
  expect(() => new SafeTextClass('x')).toThrow('SafeText is made by sanitize() or the text tag.');
  expect(() => String(Object.create(SafeTextClass.prototype))).toThrow(TypeError);
});

test('the text tag accepts neither a string nor untrusted text', () => {
  // @ts-expect-error a plain string is not SafeText
  expect(() => text`${'plain string'}`).toThrow('sanitize() the value first');
  // @ts-expect-error untrusted text must be sanitized first
  expect(() => text`${untrusted}`).toThrow(TypeError);
  // @ts-expect-error an object is not SafeText
  expect(() => text`${{ toString: () => 'x' }}`).toThrow(TypeError);
  expect(String(text`${sanitize(untrusted, 'line')} ${1} ${true}`)).toBe('raw 1 true');
});
