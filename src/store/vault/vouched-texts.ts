import { join } from 'node:path';
import { LIMITS_OF_A_FILE } from '../../core/memory/document.ts';
import type { Disk } from '../disk/disk.ts';

/** The bytes that people vouched for, by digest, to show what changed since and to put it back. */
export class VouchedTexts {
  readonly folder: string;
  readonly #disk: Disk;

  constructor(stateFolder: string, disk: Disk) {
    this.folder = join(stateFolder, 'vouched');
    this.#disk = disk;
  }

  keep(digest: string, bytes: Buffer): void {
    this.#disk.makeFolder(this.folder);
    this.#disk.replace(this.path(digest), bytes);
  }

  /** `keep` without a sync, for a text that is durable elsewhere; `find`'s callers notice a torn copy. */
  keepUnsynced(digest: string, bytes: Buffer): void {
    this.#disk.makeFolder(this.folder);
    this.#disk.replaceCache(this.path(digest), [bytes]);
  }

  path(digest: string): string {
    return join(this.folder, digest);
  }

  /** The stored bytes. The caller checks that they still have that digest. */
  find(digest: string): Buffer | undefined {
    const found = this.#disk.read(this.path(digest), LIMITS_OF_A_FILE.bytes);
    return found.kind === 'file' ? found.bytes : undefined;
  }
}
