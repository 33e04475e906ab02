/**
 * One frontmatter value as written: a text, a list of texts, null for a key without a value, or, for `anchors` only, a
 * list of lists of texts.
 */
export type FieldValue = string | null | readonly string[] | readonly (readonly string[])[];

/** A part of a frontmatter line, and the number of that line in the file. */
export interface Remark {
  readonly line: number;
  readonly text: string;
}

/** A parsed memory file, before its content is checked. */
export interface Document {
  /** In the file's order. It is a Map, so that no key can reach a prototype. */
  readonly fields: ReadonlyMap<string, FieldValue>;
  /** The 1-based line of each key in the file. */
  readonly lines: ReadonlyMap<string, number>;
  /**
   * The parts of the frontmatter that are neither keys nor values, such as comments. Remarks, fields and body together
   * are the whole file.
   */
  readonly remarks: readonly Remark[];
  /** Everything after the closing line, with CRLF turned into LF and no other change. */
  readonly body: string;
  /** The 1-based line where the body starts. */
  readonly bodyLine: number;
  /** Deviations that reading tolerated. */
  readonly notes: readonly ('bom' | 'crlf')[];
}

/** Why Surety does not read a file. */
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

/** A fault and the 1-based line where it was found. Line 1 if the whole file is at fault. */
export interface Unreadable {
  readonly kind: 'unreadable';
  readonly fault: Fault;
  readonly line: number;
}

export type Reading = { readonly kind: 'document'; readonly document: Document } | Unreadable;

/**
 * At most 400 lines of frontmatter, because a regular expression in gray-matter takes quadratic time on blank lines.
 */
export const LIMITS_OF_A_FILE = { bytes: 65_536, frontmatterBytes: 8_192, frontmatterLines: 400 } as const;

/** The keys that Surety knows. A key that only resembles one of them is refused, not ignored. */
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

/** All texts of a value. A single text is a list of one; a key without a value has no list. */
export function listOf(value: FieldValue | undefined): readonly string[] | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? [value] : value.flat();
}

/**
 * A memory's anchors: a path each, and optionally a text that the file at that path holds. Undefined if the value is
 * anything else.
 */
export function anchorsOf(value: FieldValue | undefined): readonly (readonly string[])[] | null | undefined {
  if (value === undefined || value === null || value.length === 0) return value === '' ? undefined : null;
  if (typeof value === 'string') return undefined;
  const lists = value.filter((item) => typeof item !== 'string');
  return lists.length === value.length && lists.every(({ length }) => length === 1 || length === 2) ? lists : undefined;
}
