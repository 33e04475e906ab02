import { accessSync, chmodSync, constants, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
/** At least 4 GB free, because the tests of huge ledgers plant files of half a gigabyte. */
const ROOM = 4 * 2 ** 30;

/**
 * One folder for the temporary files of a run, gone at its end. It is in memory where the machine has such a place and
 * TMPDIR names no other: the tests make thousands of stores, and on a disk they mostly wait until it has synced.
 * Neither a kill nor an error tells such a folder from a disk; only a loss of power would.
 */
export default function setup(): () => void {
  const ground = process.env.TMPDIR === undefined && isFit() ? IN_MEMORY : tmpdir();
  const folder = mkdtempSync(join(ground, 'surety-'));
  // Some tests start programs as somebody else.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Programs must run there, and a test must be able to mount it read-only: a folder mounted with less allows neither. */
function isOrdinary(): boolean {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const [, , , options = ''] = mounts.find((line) => line.split(' ')[1] === IN_MEMORY)?.split(' ') ?? [];
  return !/\b(?:noexec|nosuid|nodev|ro)\b/.test(options);
}

function isFit(): boolean {
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ROOM && isOrdinary();
  } catch {
    return false;
  }
}
