import { lstatSync } from 'node:fs';

/**
 * A file whose owner renews its time for as long as it lives. Watched by this process's monotonic clock: after the system clock was
 * set back, a dead process's file would lie in the future and look alive.
 */
export class RenewedFile {
  readonly #path: string;
  #modified: bigint | undefined;
  #since = performance.now();

  constructor(path: string) {
    this.#path = path;
  }

  /** Whether it was not renewed for so many milliseconds while this process watched. */
  isAbandoned(after: number): boolean {
    const modified = lstatSync(this.#path, { bigint: true, throwIfNoEntry: false })?.mtimeNs;
    if (modified !== this.#modified) {
      this.#modified = modified;
      this.#since = performance.now();
    }
    return performance.now() - this.#since > after;
  }
}
