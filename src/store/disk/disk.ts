import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf, NotDurable, overtaken } from './disk-errors.ts';
import { openUnlinked } from './open-unlinked.ts';
import { randomHex } from './random.ts';
import { ReadingDisk, refuseForeign } from './reading-disk.ts';

export type { FolderEntry, Stamp } from './reading-disk.ts';
export { WHY_REFUSED } from './reading-disk.ts';

const synced = promisify(fs.fsync);

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/**
 * At most 16 files open for writing, because some systems allow 256 per process, and only four are synced at a time.
 */
const OPEN_AT_ONCE = 16;

/** Windows' errors for a file that somebody has open. */
export const HELD_OPEN = ['EPERM', 'EACCES', 'EBUSY'];
/** At most half a second in all, in milliseconds, because the store's lock is held meanwhile. */
const RENAME_WAITS_MS = [10, 20, 40, 80, 150, 200];

/** How files are opened for writing. O_NONBLOCK because opening a FIFO would otherwise wait for a reader for ever. */
const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const EXISTING = O_WRONLY | O_NOFOLLOW | O_NONBLOCK;
const AT_THE_END = EXISTING | O_APPEND | O_CREAT;
const NEW = O_WRONLY | O_CREAT | O_EXCL;

/** Errors of systems that cannot open or sync a folder like a file. */
const NO_FOLDER_SYNC = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR', 'EPERM'];

/**
 * Every write the store makes, as single steps. Memories and ledgers are written nowhere else, so a test that fails or
 * kills the process at the n-th step covers every moment. The audit log, which may lose a line, and SQLite write for
 * themselves. Writers hold the store's lock.
 */
export class Disk extends ReadingDisk {
  /** Folders to sync at the end of `together`. */
  #unsettled: Set<string> | undefined;

  /** Creates or replaces a file whole: another process sees the old bytes or the new ones, also after a power cut. */
  replace(path: string, bytes: Buffer | string): void {
    this.putInPlace(this.prepare(path, bytes), path);
  }

  /** The first half of `replace`, which needs the disk space; its result can still be discarded. */
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

  /** The second half of `replace`. */
  putInPlace(temporary: string, path: string): void {
    try {
      this.#renamePatiently(temporary, path);
    } catch (error) {
      this.discard(temporary);
      throw error;
    }
    this.settle(dirname(path));
  }

  /**
   * `prepare` for many files, each under a name its caller owns. It syncs several files at once, because syncing takes
   * most of the time.
   */
  async prepareAll(files: Iterable<readonly [temporary: string, bytes: Buffer]>): Promise<void> {
    const rest = [...files];
    while (rest.length > 0) await this.#prepareSome(rest.splice(0, OPEN_AT_ONCE));
  }

  async #prepareSome(files: readonly (readonly [temporary: string, bytes: Buffer])[]): Promise<void> {
    const open: number[] = [];
    try {
      for (const [temporary, bytes] of files) {
        const fd = this.open(temporary, NEW);
        open.push(fd);
        fs.fchmodSync(fd, FILE_MODE);
        this.write(fd, bytes);
      }
      await this.syncAll(open);
    } finally {
      for (const fd of open) fs.closeSync(fd);
    }
  }

  /** Syncs folders once after `work` instead of after each change in them. */
  together<T>(work: () => T): T {
    const folders = new Set<string>();
    this.#unsettled = folders;
    try {
      return work();
    } finally {
      this.#unsettled = undefined;
      this.settle(...folders);
    }
  }

  /** Creates a file that must not exist yet, whole and durable. */
  create(path: string, bytes: Buffer | string): void {
    if (this.exists(path)) throw Object.assign(new Error('the file exists'), { code: 'EEXIST' });
    this.replace(path, bytes);
  }

  /** Moves a file to a free name; both folders are made durable. */
  move(from: string, to: string): void {
    if (this.exists(to)) throw Object.assign(new Error('the target exists'), { code: 'EEXIST' });
    this.#renamePatiently(from, to);
    this.settle(dirname(to), dirname(from));
  }

  /** Appends whole lines, creating the file when missing; with `end`, only if the file still ends there. */
  append(path: string, text: string | Buffer, end?: number): void {
    const fresh = !this.exists(path);
    this.appendTo(path, text, true, end);
    if (!fresh) return;
    try {
      this.settle(dirname(path));
    } catch (error) {
      // As with a line that was written in part: what was not acknowledged must not stay behind.
      this.discard(path);
      throw error;
    }
  }

  /** `append` without a sync, for copies of what is durable elsewhere. */
  appendCopy(path: string, text: string | Buffer): void {
    this.appendTo(path, text, false);
  }

  /**
   * Creates or replaces a file that may be torn without loss. It does not sync, and what a kill leaves behind blocks
   * nobody.
   */
  replaceCache(path: string, parts: readonly Buffer[]): void {
    const temporary = `${path}.new`;
    this.discard(temporary);
    try {
      const fd = this.open(temporary, NEW);
      try {
        for (const part of parts) this.write(fd, part);
      } finally {
        fs.closeSync(fd);
      }
      this.#renamePatiently(temporary, path);
    } catch (error) {
      this.discard(temporary);
      throw error;
    }
  }

  /** Renames or removes a cache file without a sync, because losing it costs nothing. */
  renameCache(from: string, to: string): void {
    this.#renamePatiently(from, to);
  }

  removeCache(path: string): void {
    this.unlink(path);
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

  /** Creates missing folders, closed to others. Leaves an existing folder unchanged. */
  makeFolder(path: string): void {
    if (fs.statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
    const first = this.mkdir(path);
    if (first === undefined) return;
    // A power cut that takes a folder away takes its memories too, so each new name is made durable in its parent.
    const parents: string[] = [];
    for (let at = path; at.length >= first.length && at !== dirname(at); at = dirname(at)) parents.push(dirname(at));
    this.settle(...parents);
  }

  /** Syncs a file that another program wrote whole, and the folders that name it. */
  makeDurable(path: string): void {
    this.settle(path, dirname(path), dirname(dirname(path)));
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

  private appendTo(path: string, text: string | Buffer, durable: boolean, end?: number): void {
    const fd = this.open(path, AT_THE_END);
    try {
      const { size, mode } = refuseForeign(fd);
      if (end !== undefined && size !== end) throw overtaken();
      // A ledger from a git pull has the mode git gave it.
      if ((mode & 0o077) !== 0) fs.fchmodSync(fd, FILE_MODE);
      try {
        this.write(fd, text);
        if (durable) this.sync(fd);
      } catch (error) {
        // A full disk takes part of a line; an unacknowledged part must not stay behind as damage.
        this.cut(fd, size);
        throw error;
      }
      if (end !== undefined) this.giveWay(fd, path, Buffer.from(text), end);
    } finally {
      fs.closeSync(fd);
    }
  }

  /**
   * Another process may have written between the check of `end` and our write, if the lock was removed meanwhile. The
   * lines at `end` were first; the later writer removes its own.
   */
  private giveWay(fd: number, path: string, written: Buffer, end: number): void {
    const { size } = fs.fstatSync(fd);
    const isAt = (offset: number) => this.readFrom(path, offset, written.length)?.equals(written) === true;
    if (size === end + written.length || isAt(end)) return;
    const begin = size - written.length;
    if (isAt(begin)) {
      this.cut(fd, begin);
      this.sync(fd);
    }
    throw overtaken();
  }

  /**
   * Makes the names in these folders, or the bytes of these files, durable. When this fails the change is already made,
   * and the error says so.
   */
  private settle(...folders: readonly string[]): void {
    let failed: unknown;
    for (const folder of folders) {
      if (this.#unsettled !== undefined) {
        this.#unsettled.add(folder);
        continue;
      }
      try {
        this.syncFolder(folder);
      } catch (error) {
        // Some systems cannot sync a folder; there only the file is synced.
        if (!NO_FOLDER_SYNC.includes(codeOf(error))) failed ??= error;
      }
    }
    if (failed !== undefined) throw codeOf(failed) === '' ? failed : new NotDurable(codeOf(failed));
  }

  /**
   * On Windows a file that a virus scanner, an indexer or a reader has open cannot be replaced until a moment later.
   */
  #renamePatiently(from: string, to: string): void {
    for (const wait of this.platform === 'win32' ? RENAME_WAITS_MS : []) {
      try {
        this.rename(from, to);
        return;
      } catch (error) {
        if (!HELD_OPEN.includes(codeOf(error))) throw error;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
    }
    this.rename(from, to);
  }

  /** Removes a prepared file. */
  discard(path: string): void {
    try {
      this.unlink(path);
    } catch {
      // It was never made, or is already renamed.
    }
  }

  // The steps: each is one call that can fail, or be the last before the process dies. Tests override them.

  protected open(path: string, flags: number): number {
    return openUnlinked(path, flags, FILE_MODE, this.platform);
  }

  protected write(fd: number, bytes: Buffer | string): void {
    fs.writeFileSync(fd, bytes);
  }

  protected sync(fd: number): void {
    fs.fsyncSync(fd);
  }

  protected async syncAll(fds: readonly number[]): Promise<void> {
    await Promise.all(fds.map((fd) => synced(fd)));
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

  /**
   * Returns the first folder that had to be made. One level at a time, because Node's own recursion never ends under
   * /proc.
   */
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
