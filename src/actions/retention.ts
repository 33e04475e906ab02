import { type Retention, retention } from '../core/trust/clocks.ts';
import type { Loaded, Vault } from '../store/vault/vault.ts';

/** When a memory was quarantined: by its file, else the ledger, else when it was last verified or modified. */
export function quarantinedAt({ standing, subject, stamp }: Loaded): number {
  const { quarantinedAt: said, lastVerified } = subject.claims;
  const decided = 'decision' in standing ? standing.decision.at : undefined;
  return said ?? decided ?? lastVerified ?? Number(stamp.modified / 1_000_000n);
}

/** The month of the quarantine (`YYYY-MM`), which names its archive folder. */
export function monthOfQuarantine(loaded: Loaded): string {
  return new Date(quarantinedAt(loaded)).toISOString().slice(0, 7);
}

export function retentionOf(vault: Vault, loaded: Loaded): Retention {
  return retention(quarantinedAt(loaded), vault.now());
}
