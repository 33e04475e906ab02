import { describe, expect, test } from 'vitest';
import { INJECTION_RULES } from '../../../src/core/checks/injection/check.ts';
import { EVIDENCE_STEM, fileWith } from '../../../src/core/checks/sample-file.ts';
import { secrets } from '../../../src/core/checks/secrets.ts';
import { subjectOf } from '../../../src/core/memory/inspected-file.ts';
import { maskSecrets, SECRET_RULES } from '../../../src/core/secrets/detect.ts';
import type { SecretRule } from '../../../src/core/secrets/rule.ts';
import { read } from '../../../src/store/format/format.ts';
import { cpuTime, isAlwaysSlowerThan } from '../../../testkit/cpu-time.ts';

const SIZE = 65_000;
const fill = (piece: string) => piece.repeat(Math.ceil(SIZE / piece.length)).slice(0, SIZE);

const ordinary = subjectOf(
  EVIDENCE_STEM,
  read(Buffer.from(fileWith({}, fill('The release job builds the packages and uploads dist/app.tar.gz.\n')))),
  'found',
);
const median = () =>
  Array.from({ length: 9 }, () => cpuTime(() => [...secrets.run(ordinary)])).sort((a, b) => a - b)[4] ?? 0;

/** Text that makes a pattern restart often: its keyword, an example without its end, and both without spaces. */
function hostileFor({ keywords, catches }: SecretRule): readonly string[] {
  const example = catches[0] ?? '';
  return [
    ...keywords.slice(0, 2).flatMap((keyword) => [fill(`${keyword}-`), fill(`${keyword} = "`)]),
    fill(example.slice(0, -1)),
    fill(`${example.slice(0, -2)} `),
    fill(example.slice(0, Math.ceil(example.length / 2))),
  ].filter((text) => text !== '');
}

/** Everything the engine does for one rule, on endless text. */
function exhaust({ pattern, accepts }: SecretRule, text: string): void {
  for (const match of text.matchAll(pattern)) accepts?.(match[1] ?? match[0], match);
}

test('no rule takes 50 times as long on 64 KiB of its worst text as all rules take on ordinary text', () => {
  for (let i = 0; i < 3; i++) median();
  const limit = 50 * median();
  const slow = SECRET_RULES.flatMap((rule) =>
    hostileFor(rule)
      .filter((text) => isAlwaysSlowerThan(limit, () => exhaust(rule, text)))
      .map((text) => [rule.rule, text.slice(0, 40)]),
  );
  expect(slow).toEqual([]);
  // It takes half a minute on a machine of its own.
});

test('nor does what a rule does with what its pattern found', () => {
  const limit = 50 * median();
  // One of the longest took a minute.
  const labelled = (length: number) => fill(`api_key = "aA1-${'abcdefghij'.repeat(20).slice(0, length)}Z1a"\n`);
  const slow = [40, 64, 180].filter((length) => isAlwaysSlowerThan(limit, () => maskSecrets(labelled(length))));
  expect(slow).toEqual([]);
});

test('nor does the reading of a file with it', () => {
  const limit = 50 * median();
  const fileOf = (piece: string) => Buffer.from(fileWith({}, `x${fill(piece).slice(0, -200)}y`));
  const slow = ['\r', '\n', ' '].filter((piece) => isAlwaysSlowerThan(limit, () => read(fileOf(piece))));
  expect(slow).toEqual([]);
});

/**
 * Unbounded repetitions that cannot restart inside themselves, because their own class or a missing literal forbids it. Each
 * was reviewed.
 */
const UNBOUNDED = new Set(['private-key', 'random-token', 'encoded-payload']);

describe('every repetition in a pattern is bounded', () => {
  const patterns = [
    ...SECRET_RULES.map(({ rule, pattern }) => [rule, pattern.source] as const),
    ...INJECTION_RULES.flatMap(({ rule, patterns: some }) => some.map(({ source }) => [rule, source] as const)),
  ];
  test('no star, no plus and no open end, except in the reviewed patterns', () => {
    const open = patterns.filter(([, source]) => /[*+]|\{\d+,\}/.test(plain(source))).map(([rule]) => rule);
    expect([...new Set(open)].filter((rule) => !UNBOUNDED.has(rule))).toEqual([]);
  });
  /** Each round begins with a line break, which the inner run cannot contain. */
  const ROUNDS = new Set(['private-key-file']);

  test('no repeated group contains a long repetition', () => {
    const nested = patterns.filter(([, source]) => /\{\d+,\d{2,}\}[^()]*\)(?:[*+]|\{\d+,\d{2,}\})/.test(plain(source)));
    expect(nested.map(([rule]) => rule).filter((rule) => !ROUNDS.has(rule))).toEqual([]);
  });
  test('no pattern begins with a repetition', () => {
    const loose = patterns.filter(([, source]) => /^(?:\.|\[\^[^\]]*\]|\\[wsSWDd])[*+{]/.test(source));
    expect(loose.map(([rule]) => rule)).toEqual([]);
  });
});

/** The source without escapes and classes, so that only the engine's own marks remain. */
function plain(source: string): string {
  return source.replaceAll(/\\./g, 'e').replaceAll(/\[(?:\^?\])?[^\]]*\]/g, 'c');
}
