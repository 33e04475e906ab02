import fc from 'fast-check';
import { expect, test } from 'vitest';
import { INJECTION_RULES } from '../../../src/core/checks/injection/check.ts';
import { neededWords } from '../../../src/core/checks/injection/needed-words.ts';
import { possiblePatterns } from '../../../src/core/checks/injection/possible-patterns.ts';

const PATTERNS = INJECTION_RULES.flatMap(({ patterns }) => patterns);

test.for([
  [
    'whole words of every alternative',
    /\b(?:skip|bypass) the (?:review|checks)\b/,
    ['skip', 'bypass', 'review', 'checks'],
  ],
  ['no word that may go on', /\bignor/, undefined],
  ['both forms of an optional letter', /\brules?\b/, ['rule', 'rules']],
  ['nothing from what may be absent', /\b(?:please )?(?:\w{1,9} )?stop\b/, ['please', 'stop']],
  ['nothing if one alternative needs no word', /\bobey\b|[!?]{3}/, undefined],
  ['no word that a letter of any kind may touch', /\w{0,4}forget\b/, undefined],
  ['a word that has to come at least once', /(?:\bagain ){2,5}/, ['again']],
  ['nothing from a look around', /(?<=\bsecret )(?!\bword\b)./, undefined],
  ['letters of a small class', /\bgr[ae]y\b/, ['gray', 'grey']],
  ['words between signs', /<(?:system)>/, ['system']],
  ['no word beside an underscore', /\bskip[_ -]?review\b/, undefined],
] as const)('needs %s', ([, pattern, words]) => {
  const needed = neededWords(pattern);
  if (words === undefined) expect(needed).toBeUndefined();
  else for (const word of needed ?? ['none']) expect(words).toContain(word);
});

test('whatever a rule’s pattern matches has one of the words that the pattern needs', () => {
  const missed: string[] = [];
  let matched = 0;
  const holds = (pattern: RegExp, needed: readonly string[] | undefined, text: string) => {
    if (text.search(pattern) === -1) return;
    matched += 1;
    const words = new Set(text.match(/\w+/g));
    if (needed !== undefined && !needed.some((word) => words.has(word))) missed.push(`${pattern.source}\n  ${text}`);
  };
  const examples = INJECTION_RULES.flatMap(({ catches, allows }) => [...catches, ...allows]).map((each) =>
    each.toLowerCase(),
  );
  for (const pattern of PATTERNS) {
    const needed = neededWords(pattern);
    for (const text of [...examples, ...madeFor(pattern)]) holds(pattern, needed, text);
  }
  expect(missed).toEqual([]);
  // The test has looked at something.
  expect(matched).toBeGreaterThan(1_000);
});

test('a pattern that a text matches is among the possible ones', () => {
  const possibleIn = possiblePatterns(PATTERNS);
  const examples = INJECTION_RULES.flatMap(({ catches }) => catches).map((each) => each.toLowerCase());
  for (const text of examples) {
    const possible = possibleIn([text]);
    expect(PATTERNS.filter((pattern) => text.search(pattern) !== -1 && !possible.has(pattern))).toEqual([]);
  }
  expect(possibleIn(['the build takes ten minutes on two cores']).size).toBeLessThan(PATTERNS.length / 5);
});

/** Texts that the pattern matches, unless an assertion in it forbids them. */
function madeFor({ source, flags }: RegExp): readonly string[] {
  // The library makes no text for assertions.
  const lookArounds = /\(\?<?[=!](?:[^()\\[]|\\.|\[(?:\\.|[^\]\\])*\]|\((?:[^()\\]|\\.)*\))*\)/g;
  const plain = source.replaceAll(lookArounds, '').replaceAll('\\b', '').replaceAll('(?:^|', '(?:');
  try {
    return fc.sample(fc.stringMatching(new RegExp(plain, flags.replace('g', ''))), 20).map((made) => ` ${made} `);
  } catch {
    return [];
  }
}
