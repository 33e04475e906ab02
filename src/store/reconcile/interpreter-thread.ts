import { Worker } from 'node:worker_threads';
import { checksFor } from '../../core/checks/all.ts';
import { VERSION } from '../../version.ts';
import { ownRulesVersion } from '../format/rules-version.ts';
import type { VaultParts } from '../vault/vault-parts.ts';

export type Interpreter = NonNullable<VaultParts['interpreter']>;

/** Names the program whose readings are sealed with one secret. */
export function programOf({ settings }: Interpreter): string {
  return `${VERSION} ${ownRulesVersion(() => checksFor(settings))}`;
}

/** A file as the thread gets it. */
export interface NamedBytes {
  readonly stem: string;
  readonly bytes: Uint8Array;
}

/** What the thread returns for each file: its sealed reading; null for one that is parsed each time. */
export type SealedReadings = readonly (Uint8Array | null)[];

/** At most 6 portions wait, because the thread must not run out while this one writes rows, and each portion is held in memory. */
const MOST_WAITING = 6;

/**
 * A second thread that parses and checks files. It returns sealed readings, as the index keeps them, so a reading is used
 * only for the exact bytes that it was made from. If the thread fails, its files count as not interpreted.
 */
export class InterpreterThread<File extends NamedBytes> {
  readonly #worker: Worker;
  readonly #waiting: (readonly File[])[] = [];
  readonly #done: { readonly file: File; readonly sealed: Buffer | undefined }[] = [];
  #ended = false;

  constructor(interpreter: Interpreter, program = programOf(interpreter)) {
    const file = `run-interpreter-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;
    this.#worker = new Worker(new URL(`./${file}`, import.meta.url), {
      workerData: { ...interpreter, program },
      stderr: true,
    });
    this.#worker.unref();
    this.#worker.on('message', (readings: SealedReadings) => {
      for (const [i, file] of (this.#waiting.shift() ?? []).entries()) {
        const reading = readings[i];
        this.#done.push({ file, sealed: reading ? asBuffer(reading) : undefined });
      }
    });
    // `exit` follows.
    this.#worker.on('error', () => {});
    this.#worker.on('exit', () => {
      this.#ended = true;
      for (const file of this.#waiting.splice(0).flat()) this.#done.push({ file, sealed: undefined });
    });
  }

  /** Whether the thread has taken these files. It takes none while it is busy, or after it failed. */
  takes(files: readonly File[]): boolean {
    if (this.#ended || files.length === 0 || this.#waiting.length >= MOST_WAITING) return false;
    this.#worker.postMessage(files.map(({ stem, bytes }): NamedBytes => ({ stem, bytes })));
    this.#waiting.push(files);
    return true;
  }

  /** Files that are done, each with its reading if it has one. */
  done() {
    return this.#done.splice(0);
  }

  /** Waits until some files are done; false if none are left. */
  async hasMore(): Promise<boolean> {
    if (this.#done.length === 0 && this.#waiting.length > 0)
      await new Promise((resolve) => this.#worker.once('message', resolve).once('exit', resolve));
    return this.#done.length > 0;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Bytes arrive from another thread without the methods of a Buffer. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
