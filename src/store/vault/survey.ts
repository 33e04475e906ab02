import { type Place, type Standing, standingOf } from '../../core/ledger/standing.ts';
import type { Sketch } from '../index/rows.ts';
import type { Inside } from './inside.ts';

/** A memory by what the index last saw of it, with the standing the ledgers give it now. Not to be served: load it first. */
export interface Surveyed extends Sketch {
  readonly id: string;
  readonly standing: Standing;
}

export type Verified = Surveyed & { readonly standing: Extract<Standing, { tier: 'verified' }> };
export type Scoped = Surveyed & { readonly project: string | null };

type Known = Pick<Inside, 'index' | 'ledgers'>;

/** Every memory of a place, without reading the files. */
export function* survey(known: Known, place: Place): Generator<Surveyed> {
  for (const row of known.index.each(place)) yield* judged(known, row);
}

/** Every memory with the project it belongs to, what was written last first. */
export function surveyScoped(known: Known, visit: (memory: Scoped) => void): void {
  known.index.atOnce(() => {
    for (const row of known.index.scoped('memories')) {
      const { id } = row;
      if (id !== null) visit({ ...row, id, standing: standingIn(known, row, id) });
    }
  });
}

/** Those of these memories that are verified. */
export function verifiedAmong(known: Known, ids: Iterable<string>): Verified[] {
  return [...ids].flatMap((id) => {
    const row = known.index.get('memories', id);
    return row === undefined ? [] : [...judged(known, row)].filter(isVerified);
  });
}

/** Verified memories, the newest receipt first; cheaper where only so many are wanted. */
export function newestVerified(known: Known, most: number): Verified[] {
  const found: Verified[] = [];
  let before = Number.POSITIVE_INFINITY;
  for (const { id, at } of known.ledgers.evidence.everVerified()) {
    if (at < before && found.length >= most) {
      // No receipt is later than the latest of its memory, so none that follows can be newer than these.
      const last = found.sort(newestFirst)[most - 1];
      if (last !== undefined && last.standing.receipt.at > at) break;
    }
    before = at;
    found.push(...verifiedAmong(known, [id]));
  }
  return found.sort(newestFirst).slice(0, most);
}

function* judged(known: Known, row: Sketch): Generator<Surveyed> {
  const { place, stem, id, claim, digest, saying, rules } = row;
  if (id !== null) yield { place, stem, id, claim, digest, saying, rules, standing: standingIn(known, row, id) };
}

function standingIn({ ledgers }: Known, { place, claim, digest, saying }: Sketch, id: string): Standing {
  return standingOf({ id, place, claim: claim ?? undefined, digest, saying }, ledgers.evidence);
}

function isVerified(known: Surveyed): known is Verified {
  return known.standing.tier === 'verified';
}

function newestFirst(a: Verified, b: Verified): number {
  return b.standing.receipt.at - a.standing.receipt.at || (a.id < b.id ? -1 : 1);
}
