import { refuseBlocked } from '../../core/checks/enforce.ts';
import { isHalfReworded } from '../../core/ledger/standing.ts';
import { Refusal } from '../../core/refusal.ts';
import { dateOf } from '../../core/trust/clocks.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import { marked } from '../vault/ledger-entries.ts';
import type { Loaded } from '../vault/loaded-memory.ts';
import { finishRewording } from '../vault/reworded.ts';
import type { Vault } from '../vault/vault.ts';

/**
 * Writes a person's recorded yes into the file, where a kill or a disk failure prevented it. It needs no new yes,
 * because the recorded one is for exactly this text. A person must still ask for it, because somebody may have lowered
 * the file by hand.
 */
export function finishPromotion(vault: Vault, seen: Loaded): Promise<Loaded> {
  return vault.exclusively(() => {
    const { disk, files } = insideOf(vault);
    const now = files.unchanged(seen);
    if (now.standing.reason !== 'unfinished') {
      throw new Refusal('not-allowed', `There is nothing to finish about ${now.id}. Nothing was changed.`);
    }
    const reworded = finishRewording(insideOf(vault), now);
    if (reworded !== undefined) return reworded;
    if (isHalfReworded(now.standing, now.digest)) {
      throw new Refusal(
        'no-such-memory',
        'This machine has no copy of the words the yes was for; they come with the next sync, or from a backup.',
      );
    }
    refuseBlocked(now.inspection);
    const changes = new Map([
      ['trust-level', 'verified'],
      ['last-verified', dateOf(now.standing.receipt.at)],
    ]);
    disk.replace(files.writable(now), marked(now, changes));
    return files.indexed(now);
  });
}
