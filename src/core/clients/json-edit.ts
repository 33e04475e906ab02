/** A value in a JSON text and where it stands, so that one can be changed without touching a byte of the others. */
export type JsonNode =
  | { readonly kind: 'object'; readonly start: number; readonly end: number; readonly members: readonly Member[] }
  | { readonly kind: 'array'; readonly start: number; readonly end: number; readonly items: readonly JsonNode[] }
  | { readonly kind: 'scalar'; readonly start: number; readonly end: number };

export interface Member {
  readonly key: string;
  /** Where the key begins. */
  readonly start: number;
  readonly value: JsonNode;
}

/** Keys lead into objects, numbers into arrays. */
export type Path = readonly (string | number)[];

/** The outline of a text that JSON.parse takes, without a byte order mark; undefined for any other. */
export function outline(text: string): JsonNode | undefined {
  try {
    JSON.parse(text);
    return new Scanner(text).value();
  } catch {
    return undefined;
  }
}

/** The value at a path; undefined where there is none. Of a key that stands twice the last counts, as for JSON.parse. */
export function nodeAt(node: JsonNode | undefined, path: Path): JsonNode | undefined {
  let at = node;
  for (const step of path) {
    if (at?.kind === 'array' && typeof step === 'number') at = at.items[step];
    else if (at?.kind === 'object' && typeof step === 'string')
      at = at.members.findLast(({ key }) => key === step)?.value;
    else return undefined;
  }
  return at;
}

/** Whether a key on the way stands twice: programs differ in which of them they take. */
export function isAmbiguous(node: JsonNode | undefined, path: Path): boolean {
  return path.some((step, depth) => {
    const at = nodeAt(node, path.slice(0, depth));
    return at?.kind === 'object' && at.members.filter(({ key }) => key === step).length > 1;
  });
}

/** What a node says. */
export function saidBy(text: string, { start, end }: JsonNode): unknown {
  return JSON.parse(text.slice(start, end));
}

/** Puts a value in place of another. */
export function replaced(text: string, node: JsonNode, value: unknown): string {
  return text.slice(0, node.start) + written(text, value, node.start) + text.slice(node.end);
}

/** Adds an item to an array, or a member to an object under a key it does not have, at its end. */
export function added(text: string, into: JsonNode, value: unknown, key?: string): string {
  if (into.kind === 'scalar') throw new TypeError('Nothing can be added to a value that is neither object nor array.');
  const last = lastIn(into);
  const name = key === undefined ? '' : `${JSON.stringify(key)}: `;
  if (last === undefined && isFlat(text)) return spliced(text, into, `${name}${JSON.stringify(value)}`);
  const [newline, unit] = [newlineOf(text), unitOf(text)];
  if (last === undefined) {
    const inner = `${indentAt(text, into.start)}${unit}`;
    const made = `${newline}${inner}${name}${pretty(value, inner, unit, newline)}${newline}${indentAt(text, into.start)}`;
    return spliced(text, into, made);
  }
  const before = text.slice(into.start, last.start);
  const oneLine = !/[\r\n]/.test(text.slice(into.start, last.end));
  const gap = oneLine
    ? `,${/\s$/.test(before) || /,\s/.test(before) ? ' ' : ''}`
    : `,${newline}${indentAt(text, last.start)}`;
  const made = oneLine ? JSON.stringify(value) : pretty(value, indentAt(text, last.start), unit, newline);
  return `${text.slice(0, last.end)}${gap}${name}${made}${text.slice(last.end)}`;
}

/** Takes out the item or member at a path with the comma that went with it. */
export function removed(text: string, path: Path): string {
  const parent = nodeAt(outline(text), path.slice(0, -1));
  const last = path.at(-1);
  if (parent === undefined || parent.kind === 'scalar') return text;
  const spans = spansIn(parent);
  const at = parent.kind === 'array' ? Number(last) : parent.members.findIndex(({ key }) => key === last);
  const [span, next, previous] = [spans[at], spans[at + 1], spans[at - 1]];
  if (span === undefined) return text;
  if (previous !== undefined) return text.slice(0, previous.end) + text.slice(span.end);
  if (next !== undefined) return text.slice(0, span.start) + text.slice(next.start);
  return spliced(text, parent, '');
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function spansIn(node: JsonNode): Span[] {
  if (node.kind === 'object') return node.members.map(({ start, value }) => ({ start, end: value.end }));
  return node.kind === 'array' ? [...node.items] : [];
}

function lastIn(node: JsonNode): Span | undefined {
  return spansIn(node).at(-1);
}

/** The text with this between the brackets of a container. */
function spliced(text: string, { start, end }: Span, inner: string): string {
  return text.slice(0, start + 1) + inner + text.slice(end - 1);
}

/** A value as the text around it is written. */
function written(text: string, value: unknown, at: number): string {
  return isFlat(text) ? JSON.stringify(value) : pretty(value, indentAt(text, at), unitOf(text), newlineOf(text));
}

function pretty(value: unknown, indent: string, unit: string, newline: string): string {
  return JSON.stringify(value, null, unit).split('\n').join(`${newline}${indent}`);
}

/** A text on one line is added to on that line, unless there is nothing on it yet. */
function isFlat(text: string): boolean {
  return !/[\r\n]/.test(text.trim()) && text.trim().length > 2;
}

function newlineOf(text: string): string {
  return /\r\n/.test(text) ? '\r\n' : '\n';
}

/** What the first indented line is indented by. */
function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}

/** The blanks that begin the line of a place in the text. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** Walks through a text that is known to be JSON. */
class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): JsonNode {
    this.#blanks();
    const start = this.#at;
    const first = this.#text[start];
    if (first === '{') {
      const members = this.#list('}', () => this.#member());
      return { kind: 'object', start, end: this.#at, members };
    }
    if (first === '[') {
      const items = this.#list(']', () => this.value());
      return { kind: 'array', start, end: this.#at, items };
    }
    if (first === '"') this.#string();
    else while (this.#at < this.#text.length && !/[\s,\]}]/.test(this.#text[this.#at] ?? '')) this.#at += 1;
    return { kind: 'scalar', start, end: this.#at };
  }

  #list<One>(close: string, one: () => One): One[] {
    const found: One[] = [];
    this.#at += 1;
    this.#blanks();
    while (this.#text[this.#at] !== close) {
      found.push(one());
      this.#blanks();
      if (this.#text[this.#at] === ',') this.#at += 1;
      this.#blanks();
    }
    this.#at += 1;
    return found;
  }

  #member(): Member {
    const start = this.#at;
    this.#string();
    const key: unknown = JSON.parse(this.#text.slice(start, this.#at));
    this.#blanks();
    this.#at += 1;
    return { key: String(key), start, value: this.value() };
  }

  #string(): void {
    for (this.#at += 1; this.#text[this.#at] !== '"'; this.#at += 1) if (this.#text[this.#at] === '\\') this.#at += 1;
    this.#at += 1;
  }

  #blanks(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }
}
