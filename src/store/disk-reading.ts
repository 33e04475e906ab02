import * as fs from 'node:fs';
import type { Entry, Stamp } from './disk.ts';
import { codeOf } from './failures.ts';

export function readAll(fd: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, to - from));
  let got = 0;
  while (got < bytes.length) {
    const n = fs.readSync(fd, bytes, got, bytes.length - got, from + got);
    if (n === 0) break;
    got += n;
  }
  return bytes.subarray(0, got);
}

/** A second link, a FIFO or a device lets a write land outside the store, as a symlink would. */
export function refuseForeign(fd: number): fs.Stats {
  const stat = fs.fstatSync(fd);
  if (stat.isFile() && stat.nlink <= 1) return stat;
  throw Object.assign(new Error('not an ordinary file of one link'), { code: 'EMLINK' });
}

export function unopened(error: unknown): Entry {
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { kind: 'absent' };
    case 'ELOOP':
    case 'EMLINK':
      return { kind: 'refused', why: 'symlink' };
    case 'ENXIO':
      return { kind: 'refused', why: 'not-a-file' };
    default:
      return { kind: 'refused', why: 'unreadable' };
  }
}

export function stampOf(stat: fs.BigIntStats): Stamp {
  return { inode: stat.ino, size: Number(stat.size), modified: stat.mtimeNs };
}

/** Whether a folder's names can be listed and what lies in it be opened. */
export function canRead(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.R_OK | fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
