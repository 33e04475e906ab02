import { expect, test } from 'vitest';
import { mixed, parseWordings } from '../../../src/core/search/wordings.ts';

const score = (own: number, hinted = own, coverage = 0.5) => ({
  score: hinted,
  own,
  coverage,
  match: hinted / 5,
  ownMatch: own / 5,
});

test('a wording counts once, however often it is given, and one without a word to look for not at all', () => {
  const plain = parseWordings(['Deploy on Friday', 'deploy, Friday!', 'the', '', 'rollback']);
  expect(plain.map(({ words }) => words)).toEqual([['deploy', 'friday'], ['rollback']]);
});

test('one wording leaves a score as it is', () => {
  expect(mixed([score(3, 4, 0.02)])).toEqual(score(3, 4, 0.02));
});

test('of two memories that answer one wording alike, the one that more wordings find goes first', () => {
  const once = mixed([score(0, 0, 0), score(4)]);
  const twice = mixed([score(1), score(4)]);
  expect(once.score).toBe(4);
  expect(twice.score).toBe(4.5);
});

test('a chance hit of one wording adds nothing', () => {
  expect(mixed([score(1, 1, 0.05), score(4)])).toEqual(mixed([score(0, 0, 0), score(4)]));
});
