import { expect, test } from 'vitest';
import { verifiedAboveCopies } from '../../../src/core/search/verified-above-copies.ts';

/** Ids that begin with v are verified; those with the same second letter say nearly the same. */
function order(...found: [id: string, corrects?: string][]): string {
  const placed = found.map(([id, corrects = null]) => ({ id, isVerified: id.startsWith('v'), corrects }));
  return verifiedAboveCopies(placed, (one, other) => one.id[1] === other.id[1])
    .map(({ id }) => id)
    .join(' ');
}

test('a verified memory comes before one that says nearly the same', () => {
  expect(order(['ia'], ['ib'], ['va'])).toBe('va ia ib');
  expect(order(['ib'], ['ia'], ['va'])).toBe('ib va ia');
});

test('a correction comes after what it corrects, however well it matches', () => {
  expect(order(['ib', 'va'], ['ic', 'va'], ['va'])).toBe('va ib ic');
});

test('everything else keeps its place', () => {
  expect(order(['ib'], ['va'], ['ic', 'vx'], ['vd'])).toBe('ib va ic vd');
  expect(order(['ia'], ['ia2'], ['ib'])).toBe('ia ia2 ib');
});
