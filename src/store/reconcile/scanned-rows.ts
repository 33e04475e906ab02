import type { IndexRow } from '../index/rows.ts';
import { isOutOfRoom } from '../index/schema.ts';
import type { SearchIndex } from '../index/search-index.ts';
import type { FilePlace } from '../vault/loaded-memory.ts';

/**
 * What a scan writes into the index. On a full disk the index goes on with the rows that it has, so that all that was known before
 * can be read; the next scan writes the others.
 */
export class ScannedRows {
  readonly #index: SearchIndex;
  #waiting: IndexRow[] = [];
  /** Files of which not everything could be written. */
  unwritten = 0;

  constructor(index: SearchIndex) {
    this.#index = index;
  }

  add(row: IndexRow): void {
    this.#waiting.push(row);
  }

  /** Writes the rows that wait, if they are so many. */
  write(least = 0): void {
    const rows = this.#waiting;
    if (rows.length < least) return;
    this.#waiting = [];
    this.#whereRoom(rows.length, () => this.#index.put(rows));
  }

  drop({ place, stem }: FilePlace): void {
    this.#whereRoom(1, () => this.#index.drop(place, stem));
  }

  #whereRoom(files: number, write: () => void): void {
    try {
      write();
    } catch (error) {
      if (!isOutOfRoom(error)) throw error;
      this.unwritten += files;
    }
  }
}
