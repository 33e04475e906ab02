import { bugDetails } from '../core/bug-details.ts';
import { Refusal } from '../core/refusal.ts';
import type { Vault } from '../store/vault/vault.ts';

/**
 * Does what follows a change that is on record. If it fails, that is reported and not thrown, because a caller takes
 * an error to mean that nothing was changed.
 */
export async function afterChange(
  { vault }: { readonly vault: Vault },
  otherwise: string,
  work: () => unknown,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const why = error instanceof Refusal ? error.message : `This is a bug; please report it: ${bugDetails(error)}`;
    vault.complain(`surety: ${otherwise}. ${why}`);
  }
}
