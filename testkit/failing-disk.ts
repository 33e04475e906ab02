import { join } from 'node:path';

/** The environment of a program for which the disk below `folder` is full or read-only: for new files, or for a file put in its place. */
export function failingDisk(
  folder: string,
  code: 'ENOSPC' | 'EROFS',
  step: 'write' | 'rename' = 'write',
): Record<string, string> {
  const patch = join(import.meta.dirname, 'failing-disk.mjs');
  return { NODE_OPTIONS: `--import ${patch}`, FAILING_DISK: code, FAILING_FOLDER: folder, FAILING_STEP: step };
}
