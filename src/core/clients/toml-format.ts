import { isObject } from '../is-object.ts';
import { Refusal } from '../refusal.ts';
import type { ClientEntry, FileFormat } from './entries.ts';
import { type TomlTable, tablesOf } from './toml-edit.ts';

/** TOML whose entries are tables with a header of their own, such as `[mcp_servers.surety]`. */
export const toml: FileFormat = {
  empty: '',
  isEmpty: (text) => text.trim() === '',
  read: (text) => treeOf(rootOf(text)),
  // A header stands for the tables around it.
  made: () => [],

  withEntries(text, entries) {
    let now = text;
    for (const entry of entries) {
      const { there } = found(now, entry);
      if (there === undefined) now = withTable(now, pathOf(entry), entry.value as object);
      else if (!isOurs(entry, there)) refuse(`something else is called ${entry.key} in it`);
      else for (const [[key], value] of entry.outdated(valuesOf(there))) now = withKey(now, entry, `${key}`, value);
    }
    return now;
  },

  withoutEntries(text, entries) {
    let now = text;
    for (const entry of entries) {
      const { there, within } = found(now, entry);
      if (there === undefined || !isOurs(entry, there)) continue;
      // From the end, so that the remaining positions stay valid.
      for (const table of [...within].reverse()) now = withoutTable(now, table);
    }
    return now;
  },
};

/** The entry's table, and all tables of that name and below it. Refuses a text in which it could be written in another way. */
function found(text: string, entry: ClientEntry) {
  const path = pathOf(entry);
  const tables = rootOf(text);
  const within = tables.filter((table) => begins(table.path, path));
  const same = within.filter((table) => table.path.length === path.length);
  const isElsewhere = tables
    .filter((table) => !within.includes(table))
    .some(({ path: above, isItem, keys }) => {
      const full = keys.map((key) => [...above, ...key.path]);
      // By a dotted key, in a value in braces, or in a list of tables.
      const isAbove = isItem && begins(path, above);
      return (
        isAbove || full.some((each) => begins(each, path) || begins(path, each) || isDottedInto(each, above, entry))
      );
    });
  if (isElsewhere || same.length > 1 || within.some(({ isItem }) => isItem)) {
    refuse('it has another shape than its client documents');
  }
  return { there: same[0], within };
}

/** Whether a key at the top of the file defines the container, so that a header for it may not be allowed. */
function isDottedInto(full: readonly string[], above: readonly string[], { into }: ClientEntry): boolean {
  return above.length < into.length && begins(full, into);
}

function withTable(text: string, path: readonly string[], value: object): string {
  const newline = newlineOf(text);
  const lines = [`[${path.join('.')}]`, ...Object.entries(value).map(([key, each]) => `${key} = ${written(each)}`)];
  const block = lines.join(newline);
  if (text === '') return `${block}${newline}`;
  // A file without a line break at its end gets none, so that it can be restored to the byte.
  return text.endsWith('\n') ? `${text}${newline}${block}${newline}` : `${text}${newline}${newline}${block}`;
}

function withKey(text: string, entry: ClientEntry, key: string, value: unknown): string {
  const { there } = found(text, entry);
  if (there === undefined) return text;
  const span = there.keys.find(({ path }) => path.length === 1 && path[0] === key)?.span;
  if (span !== undefined) return text.slice(0, span[0]) + written(value) + text.slice(span[1]);
  return `${text.slice(0, there.end)}${newlineOf(text)}${key} = ${written(value)}${text.slice(there.end)}`;
}

/** Removes a table with the empty line before it, or behind it at the start of the text. */
function withoutTable(text: string, { start, end }: TomlTable): string {
  const after = text.slice(end);
  const lineBreak = /^\r?\n/.exec(after)?.[0];
  const isLast = lineBreak === undefined;
  const before = text.slice(0, start).replace(isLast ? /(?:\r?\n){1,2}$/ : /(?<=^|\n)\r?\n$/, '');
  const rest = after.slice(lineBreak?.length ?? 0);
  return before === '' ? rest.replace(/^\r?\n/, '') : before + rest;
}

function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
  // JSON's strings are TOML's, but for one character that JSON leaves as it is.
  return JSON.stringify(value).replaceAll('\u007F', '\\u007f');
}

function rootOf(text: string): TomlTable[] {
  return tablesOf(text) ?? refuse('it is not TOML');
}

function treeOf(tables: readonly TomlTable[]): object {
  const tree: Record<string, unknown> = Object.create(null);
  for (const { path, keys } of tables) {
    let at = tree;
    for (const part of path) {
      const inner = at[part];
      const next = isObject(inner) ? inner : Object.create(null);
      at[part] = next;
      at = next;
    }
    Object.assign(at, valuesOf({ keys }));
  }
  return tree;
}

/** The values of a table that are written without dots. */
function valuesOf({ keys }: Pick<TomlTable, 'keys'>): object {
  return Object.fromEntries(keys.flatMap(({ path, value }) => (path.length === 1 ? [[path[0], value]] : [])));
}

function isOurs(entry: ClientEntry, table: TomlTable): boolean {
  return entry.ours(valuesOf(table)).length > 0;
}

function pathOf({ into, key }: ClientEntry): readonly string[] {
  return key === undefined ? into : [...into, key];
}

function begins(path: readonly string[], start: readonly string[]): boolean {
  return start.length <= path.length && start.every((part, at) => path[at] === part);
}

function newlineOf(text: string): string {
  return /\r\n/.test(text) ? '\r\n' : '\n';
}

function refuse(why: string): never {
  throw new Refusal('unreadable-file', why);
}
