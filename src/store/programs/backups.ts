import * as fs from 'node:fs';
import { join } from 'node:path';
import { Disk } from '../disk/disk.ts';

/** What a file was before Surety wrote to it, and what it was right after; `before` undefined: there was none. */
export interface Kept {
  readonly before: Buffer | undefined;
  readonly after: Buffer;
}

const MOST_BYTES = 128 * 1024 * 1024;

/** Copies of other programs' files, so that what was written to them can be taken back to the byte. */
export class KeptFiles {
  readonly #folder: string;
  readonly #disk = new Disk();

  constructor(folder: string) {
    this.#folder = folder;
  }

  find(name: string): Kept | undefined {
    const after = this.#read(`${name}.after`);
    return after && { before: this.#read(`${name}.before`), after };
  }

  /** The copy from after is the first to go and the last to come: without it the other counts for nothing. */
  keep(name: string, { before, after }: Kept): void {
    this.#disk.makeFolder(this.#folder);
    for (const what of ['after', 'before']) this.#disk.discard(this.#path(`${name}.${what}`));
    if (before !== undefined) this.#disk.replace(this.#path(`${name}.before`), before);
    this.#disk.replace(this.#path(`${name}.after`), after);
  }

  /** Remembers that a folder had to be made for a file. */
  keepFolder(name: string, folder: string): void {
    this.#disk.replace(this.#path(`${name}.folder`), folder);
  }

  /** Forgets what was kept, and takes the folder away that was made for it unless something else has come into it. */
  forget(name: string): void {
    const folder = this.#read(`${name}.folder`)?.toString('utf8');
    for (const what of ['after', 'before', 'folder']) this.#disk.discard(this.#path(`${name}.${what}`));
    for (const empty of [folder, this.#folder]) {
      if (empty === undefined) continue;
      try {
        fs.rmdirSync(empty);
      } catch {
        // In use.
      }
    }
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  #read(name: string): Buffer | undefined {
    const entry = this.#disk.read(this.#path(name), MOST_BYTES);
    return entry.kind === 'file' ? entry.bytes : undefined;
  }
}
