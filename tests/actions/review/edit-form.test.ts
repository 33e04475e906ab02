import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formOf, sameHints, sameWording, type Wording, wordingIn } from '../../../src/actions/review/edit-form.ts';
import { TYPES } from '../../../src/core/memory/limits.ts';
import { cleaned } from '../../../src/store/vault/new-memory.ts';

const line = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    'a: b',
    '- x',
    '"quoted"',
    "it's",
    '#tag',
    '[a, b]',
    '{a}',
    '~',
    'null',
    'yes',
    '010',
    '&a *b !c',
    '|',
    '',
  ),
);
const body = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(
      fc.constantFrom('---', '# ------------------------ >8 ------------------------', 'text', '', '# head', '  in'),
      {
        maxLength: 12,
      },
    )
    .map((lines) => lines.join('\n')),
);
const wording: fc.Arbitrary<Wording> = fc
  .record({
    type: fc.constantFrom(...TYPES),
    name: line,
    description: line,
    tags: fc.array(
      line.filter((tag) => tag.trim() !== ''),
      { maxLength: 4 },
    ),
    project: line,
    askedAs: fc.array(line, { maxLength: 5 }),
    body,
  })
  // A form begins with what is clean already.
  .map((raw) => cleaned(raw));

test('what a form begins with is what comes back when nothing is changed, also with CRLF', () => {
  fc.assert(
    fc.property(wording, (asked) => {
      const form = formOf(asked);
      for (const saved of [form, form.replaceAll('\n', '\r\n'), `${form}\n\n`]) {
        const back = wordingIn(saved);
        expect(back).toHaveProperty('body');
        expect(sameWording(back as Wording, asked)).toBe(true);
        expect(sameHints(back as Wording, asked)).toBe(true);
      }
    }),
  );
});

test('the first and the last five lines of a form are ours, whatever is stored', () => {
  fc.assert(
    fc.property(wording, (asked) => {
      const lines = formOf(asked).trimEnd().split('\n');
      const ours = [...lines.slice(0, 5), ...lines.slice(-5)];
      expect(ours.every((each) => each === '---' || each.startsWith('#'))).toBe(true);
      expect(lines.slice(-5)).toEqual(
        formOf({ ...asked, name: 'other', body: 'other' })
          .trimEnd()
          .split('\n')
          .slice(-5),
      );
    }),
  );
});

test.each([
  ['nothing at all', ''],
  ['blank lines', '\n \n\t\n'],
  [
    'what is below the cut',
    formOf({ type: 'user', name: 'a', description: 'b', body: 'c' }).replace(/^[\s\S]*?(?=# -+ >8)/, ''),
  ],
])('%s is an emptied form', (_what, saved) => {
  expect(wordingIn(saved)).toBe('emptied');
});

test.each([
  ['name: [a, b]', 'name is one line of text'],
  ['type: opinion', 'type is one of user, feedback'],
  ['created-at: 2026-01-01T00:00:00Z', 'take this line out'],
  ['name: a\nname: b', 'same key twice'],
  ['name: !!js/function x', 'YAML tag'],
])('%s is a fault of the form, told with its line', (field, message) => {
  const found = wordingIn(
    `---\ndescription: d\n${field.startsWith('type') ? '' : 'type: user\n'}${field}\n---\nThe body.\n`,
  );
  expect(found).toEqual([expect.objectContaining({ severity: 'block', message: expect.stringContaining(message) })]);
});
