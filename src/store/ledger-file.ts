import type { KeyObject } from 'node:crypto';
import type { Head } from '../core/ledger.ts';
import { type LedgerFace, type Position, replay, START, type Trouble } from '../core/replay.ts';
import { Statements } from '../core/statements.ts';
import type { Disk, Stamp } from './disk.ts';
import { overtaken } from './failures.ts';
import { sameStamp } from './signed-file.ts';

/** About half a million entries; what is larger was not written by this program. */
const LARGEST = 2 ** 29 - 1;

/** One ledger file as far as it has been read. It only ever grows; anything else means reading it anew. */
export class LedgerFile {
  readonly path: string;
  statements: Statements;
  /** Bytes of whole lines; what follows is a line that a crash cut off, and is dropped. */
  size = 0;
  damage: Trouble | undefined;
  /** What its writer calls the machine, as of the last entry read. */
  machine: string | undefined;
  readonly #disk: Disk;
  #publicKey: KeyObject | undefined;
  #position: Position = START;
  #stamp: Stamp | undefined;

  constructor(face: LedgerFace, path: string, disk: Disk, publicKey: KeyObject | undefined) {
    this.statements = new Statements(face);
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
    // Whole lines are no crash's doing, and somebody was told that they are there.
    if (this.#disk.readFrom(this.path, this.size)?.includes(0x0a) !== false) throw overtaken();
    this.#disk.truncate(this.path, this.size);
    this.#stamp = this.#disk.stamp(this.path);
  }

  /**
   * Takes in what was added since the last look; false when the file is not a continuation of what was read. `signed` is
   * the line that this process has just put at its end, whose signature need not be proven again.
   */
  takeIn(signed?: string): boolean {
    const stamp = this.#disk.stamp(this.path);
    const first = this.#stamp === undefined;
    if (stamp === undefined) {
      this.damage = this.#disk.exists(this.path) ? 'unreadable' : undefined;
      return first;
    }
    if (sameStamp(stamp, this.#stamp)) return true;
    if (stamp.size > LARGEST) {
      this.damage = 'unreadable';
      return first;
    }
    // A file of the same length that was written to since was not appended to.
    const before = this.#stamp;
    const grown = this.damage === undefined && stamp.inode === before?.inode && stamp.size > before.size;
    if (!first && !grown) return false;

    const lines = new Lines(this.#disk, this.path, this.size);
    const read = replay(this.statements, lines, this.#publicKey, this.#position, signed);
    if (lines.failed) {
      this.damage = 'unreadable';
      this.statements = new Statements(this.statements.ledger);
      return first;
    }
    if (read.trouble !== undefined && !first) return false;
    this.damage = read.trouble;
    this.#publicKey = read.publicKey;
    this.machine = read.machine ?? this.machine;
    this.#position = read.end;
    this.#stamp = stamp;
    this.size += lines.bytes;
    return true;
  }
}

/** The whole lines of a file from an offset on, read in portions: a ledger of years is never held in memory whole. */
class Lines implements Iterable<string> {
  /** How many bytes the lines take that were last gone through. */
  bytes = 0;
  failed = false;
  readonly #disk: Disk;
  readonly #path: string;
  readonly #from: number;

  constructor(disk: Disk, path: string, from: number) {
    this.#disk = disk;
    this.#path = path;
    this.#from = from;
  }

  *[Symbol.iterator](): Iterator<string> {
    this.bytes = 0;
    let begun: Buffer[] = [];
    for (const portion of this.#disk.readPortions(this.#path, this.#from)) {
      if (portion === undefined) {
        this.failed = true;
        return;
      }
      const end = portion.lastIndexOf(0x0a) + 1;
      if (end === 0) {
        begun.push(portion);
        continue;
      }
      const whole = Buffer.concat([...begun, portion.subarray(0, end)]);
      yield* whole.toString('utf8', 0, whole.length - 1).split('\n');
      this.bytes += whole.length;
      begun = end === portion.length ? [] : [portion.subarray(end)];
    }
  }
}
