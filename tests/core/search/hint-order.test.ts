import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inHintOrder, withHints } from '../../../src/core/search/hint-order.ts';

const found = fc
  .record({ own: fc.nat(20), lift: fc.nat(40), isVerified: fc.boolean() })
  .map(({ own, lift, isVerified }) => ({ own, isVerified, worth: withHints({ score: own + lift, own }, isVerified) }));

test('hints never lift a memory that nobody verified above a verified one that matches better by its own text', () => {
  fc.assert(
    fc.property(fc.array(found, { maxLength: 30 }), (all) => {
      const order = inHintOrder(all);
      expect(order).toHaveLength(all.length);
      for (const [at, each] of order.entries()) {
        if (each.isVerified) continue;
        for (const later of order.slice(at + 1)) expect(later.isVerified && later.own > each.own).toBe(false);
      }
    }),
  );
});

test('among memories of one tier the better one goes first, by text and hints together', () => {
  fc.assert(
    fc.property(fc.array(found, { maxLength: 30 }), fc.boolean(), (all, isVerified) => {
      const worths = inHintOrder(all.map((each) => ({ ...each, isVerified }))).map(({ worth }) => worth);
      expect(worths).toEqual(worths.toSorted((a, b) => b - a));
    }),
  );
});

test('the hints of a memory that nobody vouched for weigh less', () => {
  expect(withHints({ score: 10, own: 5 }, true)).toBe(10);
  expect(withHints({ score: 10, own: 5 }, false)).toBe(9);
  expect(withHints({ score: 5, own: 5 }, false)).toBe(5);
});
