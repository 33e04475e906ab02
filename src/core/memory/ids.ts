import { createHash } from 'node:crypto';
import { holdsToken } from '../secrets/detect.ts';
import type { MemoryType } from './limits.ts';

declare const issued: unique symbol;
/** A file's stem that is safe as a path on every system and means the same everywhere. */
export type MemoryId = string & { readonly [issued]: true };

const ID = /^(user|feedback|project|reference)_[a-z0-9_]+$/;
/** Longest stem that stays under the 255 bytes of a file name with room for suffixes. */
const LONGEST = 120;
const LONGEST_SLUG = 48;

/** As every token has it and hardly any id does: only such an id is looked at closely. */
const TOKEN_LIKE = /(?=[a-z0-9]{0,120}[0-9])[a-z0-9]{10,}/;

/**
 * A name that is itself a token is no id: ids go into ledgers, replies and logs, where no secret may be. Such a file is
 * reported and not served until it is renamed, as any file whose name is no id.
 */
export function parseId(text: string): MemoryId | undefined {
  if (text.length > LONGEST || !ID.test(text) || (TOKEN_LIKE.test(text) && holdsToken(text))) return undefined;
  return text as MemoryId;
}

export function typeOfId(id: MemoryId): MemoryType {
  return id.slice(0, id.indexOf('_')) as MemoryType;
}

/**
 * The id for a new memory, from its name. `taken` must know every id that any ledger or file of the store has ever seen:
 * an id is never given to a second text, or receipts and demotions of the first would speak of the other.
 */
export function issueId(type: MemoryType, name: string, taken: (id: MemoryId) => boolean): MemoryId {
  const words = slugOf(name);
  // Not even its hash: who has it can tell which token it was.
  const slug = parseId(`${type}_${words}`) === undefined ? 'memory' : words;
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? '' : `_${n}`;
    const id = `${type}_${slug.slice(0, LONGEST_SLUG - suffix.length)}${suffix}` as MemoryId;
    if (!taken(id)) return id;
  }
}

/** The stem a quarantined file gets when its own is taken there: `id`, `id~2`, `id~3` … */
export function quarantineStem(id: string, taken: (stem: string) => boolean): string {
  for (let n = 1; ; n++) {
    const stem = n === 1 ? id : `${id}~${n}`;
    if (!taken(stem)) return stem;
  }
}

/** The id a quarantined file's stem stands for. */
export function idOfStem(stem: string): MemoryId | undefined {
  return parseId(stem.replace(/~(?:[2-9]|[1-9][0-9]{1,5})$/, ''));
}

function slugOf(name: string): string {
  // Spelled before it is taken apart: и with its breve would otherwise lose it and be another letter.
  const spelled = (text: string) => [...text.toLowerCase()].map((letter) => TRANSLITERATION[letter] ?? letter).join('');
  const slug = spelled(spelled(name.normalize('NFC')).normalize('NFKD').replace(/\p{M}/gu, ''))
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, LONGEST_SLUG)
    .replace(/^_+|_+$/g, '');
  if (slug !== '') return slug;
  return createHash('sha256').update(name).digest('hex').slice(0, 8);
}

const TRANSLITERATION: Readonly<Record<string, string>> = {
  ...pairs('ßæœøłđðþıħŋ', 'ss ae oe o l d d th i h ng'),
  ...pairs(
    'абвгдеёжзийклмнопрстуфхцчшщъыьэюя',
    'a b v g d e e zh z i y k l m n o p r s t u f kh ts ch sh shch - y - e yu ya',
  ),
  ...pairs('іїєґў', 'i i ye g u'),
  ...pairs('αβγδεζηθικλμνξοπρσςτυφχψω', 'a b g d e z i th i k l m n x o p r s s t y f ch ps o'),
};

function pairs(letters: string, spellings: string): Record<string, string> {
  const spelled = spellings.split(' ').map((s) => (s === '-' ? '' : s));
  return Object.fromEntries([...letters].map((letter, i) => [letter, spelled[i] ?? '']));
}
