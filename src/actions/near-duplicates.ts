import type { Memory } from '../core/memory/memory.ts';
import { wordsOf } from '../core/search/query.ts';
import type { Fields } from '../core/search/term-vector.ts';
import { sanitize } from '../core/text/safe-text.ts';
import type { Loaded } from '../store/vault/loaded-memory.ts';
import type { Vault } from '../store/vault/vault.ts';

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
  const { index } = vault.parts;
  const fields = fieldsOf(shown);
  const words = wordsOf(fields.name);
  const isNamedAlike = (other: Loaded) => sharesMost(words, wordsOf(nameOf(other)));
  const found = new Map<string, Loaded>();
  const alike = index.alike(fields, words, NEAR_DUPLICATE).slice(0, MOST_LOOKS);
  for (let from = 0; from < alike.length && found.size < MOST_ALIKE; from += MOST_ALIKE) {
    const portion = alike.slice(from, from + MOST_ALIKE);
    const entries = index.entries(portion.map(({ rowid }) => rowid));
    for (const { rowid, likeness } of portion) {
      const entry = entries.get(rowid);
      const other =
        entry && entry.stem !== id ? vault.shelf.load(entry, { sealed: index.readingAt(rowid) }) : undefined;
      if (found.size === MOST_ALIKE || other === undefined || other.id === id || !isServed(other)) continue;
      if (likeness >= NEAR_DUPLICATE || isNamedAlike(other)) found.set(other.id, other);
    }
  }
  const before = namesake(vault, id);
  const isLeftOut = before !== undefined && !found.has(before.id) && isServed(before) && isNamedAlike(before);
  return isLeftOut ? [...[...found.values()].slice(0, MOST_ALIKE - 1), before] : [...found.values()];
}

/** The one that an id was numbered after because its name was taken: words in every memory would not find it. */
function namesake(vault: Vault, id: string): Loaded | undefined {
  const stem = /^(.+)_\d+$/.exec(id)?.[1];
  if (stem === undefined || !vault.evidence.knows(stem)) return undefined;
  return vault.shelf.load({ place: 'memories', stem });
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
