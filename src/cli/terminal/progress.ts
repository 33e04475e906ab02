import { complain } from './print.ts';

const EVERY_MS = 2_000;
const PORTION = 100;

/** Reports progress of long work on stderr, and yields so that Ctrl+C is handled. */
export class Progress {
  #done = 0;
  #spoke = performance.now();

  async step(): Promise<void> {
    this.#done += 1;
    // One slow item on a busy machine is not long work.
    if (this.#done % PORTION !== 0) return;
    await new Promise((done) => setImmediate(done));
    const now = performance.now();
    if (now - this.#spoke < EVERY_MS) return;
    this.#spoke = now;
    complain(`surety: ${this.#done} so far`);
  }
}
