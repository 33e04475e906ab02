import matter from 'gray-matter';
import * as yaml from 'js-yaml';
import type { Document, Fault, FieldValue, Reading, Remark, Unreadable } from '../../core/memory/document.ts';
import { same } from '../../core/sync/merge-memory.ts';
import {
  editFrontmatter,
  isBlank,
  type KeyRange,
  type Layout,
  type NewFieldValue,
  type SourceRange,
} from './edit-frontmatter.ts';
import { type Fenced, fence, lineNumberAt, refence, unreadable, withBody } from './fence.ts';
import { isForbidden, sameFields } from './forbidden-keys.ts';
import { composedBody, fieldLine, quote, type Written } from './yaml-quote.ts';

export { composedBody, quote };

/**
 * Every scalar is text, and a key without a value is null. The core schema would turn `010` into 10 and round a long
 * number, but digests must cover what was typed. A Map keeps `__proto__` an ordinary key.
 */
const SCHEMA = yaml.FAILSAFE_SCHEMA.withTags(yaml.nullCoreTag, yaml.realMapTag);
const STRICT = { schema: SCHEMA, maxAliases: 0, maxDepth: 6 };

/** Parses a file. Never throws and caches nothing: equal bytes always give an equal answer. */
export function read(bytes: Uint8Array): Reading {
  const parsed = parse(bytes);
  return parsed.kind === 'unreadable' ? parsed : { kind: 'document', document: parsed.document };
}

/**
 * The file with some keys set (text or list) or removed (null) and every other byte unchanged; new keys go before the
 * closing line, in the map's order. A key that already has the value keeps its spelling. With `body` it has another one,
 * as `compose` writes it. Throws when the file is unreadable or would grow too large, so it never returns a damaged file.
 */
export function rewrite(bytes: Uint8Array, changes: ReadonlyMap<string, NewFieldValue>, body?: string): Buffer {
  const before = parse(bytes);
  if (before.kind === 'unreadable') throw new Error(`cannot rewrite a file that is unreadable: ${before.fault}`);
  const { layout, document } = before;
  const fenced = body === undefined ? before.fenced : withBody(before.fenced, composedBody(body));
  const real = new Map([...changes].filter(([key, value]) => !same(document.fields.get(key), value ?? undefined)));
  const result = refence(fenced, editFrontmatter(fenced.frontmatter, layout, real, fenced.opening.end));

  const wanted = new Map<string, FieldValue>(document.fields);
  for (const [key, value] of real) {
    if (value === null) wanted.delete(key);
    else wanted.set(key, value);
  }
  const after = parse(result);
  if (after.kind === 'unreadable') throw new Error(`the rewritten file would be unreadable: ${after.fault}`);
  if (
    !sameFields(after.document.fields, wanted) ||
    after.fenced.rest !== fenced.rest ||
    after.fenced.bom !== fenced.bom
  )
    throw new Error('the rewritten file would not say what was asked');
  return result;
}

/** A composed file, with what was read back from its bytes. */
export interface Composed {
  readonly bytes: Buffer;
  readonly reading: Reading;
}

/**
 * A new file: the fields in the map's order, one line each, a blank line, the body. Reading it back gives equal fields
 * and `composedBody(body)`; it throws otherwise, as for a NUL, a lone surrogate in the body or a file too large. Not
 * matter.stringify, which reads a body that begins with `---` as more frontmatter.
 */
export function compose(fields: ReadonlyMap<string, Written>, body: string): Composed {
  const lines = [...fields].map(([key, value]) => `${fieldLine(key, value)}\n`);
  const bytes = Buffer.from(`---\n${lines.join('')}---\n${composedBody(body)}`, 'utf8');
  const reading = read(bytes);
  if (reading.kind === 'unreadable') throw new Error(`the composed file would be unreadable: ${reading.fault}`);
  if (!sameFields(reading.document.fields, fields) || reading.document.body !== composedBody(body))
    throw new Error('the composed file would not say what was asked');
  return { bytes, reading };
}

type Parsed =
  | { readonly kind: 'parsed'; readonly fenced: Fenced; readonly layout: Layout; readonly document: Document }
  | Unreadable;

function parse(bytes: Uint8Array): Parsed {
  const fenced = fence(bytes);
  if (fenced.kind === 'unreadable') return fenced;
  const source = `\n${fenced.block}`;
  try {
    const layout = { source, entries: outline(source) };
    const fields = throughGrayMatter(fenced.block, layout);
    const lines = new Map(layout.entries.map(({ key, start }) => [key, lineNumberAt(source, start)]));
    const bodyLine = fenced.frontmatter.length + 3;
    const notes = [...(fenced.bom ? (['bom'] as const) : []), ...(fenced.crlf ? (['crlf'] as const) : [])];
    // All CRs before an LF: a leftover CR would make another CRLF, which a digest treats as an equal line end. Each run of CRs is
    // looked at once: to begin again at each of 65,000 takes seconds.
    const body = fenced.body.replaceAll(/(?<!\r)\r+\n/g, '\n');
    return {
      kind: 'parsed',
      fenced,
      layout,
      document: { fields, lines, remarks: remarksIn(layout), body, bodyLine, notes },
    };
  } catch (error) {
    if (error instanceof FaultAt) return unreadable(error.fault, lineNumberAt(source, error.offset));
    if (!(error instanceof yaml.YAMLException)) return unreadable('yaml-invalid', 1);
    const fault = error.reason.startsWith('nesting exceeded') ? 'yaml-not-flat' : 'yaml-invalid';
    return unreadable(fault, Math.min((error.mark?.line ?? 0) + 1, fenced.frontmatter.length + 1));
  }
}

/**
 * What is left of each line without keys and values. It removes what was parsed instead of searching for comments, so
 * that no part of the frontmatter escapes the checks.
 */
function remarksIn({ source, entries }: Layout): readonly Remark[] {
  let [left, at] = ['', 0];
  for (const { start, colon, contents } of entries) {
    for (const span of [{ start, end: colon }, ...contents]) {
      left += source.slice(at, span.start) + source.slice(span.start, span.end).replaceAll(/[^\n]+/g, ' ');
      at = span.end;
    }
  }
  return (left + source.slice(at))
    .split('\n')
    .map((text, row) => ({ line: row + 1, text: text.trim() }))
    .filter(({ text }) => /[^\s:[\],>|+-]/.test(text));
}

/** A fault at an offset of the source; used only in this file. */
class FaultAt extends Error {
  readonly fault: Fault;
  readonly offset: number;

  constructor(fault: Fault, offset: number) {
    super(fault);
    this.fault = fault;
    this.offset = offset;
  }
}

/** The keys of a frontmatter and their places. Throws at the first thing that is not a key, a text or a list. */
function outline(source: string): KeyRange[] {
  const events = new Events(source);
  const entries: KeyRange[] = [];
  if (!events.more) return entries;
  const document = events.next();
  if (document.type !== yaml.EVENT_ID.DOCUMENT || document.explicitStart || document.explicitEnd)
    throw new FaultAt('yaml-invalid', 0);
  if (document.directives.length > 0) throw new FaultAt('yaml-invalid', 0);
  const mapping = events.next();
  if (mapping.type !== yaml.EVENT_ID.MAPPING || mapping.style !== yaml.COLLECTION_STYLE.BLOCK)
    throw new FaultAt('yaml-not-flat', events.at);

  const seen = new Set<string>();
  for (let event = events.next(); event.type !== yaml.EVENT_ID.POP; event = events.next()) {
    const entry = events.entry(event);
    if (seen.has(entry.key)) throw new FaultAt('yaml-duplicate-key', entry.start);
    seen.add(entry.key);
    entries.push(entry);
  }
  events.next();
  if (events.more) throw new FaultAt('yaml-invalid', events.at);
  return entries;
}

/** The one key whose value may be a list of lists. */
const NESTED = 'anchors';

/** The parser's events in order; a tag, an anchor, an alias or a NUL anywhere ends the reading. */
class Events {
  /** The source offset that the events have reached. */
  at = 0;
  private readonly source: string;
  private readonly events: readonly yaml.Event[];
  private index = 0;

  constructor(source: string) {
    this.source = source;
    this.events = yaml.parseEvents(source, { maxDepth: STRICT.maxDepth });
  }

  get more(): boolean {
    return this.index < this.events.length;
  }

  next(): yaml.Event {
    const event = this.events[this.index++];
    if (event === undefined) throw new FaultAt('yaml-invalid', this.at);
    if ('start' in event) this.at = event.start;
    if ('valueStart' in event && event.valueStart !== -1) this.at = event.valueStart;
    if (event.type === yaml.EVENT_ID.ALIAS) throw new FaultAt('yaml-anchor', event.anchorStart);
    if ('tagStart' in event && event.tagStart !== -1) throw new FaultAt('yaml-tag', event.tagStart);
    if ('anchorStart' in event && event.anchorStart !== -1) throw new FaultAt('yaml-anchor', event.anchorStart);
    return event;
  }

  entry(event: yaml.Event): KeyRange {
    if (event.type !== yaml.EVENT_ID.SCALAR) throw new FaultAt('yaml-not-flat', this.at);
    const key = this.text(event);
    const { start, end } = spanOf(this.source, event);
    if (key === '') throw new FaultAt('yaml-forbidden-key', Math.max(start, this.source.indexOf('\n:', this.at) + 1));
    if (isForbidden(key)) throw new FaultAt('yaml-forbidden-key', start);
    const colon = this.source.indexOf(':', end) + 1;
    // An indented mapping or a `? key`: valid YAML, but no other reader of memory files understands it.
    if (this.source[start - 1] !== '\n' || !/^[ \t]*:$/.test(this.source.slice(end, colon)))
      throw new FaultAt('yaml-not-flat', start);
    const scalars: yaml.ScalarEvent[] = [];
    const value = this.next();
    const texts = this.value(value, scalars, key === NESTED ? 2 : 1);
    const contents = scalars.map((scalar) => spanOf(this.source, scalar)).filter(({ start, end }) => end > start);
    const openEnded = isBlockScalar(scalars.at(-1));
    return {
      key,
      start,
      colon,
      texts,
      contents,
      openEnded,
    };
  }

  /** What stands behind a key, with every scalar of it; lists in lists at most so deep, and then nothing beside them. */
  private value(event: yaml.Event, scalars: yaml.ScalarEvent[], depth: number): Written {
    if (event.type === yaml.EVENT_ID.SCALAR) {
      scalars.push(event);
      return this.text(event);
    }
    if (event.type !== yaml.EVENT_ID.SEQUENCE || depth === 0) throw new FaultAt('yaml-not-flat', this.at);
    const items: Written[] = [];
    for (let item = this.next(); item.type !== yaml.EVENT_ID.POP; item = this.next())
      items.push(this.value(item, scalars, depth - 1));
    if (items.some((item) => typeof item !== typeof items[0])) throw new FaultAt('yaml-not-flat', this.at);
    return items as Written;
  }

  private text(scalar: yaml.ScalarEvent): string {
    const text = yaml.getScalarValue(this.source, scalar);
    if (text.includes('\0')) throw new FaultAt('nul', this.at);
    // js-yaml accepts `\U` past the last code point and makes arbitrary characters of it.
    if (scalar.style === yaml.SCALAR_STYLE.DOUBLE_QUOTED)
      for (const [, hex] of this.source.slice(scalar.valueStart, scalar.valueEnd).matchAll(/\\(?:U(.{8})|.|\n)/g))
        if (hex !== undefined && Number.parseInt(hex, 16) > 0x10ffff) throw new FaultAt('yaml-invalid', this.at);
    return text;
  }
}

/** A scalar's place with its quotes, without the blank lines that a `|` or `>` scalar drops at its end. */
function spanOf(source: string, scalar: yaml.ScalarEvent): SourceRange {
  const { valueStart, valueEnd, style, chomping } = scalar;
  if (style === yaml.SCALAR_STYLE.SINGLE_QUOTED || style === yaml.SCALAR_STYLE.DOUBLE_QUOTED)
    return { start: valueStart - 1, end: valueEnd + 1 };
  if (!isBlockScalar(scalar) || chomping === yaml.CHOMPING_MODE.KEEP) return { start: valueStart, end: valueEnd };
  let end = valueEnd;
  while (end > valueStart && isBlank(source[end - 1])) end--;
  return { start: valueStart, end };
}

function isBlockScalar(scalar: yaml.ScalarEvent | undefined): boolean {
  return scalar?.style === yaml.SCALAR_STYLE.LITERAL_BLOCK || scalar?.style === yaml.SCALAR_STYLE.FOLDED_BLOCK;
}

/**
 * The fields with gray-matter's values. Our events add what it does not give: each key's place, which `rewrite` needs,
 * and the line of a refused tag, anchor or nested value. Where the two disagree about a value, the file is unreadable.
 * gray-matter does not split the file: a language word after `---` would choose an engine, some of which evaluate code,
 * and `---x` would close the block. So it gets the fenced block behind a bare `---`, and always options, without which
 * it answers from a cache.
 */
function throughGrayMatter(block: string, { source, entries }: Layout): Map<string, FieldValue> {
  const ours = (given: string): object => {
    if (given !== source) throw new FaultAt('yaml-invalid', 0);
    return entries.length === 0 ? new Map() : (yaml.load(given, STRICT) as object);
  };
  const file = matter(`---\n${block}\n---\n`, { language: 'yaml', engines: { ...REFUSED, yaml: ours } });
  const data: ReadonlyMap<unknown, unknown> = file.data instanceof Map ? file.data : new Map();
  if (file.matter !== source || file.content !== '' || data.size !== entries.length)
    throw new FaultAt('yaml-invalid', 0);
  return new Map(entries.map(({ key, texts, start }) => [key, agreed(data.get(key), texts, start)]));
}

const refuse = (): never => {
  throw new Error('only YAML is read');
};
const REFUSED = { javascript: refuse, js: refuse, json: refuse, coffee: refuse, coffeescript: refuse, cson: refuse };

/** A list item stays text even when it reads `null`: only a key can lack a value. */
function agreed(value: unknown, texts: Written, start: number): FieldValue {
  if (value === null && typeof texts === 'string') return null;
  if (saysSame(value, texts)) return texts;
  throw new FaultAt('yaml-invalid', start);
}

function saysSame(value: unknown, texts: Written): boolean {
  if (typeof texts === 'string') return value === null || value === texts;
  return (
    Array.isArray(value) && value.length === texts.length && texts.every((text, index) => saysSame(value[index], text))
  );
}
