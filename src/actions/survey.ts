import { type Standing, standingOf } from '../core/ledger/standing.ts';
import { parseId } from '../core/memory/ids.ts';
import { isStale, observationOver } from '../core/trust/clocks.ts';
import type { Sketch } from '../store/index/rows.ts';
import type { Loaded } from '../store/vault/loaded-memory.ts';
import type { Vault } from '../store/vault/vault.ts';

/** A memory by what the index last saw of it, with the standing the ledgers give it now. Not to be served: load it first. */
export interface Surveyed extends Sketch {
  readonly id: string;
  readonly standing: Standing;
}

/** Every memory of the store, without reading the files. For counting and choosing; what is shown is loaded. */
export function survey(vault: Vault, place?: 'memories' | 'quarantine'): Surveyed[] {
  return [...surveyed(vault, place)];
}

/** The same one by one, for whoever keeps few of them. */
export function surveyed(vault: Vault, place?: 'memories' | 'quarantine'): Iterable<Surveyed> {
  vault.parts.ledgers.refresh();
  return judging(vault, place);
}

/** The same with the project each belongs to, what was written last first; for `IndexDb.atOnce`. */
export function* everyScoped(vault: Vault): Generator<Surveyed & { readonly project: string | null }> {
  for (const row of vault.parts.index.scoped('memories')) {
    const { id } = row;
    if (id !== null) yield { ...row, id, standing: standingIn(vault, row, id) };
  }
}

function* judging(vault: Vault, place: 'memories' | 'quarantine' = 'memories'): Generator<Surveyed> {
  for (const row of vault.parts.index.each(place)) {
    const surveyed = judge(vault, row);
    if (surveyed !== undefined) yield surveyed;
  }
}

/** Those of these memories that are verified by the evidence that was taken in last. */
export function verifiedAmong(vault: Vault, ids: Iterable<string>): Verified[] {
  return [...ids].flatMap((id) => {
    const row = vault.parts.index.get('memories', id);
    const surveyed = row && judge(vault, row);
    return surveyed !== undefined && isVerified(surveyed) ? [surveyed] : [];
  });
}

function judge(vault: Vault, row: Sketch): Surveyed | undefined {
  const { place, stem, id, claim, digest, saying, rules } = row;
  if (id === null) return undefined;
  return { place, stem, id, claim, digest, saying, rules, standing: standingIn(vault, row, id) };
}

function standingIn(vault: Vault, { place, claim, digest, saying }: Sketch, id: string): Standing {
  return standingOf({ id, place, claim: claim ?? undefined, digest, saying }, vault.evidence);
}

/** Verified memories, the newest receipt first; cheaper where only so many are wanted. */
export function newestVerified(vault: Vault, most = Number.POSITIVE_INFINITY): Verified[] {
  vault.parts.ledgers.refresh();
  const found: Verified[] = [];
  let before = Number.POSITIVE_INFINITY;
  for (const { id, at } of vault.evidence.everVerified()) {
    if (at < before && found.length >= most) {
      // No receipt is later than the latest of its memory, so none that follows can be newer than these.
      const last = found.sort(newestFirst)[most - 1];
      if (last !== undefined && last.standing.receipt.at > at) break;
    }
    before = at;
    found.push(...verifiedAmong(vault, [id]));
  }
  return found.sort(newestFirst).slice(0, most);
}

export type Verified = Surveyed & { readonly standing: Extract<Surveyed['standing'], { tier: 'verified' }> };

function isVerified(known: Surveyed): known is Verified {
  return known.standing.tier === 'verified';
}

function newestFirst(a: Verified, b: Verified): number {
  return b.standing.receipt.at - a.standing.receipt.at || (a.id < b.id ? -1 : 1);
}

/** A memory by the stem a person typed: its id, or one of several files in quarantine by its `~2`. */
export function loadStem(vault: Vault, stem: string): Loaded | undefined {
  return parseId(stem) === undefined ? vault.loadSpot({ place: 'quarantine', stem }) : vault.load(stem);
}

/** A surveyed memory as its file is now; undefined when it is gone or may not be served any more. */
export function served(vault: Vault, { place, stem }: Surveyed): Loaded | undefined {
  const loaded = vault.loadSpot({ place, stem });
  if (loaded?.memory === undefined || loaded.withheld || loaded.standing.tier === 'quarantined') return undefined;
  return loaded;
}

export function isStaleNow(vault: Vault, standing: Standing): boolean {
  const { settings, now } = vault.parts;
  return standing.tier === 'verified' && isStale(standing.receipt.at, now(), settings().staleDays);
}

/** Inferred, and watched for as long as the operator wants: ready for a person's yes or no. */
export function isReady(vault: Vault, { id, digest, standing }: Surveyed): boolean {
  const { settings, now } = vault.parts;
  if (standing.tier !== 'inferred' || standing.reason === 'changed' || digest === null) return false;
  return observationOver(vault.evidence.firstSeen(id, digest), now(), settings().observationDays);
}
