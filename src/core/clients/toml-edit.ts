import { parsedJson } from '../parsed-json.ts';

// There is no TOML parser among the dependencies, and to change a file without touching other bytes takes positions that most
// parsers do not give. This reads what is needed to find a table and refuses the rest.

/** A line `key = value`, with its position. The value is undefined if it is no string, boolean or list of strings. */
interface TomlKey {
  readonly path: readonly string[];
  readonly value: string | boolean | readonly string[] | undefined;
  /** Where the value begins and ends. */
  readonly span: readonly [start: number, end: number];
}

/** A table with its keys. The first one, at the start of the file, has no header and an empty path. */
export interface TomlTable {
  readonly path: readonly string[];
  /** `[[path]]`: an item of a list. */
  readonly isItem: boolean;
  /** Where the header begins, and where the line of the header or of the last key ends, without its line break. */
  readonly start: number;
  readonly end: number;
  readonly keys: readonly TomlKey[];
}

const SPACE = /[ \t]*/y;
const BLANK = /(?:[ \t\r\n]|#[^\n]*)*/y;
const LINE_END = /[ \t]*(?:#[^\r\n]*)?(?=\r?\n|$)/y;
const HEADER = /\[\[?/y;
const PART = /[A-Za-z0-9_-]+|"(?:[^"\\\r\n]|\\.)*"|'[^'\r\n]*'/y;
const DOT = /[ \t]*\.[ \t]*/y;
const EQUALS = /[ \t]*=[ \t]*/y;
const STRING = /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\r\n]|\\.)*"|'[^'\r\n]*'/y;
const OTHER = /[^\s,[\]{}#"'=]+(?: \d[^\s,[\]{}#"'=]*)?/y;

/** The tables of a TOML text; undefined for a text that cannot be read this way. */
export function tablesOf(text: string): TomlTable[] | undefined {
  const tables: (TomlTable & { end: number; keys: TomlKey[] })[] = [
    { path: [], isItem: false, start: 0, end: 0, keys: [] },
  ];
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  for (take(BLANK); at < text.length; take(BLANK)) {
    const start = at;
    const opening = take(HEADER);
    if (opening !== undefined) take(SPACE);
    const path = keyPath(take);
    if (path === undefined) return undefined;
    if (opening === undefined) {
      if (take(EQUALS) === undefined) return undefined;
      const from = at;
      if (!skipValue(take)) return undefined;
      const span = [from, at] as const;
      tables.at(-1)?.keys.push({ path, value: readValue(text.slice(...span)), span });
    } else {
      take(SPACE);
      if (take(opening === '[' ? /\]/y : /\]\]/y) === undefined) return undefined;
      tables.push({ path, isItem: opening === '[[', start, end: at, keys: [] });
    }
    if (take(LINE_END) === undefined) return undefined;
    const table = tables.at(-1);
    if (table !== undefined) table.end = at;
  }
  return tables;
}

type Take = (pattern: RegExp) => string | undefined;

function keyPath(take: Take): string[] | undefined {
  const path: string[] = [];
  do {
    const part = take(PART);
    const name = part === undefined || /^[^"']/.test(part) ? part : stringOf(part);
    if (name === undefined) return undefined;
    path.push(name);
  } while (take(DOT) !== undefined);
  return path;
}

/** Moves to the end of a value. Brackets must close in their order; what stands between them is not looked at. */
function skipValue(take: Take): boolean {
  const open: string[] = [];
  do {
    if (open.length > 0) take(BLANK);
    const bracket = take(/[[{]/y);
    if (bracket !== undefined) open.push(bracket === '[' ? ']' : '}');
    else if (open.length > 0 && take(/[,=]/y) !== undefined) continue;
    else if (open.at(-1) === ']' && take(/\]/y) !== undefined) open.pop();
    else if (open.at(-1) === '}' && take(/\}/y) !== undefined) open.pop();
    else if (take(STRING) === undefined && take(OTHER) === undefined) return false;
  } while (open.length > 0);
  return true;
}

function readValue(written: string): TomlKey['value'] {
  if (written === 'true' || written === 'false') return written === 'true';
  if (/^["']/.test(written)) return stringOf(written);
  if (!written.startsWith('[')) return undefined;
  const items = written.slice(1, -1).match(/#[^\n]*|"(?:[^"\\\r\n]|\\.)*"|'[^'\r\n]*'|[^\s,]/g) ?? [];
  const strings = items
    .filter((item) => !item.startsWith('#'))
    .map((item) => (item.length > 1 ? stringOf(item) : undefined));
  return strings.every((each) => each !== undefined) ? strings : undefined;
}

function stringOf(written: string): string | undefined {
  if (/^(?:"""|''')/.test(written)) return undefined;
  if (written.startsWith("'")) return written.slice(1, -1);
  return parsedJson(written) as string | undefined;
}
