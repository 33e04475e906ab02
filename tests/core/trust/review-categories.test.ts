import { expect, test } from 'vitest';
import { CATEGORIES, CATEGORY_NAMES, REVIEWED } from '../../../src/core/trust/review-categories.ts';

test('a review goes through what waits, and then through what is new', () => {
  expect(REVIEWED).toEqual([...CATEGORIES, 'new']);
});

test('each category has words of its own', () => {
  expect(Object.keys(CATEGORY_NAMES).sort()).toEqual([...REVIEWED].sort());
  const words = REVIEWED.map((category) => CATEGORY_NAMES[category]);
  expect(words.filter((each) => each.trim() === '')).toEqual([]);
  expect(new Set(words).size).toBe(words.length);
});
