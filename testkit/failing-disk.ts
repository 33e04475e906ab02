import { join } from 'node:path';

/**
 * The environment of a program for which the disk below `folder` is full or read-only: for new files, or for a file put in its place.
 * It is until the file `until` exists.
 */
export function failingDisk(
  folder: string,
  code: 'ENOSPC' | 'EROFS',
  step: 'write' | 'rename' = 'write',
  until = '',
): Record<string, string> {
  const patch = join(import.meta.dirname, 'failing-disk.mjs');
  const what = { FAILING_DISK: code, FAILING_FOLDER: folder, FAILING_STEP: step, FAILING_UNTIL: until };
  return { NODE_OPTIONS: `--import ${patch}`, ...what };
}
