import { complain } from './print.ts';

const EVERY_MS = 2_000;
const PORTION = 100;

/** Says on stderr now and then how far long work is, and lets others have their turn, Ctrl+C among them. */
export class Progress {
  readonly #all: number | undefined;
  #done = 0;
  #spoke = performance.now();

  constructor(all?: number) {
    this.#all = all;
  }

  async step(): Promise<void> {
    this.#done += 1;
    // A single slow one on a busy machine is not long work yet.
    if (this.#done % PORTION !== 0) return;
    await new Promise((done) => setImmediate(done));
    const now = performance.now();
    if (now - this.#spoke < EVERY_MS) return;
    this.#spoke = now;
    complain(`surety: ${this.#done}${this.#all === undefined ? '' : ` of ${this.#all}`} so far`);
  }
}
