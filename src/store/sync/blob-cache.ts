import { join } from 'node:path';
import type { Stamp } from '../disk/disk.ts';
import { diskTrouble } from '../disk/disk-errors.ts';
import { SignedFile } from '../ledger/signed-file.ts';
import type { VaultParts } from '../vault/vault-parts.ts';

/** The git blob that a file was when it was last read. */
export interface KnownBlob {
  readonly stamp: Stamp;
  readonly oid: string;
}

type CachedBlobs = {
  readonly files: Readonly<Record<string, readonly [inode: string, size: number, modified: string, oid: string]>>;
};

const LARGEST = 64 << 20;
/**
 * A file written less than 2 s before it was read is not cached, because a second write could leave its stamp
 * unchanged.
 */
const TOO_LATE_MS = 2_000;

/**
 * The git blob of each file in the store, kept between syncs so that a sync reads only changed files. It can be
 * rebuilt, so it lies with the search index. It is signed, because a forged line could hide a change from the sync.
 */
export class BlobCache {
  readonly #file: SignedFile<CachedBlobs>;

  constructor({ places, disk, key, rules }: Pick<VaultParts, 'places' | 'disk' | 'key' | 'rules'>, algorithm: string) {
    // Other rules may judge an unchanged file differently, so the cache counts only under the rules it was written
    // with.
    const purpose = `blobs ${algorithm} ${rules} ${places.rootHash}`;
    this.#file = new SignedFile(join(places.cache, 'blobs.json'), purpose, disk, key, LARGEST);
  }

  read(): Map<string, KnownBlob> {
    return new Map(
      Object.entries(this.#file.read()?.files ?? {}).map(([path, [inode, size, modified, oid]]) => [
        path,
        { stamp: { inode: BigInt(inode), size, modified: BigInt(modified) }, oid },
      ]),
    );
  }

  /**
   * Keeps the files that were not modified shortly before they were read. The cache only saves time, so a failure to
   * write it is ignored.
   */
  write(known: ReadonlyMap<string, KnownBlob>, lookedAt: number): void {
    const before = BigInt(lookedAt - TOO_LATE_MS) * 1_000_000n;
    const settled = [...known].filter(([, { stamp }]) => stamp.modified < before);
    const files = Object.fromEntries(
      settled.map(([path, { stamp, oid }]) => [
        path,
        [`${stamp.inode}`, stamp.size, `${stamp.modified}`, oid] as const,
      ]),
    );
    try {
      this.#file.write({ files });
    } catch (error) {
      if (diskTrouble(error) === undefined) throw error;
    }
  }
}
