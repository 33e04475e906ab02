import type { Standing } from '../core/ledger/standing.ts';
import { parseId } from '../core/memory/ids.ts';
import { isStale, observationOver } from '../core/trust/clocks.ts';
import type { Loaded, Surveyed, Vault } from '../store/vault/vault.ts';

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
  const { settings } = vault;
  return standing.tier === 'verified' && isStale(standing.receipt.at, vault.now(), settings.staleDays);
}

/** Inferred, and watched for as long as the operator wants: ready for a person's yes or no. */
export function isReady(vault: Vault, { id, digest, standing }: Surveyed): boolean {
  const { settings } = vault;
  if (standing.tier !== 'inferred' || standing.reason === 'changed' || digest === null) return false;
  return observationOver(vault.evidence.firstSeen(id, digest), vault.now(), settings.observationDays);
}
