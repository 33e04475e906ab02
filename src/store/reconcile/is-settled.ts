import type { Evidence } from '../../core/ledger/evidence.ts';
import { standingOf } from '../../core/ledger/standing.ts';
import type { SealedFacts } from '../index/rows.ts';

/**
 * Whether an unchanged file still leaves nothing to do, although ledgers may have changed. A scan that only reads has
 * nothing to record.
 */
export function isSettled(
  { place, id, claim, digest, saying }: SealedFacts,
  evidence: Evidence,
  recordsFirstSights: boolean,
): boolean {
  if (id === null) return place === 'quarantine';
  if (digest === null) return place === 'quarantine' && evidence.heads(id).some((head) => head.to === 'quarantined');
  if (recordsFirstSights && evidence.firstSeen(id, digest) === undefined) return false;
  const standing = standingOf({ id, place, claim, digest, saying }, evidence);
  // A file that only its folder makes quarantined may still have to be recorded.
  return place === 'quarantine' ? standing.reason === 'decided' : standing.tier !== 'quarantined';
}
