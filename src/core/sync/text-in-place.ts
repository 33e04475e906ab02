import type { Evidence } from '../ledger/evidence.ts';
import { vouches } from '../ledger/heads.ts';

// Which of several texts of one memory lies in `memories/`. The place is no tier: the heads alone decide that.

/** Whether a receipt that counts here vouches for exactly this text, and no decision in force quarantines the memory. */
export function hasReceipt(id: string, digest: string | null, evidence: Evidence): boolean {
  const heads = evidence.heads(id);
  if (heads.some((head) => head.to === 'quarantined')) return false;
  return heads.some((head) => vouches(head) && head.digest === digest);
}

/**
 * The text that gets the place: one with a receipt that counts, of several such the one with the smallest digest, so that
 * machines that trust each other choose alike; without any the first, which is the caller's own.
 */
export function textInPlace<T extends { readonly digest: string }>(
  texts: readonly [T, ...T[]],
  isVouched: (digest: string) => boolean,
): T {
  const vouched = texts.filter(({ digest }) => isVouched(digest));
  return (
    vouched.reduce<T | undefined>((a, b) => (a === undefined || b.digest < a.digest ? b : a), undefined) ?? texts[0]
  );
}
