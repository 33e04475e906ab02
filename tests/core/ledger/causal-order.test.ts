import { expect, test } from 'vitest';
import { type Dated, inCausalOrder } from '../../../src/core/ledger/causal-order.ts';

const entry = (hash: string, clock: number, after: readonly string[] = [], ledger: string | undefined = hash[0]) => ({
  hash,
  clock,
  after,
  ledger,
});
const order = (...entries: Dated[]) => orderOf(entries);
const orderOf = (entries: readonly Dated[]) => inCausalOrder(entries, (each) => each).map(({ hash }) => hash);

test('entries that have nothing to do with each other go by the clock', () => {
  expect(order(entry('a1', 3), entry('b1', 1), entry('c1', 2))).toEqual(['b1', 'c1', 'a1']);
  expect(order(entry('a1', 1), entry('b1', 1))).toEqual(['a1', 'b1']);
  expect([order(entry('a1', 1)), order()]).toEqual([['a1'], []]);
});

test('an entry stands after those it names, whatever the clocks said', () => {
  expect(order(entry('a1', 1, ['b1']), entry('b1', 9))).toEqual(['b1', 'a1']);
  expect(order(entry('a1', 1, ['gone']), entry('b1', 9))).toEqual(['a1', 'b1']);
});

test('of two that an entry follows, the clock says which was first', () => {
  expect(order(entry('a1', 1, ['b1', 'c1']), entry('b1', 8), entry('c1', 9))).toEqual(['b1', 'c1', 'a1']);
  expect(order(entry('a1', 1, ['c1', 'b1']), entry('b1', 8), entry('c1', 9))).toEqual(['b1', 'c1', 'a1']);
});

test('an entry stands after those before it in its ledger, also where a clock was ahead once', () => {
  expect(order(entry('a1', 2), entry('a2', 90), entry('a3', 3), entry('b1', 4, ['a3']))).toEqual([
    'a1',
    'a2',
    'a3',
    'b1',
  ]);
});

test('a stranger’s clock takes nobody’s entries before those of another ledger', () => {
  const mine = [entry('a1', 1), entry('a2', 2, ['a1']), entry('a3', 5, ['a2'])];
  expect(order(...mine, entry('b1', 3), entry('x1', 0, ['a3']))).toEqual(['a1', 'a2', 'b1', 'a3', 'x1']);
});

test('entries without a ledger are in nobody’s order', () => {
  expect(order({ ...entry('a1', 9), ledger: undefined }, { ...entry('a2', 1), ledger: undefined })).toEqual([
    'a2',
    'a1',
  ]);
});

test('an entry may name as many others as somebody writes into it', () => {
  const many = Array.from({ length: 200_000 }, (_, i) => entry(`a${i}`, 1));
  const after = many.map(({ hash }) => hash);
  expect(orderOf([...many, entry('b1', 0, [...after, ...after])]).at(-1)).toBe('b1');
});

test('each entry is there once, also where a forged list names in a circle, and a long ledger ends', () => {
  expect(order(entry('a1', 1, ['b1']), entry('b1', 2, ['a1'])).toSorted()).toEqual(['a1', 'b1']);
  const long = Array.from({ length: 100_000 }, (_, i) => entry(`a${i}`, -i));
  expect(order(...long).join()).toBe(long.map(({ hash }) => hash).join());
});
