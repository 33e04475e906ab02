import { isStale, observationOver } from '../core/clocks.ts';
import { parseId } from '../core/ids.ts';
import { type Standing, standingOf } from '../core/standing.ts';
import type { Known } from '../store/index-db.ts';
import type { Loaded } from '../store/loaded.ts';
import type { Vault } from '../store/vault.ts';

/** A memory by what the index last saw of it, with the standing the ledgers give it now. Not to be served: load it first. */
export interface Surveyed extends Known {
  readonly id: string;
  readonly standing: Standing;
}

/** Every memory of the store, without reading the files. For counting and choosing; what is shown is loaded. */
export function survey(vault: Vault, place: 'memories' | 'quarantine' = 'memories'): Surveyed[] {
  vault.parts.ledgers.refresh();
  return judged(vault, place);
}

/** The same by the evidence that was taken in last. */
export function judged(vault: Vault, place: 'memories' | 'quarantine' = 'memories'): Surveyed[] {
  return vault.parts.index.all(place).flatMap((row) => {
    const { id } = row;
    if (id === null) return [];
    const standing = standingOf({ ...row, id, claim: row.claim ?? undefined }, vault.evidence);
    return [{ ...row, id, standing }];
  });
}

/** How many memories a person could confirm by now, without holding them all. */
export function countReady(vault: Vault): number {
  vault.parts.ledgers.refresh();
  let ready = 0;
  for (const row of vault.parts.index.each('memories')) {
    const { id } = row;
    if (id === null) continue;
    const standing = standingOf({ ...row, id, claim: row.claim ?? undefined }, vault.evidence);
    if (isReady(vault, { ...row, id, standing })) ready += 1;
  }
  return ready;
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
