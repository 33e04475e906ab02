import { createHash, type Hash, type KeyObject } from 'node:crypto';
import { type Head, publicKeyOf } from '../../core/ledger/entry.ts';
import { Statements } from '../../core/ledger/packed-statements.ts';
import { type Position, replay, START, type Trouble } from '../../core/ledger/replay.ts';
import type { LedgerFace } from '../../core/ledger/statement.ts';
import type { Disk, Stamp } from '../disk/disk.ts';
import { overtaken } from '../disk/disk-errors.ts';
import type { PackedLedgers } from './ledger-cache.ts';
import { sameStamp } from './signed-file.ts';

/** About half a million entries; what is larger was not written by this program. */
const LARGEST = 2 ** 29 - 1;

/** So many lines are read again rather than kept packed anew, which takes the time of reading some of them. */
const READ_AGAIN = { lines: 500, share: 0.02 } as const;

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
  readonly #packs: PackedLedgers | undefined;
  readonly #givenKey: KeyObject | undefined;
  #publicKey: KeyObject | undefined;
  #position: Position = START;
  #stamp: Stamp | undefined;
  /** Of the bytes that were read, as they were read. */
  #sum: Hash = createHash('sha256');
  /** How many of its lines are kept packed. */
  #packed = 0;

  constructor(
    face: LedgerFace,
    path: string,
    disk: Disk,
    publicKey: KeyObject | undefined,
    packs: PackedLedgers | undefined = undefined,
  ) {
    this.statements = new Statements(face);
    this.path = path;
    this.#disk = disk;
    this.#givenKey = publicKey;
    this.#publicKey = publicKey;
    this.#packs = packs;
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

    if (first) this.#takeBack(stamp.size);
    const goesOn = this.#takeOn(stamp, first, signed);
    if (first) this.pack();
    return goesOn;
  }

  /** Keeps what was read packed, once that spares the next process more than it costs. */
  pack(): void {
    const { count } = this.statements;
    if (count - this.#packed < Math.max(READ_AGAIN.lines, count * READ_AGAIN.share)) return;
    const { publicKey } = this;
    if (this.#packs === undefined || this.damage !== undefined || publicKey === undefined) return;
    this.#packs.keep(this.statements.ledger.fingerprint, {
      size: this.size,
      sum: this.#sum.copy().digest('hex'),
      end: this.#position,
      machine: this.machine,
      publicKey,
      statements: this.statements.packed(),
    });
    this.#packed = count;
  }

  /** Takes over what a process before this one has read, if the file still begins with exactly that. */
  #takeBack(bytes: number): void {
    const { ledger } = this.statements;
    const kept = this.#packs?.read(ledger.fingerprint, bytes);
    const sum = kept && this.#disk.hashOfStart(this.path, kept.size);
    if (sum === undefined || sum.copy().digest('hex') !== kept?.sum) return;
    this.statements = Statements.unpacked(ledger, kept.statements);
    this.machine = kept.machine;
    this.size = kept.size;
    this.#publicKey = publicKeyOf(kept.publicKey);
    this.#position = kept.end;
    this.#sum = sum;
    this.#packed = this.statements.count;
  }

  /** As if nothing had been read. */
  #forget(): void {
    this.statements = new Statements(this.statements.ledger);
    this.machine = undefined;
    this.size = 0;
    this.#publicKey = this.#givenKey;
    this.#position = START;
    this.#sum = createHash('sha256');
    this.#packed = 0;
  }

  #takeOn(stamp: Stamp, first: boolean, signed: string | undefined): boolean {
    const sum = this.#sum.copy();
    const lines = new Lines(this.#disk, this.path, this.size, sum);
    const read = replay(this.statements, lines, this.#publicKey, this.#position, signed);
    if (first && this.#packed > 0 && (lines.failed || read.trouble !== undefined)) {
      // Only what was read in one go can be called damaged, and told line by line.
      this.#forget();
      return this.#takeOn(stamp, first, signed);
    }
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
    this.#sum = sum;
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
  readonly #sum: Hash;

  constructor(disk: Disk, path: string, from: number, sum: Hash) {
    this.#disk = disk;
    this.#path = path;
    this.#from = from;
    this.#sum = sum;
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
      this.#sum.update(whole);
      this.bytes += whole.length;
      begun = end === portion.length ? [] : [portion.subarray(end)];
    }
  }
}
