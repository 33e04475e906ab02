import { expect, test } from 'vitest';
import { parseQuery } from '../../../src/core/search/query.ts';
import { Ranker, rarity } from '../../../src/core/search/rank.ts';
import { type Fields, termVectorOf } from '../../../src/core/search/term-vector.ts';

const fields = (body: string, name = '', about = ''): Fields => ({ name, about, body });

/** Scores of texts in a store of exactly these texts. */
function scores(query: string, texts: readonly (string | Fields)[]): number[] {
  const prints = texts.map((text) => termVectorOf(typeof text === 'string' ? fields(text) : text));
  const dfOf = (terms: readonly string[]) => prints.filter((p) => terms.every((t) => p.terms.includes(t))).length;
  const weighed = parseQuery(query).units.map((unit) => ({ unit, df: dfOf(unit.keys), alike: [] }));
  const words = prints.reduce((sum, { vector }) => sum + vector.length, 0);
  const ranker = new Ranker(weighed, { memories: texts.length, words });
  return prints.map(({ vector }) => ranker.score(vector).score);
}

test('X09: a term in six of ten counts less than one in two of ten, and both count', () => {
  expect(rarity(6, 10)).toBeGreaterThan(0.1);
  expect(rarity(2, 10)).toBeGreaterThan(rarity(6, 10));
  for (const memories of [1, 2, 10]) expect(rarity(memories, memories)).toBeGreaterThan(0);
});

test('X11: a text that shares nothing scores zero, without a division by zero', () => {
  expect(scores('kubernetes', ['rebase', 'merge'])).toEqual([0, 0]);
  expect(scores('x', [])).toEqual([]);
});

test('X06: an identifier is found joined or split, and not by one of its parts', () => {
  const [identity, together, apart, camel] = scores('user_id', ['user identity', 'user_id', 'user id', 'userId']);
  expect(identity).toBe(0);
  for (const score of [together, apart, camel]) expect(score).toBeGreaterThan(0);
});

test('the name counts more than the description, and the description more than the body', () => {
  const [name, about, body, none] = scores('rebase', [
    fields('one two', 'rebase'),
    fields('one two', '', 'rebase'),
    fields('rebase two'),
    fields('one two'),
  ]) as [number, number, number, number];
  expect(name).toBeGreaterThan(about);
  expect(about).toBeGreaterThan(body);
  expect(body).toBeGreaterThan(none);
});

test('one text with both words ranks above texts with one of them often', () => {
  const [both, often] = scores('merge queue', ['merge things by the queue', 'merge merge merge merge']) as [
    number,
    number,
  ];
  expect(both).toBeGreaterThan(often);
});

test('adjacent words rank above the same words apart, and a quoted phrase above both', () => {
  const texts = ['the merge queue is slow today', 'the queue is slow today since merge'];
  const [near, far] = scores('merge queue', texts) as [number, number];
  expect(near).toBeGreaterThan(far);
  const [exact, inexact] = scores('"merge queue"', texts) as [number, number];
  expect(exact / inexact).toBeGreaterThan(near / far);
});
