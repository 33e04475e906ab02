import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Disk } from '../disk/disk.ts';
import { sameStamp } from '../ledger/signed-file.ts';

/** A git that lives holds such a lock for as long as it takes to write one line. */
const DEAD_MS = 5_000;
const LOOK_MS = 50;
/** Besides the refs themselves: what git locks when it moves one. */
const WITH_A_REF = ['HEAD', 'packed-refs', 'shallow'];

/**
 * Takes away the locks that a git which was killed, or lost its power, left on these refs. No later git would: each would
 * fail and ask somebody to look. Another git of this store may still be at work, so a lock is dead only when it has
 * been there for seconds.
 */
export async function clearDeadLocks(disk: Disk, folder: string, refs: readonly string[]): Promise<void> {
  for (const name of [...WITH_A_REF, ...refs]) {
    const path = join(folder, `${name}.lock`);
    const first = disk.stamp(path);
    if (first === undefined) continue;
    const since = Math.min(Date.now() - Number(first.modified / 1_000_000n), DEAD_MS);
    const end = performance.now() + DEAD_MS - Math.max(0, since);
    while (performance.now() < end && sameStamp(disk.stamp(path), first)) await sleep(LOOK_MS);
    if (sameStamp(disk.stamp(path), first)) disk.discard(path);
  }
}
