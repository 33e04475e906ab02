import fc from 'fast-check';
import { expect, test } from 'vitest';
import { namesOf, pointer, referencesIn } from '../../../src/core/memory/references.ts';
import { duplicatePairs } from '../../../src/core/search/duplicate-pairs.ts';
import { termVectorOf } from '../../../src/core/search/term-vector.ts';

test.each([
  ['see [[user_editor]] and [[user_editor|my editor]]', ['user_editor']],
  ['[[Build on CI#step two]], [[two]][[three]]', ['Build on CI', 'two', 'three']],
  [
    '[a](user_editor.md) [b](../memories/project_x.md#part) [c](<feedback_y.md>)',
    ['user_editor', 'project_x', 'feedback_y'],
  ],
  ['[a](README.md) [b](https://example.com/user_editor.md) [c](docs/user-guide.md)', []],
  ['[[]] [[a\nb]] [[[x]] if [[ -f file ]]; then', ['x', '-f file']],
])('%j points to %j', (text, targets) => {
  expect(referencesIn(text)).toEqual(targets);
});

test('a memory is pointed to by its id, with or without the type, and by its name', () => {
  const names = namesOf('user_build_on_ci', 'Build on CI');
  for (const target of ['user_build_on_ci', 'build-on-ci', 'Build on CI', 'BUILD  ON ci']) {
    expect(names).toContain(pointer(target));
  }
  expect(names).not.toContain(pointer('build on'));
});

test('looking for references takes no more than linear time', () => {
  for (const hostile of ['[['.repeat(50_000), '](a'.repeat(50_000), `[[${'a'.repeat(200_000)}`]) {
    expect(referencesIn(hostile)).toEqual([]);
  }
});

test('texts that share most of their words are a pair; others are none', () => {
  const words = fc.array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'.split('').map((c) => `word${c}${c}`)), {
    minLength: 12,
    maxLength: 20,
  });
  fc.assert(
    fc.property(words, (some) => {
      const body = some.join(' ');
      const text = (id: string, said: string) => ({
        id,
        vector: termVectorOf({ name: 'n', about: 'a', body: said }).vector,
      });
      const pairs = duplicatePairs([
        text('b', body),
        text('a', body),
        text('c', 'zebra giraffe lion tiger okapi antelope'),
      ]);
      expect(pairs).toEqual([{ ids: ['a', 'b'], likeness: 1 }]);
    }),
  );
});

test('a thousand copies of one text are told in proportion to their number', () => {
  const { vector } = termVectorOf({ name: 'one', about: 'two', body: 'three four five six seven' });
  const copies = Array.from({ length: 1000 }, (_, n) => ({ id: `user_${n}`, vector }));
  expect(duplicatePairs(copies).length).toBeLessThan(3_000);
});
