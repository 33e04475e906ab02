import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { bytesInPortions, namesInPortions, readAll, refuseForeign, stampOf, unopened } from './disk-reading.ts';
import { codeOf } from './failures.ts';
import { randomHex } from './random.ts';

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

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** How files are opened for writing. O_NONBLOCK because opening a FIFO would otherwise wait for a reader for ever. */
const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const EXISTING = O_WRONLY | O_NOFOLLOW | O_NONBLOCK;
const AT_THE_END = EXISTING | O_APPEND | O_CREAT;
const NEW = O_WRONLY | O_CREAT | O_EXCL;

/**
 * Every write the store makes, as single steps. Memories and ledgers are written nowhere else (the audit log, which may
 * lose a line, and SQLite write for themselves), so a test that fails or kills the process at the n-th step has covered
 * every moment there is. Writers hold the store's lock.
 */
export class Disk {
  /** Reads a regular file of one link. O_NONBLOCK because opening a FIFO would otherwise wait for ever. */
  read(path: string, atMost: number): Entry {
    let fd: number;
    try {
      fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
    } catch (error) {
      return unopened(error);
    }
    try {
      const stat = fs.fstatSync(fd, { bigint: true });
      if (!stat.isFile()) return { kind: 'refused', why: 'not-a-file' };
      if (stat.nlink > 1n) return { kind: 'refused', why: 'hard-link' };
      if (stat.size > BigInt(atMost)) return { kind: 'refused', why: 'too-large' };
      return { kind: 'file', bytes: readAll(fd, 0, Number(stat.size)), stamp: stampOf(stat) };
    } catch {
      return { kind: 'refused', why: 'unreadable' };
    } finally {
      fs.closeSync(fd);
    }
  }

  /** The first bytes of a file that is too large to be read whole; enough to say what is wrong with it. */
  readStart(path: string, bytes: number): Entry {
    const stamp = this.stamp(path);
    const start = stamp && this.readFrom(path, 0, bytes);
    return start === undefined || stamp === undefined ? { kind: 'absent' } : { kind: 'file', bytes: start, stamp };
  }

  /** The bytes of an append-only file from `offset` to its end; undefined for anything `read` would refuse. */
  readFrom(path: string, offset: number, atMost = Number.POSITIVE_INFINITY): Buffer | undefined {
    let fd: number;
    try {
      fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
    } catch {
      return undefined;
    }
    try {
      const stat = fs.fstatSync(fd);
      return stat.isFile() && stat.nlink <= 1 ? readAll(fd, offset, Math.min(stat.size, offset + atMost)) : undefined;
    } catch {
      return undefined;
    } finally {
      fs.closeSync(fd);
    }
  }

  /** The same in portions, for what may be large; undefined, as the last one, where it cannot be read. */
  readPortions(path: string, offset: number): Iterable<Buffer | undefined> {
    return bytesInPortions(path, offset);
  }

  /** The file's size, modification and inode without reading it; undefined for anything `read` would refuse. */
  stamp(path: string): Stamp | undefined {
    const stat = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
    // A file that is being replaced can show no link at all for a moment.
    return stat?.isFile() && stat.nlink <= 1n ? stampOf(stat) : undefined;
  }

  /** A real folder, and no link to one. */
  isFolder(path: string): boolean {
    return fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  }

  exists(path: string): boolean {
    return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  }

  /** Creates or replaces a file whole: another process sees the old bytes or the new ones, also after a power cut. */
  replace(path: string, bytes: Buffer | string): void {
    this.putInPlace(this.prepare(path, bytes), path);
  }

  /** The first half of `replace`, which is the one that needs room: what is written can still be thrown away. */
  prepare(path: string, bytes: Buffer | string): string {
    const temporary = join(dirname(path), `.tmp-${randomHex(8)}`);
    try {
      this.writeNew(temporary, bytes);
    } catch (error) {
      this.discard(temporary);
      throw error;
    }
    return temporary;
  }

  /** The other half. */
  putInPlace(temporary: string, path: string): void {
    try {
      this.rename(temporary, path);
    } catch (error) {
      this.discard(temporary);
      throw error;
    }
    this.settle(dirname(path));
  }

  /** Creates a file that must not exist yet, whole and durable. */
  create(path: string, bytes: Buffer | string): void {
    if (this.exists(path)) throw Object.assign(new Error('the file exists'), { code: 'EEXIST' });
    this.replace(path, bytes);
  }

  /** Moves a file to a name that is free; both folders are made durable. */
  move(from: string, to: string): void {
    if (this.exists(to)) throw Object.assign(new Error('the target exists'), { code: 'EEXIST' });
    this.rename(from, to);
    this.settle(dirname(to));
    this.settle(dirname(from));
  }

  /** Adds whole lines at the end of a file, creating it when missing. */
  append(path: string, text: string | Buffer): void {
    const fresh = !this.exists(path);
    this.appendTo(path, text, true);
    if (fresh) this.settle(dirname(path));
  }

  /** The same without waiting for the disk: for copies of what is durable elsewhere. */
  appendCopy(path: string, text: string | Buffer): void {
    this.appendTo(path, text, false);
  }

  /** Cuts a file to its first `length` bytes. */
  truncate(path: string, length: number): void {
    const fd = this.open(path, EXISTING);
    try {
      refuseForeign(fd);
      this.cut(fd, length);
      this.sync(fd);
    } finally {
      fs.closeSync(fd);
    }
  }

  remove(path: string): void {
    this.unlink(path);
    this.settle(dirname(path));
  }

  /** Creates missing folders, closed to others. An existing one is left as it is. */
  makeFolder(path: string): void {
    if (fs.statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
    const first = this.mkdir(path);
    if (first === undefined) return;
    // A memory in a folder that a power cut takes away is lost with it: every new name is made durable in its parent.
    for (let at = path; at.length >= first.length && at !== dirname(at); at = dirname(at)) this.settle(dirname(at));
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

  /** The same in portions, so that the names of a hundred thousand files are never held at once. */
  namesInPortions(folder: string, portion: number): Iterable<readonly string[]> {
    return namesInPortions(folder, portion);
  }

  private writeNew(path: string, bytes: Buffer | string): void {
    const fd = this.open(path, NEW);
    try {
      fs.fchmodSync(fd, FILE_MODE);
      this.write(fd, bytes);
      this.sync(fd);
    } finally {
      fs.closeSync(fd);
    }
  }

  private appendTo(path: string, text: string | Buffer, durable: boolean): void {
    const fd = this.open(path, AT_THE_END);
    try {
      const { size, mode } = refuseForeign(fd);
      // A ledger that came with a git pull has the mode git gave it.
      if ((mode & 0o077) !== 0) fs.fchmodSync(fd, FILE_MODE);
      try {
        this.write(fd, text);
        if (durable) this.sync(fd);
      } catch (error) {
        // A full disk takes part of a line; what was not acknowledged must not stay behind as damage.
        this.cut(fd, size);
        throw error;
      }
    } finally {
      fs.closeSync(fd);
    }
  }

  /** The change is there already when this fails: to say now that nothing was changed would be wrong. */
  private settle(folder: string): void {
    try {
      this.syncFolder(folder);
    } catch {
      // Some systems refuse to open or to sync a folder; the file itself is synced.
    }
  }

  /** Throws away what was prepared. */
  discard(path: string): void {
    try {
      this.unlink(path);
    } catch {
      // It was never made, or it was renamed already.
    }
  }

  // The steps: each is one call that can fail, or be the last one before the process dies. Tests take them over.

  protected open(path: string, flags: number): number {
    return fs.openSync(path, flags, FILE_MODE);
  }

  protected write(fd: number, bytes: Buffer | string): void {
    fs.writeFileSync(fd, bytes);
  }

  protected sync(fd: number): void {
    fs.fsyncSync(fd);
  }

  protected cut(fd: number, length: number): void {
    fs.ftruncateSync(fd, length);
  }

  protected rename(from: string, to: string): void {
    fs.renameSync(from, to);
  }

  protected unlink(path: string): void {
    fs.unlinkSync(path);
  }

  /** The first folder that had to be made. One level at a time: Node's own recursion never ends under /proc. */
  protected mkdir(path: string): string | undefined {
    const parent = dirname(path);
    const first = parent === path || fs.existsSync(parent) ? undefined : this.mkdir(parent);
    try {
      fs.mkdirSync(path, { mode: FOLDER_MODE });
    } catch (error) {
      if (codeOf(error) === 'EEXIST' && fs.statSync(path).isDirectory()) return first;
      throw error;
    }
    return first ?? path;
  }

  protected syncFolder(path: string): void {
    const fd = fs.openSync(path, fs.constants.O_RDONLY);
    try {
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  }
}
