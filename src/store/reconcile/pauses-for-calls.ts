import { setImmediate as pause, setTimeout as sleep } from 'node:timers/promises';

/** Work that nobody waits for goes on after 20 ms without a call. */
const QUIET_MS = 20;
/** It waits at most 100 ms at once, because calls can follow one another without an end. */
const MOST_MS = 100;

/** In seconds of this process. */
let lastCall = Number.NEGATIVE_INFINITY;

/** An agent calls a tool, and waits for the answer. */
export function noteCall(): void {
  lastCall = process.uptime();
}

/** Pauses in one piece of work that nobody waits for. They take at most 2 s in all, because calls can follow one another for hours. */
export class PausesForCalls {
  #left = 2_000;

  /** A session's first calls come while a large store is scanned and counted; each would wait for a part of that. */
  async letCallsGoFirst(): Promise<void> {
    await pause();
    const isQuiet = () => (process.uptime() - lastCall) * 1_000 >= QUIET_MS;
    for (let waited = 0; waited < MOST_MS && this.#left > 0 && !isQuiet(); waited += QUIET_MS) {
      this.#left -= QUIET_MS;
      await sleep(QUIET_MS);
    }
  }
}
