import { createHash, type Hash } from 'node:crypto';
import * as fs from 'node:fs';
import { codeOf } from './disk-errors.ts';

/** What a path turned out to be, told without following it. */
export type Entry =
  | { readonly kind: 'file'; readonly bytes: Buffer; readonly stamp: Stamp }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly why: 'symlink' | 'hard-link' | 'not-a-file' | 'too-large' | 'unreadable' };

/** Enough to tell, without reading, that a file is still the one that was read. */
export interface Stamp {
  readonly inode: bigint;
  readonly size: number;
  readonly modified: bigint;
}

export function readAll(fd: number, from: number, to: number): Buffer {
  // Not cleared first: only what was read into it is handed on.
  const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
  let got = 0;
  while (got < bytes.length) {
    const n = fs.readSync(fd, bytes, got, bytes.length - got, from + got);
    if (n === 0) break;
    got += n;
  }
  return bytes.subarray(0, got);
}

const PORTION = 1 << 16;

export function* bytesInPortions(path: string, offset: number): Generator<Buffer | undefined> {
  let fd: number | undefined;
  try {
    fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
    const stat = fs.fstatSync(fd);
    if (!stat.isFile() || stat.nlink > 1) return yield undefined;
    for (let at = offset; at < stat.size; at += PORTION) yield readAll(fd, at, Math.min(stat.size, at + PORTION));
  } catch {
    yield undefined;
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

/** Larger than a portion of lines, since nothing of it is kept. */
const HASHED_AT_ONCE = 1 << 20;

export function hashOfStart(path: string, length: number): Hash | undefined {
  let fd: number | undefined;
  try {
    fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
    const stat = fs.fstatSync(fd);
    if (!stat.isFile() || stat.nlink > 1 || stat.size < length) return undefined;
    const hash = createHash('sha256');
    const room = Buffer.allocUnsafe(Math.min(length, HASHED_AT_ONCE));
    for (let at = 0; at < length; ) {
      const got = fs.readSync(fd, room, 0, Math.min(room.length, length - at), at);
      if (got === 0) return undefined;
      hash.update(room.subarray(0, got));
      at += got;
    }
    return hash;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

export function* namesInPortions(folder: string, portion: number): Generator<readonly string[]> {
  const listing = fs.opendirSync(folder, { bufferSize: portion });
  try {
    let names: string[] = [];
    for (let entry = listing.readSync(); entry !== null; entry = listing.readSync()) {
      if (names.push(entry.name) < portion) continue;
      yield names;
      names = [];
    }
    yield names;
  } finally {
    listing.closeSync();
  }
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
