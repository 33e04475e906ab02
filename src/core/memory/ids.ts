import { createHash } from 'node:crypto';
import { holdsToken, maskSecrets } from '../secrets/detect.ts';
import { MASK } from '../secrets/mask.ts';
import type { MemoryType } from './limits.ts';
import { transliterate } from './transliterate.ts';

declare const issued: unique symbol;
/** A file's name without `.md` that is safe as a path, and means the same, on every system. */
export type MemoryId = string & { readonly [issued]: true };

const ID = /^(user|feedback|project|reference)_[a-z0-9_]+$/;
/** At most 120 characters, because a file name has at most 255 bytes and suffixes need some of them. */
const LONGEST = 120;
const LONGEST_SLUG = 48;

/** Every token contains a run that matches, and hardly any id does, so only ids that match are checked for a token. */
export const TOKEN_LIKE = /(?=[a-z0-9]{0,120}[0-9])[a-z0-9]{10,}/;

/**
 * An id must not be a token, because ids go into ledgers, replies and logs, where no secret may be. A file with such a
 * name is reported, and not served until it is renamed, like any file whose name is not an id.
 */
export function parseId(text: string): MemoryId | undefined {
  if (!hasFormOfId(text) || (TOKEN_LIKE.test(text) && holdsToken(text))) return undefined;
  return text as MemoryId;
}

/** Whether it has the form of an id, so that it can be said to a model as it is; quick enough for every row of an index. */
export function hasFormOfId(text: string): boolean {
  return text.length <= LONGEST && ID.test(text);
}

export function typeOfId(id: MemoryId): MemoryType {
  return id.slice(0, id.indexOf('_')) as MemoryType;
}

/**
 * Makes the id for a new memory from its name. `taken` must know every id that any ledger or file of the store ever
 * had: an id is never given to a second text, because the first text's receipts and demotions would then apply to the
 * second.
 */
export function issueId(type: MemoryType, name: string, taken: (id: MemoryId) => boolean): MemoryId {
  const words = withoutType(type, slugOf(withoutSecrets(name)));
  const slug = parseId(`${type}_${words}`) === undefined ? 'memory' : words;
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? '' : `_${n}`;
    const id = `${type}_${slug.slice(0, LONGEST_SLUG - suffix.length)}${suffix}` as MemoryId;
    if (!taken(id)) return id;
  }
}

/** Not even a hash is made of what may be a secret: ids go into ledgers, which are never erased, and a hash can be tried. */
function withoutSecrets(name: string): string {
  const rest = maskSecrets(name).replaceAll(MASK, ' ');
  return rest === name || /[\p{L}\p{N}]/u.test(rest) ? rest : 'memory';
}

/** A name that begins with its type, as the names of imported files do, does not repeat it in the id. */
function withoutType(type: MemoryType, slug: string): string {
  return slug.startsWith(`${type}_`) ? slug.slice(type.length + 1) : slug;
}

/** The name of a quarantined file when its own is taken there: `id`, `id~2`, `id~3` … */
export function quarantineStem(id: string, taken: (stem: string) => boolean): string {
  for (let n = 1; ; n++) {
    const stem = n === 1 ? id : `${id}~${n}`;
    if (!taken(stem)) return stem;
  }
}

/** The id that a quarantined file's name stands for. */
export function idOfStem(stem: string): MemoryId | undefined {
  return parseId(stem.replace(/~(?:[2-9]|[1-9][0-9]{1,5})$/, ''));
}

function slugOf(name: string): string {
  // Spelled before NFKD splits letters, because й would lose its breve and become и, and again for what was split off.
  const slug = transliterate(transliterate(name).normalize('NFKD').replace(/\p{M}/gu, ''))
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, LONGEST_SLUG)
    .replace(/^_+|_+$/g, '');
  if (slug !== '') return slug;
  return createHash('sha256').update(name).digest('hex').slice(0, 8);
}
