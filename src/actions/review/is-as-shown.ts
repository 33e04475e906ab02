import { standingKey } from '../../core/ledger/standing.ts';
import type { Loaded } from '../../store/vault/vault.ts';
import type { Case } from './review.ts';

/** Whether a memory still has the text, the standing and the question that a person saw. */
export function isAsShown(seen: Case, now: Case | undefined): boolean {
  return (
    now !== undefined &&
    isSame(now.loaded, seen.loaded) &&
    isSame(now.rival, seen.rival) &&
    now.category === seen.category &&
    now.verb === seen.verb
  );
}

function isSame(one: Loaded | undefined, other: Loaded | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.id === other.id && one.digest === other.digest && standingKey(one.standing) === standingKey(other.standing)
  );
}
