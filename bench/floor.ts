import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** As long as a ledger's entry and a small memory's file. */
const ENTRY = `${'e'.repeat(760)}\n`;
const FILE = 'm'.repeat(420);

/**
 * What durability costs here and now: a file written, synced, renamed and its folder synced, then a line appended and
 * synced. A proposal does exactly these, and the rest is Surety.
 */
export class RawLoop {
  readonly #folder: string;
  #count = 0;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  once(): void {
    const name = join(this.#folder, `raw_${this.#count++}`);
    this.#write(`${name}.tmp`, 'wx', FILE);
    renameSync(`${name}.tmp`, `${name}.md`);
    const folder = openSync(this.#folder, 'r');
    fsyncSync(folder);
    closeSync(folder);
    this.#write(join(this.#folder, 'ledger.jsonl'), 'a', ENTRY);
  }

  #write(path: string, flags: string, content: string): void {
    const fd = openSync(path, flags);
    writeFileSync(fd, content);
    fsyncSync(fd);
    closeSync(fd);
  }
}
