import { duplicatePairs } from '../../core/search/duplicate-pairs.ts';
import { REVIEWED } from '../../core/trust/review-categories.ts';
import type { Vault } from '../../store/vault/vault.ts';
import type { Session } from '../session.ts';
import type { ReviewItem } from './review.ts';

/** At most 20,000 texts are compared with one another, because more take seconds before the first question. */
const MOST_COMPARED = 20_000;
const SORTED: readonly string[] = ['ready', 'new'];

/**
 * Moves items that a person may want to put away to the end of their category: first nearly doubled texts, beside each
 * other, then texts that no agent has ever used. Each still takes its own answer.
 */
export async function duplicatesAndUnusedLast({ vault }: Session, items: readonly ReviewItem[]): Promise<ReviewItem[]> {
  const likes = nearlyDoubled(vault, items);
  const unused = await neverUsed(vault, items);
  const ranked = items.map((item) => {
    if (!SORTED.includes(item.category)) return { item, rank: '0' };
    const like = likes.get(item.id);
    if (like !== undefined)
      return { item: { ...item, remark: `nearly the same as ${like.id}` }, rank: `1 ${like.group}` };
    return unused.has(item.id) ? { item: { ...item, remark: 'never used so far' }, rank: '2' } : { item, rank: '0' };
  });
  return REVIEWED.flatMap((category) =>
    ranked
      .filter(({ item }) => item.category === category)
      .sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0))
      .map(({ item }) => item),
  );
}

/** For each item that is nearly doubled: the text most like it, and a name for all texts that are like one another. */
function nearlyDoubled(vault: Vault, items: readonly ReviewItem[]): Map<string, { id: string; group: string }> {
  const asked = new Set(items.filter(({ category }) => SORTED.includes(category)).map(({ id }) => id));
  const found = new Map<string, { id: string; group: string }>();
  if (asked.size === 0) return found;
  const all = vault.count('memories') <= MOST_COMPARED;
  const texts = vault.termVectors().filter(({ id }) => all || asked.has(id));
  const groups = new Map<string, string>();
  const groupOf = (id: string): string => {
    const next = groups.get(id);
    return next === undefined ? id : groupOf(next);
  };
  for (const { ids } of duplicatePairs(texts)) {
    const [one, other] = [groupOf(ids[0]), groupOf(ids[1])].sort() as [string, string];
    if (one !== other) groups.set(other, one);
    for (const [id, like] of [ids, ids.toReversed()] as [string, string][]) {
      if (asked.has(id) && !found.has(id)) found.set(id, { id: like, group: '' });
    }
  }
  for (const [id, like] of found) found.set(id, { ...like, group: groupOf(id) });
  return found;
}

/** Only of texts younger than the record of uses is it known whether an agent ever found or read them. */
async function neverUsed(vault: Vault, items: readonly ReviewItem[]): Promise<ReadonlySet<string>> {
  const { since, last } = (await vault.uses()).known();
  if (since === undefined) return new Set();
  const isYounger = (id: string) => vault.evidence.of(id).every(({ at }) => at >= since);
  const ready = items.filter(({ category }) => category === 'ready').map(({ id }) => id);
  return new Set(ready.filter((id) => !last.has(id) && isYounger(id)));
}
