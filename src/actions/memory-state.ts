import type { Standing } from '../core/ledger/standing.ts';
import { parseId } from '../core/memory/ids.ts';
import { isStale, observationOver } from '../core/trust/clocks.ts';
import type { Loaded, Surveyed, Vault } from '../store/vault/vault.ts';

/**
 * Loads a memory by the stem a person typed: its id, or a quarantined file's stem with `~2`. After a conflict another text
 * of an id lies in quarantine under the same stem; `inQuarantine` asks for that one.
 */
export function loadStem(vault: Vault, stem: string, inQuarantine = false): Loaded | undefined {
  if (inQuarantine || parseId(stem) === undefined) return vault.loadSpot({ place: 'quarantine', stem });
  return vault.load(stem);
}

/** Whether a person named a memory by the path of its file in quarantine. */
export function isPathInQuarantine(written: string): boolean {
  return /(?:^|[/\\])quarantine[/\\][^/\\]+$/.test(written);
}

/** Reads the file of a memory that was surveyed in this same turn; undefined if it is gone or may no longer be served. */
export function served(vault: Vault, surveyed: Pick<Surveyed, 'place' | 'stem'>): Loaded | undefined {
  const loaded = vault.loadSurveyed(surveyed);
  if (loaded?.memory === undefined || loaded.withheld || loaded.standing.tier === 'quarantined') return undefined;
  return loaded;
}

export function isStaleNow(vault: Vault, standing: Standing): boolean {
  const { settings } = vault;
  return standing.tier === 'verified' && isStale(standing.receipt.at, vault.now(), settings.staleDays);
}

/**
 * Whether a stale memory waits for a person. A no to vouching for it again settles that: it stays verified and stale, and
 * nobody is asked until somebody vouches for it.
 */
export function waitsAsStale(vault: Vault, { id, digest, standing }: Pick<Surveyed, 'id' | 'digest' | 'standing'>) {
  return isStaleNow(vault, standing) && !isDeclined(vault, id, digest);
}

/** Whether a suspicious finding that nobody has settled holds this text back, by what the index knows of it. */
export function isHeldBack(vault: Vault, { id, digest, held }: Pick<Surveyed, 'id' | 'digest' | 'held'>): boolean {
  if (held === null || digest === null) return held !== null;
  const settled = vault.evidence.settled(id, digest);
  return held.split(', ').some((rule) => !settled.has(rule));
}

/** Whether a person said no to exactly this text. Nobody is asked about it again. */
export function isDeclined(vault: Vault, id: string, digest: string | null): boolean {
  return vault.evidence.declinedAt(id, digest) !== undefined;
}

/** Whether a memory is inferred, its observation time is over, and nobody said no to it, so that a person can decide on it. */
export function isReady(vault: Vault, known: Surveyed, seen = firstSeenOf(vault, known)): boolean {
  const { id, digest, standing } = known;
  if (standing.tier !== 'inferred' || standing.reason === 'changed' || digest === null) return false;
  if (vault.evidence.declinedAt(id, digest) !== undefined) return false;
  return observationOver(seen, vault.now(), vault.settings.observationDays);
}

/** When a ledger that counts first saw exactly this text. */
export function firstSeenOf({ evidence }: Vault, { id, digest }: Surveyed): number | undefined {
  return digest === null ? undefined : evidence.firstSeen(id, digest);
}
