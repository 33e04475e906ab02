import fc from 'fast-check';
import { expect, test } from 'vitest';
import { styledLines } from '../../../src/core/present/markdown.ts';

const drawn = (text: string) =>
  styledLines(text.split('\n')).map(({ spans }) => spans.map((span) => span.text).join(''));

test('no character is left out, added or moved, whatever the text', () => {
  const piece = fc.constantFrom(
    '**',
    '*',
    '_',
    '`',
    '~~',
    '[',
    '](',
    ')',
    '![',
    'https://a.example/b',
    '```',
    '# ',
    '- ',
    '> ',
    '| a |',
    'word',
    ' ',
    '<b>',
    '\n',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ unit: 'binary' })), { maxLength: 30 }), (parts) => {
      const text = parts.join('');
      expect(drawn(text)).toEqual(text.split('\n'));
    }),
  );
});

test('headings, lists, code and emphasis are drawn', () => {
  const looks = (line: string) =>
    styledLines([line]).map(({ kind, spans }) => [kind, ...spans.map(({ look, text }) => `${look}:${text}`)])[0];
  expect(looks('## Why')).toEqual(['heading', 'sign:## ', 'text:Why']);
  expect(looks('- **so** `x`')).toEqual([
    'item',
    'sign:- ',
    'sign:**',
    'strong:so',
    'sign:**',
    'text: ',
    'sign:`',
    'code:x',
    'sign:`',
  ]);
  expect(looks('a user_id and *em*')).toEqual(['plain', 'text:a user_id and ', 'sign:*', 'em:em', 'sign:*']);
  expect(styledLines(['```', '# no heading', '```']).map(({ kind }) => kind)).toEqual(['code', 'code', 'code']);
});

test.each([
  ['[docs](https://docs.example/a)', 'https://docs.example/a'],
  ['see https://docs.example/a', 'https://docs.example/a'],
  ['![pixel](https://evil.example/p.png)', 'https://evil.example/p.png'],
  ['[x](javascript:alert(1))', undefined],
  ['[x](data:text/html,hi)', undefined],
  ['https://user:secret@evil.example/', undefined],
  ['https://gооgle.example/', undefined],
])('only a plain web address leads somewhere: %s', (line, to) => {
  expect(styledLines([line]).flatMap(({ spans }) => spans.flatMap((span) => span.to ?? []))[0]).toBe(to);
});
