import { lstatSync, unlinkSync } from 'node:fs';
import { codeOf } from '../disk/disk-errors.ts';

/** What SQLite keeps beside a database while it is in use. */
const BESIDE = ['-wal', '-shm'];

/** Tells one file from another that took its place. */
export function inodeOf(path: string): bigint {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? -1n;
}

export function removeDatabase(path: string): void {
  for (const suffix of ['', ...BESIDE]) removeFile(path + suffix);
}

/** Without the part that processes share while they run, which is of no use to a later one. */
export function sizeOfDatabase(path: string): number {
  const sizeOf = (file: string) => lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return sizeOf(path) + sizeOf(`${path}-wal`);
}

/** Not rmSync: on a read-only disk that throws an error without a code. */
function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
