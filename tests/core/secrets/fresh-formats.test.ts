import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CONTEXTS, dice, freshTexts } from '../../../bench/fresh.ts';
import { LANGUAGES } from '../../../src/core/checks/injection/languages.ts';
import { inspect } from '../../../src/core/checks/inspect.ts';
import { EVIDENCE_STEM, fileWith } from '../../../src/core/checks/sample-file.ts';
import { secrets } from '../../../src/core/checks/secrets.ts';
import { subjectOf } from '../../../src/core/memory/inspected-file.ts';
import { unmask } from '../../../src/core/text/normalize.ts';
import { read } from '../../../src/store/format/format.ts';

// Tokens are generated from the providers' documentation; no rule was written with any of them.

function verdict(text: string): 'block' | 'hold' | 'nothing' {
  const file = fileWith({}, `A line of text before the one that matters.\n${text}`);
  const { findings, blocked } = inspect(subjectOf(EVIDENCE_STEM, read(Buffer.from(file)), 'found'), [secrets]);
  if (blocked) return 'block';
  return findings.length > 0 ? 'hold' : 'nothing';
}

test('there are more than two hundred ways to write a token', () => {
  expect(new Set(CONTEXTS).size).toBeGreaterThan(200);
});

const TEXTS = freshTexts(dice(20_261_115), 8);

test.each([
  ['fresh tokens with a mark', 0.99, 0.99],
  ['fresh keys beside a name', 0.95, 0.99],
  ['formats nobody listed', 0, 0.95],
  ['the same, with nothing beside them', 0, 0.75],
])('%s: at least %d blocked, %d blocked or held', (kind, leastBlocked, leastFound) => {
  const verdicts = (TEXTS[kind] ?? []).map(verdict);
  const part = (wanted: (verdict: string) => boolean) => verdicts.filter(wanted).length / verdicts.length;
  expect(part((each) => each === 'block')).toBeGreaterThanOrEqual(leastBlocked);
  expect(part((each) => each !== 'nothing')).toBeGreaterThanOrEqual(leastFound);
});

test.each(LANGUAGES)(
  '$language is known by a sentence of its own, and named in the documentation',
  ({ language, patterns, says }) => {
    const words = unmask(says.normalize('NFKC').toLowerCase());
    expect(patterns.some((source) => new RegExp(unmask(source.normalize('NFKC')), 'mu').test(words))).toBe(true);
    const page = readFileSync(join(import.meta.dirname, '../../../docs/checks.md'), 'utf8').replaceAll(/\s+/g, ' ');
    for (const name of language.split(/, | and /)) expect(page).toContain(name);
  },
);
