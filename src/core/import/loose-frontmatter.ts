import { LIMITS_OF_A_FILE } from '../memory/document.ts';
import { unixText } from './unix-text.ts';

/** Another program's markdown file. */
export interface LooseFile {
  /** Lists and single values alike. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly body: string;
  /** The body's first line in the file, from 1. */
  readonly bodyLine: number;
}

const KEY = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/;
const ITEM = /^[ \t]*-[ \t]+(.*)$/;

/**
 * Reads frontmatter that is not always YAML: Cursor writes `globs: *.ts`, others nest their keys. Only lists and values of
 * keys at the left margin are taken; a file without frontmatter is all body. For our own files there is `format.ts`.
 */
export function looseFrontmatter(text: string): LooseFile {
  const lines = unixText(text).split('\n');
  const within = lines.slice(1, LIMITS_OF_A_FILE.frontmatterLines);
  const length = within.findIndex((line) => /^---[ \t]*$/.test(line));
  const first = within.slice(0, Math.max(length, 0)).find((line) => line.trim() !== '' && !line.startsWith('#'));
  // A line of dashes can also be a rule between two texts.
  const isFrontmatter = /^---\w*[ \t]*$/.test(lines[0] ?? '') && length !== -1;
  const isFenced = isFrontmatter && (first === undefined || KEY.test(first) || lines[0]?.trim() !== '---');
  if (!isFenced) return { fields: new Map(), body: lines.join('\n'), bodyLine: 1 };
  const fields = new Map<string, string[]>();
  let last: string[] = [];
  for (const line of within.slice(0, length)) {
    const [, key, value = ''] = KEY.exec(line) ?? [];
    const [, item] = ITEM.exec(line) ?? [];
    if (key !== undefined) {
      last = valuesOf(value);
      fields.set(key.toLowerCase(), last);
    } else if (item !== undefined) last.push(unquoted(item));
  }
  return { fields, body: lines.slice(length + 2).join('\n'), bodyLine: length + 3 };
}

function valuesOf(written: string): string[] {
  const value = written.trim();
  const list = /^\[(.*)\]$/.exec(value)?.[1];
  return (list === undefined ? [value] : list.split(',')).map(unquoted).filter((each) => each !== '');
}

function unquoted(written: string): string {
  const value = written.trim();
  return /^(["']).*\1$/.test(value) && value.length > 1 ? value.slice(1, -1) : value;
}
