import { isObject } from '../is-object.ts';
import { LIMITS, type MemoryType, TYPES } from '../memory/limits.ts';
import { lengthOf } from '../memory/memory.ts';
import { boundedJson, numberedLines } from './bounded-json.ts';
import { type ImportedText, shortened } from './imported-text.ts';
import { portions } from './portions.ts';

/** The file of the reference memory server: one JSON object a line, either an entity with its observations or a relation. */
export interface Graph {
  readonly entities: ReadonlyMap<string, Entity>;
  /** Numbers of the lines that are neither, or have invalid names, from 1; at most a thousand, and how many more there are. */
  readonly unknown: readonly number[];
  readonly moreUnknown: number;
}

interface Entity {
  readonly name: string;
  /** Undefined if only relations name the entity. */
  kind: string | undefined;
  readonly observations: Set<string>;
  readonly relations: Set<string>;
}

/** At most a quarter of a body, because each memory names the entity and its type and needs half for observations. */
const LONGEST_NAME = LIMITS.body.max / 4;

/** At most 1,000 lines are named, because a damaged file may have millions. */
const MOST_NAMED = 1000;

/** Reads a graph. A repeated line adds nothing; a damaged line hides no other. */
export function readGraph(text: string): Graph {
  const entities = new Map<string, Entity>();
  const unknown: number[] = [];
  let moreUnknown = 0;
  for (const [number, line] of numberedLines(text)) {
    const item = boundedJson(line);
    if (isEntity(item)) {
      const entity = entityNamed(entities, item.name);
      entity.kind ??= item.entityType;
      for (const each of item.observations) entity.observations.add(each);
    } else if (isRelation(item)) {
      entityNamed(entities, item.from).relations.add(`${item.from} ${item.relationType} ${item.to}`);
    } else if (unknown.length < MOST_NAMED) unknown.push(number);
    else moreUnknown += 1;
  }
  return { entities, unknown, moreUnknown };
}

/** An entity as one memory, or as several if it does not fit into one. Every observation and relation is in one of them. */
export function importEntity({ name, kind, observations, relations }: Entity): ImportedText[] {
  const facts = [...observations, ...relations];
  const opening =
    kind === undefined
      ? `${name} is an entity of a knowledge graph that only its relations name.`
      : `${name} is an entity of a knowledge graph, of the type ${kind}.`;
  const lines = facts.map((each) => `- ${each.replaceAll('\n', '\n  ')}`);
  const description = shortened(`${kind ?? 'entity'}: ${facts[0] ?? name}`, LIMITS.description.max);
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

/** An entity type that is one of ours is kept; the server's own example calls its operator default_user. */
function typeOf(name: string, kind: string | undefined): MemoryType {
  if (name === 'default_user') return 'user';
  return TYPES.find((type) => type === kind?.toLowerCase()) ?? 'reference';
}

function entityNamed(entities: Map<string, Entity>, name: string): Entity {
  const known = entities.get(name) ?? { name, kind: undefined, observations: new Set(), relations: new Set() };
  entities.set(name, known);
  return known;
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

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isNamed(value: unknown): value is string {
  return isShort(value) && value.trim() !== '';
}

function isShort(value: unknown): value is string {
  return isText(value) && value.length <= LONGEST_NAME;
}
