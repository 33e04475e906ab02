import { createHash, type Hash, type KeyObject } from 'node:crypto';
import { type Head, publicKeyOf } from '../../core/ledger/entry.ts';
import { Statements } from '../../core/ledger/packed-statements.ts';
import { type Position, replay, START, type Trouble } from '../../core/ledger/replay.ts';
import type { LedgerFace } from '../../core/ledger/statement.ts';
import type { Disk, Stamp } from '../disk/disk.ts';
import { overtaken } from '../disk/disk-errors.ts';
import type { PackedLedgers } from './ledger-cache.ts';
import { LEDGER_LIMITS, LedgerLines } from './ledger-lines.ts';
import { sameStamp } from './signed-file.ts';

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
  #atMost = 0;
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

  /** Whether or not there was a ledger in them. */
  get bytesRead(): number {
    return Math.min(this.#stamp?.size ?? 0, this.#atMost);
  }

  get lastAt(): number {
    return this.#position.lastAt;
  }

  /** Takes off what a crash left after the last whole line; it would otherwise become part of the next one. */
  dropTornLine(): void {
    const stamp = this.#disk.stamp(this.path);
    if (stamp === undefined || stamp.size <= this.size) return;
    // Whole lines are no crash's doing, and somebody was told that they are there.
    for (const portion of this.#disk.readPortions(this.path, this.size))
      if (portion?.includes(0x0a) !== false) throw overtaken();
    this.#disk.truncate(this.path, this.size);
    this.#stamp = this.#disk.stamp(this.path);
  }

  /**
   * Takes in what was added since the last look; false when the file is not a continuation of what was read. `signed` is
   * the line that this process has just put at its end, whose signature need not be proven again. Of a file of more than
   * `atMost` bytes the beginning is read.
   */
  takeIn(signed?: string, atMost: number = LEDGER_LIMITS.bytes): boolean {
    const stamp = this.#disk.stamp(this.path);
    const first = this.#stamp === undefined;
    if (stamp === undefined) {
      this.damage = this.#disk.exists(this.path) ? 'unreadable' : undefined;
      return first;
    }
    if (sameStamp(stamp, this.#stamp)) return true;
    // A file of the same length that was written to since was not appended to.
    const before = this.#stamp;
    const grown = this.damage === undefined && stamp.inode === before?.inode && stamp.size > before.size;
    if (!first && !grown) return false;

    this.#atMost = atMost;
    if (first) this.#takeBack(Math.min(stamp.size, atMost));
    const goesOn = this.#takeOn(stamp, first, signed, atMost);
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

  #takeOn(stamp: Stamp, first: boolean, signed: string | undefined, atMost: number): boolean {
    const sum = this.#sum.copy();
    const lines = new LedgerLines(this.#disk, this.path, this.size, atMost, sum);
    const read = replay(this.statements, lines, this.#publicKey, this.#position, signed);
    if (first && this.#packed > 0 && (lines.failed || read.trouble !== undefined)) {
      // Only what was read in one go can be called damaged, and told line by line.
      this.#forget();
      return this.#takeOn(stamp, first, signed, atMost);
    }
    if (lines.failed) {
      this.damage = 'unreadable';
      this.statements = new Statements(this.statements.ledger);
      return first;
    }
    const trouble = stamp.size > atMost ? 'too-large' : read.trouble;
    if (trouble !== undefined && !first) return false;
    this.damage = trouble;
    this.#publicKey = read.publicKey;
    this.machine = read.machine ?? this.machine;
    this.#position = read.end;
    this.#stamp = stamp;
    this.#sum = sum;
    this.size += lines.bytes;
    return true;
  }
}
