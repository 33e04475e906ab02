import { dirname, join } from 'node:path';
import { canRead, readableNames } from '../disk/reading-disk.ts';
import { newestIndex } from '../index/index-files.ts';
import { RememberedHeads, type RememberedStore } from '../ledger/remembered-heads.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';
import { VouchedTexts } from '../vault/vouched-texts.ts';

/**
 * Folders in which this machine keeps records of the same store at another place, because it was moved or copied, and
 * which may have this memory's text. They are not erased with it: a copy of the store may be in use there.
 */
export function recordsElsewhere(vault: Vault, id: string): string[] {
  const { places, disk, key } = insideOf(vault);
  const [states, caches] = [dirname(places.state), dirname(places.cache)];
  const storeIn = (rootHash: string) => {
    const state = join(states, rootHash);
    return disk.isFolder(state) && canRead(state)
      ? new RememberedHeads({ state, rootHash }, disk, key).store()
      : undefined;
  };
  const own = storeIn(places.rootHash);
  if (own === undefined) return [];
  const digests = vault.evidence.of(id).flatMap((s) => s.digest ?? []);
  const others = readableNames(states).filter((name) => name !== places.rootHash && isSame(own, storeIn(name)));
  return others.flatMap((name) => {
    const [state, cache] = [join(states, name), join(caches, name)];
    const vouched = new VouchedTexts(state, disk);
    return [
      ...(digests.some((digest) => disk.exists(vouched.path(digest))) ? [state] : []),
      ...(disk.isFolder(cache) && canRead(cache) && newestIndex(cache, disk) !== undefined ? [cache] : []),
    ];
  });
}

function isSame(store: RememberedStore, other: RememberedStore | undefined): boolean {
  const ids = new Set([store.id, ...store.aliases]);
  return other !== undefined && [other.id, ...other.aliases].some((each) => ids.has(each));
}
