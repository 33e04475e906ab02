import type { Memory } from '../core/memory/memory.ts';
import { wordsOf } from '../core/search/query.ts';
import type { Fields } from '../core/search/term-vector.ts';
import { sanitize } from '../core/text/safe-text.ts';
import type { Loaded, Vault } from '../store/vault/vault.ts';

/** Most words the same is a near duplicate; a name of mostly the same words is about the same thing. */
export const NEAR_DUPLICATE = 0.5;
const MOST_ALIKE = 3;
/** Each is read from its file, so of a crowd that turns out not to be served not all are. */
const MOST_LOOKS = 20;

/**
 * Memories that may be served and are about the same as this one, near duplicates first. For somebody to look at: they are
 * named, never merged.
 */
export function alikeTo(vault: Vault, { id, shown }: Pick<Loaded, 'id' | 'shown'>): Loaded[] {
  if (shown === undefined) return [];
  const fields = fieldsOf(shown);
  const words = wordsOf(fields.name);
  const isNamedAlike = (other: Loaded) => sharesMost(words, wordsOf(nameOf(other)));
  const found = new Map<string, Loaded>();
  for (const { loaded, likeness } of vault.alike({ id, fields, named: words }, NEAR_DUPLICATE, MOST_LOOKS)) {
    if (isServed(loaded) && (likeness >= NEAR_DUPLICATE || isNamedAlike(loaded))) found.set(loaded.id, loaded);
    if (found.size === MOST_ALIKE) break;
  }
  const before = namesake(vault, id);
  const isLeftOut = before !== undefined && !found.has(before.id) && isServed(before) && isNamedAlike(before);
  return isLeftOut ? [...[...found.values()].slice(0, MOST_ALIKE - 1), before] : [...found.values()];
}

/** The one that an id was numbered after because its name was taken: words in every memory would not find it. */
function namesake(vault: Vault, id: string): Loaded | undefined {
  const stem = /^(.+)_\d+$/.exec(id)?.[1];
  if (stem === undefined || !vault.evidence.knows(stem)) return undefined;
  return vault.loadSpot({ place: 'memories', stem });
}

function isServed({ shown, withheld, standing }: Loaded): boolean {
  return shown !== undefined && !withheld && standing.tier !== 'quarantined';
}

function nameOf({ subject }: Loaded): string {
  return String(subject.document?.fields.get('name') ?? '');
}

/** A memory's words as the index compares them. */
function fieldsOf({ name, description, body }: Memory): Fields {
  return {
    name: sanitize(name, 'line').toString(),
    about: sanitize(description, 'line').toString(),
    body: sanitize(body, 'body').toString(),
  };
}

function sharesMost(one: readonly string[], other: readonly string[]): boolean {
  const shared = one.filter((word) => other.includes(word)).length;
  return shared * 2 > Math.max(one.length, other.length);
}
