import { expect, test } from 'vitest';
import { importCodexMemories } from '../../../src/core/import/codex-memories.ts';

test('the heads of blocks that older versions wrote are no memories, and line numbers stay true', () => {
  const text =
    '---\nrollout_summary_files:\n  - a.md (cwd=/x, updated_at=2026-02-12T10:30:00Z)\ndescription: about x\nkeywords: k1, k2\n---\n\n- The first entry.\n- The second entry.\n';
  expect(importCodexMemories('MEMORY.md', text)).toMatchObject([
    { label: 'MEMORY.md:8', type: 'reference', body: 'The first entry.' },
    { label: 'MEMORY.md:9', type: 'reference', body: 'The second entry.' },
  ]);
});

test('the folder that a block is for stays with its own entries', () => {
  const block = (name: string) =>
    `# Task Group: ${name}\n\napplies_to: cwd=/${name}\n\n## Reusable knowledge\n\n- Of ${name}.\n\n`;
  expect(importCodexMemories('MEMORY.md', block('a') + block('b')).map(({ body }) => body)).toEqual([
    'Of a.\n\nApplies to: cwd=/a',
    'Of b.\n\nApplies to: cwd=/b',
  ]);
});

test('of a long line that says what a block is for each entry has the beginning', () => {
  const text = `# Task Group: a\n\napplies_to: ${'cwd=/a '.repeat(3_000)}\n\n## Reusable knowledge\n\n- One.\n- Two.\n`;
  const found = importCodexMemories('MEMORY.md', text);
  expect(found).toHaveLength(2);
  for (const { body } of found) {
    expect(body).toContain('Applies to: cwd=/a cwd=/a');
    expect(body.length).toBeLessThan(300);
  }
});
