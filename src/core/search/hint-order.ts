import type { Score } from './rank.ts';

/** How much of what hints add counts for a memory that nobody vouched for: only its proposer gave its hints. */
const UNVOUCHED = 0.8;

/** A found memory's score with its hints. */
export function withHints({ score, own }: Pick<Score, 'score' | 'own'>, isVerified: boolean): number {
  return isVerified ? score : own + UNVOUCHED * (score - own);
}

/** A found memory: what it is worth with its hints and by its own text alone (0 where the text does not match). */
interface Worth {
  readonly worth: number;
  readonly own: number;
  readonly isVerified: boolean;
}

/**
 * Best first. Hints never lift a memory that nobody verified above a verified one that matches better by its own text:
 * otherwise anybody who can propose could put a text before the person's own by guessing what will be asked.
 */
export function inHintOrder<T extends Worth>(found: readonly T[]): T[] {
  const texts = found.filter(({ isVerified, own }) => isVerified && own > 0);
  const bounded = found.map((each) => {
    const above = each.isVerified ? [] : texts.filter(({ own }) => own > each.own);
    return { each, worth: Math.min(each.worth, ...above.map(({ worth }) => worth)) };
  });
  const order = bounded.sort((a, b) => b.worth - a.worth || Number(b.each.isVerified) - Number(a.each.isVerified));
  return order.map(({ each }) => each);
}
