import { join } from 'node:path';
import { parsedObject } from '../../core/parsed-json.ts';
import { Refusal } from '../../core/refusal.ts';
import { shownPath } from '../disk/display-path.ts';
import { randomHex } from '../disk/random.ts';
import { type ReadingDisk, type Stamp, sameStamp } from '../disk/reading-disk.ts';

export const STORE_FILE = 'store.json';
const FORMAT = 2;
const LARGEST = 4096;
const ID = /^[0-9a-f]{32}$/;

/** The id of a new store: 128 random bits, so that no two stores share one. */
export function newStoreId(): string {
  return randomHex(16);
}

/** What the store's file says of a store with this id. It names the store, and proves nothing. */
export function storeFileOf(id: string): string {
  return `${JSON.stringify({ format: FORMAT, id })}\n`;
}

/** The id in the store's file; undefined for a store of format 1, which has no such file. A later format is refused. */
export function readStoreFile(root: string, disk: ReadingDisk): string | undefined {
  const found = disk.read(join(root, STORE_FILE), LARGEST);
  if (found.kind === 'absent') return undefined;
  return storeIdIn(found.kind === 'file' ? found.bytes : Buffer.alloc(0), () => shownPath(root));
}

/** The id that a store file names; refused where it is not one of this format. `mend` is what helps if it was damaged. */
export function storeIdIn(bytes: Buffer, where: () => string, mend = 'put the file back from a backup'): string {
  const { format, id, ...more } = parsedObject(bytes.toString('utf8'));
  if (format === FORMAT && typeof id === 'string' && ID.test(id) && Object.keys(more).length === 0) return id;
  const newer = typeof format === 'number' && format > FORMAT;
  throw new Refusal(
    'format-unknown',
    newer
      ? `The store ${where()} is of format ${format}, which a newer Surety made; this one reads up to format ${FORMAT}. Nothing was read or changed. Update Surety.`
      : `The file ${STORE_FILE} of the store ${where()} is none that this Surety reads. Nothing was read or changed. If a newer Surety wrote it, update Surety; otherwise ${mend}.`,
  );
}

/** The store's file, read again only when it changed: every look at the store asks for it. */
export class StoreFile {
  readonly #root: string;
  readonly #disk: ReadingDisk;
  #last: { readonly stamp: Stamp; readonly id: string } | undefined;

  constructor(root: string, disk: ReadingDisk) {
    this.#root = root;
    this.#disk = disk;
  }

  get path(): string {
    return join(this.#root, STORE_FILE);
  }

  id(): string | undefined {
    const stamp = this.#disk.stamp(this.path);
    if (stamp !== undefined && this.#last !== undefined && sameStamp(stamp, this.#last.stamp)) return this.#last.id;
    const id = readStoreFile(this.#root, this.#disk);
    this.#last = stamp === undefined || id === undefined ? undefined : { stamp, id };
    return id;
  }
}
