import { queryWords } from '../core/search/query.ts';
import { NEAR_DUPLICATE } from '../core/search/rank.ts';
import { fieldsOf } from '../core/search/term-vector.ts';
import type { Loaded, Vault } from '../store/vault/vault.ts';

const MOST_NAMED = 3;
/** At most 20 candidates, because each one is read from its file. */
const MOST_LOOKS = 20;

/** Served memories similar to this one, near duplicates first. They are shown to a person or agent, never merged. */
export function nearDuplicatesOf(vault: Vault, { id, shown }: Pick<Loaded, 'id' | 'shown'>): Loaded[] {
  if (shown === undefined) return [];
  const fields = fieldsOf(shown);
  const words = queryWords(fields.name);
  const isNamedAlike = (other: Loaded) => sharesMost(words, queryWords(nameOf(other)));
  const found = new Map<string, Loaded>();
  for (const { loaded, likeness } of vault.nearDuplicates({ id, fields, named: words }, NEAR_DUPLICATE, MOST_LOOKS)) {
    if (isServed(loaded) && (likeness >= NEAR_DUPLICATE || isNamedAlike(loaded))) found.set(loaded.id, loaded);
    if (found.size === MOST_NAMED) break;
  }
  const before = namesake(vault, id);
  const isLeftOut = before !== undefined && !found.has(before.id) && isServed(before) && isNamedAlike(before);
  return isLeftOut ? [...[...found.values()].slice(0, MOST_NAMED - 1), before] : [...found.values()];
}

/** The memory whose name was taken, so that this id got a number. A search by common words would miss it. */
function namesake(vault: Vault, id: string): Loaded | undefined {
  const stem = /^(.+)_\d+$/.exec(id)?.[1];
  if (stem === undefined || !vault.evidence.knows(stem)) return undefined;
  return vault.loadSpot({ place: 'memories', stem });
}

export function isServed({ shown, withheld, standing }: Loaded): boolean {
  return shown !== undefined && !withheld && standing.tier !== 'quarantined';
}

function nameOf({ subject }: Loaded): string {
  return String(subject.document?.fields.get('name') ?? '');
}

function sharesMost(one: readonly string[], other: readonly string[]): boolean {
  const shared = one.filter((word) => other.includes(word)).length;
  return shared * 2 > Math.max(one.length, other.length);
}
