import fc from 'fast-check';
import { expect, test } from 'vitest';
import { importParts, markdownParts } from '../../../src/core/import/markdown-parts.ts';
import { LIMITS } from '../../../src/core/memory/limits.ts';
import { lengthOf } from '../../../src/core/memory/memory.ts';
import { isAlwaysSlowerThan } from '../../../testkit/cpu-time.ts';

const texts = (markdown: string) => markdownParts(markdown).map(({ text }) => text);

test('each paragraph and each bullet of the outermost list is a part, with the headings above it and its line', () => {
  const markdown =
    '# Project\n\nAn introduction\nin two lines.\n\n## Build ##\n- One\n  - nested\n\n  still one\n* Two\n1. Three\n\nUnder\n=====\nThe end.\n';
  expect(markdownParts(markdown)).toEqual([
    { headings: ['Project'], text: 'An introduction\nin two lines.', line: 3 },
    { headings: ['Project', 'Build'], text: 'One\n- nested\n\nstill one', line: 7 },
    { headings: ['Project', 'Build'], text: 'Two', line: 11 },
    { headings: ['Project', 'Build'], text: 'Three', line: 12 },
    { headings: ['Under'], text: 'The end.', line: 16 },
  ]);
});

test('what introduces a list is in each of its parts, and a code block stays with its words', () => {
  expect(texts('Never do this:\n\n- push\n- force\n\nAnother text.\n')).toEqual([
    'Never do this:\n- push',
    'Never do this:\n- force',
    'Another text.',
  ]);
  expect(texts('Build it so:\n\n```sh\nmake\n\n# no heading\n- no bullet\n```\n\nThen rest.')).toEqual([
    'Build it so:\n\n```sh\nmake\n\n# no heading\n- no bullet\n```',
    'Then rest.',
  ]);
});

test('comments, rules and empty bullets are no parts, and line ends do not matter', () => {
  expect(texts('\uFEFFone\r\n\r\n<!-- not\r\nthis -->\r\n---\r\n- \r\n- -\r\n***\r\ntwo')).toEqual(['one', 'two']);
  expect(markdownParts('<!-- a\nb -->\nhere')).toMatchObject([{ line: 3 }]);
  expect(texts('text <!-- without an end')).toEqual(['text']);
});

test('names and descriptions fit, and begin with the nearest heading', () => {
  const parts = markdownParts(`# ${'Long '.repeat(40)}\n\n${'word '.repeat(200)}`);
  const [told] = importParts('x.md', 'project', parts);
  expect(lengthOf(told?.name ?? '')).toBeLessThanOrEqual(LIMITS.name.max);
  expect(lengthOf(told?.description ?? '')).toBeLessThanOrEqual(LIMITS.description.max);
  expect(told?.body).toBe('word '.repeat(200).trim());
  expect(importParts('x.md', 'project', markdownParts('# Build\n- **Run** `make` first'))).toEqual([
    {
      label: 'x.md:2',
      type: 'project',
      name: 'Build: Run make first',
      description: 'Run make first',
      body: '**Run** `make` first',
    },
  ]);
});

test('every word of a text is in one of its parts or headings', () => {
  const line = fc.tuple(
    fc.constantFrom('', '', '- ', '  - ', '1. ', '# ', '### ', '> ', '    ', '\t', '```', '---', '| '),
    fc.constantFrom('', '', 'alpha', 'beta gamma', 'delta:', '`code`'),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      const parts = markdownParts(lines.map(([mark, words], i) => `${mark}${words && `${words} w${i}`}`).join('\n'));
      const all = parts.flatMap(({ headings, text }) => [...headings, text]).join('\n');
      for (const [i, [mark, words]] of lines.entries())
        if (words !== '' && !mark.startsWith('#') && !isTitle(lines, i)) expect(all).toContain(`w${i}`);
    }),
  );
});

/** A line above dashes is a heading, and a heading without a text is no part. */
function isTitle(lines: readonly (readonly [string, string])[], i: number): boolean {
  const [mark, words] = lines[i + 1] ?? ['', ''];
  return mark === '---' && words === '';
}

test('a large text of one kind takes no quadratic time', () => {
  for (const each of ['- ', '#', '<!--', '```\n', '\n', ' ', 'a:\n\n- '])
    expect(markdownParts(each.repeat(65_536 / each.length)).length).toBeLessThan(65_536);
});

test('a long line of blanks or hashes takes no longer than other text', () => {
  const wide = 60_000;
  const line = {
    heading: `# Title${' '.repeat(wide)}x`,
    hashes: `# ${'# '.repeat(wide / 2)}x`,
    words: 'a'.repeat(wide),
  };
  for (const each of Object.values(line))
    expect(isAlwaysSlowerThan(300, () => markdownParts(`${each}\n\nA text.\n`))).toBe(false);
  expect(
    markdownParts('## A  b \t ## \n\nOne.\n\n# ##\n\nTwo.\n\n# C#\n\nThree.').map(({ headings }) => headings),
  ).toEqual([['A  b'], ['##'], ['C#']]);
});

test('a long paragraph before a list is a part of its own, so that a list does not repeat it', () => {
  const long = `${'We keep these rules for a reason. '.repeat(900)}They are:`;
  const bullets = Array.from({ length: 4_000 }, (_, i) => `- Rule ${i}`);
  const found = texts(`${long}\n\n${bullets.join('\n')}\n`);
  expect(found).toHaveLength(4_001);
  expect(found.slice(0, 2)).toEqual([long, 'Rule 0']);
});
