import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** At most 8 MiB for new objects, because V8 never returns it; with 2 MiB every third search waits for a collection. */
const ROOM = 8 * 2 ** 20;
/**
 * During a scan the heap grows by at most half before it is collected. With V8's own choice it doubles; with
 * `--optimize-for-size` a first scan takes a sixth longer.
 */
const GROWTH_PERCENT = 50;

/**
 * Scanning a large store grows V8's heap, and V8 never returns it, so the heap is kept small during a scan. Later calls
 * prefer speed, and their new space may grow once.
 */
export function tuneHeapFor(scan: boolean): void {
  if (scan) process.prependOnceListener('exit', undo);
  setFlagsFromString(`--heap-growing-percent=${scan ? GROWTH_PERCENT : 0}`);
  growBy(scan ? 1 : 4);
  if (scan) return;
  const collections = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if (young !== undefined && young.space_size < ROOM) return;
    growBy(1);
    collections.disconnect();
  });
  collections.observe({ entryTypes: ['gc'] });
}

/** What V8 compiled is kept when the process ends, and taken only by processes with the flags that this one has then. */
function undo(): void {
  setFlagsFromString('--heap-growing-percent=0');
  growBy(2);
}

function growBy(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
