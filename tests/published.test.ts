import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../src/core/memory/limits.ts';
import { PROMPTS, RESOURCES, TOOLS } from '../src/server.ts';
import { CLIENTS, type Home, type ListedTool, makeHome, type Session } from '../testkit/clients.ts';

/**
 * What clients are told, one file each. A change of it fails here until somebody has looked at it: run
 * `npx vitest run tests/published.test.ts -u` and read the difference before keeping it.
 */
const PINNED = join(import.meta.dirname, 'published');

/** A model pays for the tools in every session, before it has done anything. */
const BUDGET = 3_000;
/** Claude Code cuts descriptions and instructions at 4,096 characters; what is longer than this is an essay already. */
const LONGEST = 1_024;
/** Claude Code drops a tool whose full name is longer; the prefix is that of a server which a plugin brings. */
const NAME = { most: 128, prefix: 'mcp__plugin_surety-memory_surety__' };
/** What only a person may say, and never through an argument. */
const NO_ARGUMENT = /^(confirm(ed)?|force|yes|actor|trust.*)$/i;

interface Surface {
  readonly tools: readonly ListedTool[];
  readonly resources: readonly unknown[];
  readonly templates: readonly unknown[];
  readonly prompts: readonly unknown[];
  readonly instructions: string | undefined;
}

let home: Home;
const surfaces = new Map<string, Surface>();

beforeAll(async () => {
  home = makeHome();
  for (const { client, connect } of CLIENTS) {
    const session = await connect({ home });
    const understood = {
      tools: await session.listTools(),
      resources: await session.listResources(),
      templates: await session.listTemplates(),
      prompts: await session.listPrompts(),
      instructions: session.instructions,
    };
    await session.close();
    expect(session.server.stderr).toBe('');
    const told = sentBy(session);
    expect(understood).toEqual(told);
    surfaces.set(client, told);
  }
});
afterAll(() => home.remove());

/** Off the wire: each client's parser brings keys into an order of its own. */
function sentBy({ server }: Session): Surface {
  const results = server.stdout.map((line) => JSON.parse(line).result ?? {});
  const last = (key: string) => results.findLast((result) => key in result)?.[key];
  return {
    tools: last('tools'),
    resources: last('resources'),
    templates: last('resourceTemplates'),
    prompts: last('prompts'),
    instructions: last('instructions'),
  };
}

function toldTo(client: string | undefined): Surface {
  const surface = surfaces.get(client ?? '');
  if (surface === undefined) throw new Error(`${client} was told nothing`);
  return surface;
}

/** As any client is told: the test below holds that all are told the same. */
function published(name: string): ListedTool {
  const tool = toldTo(CLIENTS[0]?.client).tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`${name} is not published`);
  return tool;
}

const NAMES = TOOLS.map(({ name }) => name);
const pinned = (name: string) => join(PINNED, `${name}.snap`);

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

describe.each(CLIENTS)('$client', ({ client }) => {
  test('is told of the tools in the order of the list', () => {
    expect(toldTo(client).tools.map(({ name }) => name)).toEqual(NAMES);
  });

  test.each(NAMES)('is told of %s as pinned', async (name) => {
    const tool = toldTo(client).tools.find((each) => each.name === name);
    await expect(json(tool)).toMatchFileSnapshot(pinned(`tool-${name}`));
  });

  test('is told of resources, prompts and instructions as pinned', async () => {
    const { resources, templates, prompts, instructions } = toldTo(client);
    await expect(json({ resources, templates })).toMatchFileSnapshot(pinned('resources'));
    await expect(json({ prompts })).toMatchFileSnapshot(pinned('prompts'));
    await expect(`${instructions}\n`).toMatchFileSnapshot(pinned('instructions'));
  });

  test('is told of every resource and prompt there is', () => {
    const { resources, templates, prompts } = toldTo(client);
    expect([...resources, ...templates]).toHaveLength(RESOURCES.length);
    expect(prompts).toHaveLength(PROMPTS.length);
  });
});

test('clients of both eras are told the same', () => {
  const [first, ...others] = CLIENTS.map(({ client }) => toldTo(client));
  for (const other of others) expect(other).toEqual(first);
});

test('nothing stays pinned that is published no more', () => {
  const expected = [...NAMES.map((name) => `tool-${name}`), 'resources', 'prompts', 'instructions'];
  expect(readdirSync(PINNED).sort()).toEqual(expected.map((name) => `${name}.snap`).sort());
});

/** Four characters to a token: near enough for English and JSON, and it needs no tokenizer. */
function tokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}

test(`the tools cost a model less than ${BUDGET} tokens`, () => {
  const { tools, instructions } = toldTo(CLIENTS[0]?.client);
  const asModelsSee = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const cost = tokens(asModelsSee);
  const each = asModelsSee
    .map((tool) => ({ name: tool.name, cost: tokens(tool) }))
    .sort((a, b) => b.cost - a.cost)
    .map((tool) => `${tool.name} ${tool.cost}`)
    .join(', ');
  process.stdout.write(
    `tools/list: about ${cost} tokens as a model sees it (${each}), ${tokens(tools)} as sent; instructions ${tokens(instructions)}\n`,
  );
  expect(cost, `shorten the longest: ${each}`).toBeLessThan(BUDGET);
});

// In a window of 80 columns Claude Code 2.1.328 offers "don't ask again" only for a title of at most 13 characters. Without the
// offer it asks before every search.
test('the titles of the tools that are called most are short enough to be allowed for good in 80 columns', () => {
  for (const name of ['search_memories', 'read_memory', 'propose_memory']) {
    const { title = '' } = published(name);
    expect(title.length, title).toBeLessThanOrEqual(13);
  }
});

test('the instructions arrive whole', () => {
  expect(toldTo(CLIENTS[0]?.client).instructions?.length).toBeLessThanOrEqual(LONGEST);
});

interface Bounded {
  readonly description?: string;
  readonly maxLength?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: Bounded;
}

interface JsonSchema {
  readonly type?: string;
  readonly additionalProperties?: unknown;
  readonly properties?: Record<string, JsonSchema>;
}

/** Every object in a schema, however deep. */
function objectsIn(schema: unknown): JsonSchema[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'properties' in schema ? [schema as JsonSchema] : [];
  return [...own, ...Object.values(schema).flatMap(objectsIn)];
}

describe.each(NAMES)('%s', (name) => {
  test('says what it is and what it answers', () => {
    const { title, description = '', outputSchema } = published(name);
    expect(title).toMatch(/^[A-Z]/);
    expect(description.length).toBeGreaterThan(40);
    expect(description.length).toBeLessThanOrEqual(LONGEST);
    expect(objectsIn(outputSchema).length).toBeGreaterThan(1); // the answer, and a failure
  });

  test('gives all four hints and acts on nothing outside the store', () => {
    expect(published(name).annotations).toEqual({
      title: published(name).title,
      readOnlyHint: expect.any(Boolean),
      destructiveHint: expect.any(Boolean),
      idempotentHint: expect.any(Boolean),
      openWorldHint: false,
    });
  });

  test('takes no argument it does not name, and none in which a model could say yes', () => {
    const inputs = objectsIn(published(name).inputSchema);
    expect(inputs.length).toBeGreaterThan(0);
    for (const { type, additionalProperties, properties = {} } of inputs) {
      expect({ type, additionalProperties }).toEqual({ type: 'object', additionalProperties: false });
      expect(Object.keys(properties).filter((argument) => NO_ARGUMENT.test(argument))).toEqual([]);
    }
  });

  test('describes every argument with its bounds, because some clients strip them from the schema', () => {
    const { properties } = published(name).inputSchema as { properties: Record<string, Bounded> };
    for (const [argument, { description = '', items, ...own }] of Object.entries(properties)) {
      expect(description, argument).not.toBe('');
      const most = [own.maxLength, own.maximum, own.maxItems, items?.maxLength].filter((bound) => bound !== undefined);
      // Of a body the code points count, and the schema can only count something else.
      const bounds = argument === 'body' ? [LIMITS.body.max] : most;
      for (const bound of bounds) expect(description, argument).toMatch(new RegExp(`\\b${bound}\\b`));
    }
  });

  test('has a name that clients can carry', () => {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(`${NAME.prefix}${name}`.length).toBeLessThanOrEqual(NAME.most);
  });
});

test('Claude Code asks a person before adopt, promote and restore, and has search and propose at hand from the start', () => {
  const marked = (mark: string) =>
    NAMES.filter((name) => {
      const meta = published(name)._meta as Record<string, unknown> | undefined;
      return meta?.[`anthropic/${mark}`] === true;
    });
  expect(marked('requiresUserInteraction')).toEqual(['adopt', 'promote', 'restore']);
  expect(marked('alwaysLoad')).toEqual(['search_memories', 'propose_memory']);
});
