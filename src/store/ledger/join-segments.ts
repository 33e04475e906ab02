import type { Disk } from '../disk/disk.ts';
import { type LedgerBytes, SEGMENTS } from './ledger-bytes.ts';

/**
 * Joins full files of this machine's ledger, once the next full file would no longer fit into the joined one. So a
 * repository's history stores each line twice; joining after every full file would store it again each time. The joined
 * file replaces the first of them before the others are removed. A reader in between, or after a kill, finds lines
 * twice and takes them once. The caller holds the lock.
 */
export function joinSegments(disk: Disk, bytes: LedgerBytes): void {
  const full = bytes.parts.slice(0, -1);
  let run: typeof full = [];
  let size = 0;
  for (const part of full) {
    const length = part.stamp.size - part.repeats;
    // A kill left this file: the files before it hold all its lines.
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
