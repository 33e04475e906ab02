import { type Retention, retention } from '../core/trust/clocks.ts';
import type { Loaded, Vault } from '../store/vault/vault.ts';

/** Since when a memory is in quarantine: by its own word, else the ledger's, else when it was last vouched for or written. */
export function quarantinedAt({ standing, subject, stamp }: Loaded): number {
  const { quarantinedAt: said, lastVerified } = subject.claims;
  const decided = 'decision' in standing ? standing.decision.at : undefined;
  return said ?? decided ?? lastVerified ?? Number(stamp.modified / 1_000_000n);
}

/** The month of that, which its place in the archive is named after: `YYYY-MM`. */
export function monthOfQuarantine(loaded: Loaded): string {
  return new Date(quarantinedAt(loaded)).toISOString().slice(0, 7);
}

/** How long it has been there, as the trust model counts it. */
export function retentionOf(vault: Vault, loaded: Loaded): Retention {
  return retention(quarantinedAt(loaded), vault.now());
}
