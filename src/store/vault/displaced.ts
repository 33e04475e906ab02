import type { Evidence } from '../../core/ledger/evidence.ts';
import { hasReceipt } from '../../core/sync/text-in-place.ts';
import type { Inside } from './inside-of-vault.ts';
import type { Loaded } from './loaded-memory.ts';
import { type Surveyed, survey } from './survey.ts';

/** Texts in quarantine that have a person's receipt, while another text has their place in `memories/`. */
export function displaced(inside: Inside, among: Iterable<Surveyed> = survey(inside, 'quarantine')): Surveyed[] {
  const { index, ledgers } = inside;
  return [...among].filter(({ id, digest, standing }) => {
    if (digest === null || standing.reason !== 'folder') return false;
    const inUse = index.get('memories', id);
    return inUse !== undefined && inUse.digest !== digest && isWanted(id, digest, ledgers.evidence);
  });
}

/** Like `displaced` for one file, judged by the present files. */
export function isDisplaced({ files, ledgers }: Inside, { id, place, digest }: Loaded): boolean {
  if (place !== 'quarantine' || digest === null) return false;
  const inUse = files.load({ place: 'memories', stem: id });
  return inUse !== undefined && inUse.digest !== digest && isWanted(id, digest, ledgers.evidence);
}

/** A person vouched for it, and nobody said since that it may stay in quarantine. */
function isWanted(id: string, digest: string, evidence: Evidence): boolean {
  return hasReceipt(id, digest, evidence) && evidence.declinedAt(id, digest) === undefined;
}
