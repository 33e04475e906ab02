import type { Evidence } from '../../core/ledger/evidence.ts';
import { standingOf } from '../../core/ledger/standing.ts';
import type { Known } from '../index/rows.ts';
import { sameStamp } from '../ledger/signed-file.ts';
import type { Loaded } from '../vault/loaded-memory.ts';

/**
 * Whether what is known of an unchanged file still leaves nothing to do, now that ledgers may have changed. Whoever only
 * looks has nothing to write down.
 */
export function isSettled(
  { place, id, claim, digest, saying }: Known,
  evidence: Evidence,
  writesDown: boolean,
): boolean {
  if (id === null) return place === 'quarantine';
  if (digest === null) return place === 'quarantine' && evidence.heads(id).some((head) => head.to === 'quarantined');
  if (writesDown && evidence.firstSeen(id, digest) === undefined) return false;
  const standing = standingOf({ id, place, claim: claim ?? undefined, digest, saying }, evidence);
  // What lies in quarantine by its folder alone may still wait to be written down.
  return place === 'quarantine' ? standing.reason === 'decided' : standing.tier !== 'quarantined';
}

/** A text that a machine whose word counts let pass, or a file this one looked at, before the rules changed. */
export function passedOtherRules(
  { id, digest, stamp }: Loaded,
  before: Known | undefined,
  evidence: Evidence,
  rules: string,
): boolean {
  const sameFile = before !== undefined && before.rules !== '' && sameStamp(before.stamp, stamp);
  if (sameFile && before.rules !== rules) return true;
  return evidence
    .of(id)
    .some(
      (s) => s.ledger.raises && s.digest !== null && s.digest === digest && s.rules !== rules && s.to !== 'quarantined',
    );
}
