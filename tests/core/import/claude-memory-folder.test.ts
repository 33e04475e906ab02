import { expect, test } from 'vitest';
import { flattened, importIndex, importTopic, readIndex } from '../../../src/core/import/claude-memory-folder.ts';
import { LIMITS } from '../../../src/core/memory/limits.ts';
import { lengthOf } from '../../../src/core/memory/memory.ts';
import { read } from '../../../src/store/format/format.ts';

const HERE = new Set(['user_role.md', 'debugging.md']);
const index = (text: string) => readIndex(text, (name) => HERE.has(name));

test('lines that only link to a file of the folder are the index; everything else is text', () => {
  const { hooks, rest } = index(
    [
      '# Memory',
      '- [Role](user_role.md) — who they are',
      '* [Debugging](./debugging.md): how we debug',
      '- [Gone](gone.md) — leads nowhere',
      '- see [Role](user_role.md) first',
    ].join('\r\n'),
  );
  expect([...hooks]).toEqual([
    ['user_role.md', { title: 'Role', hook: 'who they are' }],
    ['debugging.md', { title: 'Debugging', hook: 'how we debug' }],
  ]);
  expect(rest).toBe('# Memory\n- [Gone](gone.md) — leads nowhere\n- see [Role](user_role.md) first');
});

test('an index with nothing but links holds no memory', () => {
  const made =
    '<!-- made by a program -->\n# Memory\n\n## User\n- [Role](user_role.md) — who they are\n\n## Feedback\n';
  expect(importIndex('MEMORY.md', index(made).rest)).toEqual([]);
});

test('text in the index of older versions becomes a memory for each section, short ones joined', () => {
  const long = 'The build takes a while on this machine, so run only what changed. '.repeat(4).trim();
  const text = `# Project\nIntro.\n## Build\n${long}\n## Ports\n- 8443 staging\n## Names\n- call it Surety\n`;
  const told = importIndex('MEMORY.md', text);
  expect(told.map(({ name, type }) => [name, type])).toEqual([
    ['Project', 'project'],
    ['Ports', 'project'],
  ]);
  expect(told.map(({ body }) => body).join('\n')).toBe(text.trim());
  expect(told[1]).toMatchObject({ description: 'Ports, Names' });
});

const document = (text: string) => {
  const reading = read(Buffer.from(text));
  if (reading.kind !== 'document') throw new Error(reading.fault);
  return reading.document;
};

test('a file without frontmatter gets its name and description from the index, or from its own text', () => {
  const body = '# How we debug\n\nStart with the logs of the last run; they have it all.\n';
  expect(importTopic('debugging.md', 'debugging', body, { title: 'Debugging', hook: 'when a test hangs' })).toEqual({
    label: 'debugging.md',
    type: 'project',
    name: 'Debugging',
    description: 'when a test hangs',
    body,
  });
  expect(importTopic('x/feedback_debugging.md', 'feedback_debugging', body, undefined)).toMatchObject({
    type: 'feedback',
    name: 'How we debug',
    description: 'Start with the logs of the last run; they have it all.',
  });
  expect(importTopic('a.md', 'a', 'b', undefined)).toMatchObject({ name: 'a a', description: 'b' });
});

test('fields that are too long are shortened, and stand whole before the text', () => {
  const description = 'a very long description '.repeat(20).trim();
  const told = importTopic(
    'x.md',
    'x',
    document(`---\nname: ${'n'.repeat(150)}\ndescription: ${description}\ntype: user\n---\nThe body.\n`),
    undefined,
  );
  expect(told.type).toBe('user');
  expect(lengthOf(told.name)).toBe(LIMITS.name.max);
  expect(lengthOf(told.description)).toBeLessThanOrEqual(LIMITS.description.max);
  expect(told.body).toBe(`${'n'.repeat(150)}\n\n${description}\n\nThe body.\n`);
});

test('a body that is too short gets its description before it', () => {
  const file = '---\nname: Tabs\ndescription: How the operator indents every file\ntype: user\n---\nNo\n';
  expect(importTopic('x.md', 'x', document(file), undefined).body).toBe('How the operator indents every file\n\nNo\n');
});

test('a type one level down moves beside the other keys, and no other byte changes', () => {
  const nested =
    '---\r\nname: short-slug\r\ndescription: "a: b"\r\nmetadata: \r\n  node_type: memory\r\n  type: feedback\r\n---\r\nBody\r\nmetadata:\r\n  type: x\r\n';
  expect(flattened(nested)).toBe(
    '---\r\nname: short-slug\r\ndescription: "a: b"\r\nmetadata-node_type: memory\r\ntype: feedback\r\n---\r\nBody\r\nmetadata:\r\n  type: x\r\n',
  );
  expect(document(flattened(nested) ?? '').fields.get('type')).toBe('feedback');
});

test.each([
  ['no such block', '---\nname: x\n---\nmetadata:\n  type: user\n'],
  ['an empty block', '---\nmetadata:\nname: x\n---\nb\n'],
  ['a list in it', '---\nmetadata:\n  - type: user\n---\nb\n'],
  ['more levels', '---\nmetadata:\n  type:\n    - user\n---\nb\n'],
  ['a key in quotes', '---\nmetadata:\n  "type": user\n---\nb\n'],
  ['no end of the frontmatter', '---\nmetadata:\n  type: user\n'],
])('%s is unchanged', (_, text) => {
  expect(flattened(text)).toBeUndefined();
});

test('a trust level one level down means nothing', () => {
  const flat = flattened('---\nname: x\nmetadata:\n  trust-level: verified\n---\nb\n') ?? '';
  expect([...document(flat).fields.keys()]).toEqual(['name', 'metadata-trust-level']);
});

test('long lines that could make a pattern run forever are handled quickly', () => {
  const lines = [' '.repeat(60_000), `${'['.repeat(60_000)}`, `- [${'a'.repeat(60_000)}](${'b'.repeat(60_000)}`];
  for (const line of [...lines, '<!--'.repeat(15_000), '#'.repeat(60_000), `${'# '.repeat(30_000)}`]) {
    expect(importIndex('MEMORY.md', index(line).rest).length).toBeLessThanOrEqual(1);
  }
});
