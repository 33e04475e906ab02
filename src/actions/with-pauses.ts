import { setImmediate as pause } from 'node:timers/promises';

/** A pause comes after 8 ms of work, so that a key which is pressed meanwhile is answered. */
const SLICE_MS = 8;

/** Passes these on one by one, with pauses for other work. Once the signal is given, it rejects at the next pause. */
export async function* withPauses<T>(all: Iterable<T>, signal?: AbortSignal): AsyncGenerator<T> {
  let began = performance.now();
  for (const each of all) {
    yield each;
    if (performance.now() - began < SLICE_MS) continue;
    await pause(undefined, { signal });
    began = performance.now();
  }
}
