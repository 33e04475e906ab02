import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS_OF_A_FILE } from '../../core/memory/document.ts';
import { Refusal } from '../../core/refusal.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Missing, Vault } from '../vault/vault.ts';
import { Git, GitFailure } from './git.ts';
import { refuseChanges, refuseForeignRepository } from './refuse-repository.ts';
import { commitAt } from './repository.ts';
import { GitTrees } from './trees.ts';

/** For so many memories the history is searched where the last commit has another text: each may take git a while. */
const MOST_SEARCHED = 100;

/**
 * What the store's own repository has of memories that are missing: for each the file whose text is exactly the one the
 * ledgers name. Nothing where the store is no repository, or one that Surety does not work with.
 */
export async function textsInGit(vault: Vault, wanted: readonly Missing[]): Promise<Map<string, Buffer>> {
  const { places } = insideOf(vault);
  if (wanted.length === 0 || !existsSync(join(places.root, '.git'))) return new Map();
  try {
    await refuseForeignRepository(places);
    return await search(vault, new Git(places.root, refuseChanges(places)), wanted);
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof GitFailure)) throw error;
    return new Map();
  }
}

async function search(vault: Vault, git: Git, wanted: readonly Missing[]): Promise<Map<string, Buffer>> {
  const { missing } = insideOf(vault);
  const trees = new GitTrees(git);
  const head = await commitAt({ git }, 'HEAD');
  if (head === undefined) return new Map();
  const found = new Map<string, Buffer>();
  const take = async (oidsOf: (id: string) => readonly string[]) => {
    const open = wanted.filter(({ id }) => !found.has(id));
    const blobs = await trees.blobs(
      open.flatMap(({ id }) => oidsOf(id)),
      LIMITS_OF_A_FILE.bytes,
    );
    for (const { id, digest } of open) {
      const bytes = oidsOf(id)
        .flatMap((oid) => blobs.get(oid) ?? [])
        .find((each) => missing.isText(id, digest, each));
      if (bytes !== undefined) found.set(id, bytes);
    }
  };
  const { shared } = await trees.of(head);
  await take((id) => [shared.get(pathOf(id)) ?? []].flat());
  const older = await history(
    git,
    wanted.filter(({ id }) => !found.has(id)).map(({ id }) => pathOf(id)),
  );
  await take((id) => older.get(pathOf(id)) ?? []);
  return found;
}

const CHANGE = /^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) [AMD]\t(.+)$/;
const NONE = /^0+$/;

/** Every blob that these paths have ever been, the newest first. */
async function history(git: Git, paths: readonly string[]): Promise<Map<string, string[]>> {
  const some = paths.slice(0, MOST_SEARCHED);
  const found = new Map<string, string[]>();
  if (some.length === 0) return found;
  const said = await git.text(['log', '--format=', '--raw', '--no-abbrev', '--no-renames', 'HEAD', '--', ...some]);
  for (const line of said.split('\n')) {
    const [, before = '', after = '', path = ''] = CHANGE.exec(line) ?? [];
    if (path !== '') found.set(path, [...(found.get(path) ?? []), ...[after, before].filter((oid) => !NONE.test(oid))]);
  }
  return found;
}

function pathOf(id: string): string {
  return `memories/${id}.md`;
}
