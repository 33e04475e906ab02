import type { FieldValue } from '../../core/memory/document.ts';
import { lineNumberAt, type SourceLine } from './fence.ts';
import { fieldLine, inline } from './yaml-quote.ts';

/** Offsets into the source, end-exclusive. */
export interface SourceRange {
  readonly start: number;
  readonly end: number;
}

/** One key of a frontmatter and its place. */
export interface KeyRange {
  readonly key: string;
  /** The key's first character, always the first of a line. */
  readonly start: number;
  /** The offset after the colon. */
  readonly colon: number;
  /** The value: one text, or one for each item of a list. */
  readonly texts: NonNullable<FieldValue>;
  /** The places of its scalars, quotes included: a `#` inside them begins no comment. */
  readonly contents: readonly SourceRange[];
  /** Whether it ends in a `|` or `>` scalar, which would swallow an indented line after it. */
  readonly openEnded: boolean;
}

/** The YAML text of a frontmatter: a line feed, which stands for the opening line, then the frontmatter's lines. */
export interface Layout {
  readonly source: string;
  readonly entries: readonly KeyRange[];
}

/** A key's new value; null removes the key. */
export type NewFieldValue = FieldValue;

/** The frontmatter with some keys set (text or list) or removed (null); every other character stays. */
export function editFrontmatter(
  frontmatter: readonly SourceLine[],
  layout: Layout,
  changes: ReadonlyMap<string, NewFieldValue>,
  lineEnd: SourceLine['end'],
): SourceLine[] {
  const rowOf = (offset: number) => rowAt(layout.source, offset);
  const out = frontmatter.slice(0, rowOf(layout.entries[0]?.start ?? layout.source.length));
  let swallows = false;
  layout.entries.forEach((entry, index) => {
    const end = layout.entries[index + 1]?.start ?? layout.source.length;
    const region = frontmatter.slice(rowOf(entry.start), rowOf(end));
    const change = changes.get(entry.key);
    if (change === undefined) {
      out.push(...region);
      swallows = entry.openEnded;
      return;
    }
    const { value, comments } = survey(layout.source, entry, end);
    const height = rowOf(value.end - 1) - rowOf(entry.start) + 1;
    const kept = region.slice(height);
    if (change !== null) {
      out.push(...replaced(layout.source, entry, value, comments, region.slice(0, height), change));
      swallows = false;
    } else {
      const orphans = comments.filter(({ start }) => start < value.end || rowOf(start) === rowOf(value.end - 1));
      const endOf = (offset: number) => frontmatter[rowOf(offset)]?.end ?? lineEnd;
      const left = orphans.map(({ start, end }) => ({ text: layout.source.slice(start, end), end: endOf(start) }));
      // Without a comment at the margin, the scalar before the removed key would swallow the lines after it.
      if (swallows && left.length === 0 && /^(?:[ \t]|$)/.test(kept[0]?.text ?? '#'))
        left.push({ text: '#', end: endOf(entry.start) });
      out.push(...left);
      if (left.length > 0) swallows = false;
    }
    out.push(...kept);
  });
  const present = new Set(layout.entries.map(({ key }) => key));
  for (const [key, value] of changes) {
    if (value === null || present.has(key)) continue;
    out.push({ text: fieldLine(key, value), end: out.at(-1)?.end ?? lineEnd });
  }
  return out;
}

/** The lines of one key with another value. A value of several lines shrinks to one line and its comments. */
function replaced(
  source: string,
  entry: KeyRange,
  value: SourceRange,
  comments: readonly SourceRange[],
  lines: readonly SourceLine[],
  change: NonNullable<NewFieldValue>,
): SourceLine[] {
  const [first, ...others] = lines;
  if (first === undefined) return [];
  const colon = entry.colon - entry.start;
  const from = value.start - entry.start;
  const gap = from > colon && from < first.text.length ? first.text.slice(colon, from) : ' ';
  const head = `${first.text.slice(0, colon)}${gap}${inline(change)}`;
  if (others.length === 0) return [{ text: head + first.text.slice(value.end - entry.start), end: first.end }];

  const out: SourceLine[] = [];
  let start = entry.start;
  for (const [row, line] of lines.entries()) {
    const end = start + line.text.length;
    const comment = comments.find((span) => span.start >= start && span.end <= end);
    const before = line.text.slice(row === 0 ? colon : 0, (comment?.start ?? end) - start);
    const remark = comment === undefined ? '' : source.slice(comment.start, comment.end);
    const margin = /[ \t]*$/.exec(before)?.[0] ?? '';
    if (row === 0) out.push({ text: comment === undefined ? head : head + margin + remark, end: line.end });
    else if (comment !== undefined) out.push({ text: before === margin ? margin + remark : remark, end: line.end });
    start = end + 1;
  }
  return out;
}

/** A value's place, indicators and brackets included, and the comments around and within it. */
function survey(source: string, entry: KeyRange, end: number): { value: SourceRange; comments: SourceRange[] } {
  const comments: SourceRange[] = [];
  const contents = entry.contents.values();
  let content = contents.next().value;
  let [first, last] = [-1, entry.colon];
  for (let at = entry.colon; at < end; ) {
    let next = at + 1;
    if (content !== undefined && at >= content.start) {
      next = Math.max(at, content.end);
      content = contents.next().value;
    } else if (source[at] === '#') {
      const lf = source.indexOf('\n', at);
      next = lf === -1 ? source.length : lf;
      comments.push({ start: at, end: next });
      at = next;
      continue;
    } else if (isBlank(source[at])) {
      at = next;
      continue;
    }
    if (first === -1) first = at;
    last = Math.max(last, next);
    at = next;
  }
  return { value: { start: first === -1 ? entry.colon : first, end: last }, comments };
}

/** Blank in YAML. JavaScript's white space includes a dozen more characters, which are text in a file. */
export function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\n';
}

/** The line of the frontmatter, from 0, that holds an offset into the source. */
function rowAt(source: string, offset: number): number {
  // The source begins with the line feed that stands for the file's first line, and lines are counted from 1.
  return Math.max(0, lineNumberAt(source, offset) - 2);
}
