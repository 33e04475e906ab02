import { describe, expect, test } from 'vitest';
import { dice } from '../../../bench/fresh.ts';
import { type Sentence, sentences } from '../../../bench/sentences.ts';
import { EVIDENCE_STEM, fileWith } from '../../../src/core/checks/sample-file.ts';
import { secrets } from '../../../src/core/checks/secrets.ts';
import { subjectOf } from '../../../src/core/memory/inspected-file.ts';
import { maskSecrets } from '../../../src/core/secrets/detect.ts';
import { read } from '../../../src/store/format/format.ts';

// Tokens are generated from another seed than the benchmark's.
const WRITTEN = sentences(dice(20_261_115));

function isRefused({ text }: Sentence): boolean {
  const file = fileWith({}, `A line of text before the one that matters.\n${text}`);
  return [...secrets.run(subjectOf(EVIDENCE_STEM, read(Buffer.from(file)), 'found'))].length > 0;
}

describe.each([...Map.groupBy(WRITTEN, ({ group }) => group)])('%s', (_, rows) => {
  test('a line that states a secret is refused, except at most one in five if the secret is a plain word', () => {
    const stated = rows.filter(({ secret }) => secret);
    const missed = stated.filter((row) => !isRefused(row)).map(({ text }) => text);
    expect(missed.length <= stated.length / 5 ? [] : missed).toEqual([]);
  });
  test('a line without a secret is not refused', () => {
    expect(rows.filter((row) => !row.secret && isRefused(row)).map(({ text }) => text)).toEqual([]);
  });
});

test('the secret of a sentence is masked, and the rest of it is not', () => {
  expect(maskSecrets('Das WLAN-Passwort im Büro lautet Sonnenblume42.')).toBe(
    'Das WLAN-Passwort im Büro lautet [possible secret hidden].',
  );
  expect(maskSecrets('バックアップのパスフレーズは「七匹の灰色の猫が眠る」です。')).toBe(
    'バックアップのパスフレーズは「[possible secret hidden]」です。',
  );
  expect(maskSecrets('The alarm PIN is 4821, ask Dana.')).toBe('The alarm PIN is [possible secret hidden], ask Dana.');
});
