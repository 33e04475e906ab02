import { join } from 'node:path';
import { LIMITS_OF_A_FILE } from '../../core/memory/document.ts';
import { Refusal } from '../../core/refusal.ts';
import { isStray } from '../../core/sync/shared-paths.ts';
import { type CommitTree, FOLDER, type GitTrees, type TreeEntry } from '../git/trees.ts';
import { COUNTS_AS_NOTHING } from '../places/places.ts';
import { STORE_FILE } from '../places/store-file.ts';
import type { VaultParts } from '../vault/vault-parts.ts';
import type { LocalFiles } from './local-files.ts';
import type { MergeSides } from './merge-sides.ts';

/** At most 1,000 files and folders beside the store's own, because a repository with more is not a store's. */
const MOST_OTHERS = 1_000;

/** Refuses a remote that is not a store, because memories do not belong in somebody's project. */
export function refuseNoStore({ shared, others }: CommitTree): void {
  const atTop = [...others.keys()].filter((path) => !path.includes('/'));
  const isForeign = atTop.some((path) => !COUNTS_AS_NOTHING.has(path));
  if ((shared.size > 0 || !isForeign) && atTop.length <= MOST_OTHERS) return;
  throw new Refusal(
    'repository-unusable',
    'The remote holds other files and is not a store; nothing was merged or pushed. Use a repository of its own for memories.',
  );
}

/**
 * Merges what the repository holds beside the store's files. An entry that only the other side changed is taken
 * unchanged, and is never written into the folder. A folder with links, submodules or odd names in it is refused, and so is
 * one that is called a file.
 */
export async function mergeOthers(
  trees: GitTrees,
  { base, ours, theirs }: MergeSides,
  refuse: (path: string) => void,
): Promise<Map<string, TreeEntry>> {
  const merged = new Map<string, TreeEntry>();
  const files = await trees.files(newOthers({ ours, theirs }).map(([, entry]) => entry));
  const isSound = async (entry: TreeEntry) =>
    entry.mode === FOLDER ? (await trees.filesBelow(entry)) !== undefined : files.has(entry.oid);
  for (const path of new Set([...ours.others.keys(), ...theirs.others.keys()])) {
    const [b, o, t] = [base, ours, theirs].map((side) => side.others.get(path));
    const wanted = isSame(o, b) ? t : o;
    const isNews = wanted !== undefined && !isSame(wanted, o);
    const fits = !isNews || (await isSound(wanted));
    if (!fits) refuse(path);
    const entry = fits ? wanted : o;
    if (entry !== undefined) merged.set(path, entry);
  }
  return merged;
}

/** Files in the store's folders that are no memories and that a merge brings: they stay in the repository alone. */
export function newStrays(sides: MergeSides): string[] {
  return newOthers(sides)
    .map(([path]) => path)
    .filter(isStray);
}

function newOthers({ ours, theirs }: Pick<MergeSides, 'ours' | 'theirs'>): [path: string, entry: TreeEntry][] {
  return [...theirs.others].filter(([path, entry]) => !isSame(ours.others.get(path), entry));
}

/**
 * Files of the commit that the folder lacks or has in an older version, so that git does not report them as changed:
 * sync never writes these files into the folder.
 */
export async function notInTheFolder(
  { disk, places }: VaultParts,
  trees: GitTrees,
  now: CommitTree,
  before: CommitTree | undefined,
  local: LocalFiles,
): Promise<string[]> {
  const missing: string[] = [];
  for (const [path, entry] of now.others) {
    const below = await trees.filesBelow(entry);
    for (const file of entry.mode === FOLDER ? (below ?? []).map((name) => `${path}/${name}`) : [path]) {
      const found = disk.read(join(places.root, file), LIMITS_OF_A_FILE.bytes);
      const old = before?.others.get(file)?.oid;
      const isOld = found.kind === 'file' && old !== entry.oid && local.oid(found.bytes) === old;
      // Each machine keeps its own store id until both ids are known to be one store.
      const isAnother = file === STORE_FILE && found.kind === 'file' && local.oid(found.bytes) !== entry.oid;
      if (found.kind === 'absent' || isOld || isAnother) missing.push(file);
    }
  }
  return missing;
}

function isSame(a: TreeEntry | undefined, b: TreeEntry | undefined): boolean {
  return a?.oid === b?.oid && a?.mode === b?.mode;
}
