import { Worker } from 'node:worker_threads';
import type { VaultParts } from '../vault/vault-parts.ts';

export type Interpreter = NonNullable<VaultParts['interpreter']>;

/** Many small files in one piece of memory, because copying 64 pieces to a thread takes longer than one. */
export interface PackedFiles {
  readonly stems: readonly string[];
  readonly lengths: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface NamedBytes {
  readonly stem: string;
  readonly bytes: Buffer;
}

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

  constructor(interpreter: Interpreter) {
    const file = `run-interpreter-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;
    this.#worker = new Worker(new URL(`./${file}`, import.meta.url), { workerData: interpreter, stderr: true });
    this.#worker.unref();
    this.#worker.on('message', (readings: PackedFiles) => {
      const sealed = unpacked(readings);
      for (const [i, file] of (this.#waiting.shift() ?? []).entries())
        this.#done.push({ file, sealed: sealed[i]?.[1] });
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
    const message = packed(files);
    this.#worker.postMessage(message, [message.bytes.buffer]);
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

export function packed(files: readonly NamedBytes[]): PackedFiles {
  const bytes = new Uint8Array(files.reduce((sum, file) => sum + file.bytes.length, 0));
  let at = 0;
  for (const file of files) {
    bytes.set(file.bytes, at);
    at += file.bytes.length;
  }
  return { stems: files.map(({ stem }) => stem), lengths: files.map((file) => file.bytes.length), bytes };
}

export function unpacked({ stems, lengths, bytes }: PackedFiles): readonly (readonly [stem: string, bytes: Buffer])[] {
  let at = 0;
  return stems.map((stem, i) => {
    const start = at;
    at += lengths[i] ?? 0;
    return [stem, Buffer.from(bytes.buffer, start, at - start)];
  });
}
