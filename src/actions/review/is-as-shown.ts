import { standingKey } from '../../core/ledger/standing.ts';
import { Refusal } from '../../core/refusal.ts';
import type { Loaded } from '../../store/vault/vault.ts';
import type { Session } from '../session.ts';
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

/** Tells the person that their answer was not taken, because the memory is not as it was shown. */
export function notAsShown({ id }: Case): string {
  return `${id} is not as it was shown any more, so nothing was done about it.`;
}

/**
 * Refuses to quarantine a memory for another one that is not verified, or has other words than were shown: the person would be left
 * with neither.
 */
export function refuseUncorrected({ vault }: Session, { id, successor }: Case): void {
  const now = successor && vault.load(successor.id);
  if (successor === undefined || (now?.standing.tier === 'verified' && now.digest === successor.digest)) return;
  throw new Refusal(
    'changed-meanwhile',
    `${successor.id} changed while the person was asked. Nothing was done about ${id}.`,
  );
}

function isSame(one: Loaded | undefined, other: Loaded | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.id === other.id && one.digest === other.digest && standingKey(one.standing) === standingKey(other.standing)
  );
}
