import { join } from 'node:path';
import type { Stamp } from '../disk/disk.ts';
import { diskTrouble } from '../disk/disk-errors.ts';
import { SignedFile } from '../ledger/signed-file.ts';
import type { Parts } from '../vault/parts.ts';

/** Which blob a file was when it was last read. */
export interface KnownBlob {
  readonly stamp: Stamp;
  readonly oid: string;
}

type Kept = {
  readonly files: Readonly<Record<string, readonly [inode: string, size: number, modified: string, oid: string]>>;
};

const LARGEST = 64 << 20;
/** A file that was written so lately can be written again without its stamp showing it. */
const TOO_LATE_MS = 2_000;

/**
 * Which blob each file of the store was, from one sync to the next, so that a sync reads only what changed. Derived, and
 * kept with the search index; signed, because a made-up line could keep somebody's change from being noticed.
 */
export class BlobCache {
  readonly #file: SignedFile<Kept>;

  constructor({ places, disk, key, rules }: Pick<Parts, 'places' | 'disk' | 'key' | 'rules'>, algorithm: string) {
    // Under other rules everything is to be looked at anew.
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

  /** Those that were not touched shortly before they were looked at. It saves time and nothing else, so it may fail. */
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
