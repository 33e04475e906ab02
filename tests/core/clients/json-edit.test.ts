import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonValue, nodeAt, type Path, removed, treeOf, withValue } from '../../../src/core/clients/json-edit.ts';

const VALUE = { command: '/opt/node', args: ['main.js'] };

/** Texts a person may have, the path that is added, and the result. */
const ADDED: readonly (readonly [what: string, text: string, path: Path, made: string])[] = [
  ['an empty file', '{}\n', ['a'], '{\n  "a": 1\n}\n'],
  ['a container that is missing', '{}\n', ['a', 'b', 0], '{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}\n'],
  ['a line', '{"x":0}', ['a'], '{"x":0,"a": 1}'],
  ['a line with blanks', '{ "x": 0 }', ['a'], '{ "x": 0, "a": 1 }'],
  ['tabs and CRLF', '{\r\n\t"x": 0\r\n}', ['a'], '{\r\n\t"x": 0,\r\n\t"a": 1\r\n}'],
  ['a comment behind the last', '{\n  "x": 0 // mine\n}', ['a'], '{\n  "x": 0, // mine\n  "a": 1\n}'],
  ['a block behind the last', '{\n  "x": 0 /* mine\n  too */\n}', ['a'], '{\n  "x": 0,\n  "a": 1 /* mine\n  too */\n}'],
  ['a comma behind the last', '{\n  "x": 0, // mine\n}', ['a'], '{\n  "x": 0, // mine\n  "a": 1,\n}'],
  ['a comma on one line', '{ "x": [0, 1, ] }', ['x', 2], '{ "x": [0, 1, 1, ] }'],
  ['a comma in a comment', '{\n  "x": 0 /* , */\n}', ['a'], '{\n  "x": 0, /* , */\n  "a": 1\n}'],
  ['nothing but a comment', '{\n  // nothing yet\n}', ['a'], '{\n  // nothing yet\n  "a": 1\n}'],
  ['a bracket on the last line', '{\n  "x": 0 }', ['a'], '{\n  "x": 0,\n  "a": 1 }'],
  ['a comment before the file', '// mine\n{ "x": 0 }\n', ['a'], '// mine\n{ "x": 0, "a": 1 }\n'],
];

test.each(ADDED)('%s gets a value, and is unchanged after the value is removed', (_, text, path, made) => {
  expect(withValue(text, path, 1)).toBe(made);
  const missing = path.findIndex((__, at) => nodeAt(treeOf(text), path.slice(0, at + 1)) === undefined);
  expect(removed(made, path.slice(0, missing + 1))).toBe(text);
});

test.each([
  ['the first', '{\n  "a": 1,\n  // mine\n  "x": 0\n}', '{\n  // mine\n  "x": 0\n}'],
  ['the first of a line', '{ "a": 1, "x": 0 }', '{ "x": 0 }'],
  ['with a comment behind it', '{\n  "x": 0,\n  "a": 1 // why\n}', '{\n  "x": 0 // why\n}'],
  ['with a comment before its comma', '{\n  "a": 1 /* why */,\n  "x": 0\n}', '{/* why */\n  "x": 0\n}'],
  ['behind a comment, others on its line', '{ // mine\n  "a": 1, "x": 0 }', '{ // mine\n  "x": 0 }'],
  ['behind a comment, the bracket on its line', '{ "x": 0, // mine\n  "a": 1 }', '{ "x": 0 // mine\n   }'],
  ['the only one', '{\n  "a": 1\n}', '{}'],
  ['the only one, with a comma', '{\n  "a": 1,\n}', '{}'],
])('%s is removed, and comments stay', (_, text, left) => {
  expect(removed(text, ['a'])).toBe(left);
  expect(treeOf(left)).toBeDefined();
});

test('a value is replaced in place, and removing a missing one changes nothing', () => {
  const text = '{\n  "a": { "b": 1 }, // mine\n}';
  expect(withValue(text, ['a', 'b'], 2)).toBe('{\n  "a": { "b": 2 }, // mine\n}');
  expect(removed(text, ['c'])).toBe(text);
});

/** A file as a person may write it: any value, any indent, comments and commas wherever they are allowed. */
const blank = fc.constantFrom('', '', ' ', '\n', '\n  ', '\n\n', ' // one\n', '/* two */', '/* , { */ ', '\r\n\t');
const scalar = fc.constantFrom('0', '"a, b"', '"// no"', 'null', '"\\"}"');
const { document } = fc.letrec<{ value: string; document: string }>((tie) => {
  const list = (open: string, close: string, key: boolean) =>
    fc
      .tuple(fc.array(fc.tuple(blank, tie('value'), blank), { maxLength: 3 }), blank, fc.boolean())
      .map(([items, end, comma]) => {
        const all = items.map(([before, value, after], at) => `${before}${key ? `"k${at}":` : ''}${value}${after}`);
        return `${open}${all.join(',')}${comma && all.length > 0 ? ',' : ''}${end}${close}`;
      });
  return {
    value: fc.oneof({ maxDepth: 3 }, scalar, list('[', ']', false), list('{', '}', true)),
    document: fc.tuple(blank, list('{', '}', true), blank).map((parts) => parts.join('')),
  };
});

test('after adding and removing, every other value and every comment is still there', () => {
  fc.assert(
    fc.property(document, fc.constantFrom<Path>(['new'], ['k0', 'new'], ['k1', 'k0', 'new']), (text, path) => {
      const before = jsonValue(treeOf(text));
      const container = nodeAt(treeOf(text), path.slice(0, -1));
      fc.pre(container?.type === 'object');
      const made = withValue(text, path, VALUE);
      expect(jsonValue(nodeAt(treeOf(made), path))).toEqual(VALUE);
      const left = removed(made, path);
      expect(jsonValue(treeOf(left))).toEqual(before);
      expect(left.replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
    }),
    { numRuns: 1000 },
  );
});
