import type { KeyObject } from 'node:crypto';
import type { Disk, Stamp } from '../disk/disk.ts';
import { sameStamp } from '../disk/reading-disk.ts';
import { type MachineKey, openedBy } from './machine-key.ts';

const LARGEST = 1 << 20;

/** A small file that only this machine's key can write. Any other content counts as no file. */
export class SignedFile<T> {
  readonly #path: string;
  readonly #purpose: string;
  readonly #disk: Disk;
  readonly #key: MachineKey;
  readonly #atMost: number;
  #last: { readonly stamp: Stamp; readonly content: T | undefined } | undefined;

  constructor(path: string, purpose: string, disk: Disk, key: MachineKey, atMost = LARGEST) {
    this.#path = path;
    this.#purpose = purpose;
    this.#disk = disk;
    this.#key = key;
    this.#atMost = atMost;
  }

  /** Checks the file each time, because other processes of this machine write it. It is parsed only if it changed. */
  read(): T | undefined {
    const stamp = this.#disk.stamp(this.#path);
    if (stamp === undefined) return undefined;
    if (this.#last === undefined || !sameStamp(this.#last.stamp, stamp)) {
      const found = this.#disk.read(this.#path, this.#atMost);
      if (found.kind !== 'file') return undefined;
      this.#last = {
        stamp: found.stamp,
        content: openedBy(this.#key.verifier, found.bytes.toString('utf8'), this.#purpose) as T | undefined,
      };
    }
    return this.#last.content;
  }

  /** What another key of this machine wrote. */
  signedBy(verifier: KeyObject): T | undefined {
    const found = this.#disk.read(this.#path, this.#atMost);
    if (found.kind !== 'file') return undefined;
    return openedBy(verifier, found.bytes.toString('utf8'), this.#purpose) as T | undefined;
  }

  write(content: T & object): void {
    this.#disk.replace(this.#path, this.#key.signed(content, this.#purpose));
    this.#last = undefined;
  }
}
