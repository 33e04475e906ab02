import type { Disk } from '../disk/disk.ts';
import { type LedgerBytes, SEGMENTS } from './ledger-bytes.ts';

/**
 * Joins files of this machine's ledger that are not appended to any more, as soon as no further one fits: so each line is
 * stored twice in a repository's history and not once for every file that is full. The joined file takes the place of the
 * first of them before the others go. Whoever looks in between, or after a kill, finds lines twice and takes them once.
 * The caller holds the lock.
 */
export function joinSealed(disk: Disk, bytes: LedgerBytes): void {
  const sealed = bytes.parts.slice(0, -1);
  let run: typeof sealed = [];
  let size = 0;
  for (const part of sealed) {
    const length = part.stamp.size - part.repeats;
    // What a kill left behind: all of it is in the files before it.
    if (length === 0) {
      disk.remove(part.path);
      continue;
    }
    if (size + length > SEGMENTS.joined) {
      joinRun(disk, bytes, run, size);
      [run, size] = [[], 0];
    }
    run.push(part);
    size += length;
  }
}

function joinRun(disk: Disk, bytes: LedgerBytes, run: LedgerBytes['parts'], size: number): void {
  const [first, ...others] = run;
  if (first === undefined || others.length === 0) return;
  const whole = first.repeats === 0 ? bytes.readFrom(first.start, size) : undefined;
  if (whole?.length !== size) return;
  disk.replace(first.path, whole);
  for (const { path } of others) disk.remove(path);
}
