import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Disk } from '../disk/disk.ts';
import { sameStamp } from '../disk/reading-disk.ts';

/** A living git holds a ref's lock only while it writes one line. */
const DEAD_MS = 5_000;
const LOOK_MS = 50;
/** What git locks besides the ref when it moves one. */
const WITH_A_REF = ['HEAD', 'packed-refs', 'shallow'];

/**
 * Removes the locks that a killed git, or a power cut, left on these refs. Otherwise every later git would fail and ask
 * a person to look. Another git may still be at work, so a lock is dead only after some seconds.
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
