/** One frontmatter value as written: text, a list of texts, a key with nothing behind it, or, for `anchors` only, lists of texts. */
export type FieldValue = string | null | readonly string[] | readonly (readonly string[])[];

/** A piece of a line of the frontmatter, and which line of the file that is. */
export interface Remark {
  readonly line: number;
  readonly text: string;
}

/** A memory file taken apart, before anyone asked whether what it says is allowed. */
export interface Document {
  /** In the file's order. A Map, so that no key can reach a prototype. */
  readonly fields: ReadonlyMap<string, FieldValue>;
  /** The 1-based line of each key in the file. */
  readonly lines: ReadonlyMap<string, number>;
  /** What stands in the frontmatter and is neither a key nor a value, such as comments: with fields and body all of a file. */
  readonly remarks: readonly Remark[];
  /** Everything after the closing line, CRLF turned to LF and nothing else. */
  readonly body: string;
  /** The 1-based line where the body starts. */
  readonly bodyLine: number;
  /** What was tolerated while reading. */
  readonly notes: readonly ('bom' | 'crlf')[];
}

/** Why a file is not one Surety reads. */
export type Fault =
  | 'not-utf8'
  | 'too-large'
  | 'nul'
  | 'opening-missing'
  | 'closing-missing'
  | 'frontmatter-too-large'
  | 'yaml-invalid'
  | 'yaml-tag'
  | 'yaml-anchor'
  | 'yaml-duplicate-key'
  | 'yaml-forbidden-key'
  | 'yaml-not-flat';

/** A fault and the 1-based line it was met on; line 1 when the file as a whole is at fault. */
export interface Unreadable {
  readonly kind: 'unreadable';
  readonly fault: Fault;
  readonly line: number;
}

export type Reading = { readonly kind: 'document'; readonly document: Document } | Unreadable;

/** `frontmatterLines` is there because one regexp of gray-matter's takes time with the square of blank lines. */
export const LIMITS_OF_A_FILE = { bytes: 65_536, frontmatterBytes: 8_192, frontmatterLines: 400 } as const;

/** The keys that mean something to Surety. A key that only looks like one of them is refused, not ignored. */
export const KNOWN_KEYS = [
  'name',
  'description',
  'type',
  'trust-level',
  'created-at',
  'last-verified',
  'source-machine',
  'tags',
  'project',
  'anchors',
  'asked-as',
  'quarantined-at',
  'quarantine-reason',
  'quarantined-by',
] as const;

export function textOf(value: FieldValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** All texts of a value. A single one is a list of one; a key with nothing behind it is no list. */
export function listOf(value: FieldValue | undefined): readonly string[] | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? [value] : value.flat();
}

/** The anchors of a memory: a path each, and what is to be found in it; undefined where the value is something else. */
export function anchorsOf(value: FieldValue | undefined): readonly (readonly string[])[] | null | undefined {
  if (value === undefined || value === null || value.length === 0) return value === '' ? undefined : null;
  if (typeof value === 'string') return undefined;
  const lists = value.filter((item) => typeof item !== 'string');
  return lists.length === value.length && lists.every(({ length }) => length === 1 || length === 2) ? lists : undefined;
}
