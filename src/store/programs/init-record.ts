import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { parsedObject } from '../../core/parsed-json.ts';
import { Disk } from '../disk/disk.ts';

/** What `surety init` made for its entries in a client's file: the file, its folder, all of its text, or containers in it by their paths. */
export type Made = readonly string[];
export const MADE_FILE = '.';
export const MADE_FOLDER = '..';
/** The file was there and empty. */
export const MADE_TEXT = '';

const MOST_BYTES = 1024 * 1024;

/**
 * What was made, by the files' paths. Without this record `--undo` still finds our entries, but leaves empty
 * containers.
 */
export class InitRecord {
  readonly #path: string;
  readonly #disk = new Disk();

  constructor(config: string) {
    this.#path = join(config, 'clients.json');
  }

  madeFor(path: string): Made {
    const made = this.#read()[path];
    return Array.isArray(made) ? made : [];
  }

  /** Adds to what an earlier `surety init` made. */
  add(path: string, made: Made): void {
    this.#disk.makeFolder(dirname(this.#path));
    this.#write({ ...this.#read(), [path]: [...new Set([...this.madeFor(path), ...made])] });
  }

  /** Drops a file's record, and removes the folder made for it if it is empty. */
  forget(path: string): void {
    const { [path]: made, ...others } = this.#read();
    if (made === undefined) return;
    try {
      if (this.madeFor(path).includes(MADE_FOLDER)) fs.rmdirSync(dirname(path));
    } catch {
      // The folder is not empty.
    }
    if (Object.keys(others).length > 0) this.#write(others);
    else this.#disk.discard(this.#path);
  }

  #write(record: object): void {
    this.#disk.replace(this.#path, JSON.stringify(record, null, 2));
  }

  #read(): Readonly<Record<string, unknown>> {
    const entry = this.#disk.read(this.#path, MOST_BYTES);
    return entry.kind === 'file' ? parsedObject(entry.bytes.toString('utf8')) : {};
  }
}
