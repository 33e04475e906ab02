import { insideOf } from '../vault/inside-of-vault.ts';
import { onRecordUnvouched } from '../vault/ledger-entries.ts';
import type { FilePlace, Vault } from '../vault/vault.ts';

/** Records that these texts were seen now, in one entry. The caller holds the lock. */
export function seeAgain(vault: Vault, spots: readonly FilePlace[]): void {
  const inside = insideOf(vault);
  const texts = spots.flatMap((spot) => inside.files.load(spot) ?? []);
  vault.note(
    'seen',
    texts.map((text) => ({ id: text.id, ...onRecordUnvouched(inside, text) })),
  );
}
