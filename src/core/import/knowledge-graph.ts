import { LIMITS, type MemoryType, TYPES } from '../memory/limits.ts';
import { lengthOf } from '../memory/memory.ts';
import { type Retold, shortened } from './imported-text.ts';

/** The file of the reference memory server: one JSON object a line, entities with what was observed, and relations. */
export interface Graph {
  readonly entities: ReadonlyMap<string, Entity>;
  /** Numbers of the lines that are neither, or whose names are no names, from 1. */
  readonly unknown: readonly number[];
}

export interface Entity {
  readonly name: string;
  /** undefined where only relations name it. */
  kind: string | undefined;
  readonly observations: Set<string>;
  readonly relations: Set<string>;
}

/** Each memory of an entity names it and its type, and half of it is left for what is told: names beyond are none. */
const LONGEST_NAME = LIMITS.body.max / 4;

/** Reads a graph. A line that says what an earlier one said adds nothing; one that is damaged hides no other. */
export function readGraph(text: string): Graph {
  const entities = new Map<string, Entity>();
  const unknown: number[] = [];
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    const item = parsed(line);
    if (isEntity(item)) {
      const entity = entityNamed(entities, item.name);
      entity.kind ??= item.entityType;
      for (const each of item.observations) entity.observations.add(each);
    } else if (isRelation(item)) {
      entityNamed(entities, item.from).relations.add(`${item.from} ${item.relationType} ${item.to}`);
    } else unknown.push(at + 1);
  }
  return { entities, unknown };
}

/** An entity as one memory, or as several where it holds more than one can; every observation and relation is in one. */
export function retellEntity({ name, kind, observations, relations }: Entity): Retold[] {
  const told = [...observations, ...relations];
  const opening =
    kind === undefined
      ? `${name} is an entity of a knowledge graph that only its relations name.`
      : `${name} is an entity of a knowledge graph, of the type ${kind}.`;
  const lines = told.map((each) => `- ${each.replaceAll('\n', '\n  ')}`);
  const description = shortened(`${kind ?? 'entity'}: ${told[0] ?? name}`, LIMITS.description.max);
  return portions(lines, LIMITS.body.max - lengthOf(opening) - 2).map((portion, i) => {
    const title = i === 0 ? name : `${shortened(name, LIMITS.name.max - 10)} (${i + 1})`;
    const fits = lengthOf(title) >= LIMITS.name.min ? title : `${title} (${kind ?? 'entity'})`;
    return {
      label: name,
      type: typeOf(name, kind),
      name: shortened(fits, LIMITS.name.max),
      description,
      body: [opening, ...(portion.length > 0 ? ['', ...portion] : [])].join('\n'),
    };
  });
}

/** An entity type that is one of ours is taken at its word; the server's own example calls its operator default_user. */
function typeOf(name: string, kind: string | undefined): MemoryType {
  if (name === 'default_user') return 'user';
  return TYPES.find((type) => type === kind?.toLowerCase()) ?? 'reference';
}

/** As many lines in each as fit; one that does not fit stands alone. */
function portions(lines: readonly string[], most: number): string[][] {
  const all: string[][] = [[]];
  let room = most;
  for (const line of lines) {
    const length = lengthOf(line) + 1;
    if (length > room && all.at(-1)?.length !== 0) {
      all.push([]);
      room = most;
    }
    all.at(-1)?.push(line);
    room -= length;
  }
  return all;
}

function entityNamed(entities: Map<string, Entity>, name: string): Entity {
  const known = entities.get(name) ?? { name, kind: undefined, observations: new Set(), relations: new Set() };
  entities.set(name, known);
  return known;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

interface EntityLine {
  readonly name: string;
  readonly entityType: string;
  readonly observations: readonly string[];
}

function isEntity(item: unknown): item is EntityLine {
  if (!isObject(item) || item.type !== 'entity' || !Array.isArray(item.observations)) return false;
  return isNamed(item.name) && isShort(item.entityType) && item.observations.every(isText);
}

function isRelation(
  item: unknown,
): item is { readonly from: string; readonly to: string; readonly relationType: string } {
  return (
    isObject(item) && item.type === 'relation' && isNamed(item.from) && isText(item.to) && isText(item.relationType)
  );
}

function isObject(item: unknown): item is Record<string, unknown> {
  return typeof item === 'object' && item !== null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isNamed(value: unknown): value is string {
  return isShort(value) && value.trim() !== '';
}

function isShort(value: unknown): value is string {
  return isText(value) && value.length <= LONGEST_NAME;
}
