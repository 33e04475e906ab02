import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** At most 8 MiB for new objects, because V8 never returns it; with 2 MiB every third search waits for a collection. */
const ROOM = 8 * 2 ** 20;

/**
 * Scanning a large store grows V8's heap by a third, and V8 never returns it, so a scan prefers size. Later calls
 * prefer speed, and their new space may grow once.
 */
export function tuneHeapFor(cares: boolean): void {
  setFlagsFromString(cares ? '--optimize-for-size' : '--no-optimize-for-size');
  growBy(cares ? 1 : 4);
  if (cares) return;
  const collections = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if (young !== undefined && young.space_size < ROOM) return;
    growBy(1);
    collections.disconnect();
  });
  collections.observe({ entryTypes: ['gc'] });
}

function growBy(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
