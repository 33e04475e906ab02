import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// Written from docs/file-format.md and docs/ledger-format.md. It shares no code with the store, so that a mistake there
// cannot hide itself here.

/** What a memory says, and nothing of what the server keeps about it. */
export interface Text {
  readonly type: string;
  readonly name: string;
  readonly description: string;
  readonly tags?: readonly string[] | undefined;
  readonly project?: string | undefined;
  readonly anchors?: readonly (readonly string[])[] | undefined;
  readonly body: string;
}

type Place = 'memories' | 'quarantine';

/** One file of a store, read; `torn` says what is wrong where it could not be. */
export interface Found {
  readonly place: Place;
  readonly stem: string;
  readonly id: string;
  readonly text: Text | undefined;
  readonly claim: string | undefined;
  readonly digest: string | null;
  readonly saying: string | null;
  readonly torn: string | undefined;
}

/** The id that the store's file names; undefined for a store of format 1, which has no such file. */
export function readStoreId(root: string): string | undefined {
  const path = join(root, 'store.json');
  if (!existsSync(path)) return undefined;
  const { format, id } = JSON.parse(readFileSync(path, 'utf8')) as { format: unknown; id: unknown };
  if (format !== 2 || typeof id !== 'string') throw new Error('the store is of a format that is not known here');
  return id;
}

/** All memory files of a folder; `leftovers` are temporary files that a kill left behind. */
export function readFolder(root: string, place: Place): { found: Found[]; leftovers: number } {
  // Somebody may have taken the whole folder away.
  const names = existsSync(join(root, place)) ? readdirSync(join(root, place)) : [];
  const found = names
    .filter((name) => name.endsWith('.md') && !name.startsWith('.') && name !== 'MEMORY.md')
    .map((name) => readOne(place, name.slice(0, -3), readFileSync(join(root, place, name))));
  return { found, leftovers: names.filter((name) => name.startsWith('.tmp-')).length };
}

/** Reads the bytes of one file. */
export function readOne(place: Place, stem: string, bytes: Buffer): Found {
  const id = stem.replace(/~\d+$/, '');
  try {
    const { fields, body } = split(new TextDecoder('utf8', { fatal: true, ignoreBOM: false }).decode(bytes));
    const word = (key: string) => {
      const value = fields.get(key);
      if (Array.isArray(value)) throw new Error(`${key} is a list`);
      return value as string | undefined;
    };
    const needed = (key: string) => {
      const value = word(key);
      if (value === undefined) throw new Error(`no ${key}`);
      return value;
    };
    const tags = fields.get('tags') as string | string[] | undefined;
    const anchors = (fields.get('anchors') ?? []) as readonly (readonly string[])[];
    const text: Text = {
      type: needed('type'),
      name: needed('name'),
      description: needed('description'),
      tags: typeof tags === 'string' ? [tags] : tags,
      project: word('project'),
      anchors: anchors.length === 0 ? undefined : anchors,
      body,
    };
    const digest = digestOf(id, text);
    return { place, stem, id, text, claim: word('trust-level'), digest, saying: sayingOf(text), torn: undefined };
  } catch (error) {
    const torn = error instanceof Error ? error.message : 'unreadable';
    return { place, stem, id, text: undefined, claim: undefined, digest: null, saying: null, torn };
  }
}

export function digestOf(id: string, { type, name, description, tags, project, anchors, body }: Text): string {
  const parts = [id, type, name, description, tags ?? null, project ?? null, body];
  return sha256(JSON.stringify(anchors === undefined ? ['surety-1', ...parts] : ['surety-2', ...parts, anchors]));
}

/** The digest that a text gets when the server writes it: an empty line before the body, a line feed behind it. */
export function digestWhenStored(id: string, text: Text): string {
  return digestOf(id, { ...text, body: `\n${text.body}\n` });
}

/** Of a body under 30 characters the name and the project belong to what it says. */
export function sayingOf({ body, name, project }: Pick<Text, 'body' | 'name' | 'project'>): string {
  const said = folded(body);
  if ([...said.normalize('NFC')].length >= 30) return sha256(JSON.stringify(['surety-saying-1', said]));
  const around = [folded(name), project === undefined ? null : folded(project)];
  return sha256(JSON.stringify(['surety-saying-2', said, ...around]));
}

function folded(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\s+/gu, ' ')
    .replace(/[\p{C}\p{Default_Ignorable_Code_Point}\u2800\uFFFC]/gu, '')
    .trim()
    .toLowerCase();
}

export function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

/** A value of the frontmatter: a text, or a list of texts or of such lists. */
type Value = string | Value[];

function split(content: string): { fields: Map<string, Value>; body: string } {
  const lines = content.replaceAll('\r\n', '\n').split('\n');
  if (lines[0] !== '---') throw new Error('no frontmatter');
  const end = lines.findIndex((line, at) => at > 0 && /^---[ \t]*$/.test(line));
  if (end < 0) throw new Error('the frontmatter does not end');
  const fields = new Map<string, Value>();
  for (const line of lines.slice(1, end)) {
    const [, key, value] = /^([a-z][a-z-]*): (.+)$/.exec(line) ?? [];
    if (key === undefined || value === undefined) throw new Error('a line is no field');
    if (fields.has(key)) throw new Error(`${key} twice`);
    fields.set(key, value.startsWith('[') ? list(value) : scalar(value));
  }
  const body = lines.slice(end + 1).join('\n');
  return { fields, body: body.replaceAll(/\r+\n/g, '\n') };
}

/** Plain text, or text in double quotes with the escapes that JSON has too. */
function scalar(value: string): string {
  return value.startsWith('"') ? (JSON.parse(value) as string) : value;
}

function list(value: string): Value[] {
  if (!value.endsWith(']')) throw new Error('a list does not end');
  const items = value.slice(1, -1).matchAll(/\[(?:"(?:[^"\\]|\\.)*"|[^\]"])*\]|"(?:[^"\\]|\\.)*"|[^,\s][^,]*/g);
  return [...items].map(([item]) => (item.startsWith('[') ? list(item) : scalar(item.trim())));
}
