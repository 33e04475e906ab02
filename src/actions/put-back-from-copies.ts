import { Refusal } from '../core/refusal.ts';
import { textsInGit } from '../store/git/texts-in-git.ts';
import { putBackMissing } from '../store/maintenance/put-back-missing.ts';
import type { Missing, Vault } from '../store/vault/vault.ts';

/** Puts back every missing memory, or `only` this one, if this machine or git still has its text. Says which are back. */
export async function putBackAll(vault: Vault, only?: string): Promise<string[]> {
  const missing = () => vault.missing.all().filter(({ id }) => only === undefined || id === only);
  const idsOf = (some: readonly Missing[]) => some.map(({ id }) => id);
  const back = await putBackMissing(vault, idsOf(missing()));
  const left = missing();
  if (left.length === 0) return back;
  return [...back, ...(await putBackMissing(vault, idsOf(left), await textsInGit(vault, left)))];
}

/** Puts one missing memory back; refused where its text is nowhere. */
export async function putBackOne(vault: Vault, id: string): Promise<void> {
  if ((await putBackAll(vault, id)).length > 0) return;
  throw new Refusal(
    'no-such-memory',
    `Neither this machine nor the store’s git history has the text of ${id}; take its file from a backup.`,
  );
}

/** Looks in git for missing texts that this machine has no copy of: before a person is asked, they see what would come back. */
export async function findMissingTexts(vault: Vault, only?: string): Promise<void> {
  const { missing } = vault;
  const wanted = missing
    .all()
    .filter(({ id }) => (only === undefined || id === only) && missing.textFrom(id) === undefined);
  missing.keepGitTexts(await textsInGit(vault, wanted));
}
