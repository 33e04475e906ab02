import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** For new objects: with a fourth of it every third search waits for a collection, and what is taken is never given back. */
const ROOM = 8 * 2 ** 20;

/**
 * Looking over a large store makes garbage for seconds, of which V8 would keep the room: a third of all memory taken. For
 * the calls that follow speed counts for more, and their new objects get more room, once.
 */
export function careForSize(cares: boolean): void {
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
