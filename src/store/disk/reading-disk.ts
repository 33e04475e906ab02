import * as fs from 'node:fs';
import { codeOf, isShortage } from './disk-errors.ts';
import { openUnlinked } from './open-unlinked.ts';

/** What lies at a path. Links are not followed. */
export type FolderEntry =
  | { readonly kind: 'file'; readonly bytes: Buffer; readonly stamp: Stamp }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly why: 'symlink' | 'hard-link' | 'not-a-file' | 'too-large' | 'unreadable' };

/** Why a file is refused, in words. How large is too large, the reader says. */
export const WHY_REFUSED = {
  symlink: 'it is a symbolic link',
  'hard-link': 'it has a second name (hard link)',
  'not-a-file': 'it is not a regular file',
  unreadable: 'it cannot be read',
} as const;

/** Shows without reading that a file has not changed since it was read. */
export interface Stamp {
  readonly inode: bigint;
  readonly size: number;
  readonly modified: bigint;
}

/** Whether a file is as it was; true too where it was missing and is. */
export function sameStamp(a: Stamp | undefined, b: Stamp | undefined): boolean {
  return a?.inode === b?.inode && a?.size === b?.size && a?.modified === b?.modified;
}

/** How files are opened for reading. O_NONBLOCK because opening a FIFO would otherwise wait for a writer for ever. */
const TO_READ = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;
const PORTION = 1 << 16;
const SETTLED_MS = 3_000;
/** Where bytes are read that are only hashed. V8 frees buffers late, and one for each file of a large ledger would take 7 MB. */
const HASHED = Buffer.allocUnsafeSlow(PORTION);

/** Every way the store reads. It follows no link, and opens only ordinary files with one link. */
export class ReadingDisk {
  protected readonly platform: NodeJS.Platform;

  constructor(platform: NodeJS.Platform = process.platform) {
    this.platform = platform;
  }

  #openToRead(path: string): number {
    return openUnlinked(path, TO_READ, 0, this.platform);
  }

  /** Opens an ordinary file with one link for as long as `work` runs; undefined for any other, and where it cannot be read. */
  #opened<T>(path: string, work: (fd: number, size: number) => T): T | undefined {
    let fd: number | undefined;
    try {
      fd = this.#openToRead(path);
      const stat = fs.fstatSync(fd);
      return stat.isFile() && stat.nlink <= 1 ? work(fd, stat.size) : undefined;
    } catch (error) {
      return unreadable(error);
    } finally {
      if (fd !== undefined) fs.closeSync(fd);
    }
  }

  /** Reads an ordinary file with one link. */
  read(path: string, atMost: number): FolderEntry {
    let fd: number | undefined;
    try {
      fd = this.#openToRead(path);
      const stat = fs.fstatSync(fd, { bigint: true });
      if (!stat.isFile()) return { kind: 'refused', why: 'not-a-file' };
      if (stat.nlink > 1n) return { kind: 'refused', why: 'hard-link' };
      if (stat.size > BigInt(atMost)) return { kind: 'refused', why: 'too-large' };
      return { kind: 'file', bytes: readAll(fd, 0, Number(stat.size)), stamp: stampOf(stat) };
    } catch (error) {
      return unopened(error);
    } finally {
      if (fd !== undefined) fs.closeSync(fd);
    }
  }

  /** The first bytes of a file too large to read whole; enough to say what is wrong with it. */
  readStart(path: string, bytes: number): FolderEntry {
    const stamp = this.stamp(path);
    const start = stamp && this.readFrom(path, 0, bytes);
    return start === undefined || stamp === undefined ? { kind: 'absent' } : { kind: 'file', bytes: start, stamp };
  }

  /**
   * The bytes of an append-only file from `offset` to its end; undefined for anything `read` would refuse. They are read into
   * `room`, as far as it goes, or into a buffer of their own.
   */
  readFrom(path: string, offset: number, atMost = Number.POSITIVE_INFINITY, room?: Buffer): Buffer | undefined {
    return this.#opened(path, (fd, size) => readAll(fd, offset, Math.min(size, offset + atMost), room));
  }

  /** Like `readFrom`, in portions, for large files. The last portion is undefined where the file cannot be read. */
  *readPortions(path: string, offset: number): Iterable<Buffer | undefined> {
    let fd: number | undefined;
    try {
      fd = this.#openToRead(path);
      const stat = fs.fstatSync(fd);
      if (!stat.isFile() || stat.nlink > 1) return yield undefined;
      for (let at = offset; at < stat.size; at += PORTION) yield readAll(fd, at, Math.min(stat.size, at + PORTION));
    } catch (error) {
      yield unreadable(error);
    } finally {
      if (fd !== undefined) fs.closeSync(fd);
    }
  }

  /** Hashes the bytes from one offset to another; false where the file has fewer or cannot be read. `into` must not keep them. */
  hashPart(path: string, from: number, to: number, into: { update(bytes: Buffer): unknown }): boolean {
    const isWhole = this.#opened(path, (fd, size) => {
      if (size < to) return false;
      for (let at = from; at < to; ) {
        const got = fs.readSync(fd, HASHED, 0, Math.min(HASHED.length, to - at), at);
        if (got === 0) return false;
        into.update(HASHED.subarray(0, got));
        at += got;
      }
      return true;
    });
    return isWhole === true;
  }

  /** The file's size, modification and inode without reading it; undefined for anything `read` would refuse. */
  stamp(path: string): Stamp | undefined {
    const stat = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
    // A file that is being replaced can show no link at all for a moment.
    return stat?.isFile() && stat.nlink <= 1n ? stampOf(stat) : undefined;
  }

  /** True for a real folder, false for a link to one. */
  isFolder(path: string): boolean {
    return fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  }

  /**
   * A folder's stamp, which another one shows to have had names added or removed since. Undefined for no folder, and for one that
   * changed less than 3 seconds ago: another change in the same tick of its clock, two seconds on FAT, would leave the stamp as
   * it is. Undefined on Windows, where FAT keeps no time of a change.
   */
  folderStamp(path: string): string | undefined {
    const stat = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat?.isDirectory() !== true || this.platform === 'win32') return undefined;
    const { dev, ino, mtimeNs, ctimeNs } = stat;
    // A program can set the time of modification, and not the time of the change.
    const latest = Number((mtimeNs > ctimeNs ? mtimeNs : ctimeNs) / 1_000_000n);
    return latest > Date.now() - SETTLED_MS ? undefined : `${dev} ${ino} ${mtimeNs} ${ctimeNs}`;
  }

  exists(path: string): boolean {
    return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  }

  /** Entry names of a folder, none when it is missing. */
  names(folder: string): string[] {
    try {
      return fs.readdirSync(folder);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    }
  }

  /** Whether a folder has more names than this. False where it is no folder. */
  hasMoreNames(folder: string, count: number): boolean {
    if (!this.isFolder(folder)) return false;
    for (const names of this.namesInPortions(folder, count + 1)) return names.length > count;
    return false;
  }

  /** Like `names`, in portions, so that the names of a hundred thousand files are never held at once. */
  *namesInPortions(folder: string, portion: number): Iterable<readonly string[]> {
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
}

function readAll(fd: number, from: number, to: number, room?: Buffer): Buffer {
  const size = Math.max(0, to - from);
  // Not cleared first: only bytes that were read are returned.
  const bytes = room?.subarray(0, size) ?? Buffer.allocUnsafe(size);
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

/** A file counts as unreadable for what it is, never because this process has too many others open. */
function unreadable(error: unknown): undefined {
  if (isShortage(error)) throw error;
  return undefined;
}

function unopened(error: unknown): FolderEntry {
  unreadable(error);
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ENAMETOOLONG':
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

function stampOf(stat: fs.BigIntStats): Stamp {
  return { inode: stat.ino, size: Number(stat.size), modified: stat.mtimeNs };
}

/** Entry names of a folder of whatever kind; none where it is missing or cannot be read. */
export function readableNames(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === '') throw error;
    return [];
  }
}

/** Whether a folder's names can be listed and its files opened. */
export function canRead(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.R_OK | fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
