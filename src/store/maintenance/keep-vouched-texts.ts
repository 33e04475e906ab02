import { codeOf } from '../../core/system-errors.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';

/**
 * Keeps a copy of each of these memories that is verified. A yes given here keeps one by itself; this is for a yes that
 * another machine's ledger brings, so that a later change can be shown and taken back here too. Without room for a copy
 * the memory is verified all the same.
 */
export function keepVouchedTexts(vault: Vault, ids: Iterable<string>): void {
  const { disk, vouched } = insideOf(vault);
  try {
    for (const id of ids) {
      const { standing, digest, bytes } = vault.load(id) ?? {};
      if (standing?.tier !== 'verified' || !digest || bytes === undefined) continue;
      if (!disk.exists(vouched.path(digest))) vouched.keep(digest, bytes);
    }
  } catch (error) {
    vault.complain(`surety: no copy of what another machine vouched for could be kept (${codeOf(error)})`);
  }
}
