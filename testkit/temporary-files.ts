import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
/** Far more than a whole run has there at once. */
const ROOM = 4 * 2 ** 30;

/**
 * Puts the temporary files of a run into memory, where the machine has room for them and TMPDIR names no other place:
 * the tests make thousands of stores, and on a disk they mostly wait until it has synced. Neither a kill nor an error
 * tells such a folder from a disk, and only one that loses its power would.
 */
export default function setup(): (() => void) | undefined {
  if (process.env.TMPDIR !== undefined || !hasRoom()) return undefined;
  const folder = mkdtempSync(join(IN_MEMORY, 'surety-'));
  // Some tests start programs as somebody else.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

function hasRoom(): boolean {
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ROOM;
  } catch {
    return false;
  }
}
