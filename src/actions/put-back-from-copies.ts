import { Refusal } from '../core/refusal.ts';
import { textsInGit } from '../store/git/texts-in-git.ts';
import { putBackMissing } from '../store/maintenance/put-back-missing.ts';
import type { Vault } from '../store/vault/vault.ts';

/** Puts back every missing memory whose text this machine or git still has, and says which are back. */
export async function putBackAll(vault: Vault): Promise<string[]> {
  const back = await putBackMissing(
    vault,
    vault.missing.all().map(({ id }) => id),
  );
  const left = vault.missing.all();
  if (left.length === 0) return back;
  const ids = left.map(({ id }) => id);
  return [...back, ...(await putBackMissing(vault, ids, await textsInGit(vault, left)))];
}

/** Puts one missing memory back; refused where its text is nowhere. */
export async function putBackOne(vault: Vault, id: string): Promise<void> {
  const wanted = vault.missing.all().filter((each) => each.id === id);
  const ids = wanted.map((each) => each.id);
  const back = await putBackMissing(vault, ids);
  if (back.length > 0 || (await putBackMissing(vault, ids, await textsInGit(vault, wanted))).length > 0) return;
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
