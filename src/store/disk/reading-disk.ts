import type { Hash } from 'node:crypto';
import * as fs from 'node:fs';
import { codeOf } from './disk-errors.ts';
import {
  bytesInPortions,
  type Entry,
  hashOfStart,
  namesInPortions,
  readAll,
  type Stamp,
  stampOf,
  unopened,
} from './open-file.ts';

/** Every way the store reads: nothing is followed, and nothing but ordinary files of one link is opened. */
export class ReadingDisk {
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

  /** SHA-256 of a file's first bytes, ready to take in more; undefined where it has fewer or cannot be read. */
  hashOfStart(path: string, length: number): Hash | undefined {
    return hashOfStart(path, length);
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
}
