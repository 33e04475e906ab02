import type { Fields } from '../core/imprint.ts';
import type { Memory } from '../core/memory.ts';
import { wordsOf } from '../core/query.ts';
import { sanitize } from '../core/text.ts';
import type { Loaded } from '../store/loaded.ts';
import type { Vault } from '../store/vault.ts';

/** Most words the same is a near duplicate; a name of mostly the same words is about the same thing. */
export const NEAR_DUPLICATE = 0.5;
const MOST_ALIKE = 3;

/**
 * Memories that may be served and are about the same as this one, near duplicates first. For somebody to look at: they are
 * named, never merged.
 */
export function alikeTo(vault: Vault, { id, shown }: Pick<Loaded, 'id' | 'shown'>): Loaded[] {
  if (shown === undefined) return [];
  const { index } = vault.parts;
  const fields = fieldsOf(shown);
  const words = wordsOf(fields.name);
  const alike = index.alike(fields, NEAR_DUPLICATE).flatMap(({ known }) => vault.shelf.load(known) ?? []);
  const named = index
    .matching(words, MOST_ALIKE * 3)
    .flatMap((row) => vault.shelf.load(row) ?? [])
    .filter((other) => sharesMost(words, wordsOf(String(other.subject.document?.fields.get('name') ?? ''))));
  const others = [...alike, ...named].filter(
    (other) => other.id !== id && other.shown !== undefined && !other.withheld && other.standing.tier !== 'quarantined',
  );
  return [...new Map(others.map((other) => [other.id, other])).values()].slice(0, MOST_ALIKE);
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
  return shared > 0 && shared * 2 >= Math.max(one.length, other.length);
}
