import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Refusal } from '../../core/refusal.ts';
import { utf8Text } from '../../core/text/utf8-text.ts';
import { codeOf } from './disk-errors.ts';
import { shownPath } from './display-path.ts';
import { randomHex } from './random.ts';

/** Another program's file; `bytes` is undefined where there is none. */
export interface ForeignFile {
  /** The link's target where the name is a link, as dotfiles often are. */
  readonly path: string;
  readonly bytes: Buffer | undefined;
  /** Nobody may write it, its owner included. */
  readonly isReadOnly?: boolean;
}

const MOST_BYTES = 64 * 1024 * 1024;

/** Reads another program's file, following links to it. A refusal says why, but does not name the file. */
export function readForeign(path: string): ForeignFile {
  try {
    const real = fs.realpathSync.native(path);
    const stat = fs.statSync(real);
    if (!stat.isFile() || stat.size > MOST_BYTES) throw unusable('it is no ordinary file');
    return { path: real, bytes: fs.readFileSync(real), isReadOnly: (stat.mode & 0o222) === 0 };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (codeOf(error) !== 'ENOENT') throw unusable(`it cannot be read (${codeOf(error)})`);
    if (fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw unusable('it is a link that leads nowhere');
    return { path, bytes: undefined };
  }
}

/** Refuses a file that nobody may write, because a rename would replace it all the same. */
export function refuseReadOnly({ isReadOnly }: ForeignFile): void {
  if (isReadOnly === true) throw unusable('it is read-only');
}

/** The text of another program's file, without the byte order mark that some editors put in front. */
export function foreignText(bytes: Buffer): string {
  const text = utf8Text(bytes);
  if (text === undefined) throw unusable('it is not UTF-8 text');
  return text;
}

/** A file's new bytes, with a byte order mark if it had one before. */
export function foreignBytes(text: string, before: Buffer | undefined): Buffer {
  const isMarked = before?.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) === true;
  return Buffer.concat([...(isMarked ? [BYTE_ORDER_MARK] : []), Buffer.from(text)]);
}

const BYTE_ORDER_MARK = Buffer.from('\u{feff}');

/**
 * Replaces another program's file only if it has not changed since it was read, and keeps its mode. `undefined` removes
 * it.
 */
export function replaceForeign({ path, bytes: before }: ForeignFile, after: Buffer | undefined): void {
  if (!isStill(path, before)) {
    throw new Refusal('changed-meanwhile', `${shownPath(path)} changed meanwhile, so nothing was written; try again.`);
  }
  try {
    if (after === undefined) {
      fs.rmSync(path, { force: true });
      return;
    }
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const temporary = join(dirname(path), `.${basename(path)}.${randomHex(6)}`);
    try {
      writeDurably(temporary, after, before === undefined ? 0o600 : fs.statSync(path).mode & 0o777);
      fs.renameSync(temporary, path);
    } catch (error) {
      fs.rmSync(temporary, { force: true });
      throw error;
    }
  } catch (error) {
    if (codeOf(error) === '') throw error;
    throw new Refusal('disk-failed', `${shownPath(path)} could not be written (${codeOf(error)}); it is as it was.`);
  }
}

export function isThere(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function writeDurably(path: string, bytes: Buffer, mode: number): void {
  const fd = fs.openSync(path, 'wx', mode);
  try {
    fs.fchmodSync(fd, mode);
    fs.writeFileSync(fd, bytes);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function isStill(path: string, before: Buffer | undefined): boolean {
  try {
    const now = readForeign(path);
    if (now.path !== path) return false;
    return now.bytes === undefined || before === undefined ? now.bytes === before : now.bytes.equals(before);
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

function unusable(why: string): Refusal {
  return new Refusal('unreadable-file', why);
}
