import { expect, test } from 'vitest';
import { readMem0 } from '../../../src/core/import/mem0-export.ts';

const item = { id: 'x', memory: 'A text of mem0.' };

test('each form in which mem0 gives its memories', () => {
  for (const form of [{ results: [item] }, [item], item, { memories: [{ id: 'x', content: 'A text of mem0.' }] }])
    expect(readMem0(JSON.stringify(form))).toMatchObject([
      { label: 'memory 1', type: 'reference', name: 'A text of mem0.', body: 'A text of mem0.', tags: [] },
    ]);
});

test('OpenMemory’s memories.json: names of categories, and only what is active', () => {
  const states = ['active', 'paused', 'archived', 'deleted'];
  const memories = states.map((state) => ({ id: state, content: `It is ${state}.`, state, category_ids: ['c1'] }));
  const text = JSON.stringify({ user: {}, apps: [], categories: [{ id: 'c1', name: 'work' }], memories });
  expect(readMem0(`\uFEFF${text}`)).toMatchObject([
    { body: 'It is active.', tags: ['work'] },
    { label: 'memory 2', why: 'it is paused where it comes from' },
    { why: 'it is archived where it comes from' },
    { why: 'it is deleted where it comes from' },
  ]);
});

test('OpenMemory’s lines: a damaged one hides no other', () => {
  const line = (content: string) => JSON.stringify({ id: content, content, categories: ['a'], created_at: null });
  expect(readMem0(`${line('The first.')}\n\nnot one\n${line('The last.')}\n`)).toMatchObject([
    { label: 'line 1', body: 'The first.', tags: ['a'] },
    { label: 'line 3', why: expect.any(String) },
    { label: 'line 4', body: 'The last.' },
  ]);
});

test('a state or a date that is a word of JavaScript or no text costs no memory', () => {
  const odd = ['constructor', '__proto__', 'toString', { toString: 1, valueOf: 1 }, ['archived'], 7, null];
  for (const value of odd)
    expect(readMem0(JSON.stringify([item, { ...item, state: value, created_at: value }]))).toMatchObject([
      { body: 'A text of mem0.' },
      { body: 'A text of mem0.' },
    ]);
});

test('other JSON is nothing of the kind', () => {
  for (const text of [
    '',
    '{}',
    '[]',
    '7',
    '{"content": "no id"}',
    '{"results": "x"}',
    '{"type":"entity","name":"a"}',
    '{"__proto__":1}',
  ])
    expect(readMem0(text)).toBeUndefined();
});
