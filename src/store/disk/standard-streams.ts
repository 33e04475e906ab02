// What a hook reads and writes, without Node's streams: loading those takes a tenth of what an empty program takes, and a hook waits for
// nothing else meanwhile.
import { fstatSync, readSync, writeSync } from 'node:fs';
import { codeOf } from './disk-errors.ts';

const PORTION = 65_536;
/** How long to wait for the other end of a pipe that does not block. */
const PAUSE_MS = 5;

/** The whole of stdin, in portions. */
export function* readStdin(): Generator<Buffer> {
  for (;;) {
    const portion = Buffer.allocUnsafe(PORTION);
    const size = whenReady(() => readSync(0, portion));
    if (!size) return;
    yield portion.subarray(0, size);
  }
}

/** Whether a person types the input. It would never end. */
export function isTypedIn(): boolean {
  try {
    // A pipe is no device, so Node's stream is made only for what may be a terminal.
    return fstatSync(0).isCharacterDevice() && process.stdin.isTTY;
  } catch {
    return false;
  }
}

/** Writes all of a text. Nothing happens where the other end is closed. */
export function writeTo(stream: 'stdout' | 'stderr', text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    const written = whenReady(() => writeSync(stream === 'stdout' ? 1 : 2, rest));
    if (written === undefined) return;
    rest = rest.subarray(written);
  }
}

/** Undefined where the other end is closed. */
function whenReady(step: () => number): number | undefined {
  for (;;) {
    try {
      return step();
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') return undefined;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
