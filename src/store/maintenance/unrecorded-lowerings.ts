import { Refusal } from '../../core/refusal.ts';
import { insideOf, type UnrecordedLowering } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';

/** A person's lowerings that this process could not record yet. Those of a check are left out: the next scan finds them again. */
export function unrecordedLowerings(vault: Vault): UnrecordedLowering[] {
  // Without the machine's key nothing can be recorded, and no room on the disk would change that.
  return vault.keyTrouble === undefined ? insideOf(vault).unrecorded.filter(({ isPersons }) => isPersons) : [];
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
