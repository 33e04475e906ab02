import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics, queryObjects, setFlagsFromString } from 'node:v8';

/** At most 8 MiB for new objects, because V8 never returns it; with 2 MiB every third search waits for a collection. */
const ROOM = 8 * 2 ** 20;
/** A server that has scanned a small store uses less, so there is nothing to return. */
const GROWN = 48 * 2 ** 20;

/** Called before the first scan, which makes more new objects than all later calls. */
export function limitYoungHeap(): void {
  growBy(1);
}

/**
 * Called when the first scan is done. Scanning a large store doubles V8's heap, and V8 returns it only if asked. Asking it to
 * keep small during the scan makes the scan take a third longer. Afterwards the space for new objects may grow once.
 */
export function settleHeap(): void {
  if (getHeapStatistics().total_heap_size > GROWN) collectAll();
  growBy(4);
  const collections = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if (young !== undefined && young.space_size < ROOM) return;
    growBy(1);
    collections.disconnect();
  });
  collections.observe({ entryTypes: ['gc'] });
}

/** Collects everything, which takes about 80 ms after 10,000 files. Node has no other way to ask for it without a flag. */
function collectAll(): void {
  queryObjects(class {}, { format: 'count' });
}

function growBy(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
