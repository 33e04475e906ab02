import { isObject } from '../is-object.ts';
import { LIMITS, type MemoryType, TYPES } from '../memory/limits.ts';
import { boundedJson, numberedLines } from './bounded-json.ts';
import { fittingTags, type ImportedItem, importedText, shortened } from './imported-text.ts';
import { unixText } from './unix-text.ts';

type ExportedItem = Record<string, unknown>;

/** What the states of OpenMemory mean here. A memory that is active has none of them. */
const LEFT: ReadonlyMap<unknown, string> = new Map([
  ['archived', 'it is archived where it comes from'],
  ['deleted', 'it is deleted where it comes from'],
  ['paused', 'it is paused where it comes from'],
]);
const UNKNOWN = 'it is no memory of mem0, or has no text';

/**
 * What mem0 gives for all memories (`results`, or the list in it), OpenMemory's `memories.json`, or its lines of JSON.
 * Undefined if the text is nothing of the kind.
 */
export function readMem0(text: string): ImportedItem[] | undefined {
  const whole = boundedJson(unixText(text));
  if (whole === undefined) return readLines(text);
  const categories = isObject(whole) ? categoriesIn(whole.categories) : new Map<unknown, string>();
  const list = Array.isArray(whole)
    ? whole
    : isObject(whole)
      ? (whole.results ?? whole.memories ?? [whole])
      : undefined;
  if (!Array.isArray(list) || !list.some(isMemory)) return undefined;
  return list.map((item, i) => importItem(`memory ${i + 1}`, item, categories));
}

function readLines(text: string): ImportedItem[] | undefined {
  const found: ImportedItem[] = [];
  for (const [number, line] of numberedLines(text)) {
    const item = boundedJson(line);
    // The first line decides, so that another program's lines are not all parsed for nothing.
    if (found.length === 0 && !isMemory(item)) return undefined;
    found.push(importItem(`line ${number}`, item, new Map()));
  }
  return found.length === 0 ? undefined : found;
}

function importItem(label: string, item: unknown, categories: ReadonlyMap<unknown, string>): ImportedItem {
  if (!isMemory(item)) return { label, why: UNKNOWN };
  const why = LEFT.get(item.state);
  if (why !== undefined) return { label, why };
  const text = textOf(item);
  const tags = [...texts(item.categories), ...texts(item.category_ids).map((id) => categories.get(id) ?? '')];
  const [name, description] = [shortened(text, LIMITS.name.max), shortened(text, LIMITS.description.max)];
  const made = typeof item.created_at === 'string' ? Date.parse(item.created_at) : 0;
  return {
    ...importedText(label, typeOf(item.metadata), name, description, text),
    tags: fittingTags(tags),
    ...(made > 0 && { made }),
  };
}

/** mem0 calls the text `memory`, OpenMemory `content`. A memory has an id or says whose it is. */
function isMemory(item: unknown): item is ExportedItem {
  if (!isObject(item) || textOf(item).trim() === '') return false;
  return ['id', 'user_id', 'agent_id', 'run_id', 'hash', 'created_at'].some((key) => typeof item[key] === 'string');
}

function textOf({ memory, content }: ExportedItem): string {
  return typeof memory === 'string' ? memory : typeof content === 'string' ? content : '';
}

function typeOf(metadata: unknown): MemoryType {
  return TYPES.find((type) => isObject(metadata) && metadata.type === type) ?? 'reference';
}

function categoriesIn(list: unknown): ReadonlyMap<unknown, string> {
  const all = Array.isArray(list) ? list.filter(isObject) : [];
  return new Map(all.map(({ id, name }) => [id, typeof name === 'string' ? name : '']));
}

function texts(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
}
