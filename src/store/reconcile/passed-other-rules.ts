import type { Evidence } from '../../core/ledger/evidence.ts';
import { raises } from '../../core/ledger/statement.ts';
import { sameStamp } from '../disk/reading-disk.ts';
import type { SealedFacts } from '../index/rows.ts';
import type { Loaded } from '../vault/loaded-memory.ts';

/**
 * Whether the text was accepted before the rules changed: by a machine that counts here, or by this machine's last
 * scan.
 */
export function passedOtherRules(
  { id, digest, stamp }: Pick<Loaded, 'id' | 'digest' | 'stamp'>,
  before: SealedFacts | undefined,
  evidence: Evidence,
  rules: string,
): boolean {
  const passed = before !== undefined && before.rules !== '' && before.blocked === null;
  if (passed && before.rules !== rules && sameStamp(before.stamp, stamp)) return true;
  return evidence
    .of(id)
    .some((s) => raises(s) && s.digest !== null && s.digest === digest && s.rules !== rules && s.to !== 'quarantined');
}
