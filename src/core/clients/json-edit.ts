import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree, visit } from 'jsonc-parser';

// The library parses and these functions write, because its `modify` either reformats whole lines, including other people's,
// or removes the spaces and comments around an entry.

/** A value in a JSON text with its position, so that it can be changed without touching other bytes. */
export type JsonNode = Node;

/** Keys lead into objects, numbers into arrays. */
export type Path = readonly (string | number)[];

/** The tree of a JSON text. Comments and a trailing comma are allowed; undefined for any other text. */
export function treeOf(text: string): JsonNode | undefined {
  const errors: ParseError[] = [];
  try {
    const tree = parseTree(text, errors, { allowTrailingComma: true });
    return errors.length === 0 ? tree : undefined;
  } catch {
    // Nested more deeply than the parser's stack allows.
    return undefined;
  }
}

export function nodeAt(tree: JsonNode | undefined, path: Path): JsonNode | undefined {
  return tree && findNodeAtLocation(tree, [...path]);
}

export function jsonValue(node: JsonNode | undefined): unknown {
  return node && getNodeValue(node);
}

export function childrenOf(node: JsonNode | undefined): readonly JsonNode[] {
  return node?.children ?? [];
}

/** Whether a key on the path exists twice: programs differ in which of the two they use. */
export function isAmbiguous(tree: JsonNode | undefined, path: Path): boolean {
  return path.some((step, depth) => {
    const at = nodeAt(tree, path.slice(0, depth));
    return at?.type === 'object' && childrenOf(at).filter(({ children }) => children?.[0]?.value === step).length > 1;
  });
}

/** Sets the value at a path: replaces the existing value, or appends to its container, which is created if missing. */
export function withValue(text: string, path: Path, value: unknown): string {
  const tree = treeOf(text);
  const there = nodeAt(tree, path);
  if (there !== undefined) {
    const [start, end] = spanOf(there);
    return text.slice(0, start) + written(text, value, start) + text.slice(end);
  }
  const depth = path.findIndex((_, at) => nodeAt(tree, path.slice(0, at + 1)) === undefined);
  const container = nodeAt(tree, path.slice(0, depth));
  if (container === undefined) throw new TypeError('The text is no JSON.');
  const nested = path
    .slice(depth + 1)
    .reduceRight<unknown>((inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }), value);
  const step = path[depth];
  return added(text, container, typeof step === 'string' ? `${JSON.stringify(step)}: ` : '', nested);
}

function added(text: string, into: JsonNode, name: string, value: unknown): string {
  const newline = newlineOf(text);
  const [start, end] = spanOf(into);
  const last = childrenOf(into).at(-1);
  if (last === undefined) {
    const inner = text.slice(start + 1, end - 1);
    const at = start + 1 + inner.trimEnd().length;
    if (isFlat(text)) return text.slice(0, at) + name + JSON.stringify(value) + text.slice(at);
    const [indent, unit] = [indentAt(text, start), unitOf(text)];
    const made = `${newline}${indent}${unit}${name}${pretty(text, value, indent + unit)}`;
    const rest = inner.trim() === '' ? `${newline}${indent}${text.slice(end - 1)}` : text.slice(at);
    return text.slice(0, at) + made + rest;
  }
  const lastEnd = spanOf(last)[1];
  const comma = commaAfter(commentless(text), lastEnd);
  const behind = comma === undefined ? lastEnd : comma + 1;
  const isOneLine = !/[\r\n]/.test(text.slice(start, lastEnd));
  const indent = indentAt(text, last.offset);
  const at = isOneLine ? behind : lineEnd(text, behind);
  const made = isOneLine
    ? `${/\s$|,\s/.test(text.slice(start, last.offset)) ? ' ' : ''}${name}${JSON.stringify(value)}`
    : `${newline}${indent}${name}${pretty(text, value, indent)}`;
  if (comma !== undefined) return `${text.slice(0, at)}${made},${text.slice(at)}`;
  return `${text.slice(0, lastEnd)},${text.slice(lastEnd, at)}${made}${text.slice(at)}`;
}

/** Removes the item or member at a path with its comma; comments stay. */
export function removed(text: string, path: Path): string {
  const value = nodeAt(treeOf(text), path);
  const node = value?.parent?.type === 'property' ? value.parent : value;
  if (node?.parent === undefined) return text;
  const bare = commentless(text);
  const [start, end] = spanOf(node);
  const [open, close] = spanOf(node.parent);
  const around = text.slice(open + 1, start) + text.slice(end, close - 1);
  if (/^\s*,?\s*$/.test(around) && /[\r\n]/.test(around)) return text.slice(0, open + 1) + text.slice(close - 1);
  const after = commaAfter(bare, end);
  const behind = after === undefined ? end : after + 1;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const indent = lineStart + text.slice(lineStart, start).trimEnd().length;
  const isFirst = indent === lineStart && lineStart > 0;
  const line = isFirst ? lineStart - (text[lineStart - 2] === '\r' ? 2 : 1) : indent;
  // Keeps the line break after a comment if something follows, because the comment would swallow it.
  const isComment = bare.slice(0, line).trimEnd().length < text.slice(0, line).trimEnd().length;
  const isWholeLine = isFirst && !(isComment && /^[ \t]*[^\s]/.test(text.slice(behind)));
  if (after !== undefined) {
    const kept = text.slice(end, after).trim();
    const rest = text.slice(behind);
    return text.slice(0, isWholeLine ? line : start) + kept + (isWholeLine ? rest : rest.replace(/^[ \t]+/, ''));
  }
  const from = isFirst && !isWholeLine ? start : line;
  const before = bare.slice(0, start).trimEnd().length - 1;
  const kept = bare[before] === ',' ? text.slice(0, before) + text.slice(before + 1, from) : text.slice(0, from);
  return kept + text.slice(end);
}

/** The text with spaces in place of its comments. The library's `stripComments` inserts one space too many for each. */
function commentless(text: string): string {
  let bare = text;
  const onComment = (offset: number, length: number) => {
    bare = bare.slice(0, offset) + ' '.repeat(length) + bare.slice(offset + length);
  };
  visit(text, { onComment });
  return bare;
}

function spanOf({ offset, length }: JsonNode): [start: number, end: number] {
  return [offset, offset + length];
}

/** The position of the comma after a value, in a text without comments. */
function commaAfter(bare: string, end: number): number | undefined {
  const at = end + (/^\s*/.exec(bare.slice(end))?.[0].length ?? 0);
  return bare[at] === ',' ? at : undefined;
}

/** The end of the line, after comments that end on it; `at` itself if something else follows. */
function lineEnd(text: string, at: number): number {
  const line = /^[^\r\n]*/.exec(text.slice(at))?.[0] ?? '';
  return /^(?:[ \t]|\/\*(?:(?!\*\/).)*\*\/)*(?:\/\/.*)?$/.test(line) ? at + line.trimEnd().length : at;
}

/** A value, formatted like the text around it. */
function written(text: string, value: unknown, at: number): string {
  return isFlat(text) ? JSON.stringify(value) : pretty(text, value, indentAt(text, at));
}

function pretty(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, null, unitOf(text))
    .split('\n')
    .join(`${newlineOf(text)}${indent}`);
}

/** Whether new values go on the same line: the text is one line and not empty. */
function isFlat(text: string): boolean {
  return !/[\r\n]/.test(text.trim()) && text.trim().length > 2;
}

function newlineOf(text: string): string {
  return /\r\n/.test(text) ? '\r\n' : '\n';
}

/** The indentation of the first indented line. */
function unitOf(text: string): string {
  return /\n([ \t]+)[^\s*]/.exec(text)?.[1] ?? '  ';
}

/** The indentation of the line at this position. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}
