import { expect, test } from 'vitest';
import { matchedPieces } from '../../../src/core/search/matches.ts';
import { parseQuery } from '../../../src/core/search/query.ts';

const marked = (text: string, query: string) =>
  matchedPieces(text, parseQuery(query))
    .filter(({ isMatch }) => isMatch)
    .map((piece) => piece.text);

test.each([
  ['We deploy on Fridays.', 'friday', ['Fridays.']],
  ['The userId is kept', 'user_id', ['userId']],
  ['Deployment of the app', 'deploy', ['Deployment']],
  ['nothing of it', 'cores', []],
])('%s, searched for %s', (text, query, words) => {
  expect(marked(text, query)).toEqual(words);
  expect(
    matchedPieces(text, parseQuery(query))
      .map((piece) => piece.text)
      .join(''),
  ).toBe(text);
});
