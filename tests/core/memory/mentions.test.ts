import { expect, test } from 'vitest';
import { mentionsIn } from '../../../src/core/memory/mentions.ts';

test('paths, scripts, targets of make and variables in backticks are mentions', () => {
  const body = 'See `src/deploy.ts`, `npm run bench:x -- --json`, `make ship`, `$SHOP_KEY` and `build.ts`.';
  expect(mentionsIn(body).map(({ kind, name }) => [kind, name])).toEqual([
    ['path', 'src/deploy.ts'],
    ['script', 'npm run bench:x -- --json'],
    ['target', 'make ship'],
    ['variable', 'SHOP_KEY'],
    ['path', 'build.ts'],
  ]);
});

test('patterns, placeholders, addresses, made folders and plain words are none', () => {
  const body =
    'src/plain.ts `src/*.ts` `<root>/x` `https://example.com/a` `node_modules/x` `dist/main.js` `TODO` `run` `a b/c`';
  expect(mentionsIn(body)).toEqual([]);
});
