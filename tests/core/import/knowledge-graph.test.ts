import fc from 'fast-check';
import { expect, test } from 'vitest';
import { importEntity, readGraph } from '../../../src/core/import/knowledge-graph.ts';
import { LIMITS } from '../../../src/core/memory/limits.ts';
import { lengthOf } from '../../../src/core/memory/memory.ts';

const lines = (...items: unknown[]) => items.map((item) => JSON.stringify(item)).join('\n');
const entity = (name: string, entityType: string, ...observations: string[]) => ({
  type: 'entity',
  name,
  entityType,
  observations,
});
const relation = (from: string, relationType: string, to: string) => ({ type: 'relation', from, to, relationType });
const told = (text: string) => [...readGraph(text).entities.values()].flatMap(importEntity);

test('an entity becomes a memory with its observations and relations as lines', () => {
  const graph = lines(
    entity('default_user', 'person', 'Prefers tabs', 'Speaks German\nand a little French'),
    entity('Acme', 'organization'),
    relation('default_user', 'works_at', 'Acme'),
  );
  expect(told(graph)).toEqual([
    {
      label: 'default_user',
      type: 'user',
      name: 'default_user',
      description: 'person: Prefers tabs',
      body: 'default_user is an entity of a knowledge graph, of the type person.\n\n- Prefers tabs\n- Speaks German\n  and a little French\n- default_user works_at Acme',
    },
    {
      label: 'Acme',
      type: 'reference',
      name: 'Acme',
      description: 'organization: Acme',
      body: 'Acme is an entity of a knowledge graph, of the type organization.',
    },
  ]);
});

test('a relation of an undeclared entity is kept too', () => {
  const [ghost] = told(lines(relation('Ghost', 'haunts', 'Acme')));
  expect(ghost).toMatchObject({ name: 'Ghost', body: expect.stringContaining('\n- Ghost haunts Acme') });
});

test.each(['user', 'feedback', 'Project', 'reference'])('the entity type %s becomes the type', (kind) => {
  expect(told(lines(entity('Someone', kind, 'x')))[0]?.type).toBe(kind.toLowerCase());
});

test('invalid lines are named by their number and hide no other', () => {
  const graph = readGraph(
    [
      '\uFEFF{"type":"entity","name":"A","entityType":"b","observations":["c"]}',
      '{"type":"entity","name":"A","entityType":"b"',
      '{"type":"entity","name":7,"entityType":"b","observations":[]}',
      '{"type":"entity","name":"C","entityType":"b","observations":[{"deep":1}]}',
      '',
      '[]',
      'null',
      `${'['.repeat(100_000)}`,
      '{"type":"relation","from":"__proto__","to":"B","relationType":"is"}\r',
    ].join('\n'),
  );
  expect(graph.unknown).toEqual([2, 3, 4, 6, 7, 8]);
  expect([...graph.entities.keys()]).toEqual(['A', '__proto__']);
});

test('an entity too long for one memory becomes several, and loses no word', () => {
  const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
  const observations = fc.array(fc.oneof(word, fc.string({ minLength: 1_000, maxLength: 6_000 })), { maxLength: 30 });
  const relations = fc.array(fc.tuple(word, word), { maxLength: 5 });
  fc.assert(
    fc.property(word, word, observations, relations, (name, kind, seen, related) => {
      fc.pre(name.trim() !== '');
      const graph = lines(entity(name, kind, ...seen), ...related.map(([how, to]) => relation(name, how, to)));
      const parts = told(graph);
      const bodies = parts.map(({ body }) => body);
      for (const each of [...seen, ...related.map(([how, to]) => `${name} ${how} ${to}`)])
        expect(bodies.some((body) => body.includes(`- ${each.replaceAll('\n', '\n  ')}`))).toBe(true);
      for (const part of parts) {
        expect(lengthOf(part.name)).toBeLessThanOrEqual(LIMITS.name.max);
        expect(lengthOf(part.description)).toBeLessThanOrEqual(LIMITS.description.max);
        expect(lengthOf(part.body)).toBeGreaterThanOrEqual(LIMITS.body.min);
        if (lengthOf(part.body) > LIMITS.body.max) expect(part.body.split('\n- ')).toHaveLength(2);
      }
      expect(new Set(parts.map((part) => part.name)).size).toBe(parts.length);
    }),
    { numRuns: 100 },
  );
});

test('the memories of a graph are bounded in size: a name that is too long makes no entity', () => {
  const many = Array.from({ length: 2_000 }, (_, i) => `observation ${i}`);
  const longest = 'n'.repeat(LIMITS.body.max / 4);
  const graph = readGraph(
    lines(
      entity(longest, longest, ...many),
      entity(`${longest}n`, 'person', ...many),
      entity('Acme', `${longest}n`, ...many),
      relation(`${longest}n`, 'works_at', 'Acme'),
    ),
  );
  expect(graph.unknown).toEqual([2, 3, 4]);
  const memories = [...graph.entities.values()].flatMap(importEntity);
  expect(memories.length).toBeLessThan(30);
  expect(memories.every(({ body }) => lengthOf(body) <= LIMITS.body.max)).toBe(true);
});

test('of a million damaged lines a thousand are named and the rest counted', () => {
  const { entities, unknown, moreUnknown } = readGraph(`${lines(entity('A', 'b'))}\n${'x\n'.repeat(1_000_000)}`);
  expect([entities.size, unknown.length, unknown.at(-1), moreUnknown]).toEqual([1, 1000, 1001, 999_000]);
});
