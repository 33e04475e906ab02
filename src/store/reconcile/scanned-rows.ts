import type { IndexRow } from '../index/rows.ts';
import { isOutOfRoom } from '../index/schema.ts';
import type { SearchIndex } from '../index/search-index.ts';
import type { FilePlace } from '../vault/loaded-memory.ts';

/** How much of a scan the index has. It has none of it where it had no room and is now another one, in memory. */
export type RowsWritten = 'all' | 'some' | 'none';

/**
 * What a scan writes into the index. On a full disk a complete index goes on with the rows that it has, so that all that was known
 * before can be read; the next scan writes the others.
 */
export class ScannedRows {
  readonly #index: SearchIndex;
  #waiting: IndexRow[] = [];
  /** Files of which not everything could be written, and why. */
  #unwritten = 0;
  #error: unknown;

  constructor(index: SearchIndex) {
    this.#index = index;
  }

  add(row: IndexRow): void {
    this.#waiting.push(row);
  }

  /** Writes the rows that wait, if at least so many do. */
  write(least = 0): void {
    const rows = this.#waiting;
    if (rows.length < least) return;
    this.#waiting = [];
    this.#whereRoom(rows.length, () => this.#index.put(rows));
  }

  drop({ place, stem }: FilePlace): void {
    this.#whereRoom(1, () => this.#index.drop(place, stem));
  }

  end(): RowsWritten {
    // An index that was never complete has only what happened to be read first.
    if (this.#unwritten > 0 && !this.#index.isComplete && this.#index.moveIntoMemory(this.#error)) return 'none';
    this.#index.lacks(this.#unwritten);
    return this.#unwritten === 0 ? 'all' : 'some';
  }

  #whereRoom(files: number, write: () => void): void {
    try {
      write();
    } catch (error) {
      if (!isOutOfRoom(error)) throw error;
      this.#unwritten += files;
      this.#error = error;
    }
  }
}
