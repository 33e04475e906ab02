import { expect, test } from 'vitest';
import { importNote, isNote } from '../../../src/core/import/basic-memory.ts';
import { looseFrontmatter } from '../../../src/core/import/loose-frontmatter.ts';
import { LIMITS } from '../../../src/core/memory/limits.ts';
import { lengthOf } from '../../../src/core/memory/memory.ts';

const note = (text: string) => importNote('n.md', 'My note.md', looseFrontmatter(text));

test('a note is known by its permalink, however its other keys are nested', () => {
  const file = looseFrontmatter(
    '---\r\ntitle: "T"\r\nschema:\r\n  name: x\r\npermalink: a/b\r\ntags: [x, "y z"]\r\n---\r\ntext',
  );
  expect(isNote(file)).toBe(true);
  expect(file.fields.get('tags')).toEqual(['x', 'y z']);
  expect(isNote(looseFrontmatter('permalink: a/b'))).toBe(false);
});

test('a note without observations, a title or a text', () => {
  expect(note('---\npermalink: p\n---\n# My note\n\nOnly words.')).toMatchObject([
    { name: 'My note', description: 'Only words.', tags: [], body: '# My note\n\nOnly words.' },
  ]);
  expect(note('---\npermalink: p\n---\n# Only a heading')).toMatchObject([{ description: 'My note' }]);
  expect(note('---\npermalink: p\n---\n\n')).toEqual([]);
  expect(note('---\npermalink: p\n---\n- [ ] a task #later')).toMatchObject([{ tags: [] }]);
});

test('a note that does not fit comes in several memories that do, and no line is lost', () => {
  const lines = Array.from({ length: 300 }, (_, i) => `- [fact] Number ${i} of many, each as long as this one #t${i}`);
  const told = note(`---\ntitle: ${'Long '.repeat(60)}\npermalink: p\n---\n${lines.join('\n')}`);
  expect(told.length).toBeGreaterThan(2);
  for (const { name, body, tags } of told) {
    expect(lengthOf(name)).toBeLessThanOrEqual(LIMITS.name.max);
    expect(lengthOf(body)).toBeLessThanOrEqual(LIMITS.body.max);
    expect(tags).toHaveLength(LIMITS.tags.count);
  }
  const all = told.map(({ body }) => body).join('\n');
  for (const line of lines) expect(all).toContain(line);
});
