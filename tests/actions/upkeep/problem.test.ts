import { expect, test } from 'vitest';
import { KEY_PROBLEMS } from '../../../src/actions/upkeep/doctor.ts';
import { PLACE_PROBLEMS } from '../../../src/actions/upkeep/doctor-places.ts';
import { REPOSITORY_PROBLEMS } from '../../../src/actions/upkeep/doctor-repository.ts';
import { STORE_PROBLEMS } from '../../../src/actions/upkeep/doctor-store.ts';
import { about, type ProblemRow, problemsOf } from '../../../src/actions/upkeep/problem.ts';

const ROWS = [...KEY_PROBLEMS, ...STORE_PROBLEMS, ...PLACE_PROBLEMS, ...REPOSITORY_PROBLEMS];

test('each kind of problem and each repair has a name of its own', () => {
  const codes = ROWS.map(({ code }) => code);
  const repairs = ROWS.flatMap(({ repair }) => repair?.name ?? []);
  for (const names of [codes, repairs]) expect(new Set(names).size).toBe(names.length);
  expect(codes.length).toBeGreaterThan(20);
});

test.each(ROWS.map(({ code, ...row }) => [code, row] as const))('%s is said in whole sentences', (_, row) => {
  for (const sentence of [row.what, row.means, row.advice]) expect(sentence).toMatch(/^[a-zA-Z].*\.$/);
  if (row.repair === undefined) return;
  expect(row.repair.question).toMatch(/^[A-Z].*\?$/);
  expect(row.repair.done).toMatch(/^[A-Z].*\.$/);
});

test('what is found says otherwise than its row, and a repair is given what the problem is about', async () => {
  const repaired: unknown[] = [];
  const row: ProblemRow<readonly string[]> = {
    code: 'row',
    severity: 'note',
    find: (names) => [...about(names), { what: 'Something else.', severity: 'problem' }],
    what: 'Something.',
    means: 'Nothing.',
    advice: 'Wait.',
    repair: { name: 'mend', question: 'Mend?', done: 'Mended.', apply: (...given) => void repaired.push(given) },
  };
  const [first, second] = problemsOf([row], ['a', 'b']);
  expect(first).toMatchObject({ code: 'row', severity: 'note', about: ['a', 'b'], what: 'Something.' });
  expect(second).toMatchObject({
    code: 'row',
    severity: 'problem',
    about: [],
    what: 'Something else.',
    means: 'Nothing.',
  });
  for (const repair of first?.repairs ?? []) if ('apply' in repair) await repair.apply();
  expect(repaired).toEqual([
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
  ]);
  expect(problemsOf([{ ...row, find: about }], [])).toEqual([]);
});
