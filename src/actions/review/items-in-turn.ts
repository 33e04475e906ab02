import { Refusal } from '../../core/refusal.ts';
import type { ReviewItem } from './review.ts';

/** What a person is asked about, one item after the other, and which one it is now. Taking an answer back restores both. */
export interface ItemsInTurn {
  readonly items: readonly ReviewItem[];
  readonly at: number;
}

/** After an answer, which may lead to `next`. A late answer to an earlier item does not skip the current item. */
export function movedOn({ items, at }: ItemsInTurn, stem: string, next?: ReviewItem): ItemsInTurn {
  const now = items[at]?.stem === stem ? at + 1 : at;
  return { items: next === undefined ? items : items.toSpliced(now, 0, next), at: now };
}

/** With this one after what is on the screen. */
export function withLater({ items, at }: ItemsInTurn, item: ReviewItem | undefined): ItemsInTurn {
  return { items: item === undefined ? items : items.toSpliced(at + 1, 0, item), at };
}

/**
 * After an answer that was not carried out: it is asked about again, unless something of it is on record. What it was to correct
 * is not asked about, because it is not corrected.
 */
export function withAgain(turn: ItemsInTurn, open: ReviewItem, error: unknown): ItemsInTurn {
  if (error instanceof Refusal && error.code === 'unfinished') return turn;
  const { stem, id, category, correctedBy } = open;
  const same = turn.items.filter((each) => each.stem === stem && each.category === category);
  // One that was asked about by itself before may be asked about again as what a correction corrects.
  const item = same.find((each) => each.correctedBy === correctedBy) ?? same[0];
  const { items, at } = withLater(turn, item);
  return { items: items.filter((each, i) => i < at || each.correctedBy !== id), at };
}
