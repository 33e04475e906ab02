import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { sha256 } from '../../core/memory/memory.ts';
import type { Disk } from '../disk/disk.ts';
import { randomHex } from '../disk/random.ts';
import { oneFile } from './ledger-bytes.ts';
import { LedgerFile } from './ledger-file.ts';

/** How a copy differs from its ledger: it has more lines, or other lines. */
export type CopyDiffers = 'longer' | 'another';

/** 4,096 bytes hold the end of any entry, with its signature and the hash of the entry before it. */
const END = 4096;

const COPY = /^([0-9a-f]{64})\.jsonl$/;
const ASIDE = /^([0-9a-f]{64})\.[a-z0-9-]+\.jsonl$/;

/**
 * Ledger lines that this machine keeps outside the store. It keeps a copy of every ledger, so that a line which is
 * later cut from the store still lowers what it lowered. It also sets lines aside: lowerings made while the ledger
 * could not take them, and copies that no longer fit because a person accepted the ledger without those lines. Lines
 * set aside remain evidence.
 */
export class KeptCopies {
  readonly #folder: string;
  readonly #disk: Disk;
  /**
   * The files that `fingerprints` last listed. They are listed once for all ledgers, because strangers may add many.
   */
  #names: readonly string[] = [];
  /** The files of this folder that were read, by path, each as far as it was read. */
  readonly #read = new Map<string, LedgerFile>();

  constructor(stateFolder: string, disk: Disk) {
    this.#folder = join(stateFolder, 'ledgers');
    this.#disk = disk;
  }

  /** Every ledger of which lines are kept. */
  fingerprints(): string[] {
    this.#names = this.#disk.names(this.#folder);
    return this.#names.flatMap((name) => (COPY.exec(name) ?? ASIDE.exec(name))?.[1] ?? []);
  }

  copyPath(fingerprint: string): string {
    return join(this.#folder, `${fingerprint}.jsonl`);
  }

  copySize(fingerprint: string): number {
    return this.#disk.stamp(this.copyPath(fingerprint))?.size ?? 0;
  }

  /** Appends to the copy what a whole ledger has more. */
  extendCopy(fingerprint: string, ledger: LedgerFile): void {
    if (!this.#isBeginning(fingerprint, ledger, this.copySize(fingerprint))) this.setCopyAside(fingerprint);
    let kept = this.copySize(fingerprint);
    for (const portion of ledger.bytes.readPortions(kept)) {
      const missing = portion?.subarray(0, ledger.size - kept);
      if (missing === undefined || missing.length === 0) return;
      this.#disk.appendCopy(this.copyPath(fingerprint), missing);
      kept += missing.length;
    }
  }

  /** The copy of a ledger, read to its end. */
  copy(fingerprint: string, publicKey: KeyObject | undefined): LedgerFile {
    return this.#upToDate(this.copyPath(fingerprint), fingerprint, publicKey);
  }

  /**
   * How the copy, of this many bytes, differs from the ledger that it should be the beginning of. A copy that is not
   * whole is ignored.
   */
  differs(
    fingerprint: string,
    ledger: LedgerFile,
    copied: number,
    publicKey: KeyObject | undefined,
  ): CopyDiffers | undefined {
    if (this.#isBeginning(fingerprint, ledger, copied)) return undefined;
    const { damage, statements } = this.copy(fingerprint, publicKey);
    if (damage !== undefined) return undefined;
    const last = Math.min(statements.count, ledger.statements.count) - 1;
    if (statements.hashAt(last) !== ledger.statements.hashAt(last)) return 'another';
    return statements.count > ledger.statements.count ? 'longer' : undefined;
  }

  /**
   * Whether the copy is the beginning of the ledger. Its last bytes tell: every entry names the one before it by hash,
   * so equal ends have equal beginnings.
   */
  #isBeginning(fingerprint: string, ledger: LedgerFile, copied: number): boolean {
    if (copied === 0 || copied > ledger.size) return copied === 0;
    const from = Math.max(0, copied - END);
    const mine = this.#disk.readFrom(this.copyPath(fingerprint), from, copied - from);
    const theirs = ledger.bytes.readFrom(from, copied - from);
    return mine !== undefined && theirs !== undefined && mine.equals(theirs);
  }

  /** Sets the copy aside after a person accepted the ledger without the lines that only the copy has. */
  setCopyAside(fingerprint: string): void {
    const copy = this.copyPath(fingerprint);
    if (this.#disk.exists(copy)) this.#disk.move(copy, this.asidePath(fingerprint));
  }

  /** The files that are set aside for this ledger. */
  asides(fingerprint: string, publicKey: KeyObject | undefined): readonly LedgerFile[] {
    const names = this.#names.filter((name) => name.startsWith(fingerprint) && ASIDE.test(name));
    return names.map((name) => this.#upToDate(join(this.#folder, name), fingerprint, publicKey));
  }

  /** Keeps signed lines that do not fit into their ledger. */
  setLinesAside(fingerprint: string, lines: readonly string[]): void {
    const text = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    const path = this.#asidePath(fingerprint, `was-${sha256(text).slice(0, 12)}`);
    // Anybody who knows the lines can have put another file there, or a folder, which no file replaces.
    if (this.#disk.isFolder(path)) this.#disk.move(path, `${path}.not-ours-${randomHex(6)}`);
    const there = this.#disk.read(path, text.length);
    if (there.kind !== 'file' || !there.bytes.equals(text)) this.#disk.replace(path, text);
  }

  /**
   * The file for lowerings that the ledger cannot take. It is a chain of its own, and is renamed once the lowerings are
   * recorded.
   */
  lowerings(fingerprint: string, publicKey: KeyObject | undefined): LedgerFile {
    const file = this.#fileAt(this.#asidePath(fingerprint, 'lowered'), fingerprint, publicKey);
    file.takeIn();
    return file;
  }

  /**
   * A separate file for a lowering made without the lock, because two processes that lower at once cannot share a
   * chain.
   */
  loweringAlone(fingerprint: string, publicKey: KeyObject | undefined): LedgerFile {
    return this.#fileAt(this.#asidePath(fingerprint, `lowered-${randomHex(6)}`), fingerprint, publicKey);
  }

  /** Every file of lowerings that are not recorded yet, from the last listing by `fingerprints`. */
  unrecorded(fingerprint: string): string[] {
    const names = this.#names.filter((name) => name.startsWith(`${fingerprint}.lowered`));
    return names.filter((name) => ASIDE.test(name)).map((name) => join(this.#folder, name));
  }

  /** Renames a file whose lowerings are recorded. It remains evidence. */
  settleLowerings(fingerprint: string, path: string): void {
    this.#disk.move(path, this.#asidePath(fingerprint, `recorded-${randomHex(6)}`));
  }

  /** Drops what was read, when all evidence is read again. */
  forget(): void {
    this.#read.clear();
  }

  #upToDate(path: string, fingerprint: string, publicKey: KeyObject | undefined): LedgerFile {
    const known = this.#read.get(path);
    if (known?.takeIn()) return known;
    const file = this.#fileAt(path, fingerprint, publicKey);
    file.takeIn();
    this.#read.set(path, file);
    return file;
  }

  /**
   * Kept lines lower and never raise, because a file here could come from another store unnoticed. Each file is a chain of its
   * own: what stands in one says nothing about what stands before it in another.
   */
  #fileAt(path: string, fingerprint: string, publicKey: KeyObject | undefined): LedgerFile {
    return new LedgerFile({ fingerprint, raises: false }, oneFile(this.#disk, path), this.#disk, publicKey);
  }

  /** A name for lines that remain evidence although their ledger does not hold them. */
  asidePath(fingerprint: string): string {
    return this.#asidePath(fingerprint, `was-${randomHex(6)}`);
  }

  /** A name for a ledger's file that a person had replaced. Only people read it. */
  replacedPath(fingerprint: string): string {
    return join(this.#folder, `${fingerprint}.replaced-${randomHex(6)}`);
  }

  #asidePath(fingerprint: string, tag: string): string {
    return join(this.#folder, `${fingerprint}.${tag}.jsonl`);
  }
}
