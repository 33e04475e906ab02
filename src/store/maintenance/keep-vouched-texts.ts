import { codeOf } from '../../core/system-errors.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';

/** At most 64 copies are made under one lock, because others want to write too. */
const AT_ONCE = 64;

/**
 * Keeps a copy of each verified memory that has none. A yes given here keeps one by itself; this is for what another machine's
 * ledger verifies, or this one's after a repair, so that a later change can be shown and taken back here too. An entry alone
 * can verify, without a file that comes in, so the whole store is looked at. The copies are not synced to the disk, because
 * there may be thousands. Without room for a copy the memory is still verified.
 */
export async function keepVouchedTexts(vault: Vault): Promise<void> {
  const { disk, vouched } = insideOf(vault);
  const keep = (id: string) => {
    const { standing, digest, bytes } = vault.load(id) ?? {};
    if (standing?.tier !== 'verified' || !digest || bytes === undefined) return;
    if (!disk.exists(vouched.path(digest))) vouched.keepUnsynced(digest, bytes);
  };
  try {
    // Found by their rows in the index first, because a new machine receives thousands of which none is verified.
    const kept = new Set(disk.names(vouched.folder));
    const all: string[] = [];
    vault.surveyScoped(({ id, digest, standing }) => {
      if (standing.tier === 'verified' && digest !== null && !kept.has(digest)) all.push(id);
    });
    // With the lock, so that no copy is made of what another process is erasing.
    for (let from = 0; from < all.length; from += AT_ONCE)
      await vault.exclusively(() => all.slice(from, from + AT_ONCE).forEach(keep));
  } catch (error) {
    if (codeOf(error) === '') throw error;
    vault.complain(`surety: no copy of what another machine vouched for could be kept (${codeOf(error)})`);
  }
}
