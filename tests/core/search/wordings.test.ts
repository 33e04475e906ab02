import { expect, test } from 'vitest';
import { combinedScore, parseWordings } from '../../../src/core/search/wordings.ts';

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
  expect(combinedScore([score(3, 4, 0.02)])).toEqual(score(3, 4, 0.02));
});

test('of two memories that answer one wording alike, the one that more wordings find goes first', () => {
  const once = combinedScore([score(0, 0, 0), score(4)]);
  const twice = combinedScore([score(1), score(4)]);
  expect(once.score).toBe(4);
  expect(twice.score).toBe(4.5);
});

test('a chance hit of one wording adds nothing', () => {
  expect(combinedScore([score(1, 1, 0.05), score(4)])).toEqual(combinedScore([score(0, 0, 0), score(4)]));
});
