import { Refusal } from '../../core/refusal.ts';
import { insideOf, type UnrecordedLowering } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';

/** The lowerings of this process that the ledger could not take yet. */
export function unrecordedLowerings(vault: Vault): UnrecordedLowering[] {
  return [...insideOf(vault).unrecorded];
}

/** Tries to record them again. */
export async function recordUnrecorded(vault: Vault): Promise<void> {
  try {
    // Whoever holds the lock records them first.
    await vault.exclusively(() => {});
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    vault.complain(`surety: ${error.message}`);
  }
}
