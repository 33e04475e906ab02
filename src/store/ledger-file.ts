import type { KeyObject } from 'node:crypto';
import type { Head } from '../core/ledger.ts';
import { type LedgerFace, type Position, replay, START, type Statement, type Trouble } from '../core/replay.ts';
import type { Disk, Stamp } from './disk.ts';
import { sameStamp } from './signed-file.ts';

/** About half a million entries; what is larger was not written by this program. */
const LARGEST = 2 ** 29 - 1;

/** One ledger file as far as it has been read. It only ever grows; anything else means reading it anew. */
export class LedgerFile {
  readonly path: string;
  readonly hashes: string[] = [];
  /** Bytes of whole lines; what follows is a line that a crash cut off, and is dropped. */
  size = 0;
  damage: Trouble | undefined;
  readonly #face: LedgerFace;
  readonly #disk: Disk;
  #publicKey: KeyObject | undefined;
  #position: Position = START;
  #stamp: Stamp | undefined;

  constructor(face: LedgerFace, path: string, disk: Disk, publicKey: KeyObject | undefined) {
    this.#face = face;
    this.path = path;
    this.#disk = disk;
    this.#publicKey = publicKey;
  }

  get head(): Head {
    return this.#position.head;
  }

  /** The key this ledger's lines are signed with, raw and base64url, once a first line has been read. */
  get publicKey(): string | undefined {
    return this.#publicKey?.export({ format: 'jwk' }).x;
  }

  get lastAt(): number {
    return this.#position.lastAt;
  }

  /** Takes off what a crash left after the last whole line; it would otherwise become part of the next one. */
  dropTornLine(): void {
    const stamp = this.#disk.stamp(this.path);
    if (stamp === undefined || stamp.size <= this.size) return;
    this.#disk.truncate(this.path, this.size);
    this.#stamp = this.#disk.stamp(this.path);
  }

  /** What was added since the last look; 'rewritten' when the file is not a continuation of what was read. */
  news(): readonly Statement[] | 'rewritten' {
    const stamp = this.#disk.stamp(this.path);
    const first = this.#stamp === undefined;
    if (stamp === undefined) {
      this.damage = this.#disk.exists(this.path) ? 'unreadable' : undefined;
      return first ? [] : 'rewritten';
    }
    if (sameStamp(stamp, this.#stamp)) return [];
    if (stamp.size > LARGEST) {
      this.damage = 'unreadable';
      return first ? [] : 'rewritten';
    }
    // A file of the same length that was written to since was not appended to.
    const before = this.#stamp;
    const grown = this.damage === undefined && stamp.inode === before?.inode && stamp.size > before.size;
    if (!first && !grown) return 'rewritten';

    const bytes = this.#disk.readFrom(this.path, this.size);
    if (bytes === undefined) {
      this.damage = 'unreadable';
      return first ? [] : 'rewritten';
    }
    const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
    const lines = whole.length === 0 ? [] : whole.toString('utf8', 0, whole.length - 1).split('\n');
    const read = replay(this.#face, lines, this.#publicKey, this.#position);
    if (read.trouble !== undefined && !first) return 'rewritten';
    this.damage = read.trouble;
    this.#publicKey = read.publicKey;
    this.#position = read.end;
    this.#stamp = stamp;
    this.size += whole.length;
    for (const statement of read.statements) this.hashes.push(statement.hash);
    return read.statements;
  }
}
