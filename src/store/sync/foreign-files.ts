import { join } from 'node:path';
import { LIMITS_OF_A_FILE } from '../../core/memory/document.ts';
import { Refusal } from '../../core/refusal.ts';
import type { GitTrees, Tree, TreeEntry } from '../git/trees.ts';
import { COUNTS_AS_NOTHING } from '../places/places.ts';
import { STORE_FILE } from '../places/store-file.ts';
import type { Parts } from '../vault/parts.ts';
import type { LocalFiles } from './local-files.ts';
import type { Sides } from './sides.ts';

/** So many files and folders besides the store's are carried along; a repository with more is some other one. */
const MOST_OTHERS = 1_000;

/** Refuses a remote that holds something else than a store: memories do not belong into somebody's project. */
export function refuseNoStore({ shared, others }: Tree): void {
  const foreign = [...others.keys()].filter((path) => !path.includes('/') && !COUNTS_AS_NOTHING.has(path));
  if ((shared.size > 0 || foreign.length === 0) && others.size <= MOST_OTHERS) return;
  throw new Refusal(
    'repository-unusable',
    'The remote holds other files and is not a store; nothing was merged or pushed. Use a repository of its own for memories.',
  );
}

/**
 * What is in the repository besides the store's files: taken over as it is where the other side changed it, never written
 * into the folder. A folder with links, submodules or odd names in it does not come in.
 */
export async function mergeOthers(
  trees: GitTrees,
  { base, ours, theirs }: Sides,
  refused: Set<string>,
): Promise<Map<string, TreeEntry>> {
  const merged = new Map<string, TreeEntry>();
  for (const path of new Set([...ours.others.keys(), ...theirs.others.keys()])) {
    const [b, o, t] = [base, ours, theirs].map((side) => side.others.get(path));
    const wanted = isSame(o, b) ? t : o;
    const isNews = wanted !== undefined && !isSame(wanted, o);
    const fits = !isNews || (await trees.filesBelow(wanted)) !== undefined;
    if (!fits) refused.add(path);
    const entry = fits ? wanted : o;
    if (entry !== undefined) merged.set(path, entry);
  }
  return merged;
}

/**
 * Files of the commit that are not kept in the folder, for git not to miss them: what was only carried along, and what the
 * folder has as it was before somebody else changed it.
 */
export async function notInTheFolder(
  { disk, places }: Parts,
  trees: GitTrees,
  now: Tree,
  before: Tree | undefined,
  local: LocalFiles,
): Promise<string[]> {
  const missing: string[] = [];
  for (const [path, entry] of now.others) {
    const below = await trees.filesBelow(entry);
    for (const file of entry.mode === '040000' ? (below ?? []).map((name) => `${path}/${name}`) : [path]) {
      const found = disk.read(join(places.root, file), LIMITS_OF_A_FILE.bytes);
      const old = before?.others.get(file)?.oid;
      const isOld = found.kind === 'file' && old !== entry.oid && local.oid(found.bytes) === old;
      // Each machine keeps its own id until both are known to be one store.
      const isAnother = file === STORE_FILE && found.kind === 'file' && local.oid(found.bytes) !== entry.oid;
      if (found.kind === 'absent' || isOld || isAnother) missing.push(file);
    }
  }
  return missing;
}

function isSame(a: TreeEntry | undefined, b: TreeEntry | undefined): boolean {
  return a?.oid === b?.oid && a?.mode === b?.mode;
}
