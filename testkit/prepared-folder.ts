import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A folder that several tests begin with: the first test makes it, and each test finds it as it was made. It is put back where it
 * was, because a store remembers its folder and is another one elsewhere. `make` leaves nothing open in it.
 */
export class PreparedFolder<T> {
  readonly #parent = mkdtempSync(join(tmpdir(), 'surety-prepared-'));
  readonly #folder = join(this.#parent, 'folder');
  readonly #kept = join(this.#parent, 'kept');
  readonly #make: (folder: string) => Promise<T>;
  #made: { readonly value: T } | undefined;

  constructor(make: (folder: string) => Promise<T>) {
    this.#make = make;
  }

  async restore(): Promise<{ folder: string; made: T }> {
    rmSync(this.#folder, { recursive: true, force: true });
    if (this.#made === undefined) {
      mkdirSync(this.#folder);
      this.#made = { value: await this.#make(this.#folder) };
      cpSync(this.#folder, this.#kept, { recursive: true, preserveTimestamps: true });
    } else cpSync(this.#kept, this.#folder, { recursive: true, preserveTimestamps: true });
    return { folder: this.#folder, made: this.#made.value };
  }
}
