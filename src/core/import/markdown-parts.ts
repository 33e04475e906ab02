import { LIMITS, type MemoryType } from '../memory/limits.ts';
import { type ImportedText, importedText, shortened } from './imported-text.ts';
import { unixText } from './unix-text.ts';

/** A paragraph, or a bullet with what is nested below it. */
export interface MarkdownPart {
  /** The headings above it, outermost first. */
  readonly headings: readonly string[];
  readonly text: string;
  /** Its first line in the file, from 1. */
  readonly line: number;
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
/** Begins at a blank and not within a run, because a file may be one line of blanks or hashes. */
const CLOSING_HASHES = /(?<=[ \t])#+$/;
const UNDERLINE = /^ {0,3}(?:=+|-{2,})[ \t]*$/;
const RULE = /^ {0,3}(?:[-*_][ \t]*){3,}$/;
const BULLET = /^( {0,3})(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)$/;
const FENCE = /^[ \t]*(`{3,}|~{3,})/;
const HAS_WORDS = /[\p{L}\p{N}]/u;

/** At most this many characters of a name come from the text, because the rest of the name is the heading. */
const LONGEST_OPENING = 60;

/** At most this many characters introduce a list, because each part of the list repeats them. */
const LONGEST_LEAD = 500;

/** Splits markdown where a reader would: at headings, bullets of the outermost list, and blank lines. Comments are dropped. */
export function markdownParts(text: string, firstLine = 1): MarkdownPart[] {
  const parts: MarkdownPart[] = [];
  const headings: (string | undefined)[] = [];
  let open: { lines: string[]; line: number; bullet: boolean; lead: string } | undefined;
  /** The end of the code block that the line is in. */
  let fence: string | undefined;
  /** A paragraph that ends with a colon: it introduces the list that follows. */
  let lead = '';
  let blank = false;

  const close = (isBeforeList = false): void => {
    if (open === undefined) return;
    const { lines, line, lead: before } = open;
    const own = dedented(lines).trim();
    const isLead = isBeforeList && !open.bullet && own.endsWith(':') && own.length <= LONGEST_LEAD;
    if (isLead) lead = own;
    else if (HAS_WORDS.test(own)) {
      const above = headings.filter((heading) => heading !== undefined);
      parts.push({ headings: above, text: before === '' ? own : `${before}\n- ${own.replaceAll('\n', '\n  ')}`, line });
    }
    open = undefined;
  };
  const heading = (level: number, words: string): void => {
    headings.length = level - 1;
    headings[level - 1] = words.trim().replace(CLOSING_HASHES, '').trimEnd();
    lead = '';
  };

  for (const [at, line] of withoutComments(text).split('\n').entries()) {
    const began = { line: firstLine + at, bullet: false, lead: '' };
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      open?.lines.push(line);
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
      continue;
    }
    const isNested = open?.bullet === true && /^(?: {2,}|\t)/.test(line);
    if (line.trim() === '') {
      blank = true;
      open?.lines.push('');
      continue;
    }
    const afterBlank = blank;
    blank = false;
    if (mark !== undefined) {
      // A code block belongs to the bullet it is nested in, or to the text just before it.
      if (!isNested && afterBlank && !open?.lines.findLast((each) => each !== '')?.endsWith(':')) close();
      open ??= { ...began, lines: [] };
      open.lines.push(line);
      fence = mark;
      continue;
    }
    const [, hashes, words = ''] = HEADING.exec(line) ?? [];
    const bullet = BULLET.exec(line);
    if (hashes !== undefined) {
      close();
      heading(hashes.length, words);
    } else if (UNDERLINE.test(line) && open?.lines.length === 1 && !open.bullet && !afterBlank) {
      const title = open.lines[0] ?? '';
      open = undefined;
      heading(line.trim().startsWith('=') ? 1 : 2, title);
    } else if (RULE.test(line)) {
      close();
      lead = '';
    } else if (bullet !== null && !isNested) {
      close(true);
      open = { ...began, lines: [`${bullet[1]}  ${bullet[2]}`], bullet: true, lead };
    } else if (open !== undefined && (isNested || !afterBlank)) {
      open.lines.push(line);
    } else {
      close();
      lead = '';
      open = { ...began, lines: [line] };
    }
  }
  close();
  return parts;
}

/** Each part of a markdown text as a memory of its own; the nearest heading begins the name. */
export function importParts(label: string, type: MemoryType, parts: readonly MarkdownPart[]): ImportedText[] {
  return parts.map(({ headings, text, line }) => {
    const words = plain(text);
    const heading = headings.at(-1) ?? '';
    const opening = shortened(words, LONGEST_OPENING);
    const name = shortened(heading === '' ? opening : `${heading}: ${opening}`, LIMITS.name.max);
    return importedText(`${label}:${line}`, type, name, shortened(words, LIMITS.description.max), text);
  });
}

/** The words without what only markdown needs. */
function plain(text: string): string {
  return text
    .replace(/^[ \t]*(?:`{3,}|~{3,}).*$/gm, '')
    .replace(/^[ \t]*(?:[-*+>]|\d{1,9}[.)])[ \t]+/gm, '')
    .replace(/\*\*|__|`+/g, '');
}

/** The number of lines stays, so that line numbers are true. */
function withoutComments(text: string): string {
  return unixText(text).replace(/<!--[\s\S]*?(?:-->|$)/g, (comment) => comment.replace(/[^\n]+/g, ''));
}

/** Without the indentation that all lines have. */
function dedented(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const least = indents.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  return lines.map((line) => line.slice(Math.min(least, line.length - line.trimStart().length))).join('\n');
}
