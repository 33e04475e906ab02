/** A found memory as far as its place among the others depends on who vouched for it. */
export interface RankedMemory {
  readonly id: string;
  readonly isVerified: boolean;
  /** The memory that it says it corrects. */
  readonly corrects: string | null;
}

/**
 * Puts each verified memory before those nobody vouched for that correct it or say nearly the same. Otherwise an agent that can
 * propose could take a verified memory's place by repeating it with another ending.
 */
export function verifiedAboveCopies<T extends RankedMemory>(
  found: readonly T[],
  alike: (one: T, other: T) => boolean,
): T[] {
  const order: T[] = [];
  for (const each of found) {
    const givesWay = (other: T) => !other.isVerified && (other.corrects === each.id || alike(each, other));
    const first = each.isVerified ? order.findIndex(givesWay) : -1;
    order.splice(first < 0 ? order.length : first, 0, each);
  }
  return order;
}
