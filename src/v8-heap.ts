import { setFlagsFromString } from 'node:v8';

/**
 * During a scan the heap grows by at most half before it is collected. With V8's own choice it doubles; with
 * `--optimize-for-size` a first scan takes a sixth longer.
 */
const GROWTH_PERCENT = 50;

/**
 * Keeps the room for new objects as large as loading the server has made it, 8 MiB. With V8's own choice it doubles at the first
 * call, and V8 never returns it. With a quarter of it every third search waits for a collection.
 */
export function keepRoomForNewObjects(): void {
  process.prependOnceListener('exit', undo);
  growRoomBy(1);
}

/** Scanning a large store grows V8's heap, and V8 never returns it, so the heap is kept small during a scan. */
export function tuneHeapFor(scan: boolean): void {
  setFlagsFromString(`--heap-growing-percent=${scan ? GROWTH_PERCENT : 0}`);
}

/** What V8 compiled is kept when the process ends, and taken only by processes with the flags that this one has then. */
function undo(): void {
  tuneHeapFor(false);
  growRoomBy(2);
}

function growRoomBy(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
