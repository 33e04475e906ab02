import { expect, test } from 'vitest';
import { bugDetails } from '../../src/core/bug-details.ts';

test('a bug’s details steer no terminal, and keep their lines', () => {
  const bug = new Error('a file said \u001b]0;title\u0007 and \u202etxt');
  expect(bugDetails(bug)).toMatch(/^Error: a file said \?]0;title\? and \?txt\n +at /);
  expect(bugDetails(Object.assign(new Error('no stack'), { stack: undefined }))).toBe('no stack');
  expect(bugDetails('a thrown secret')).toBe('string');
});
