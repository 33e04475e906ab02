import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import type { LedgerFace } from '../../core/ledger/statement.ts';
import { sha256 } from '../../core/memory/memory.ts';
import type { Disk } from '../disk/disk.ts';
import { randomHex } from '../disk/random.ts';
import { oneFile } from './ledger-bytes.ts';
import { LedgerFile } from './ledger-file.ts';

/** What a copy says besides the ledger: more than it, or something else. */
export type CopyDiffers = 'longer' | 'another';

/** As many bytes hold the end of any entry, with the hash of the one before it and its signature. */
const END = 4096;

const COPY = /^([0-9a-f]{64})\.jsonl$/;
const ASIDE = /^([0-9a-f]{64})\.[a-z0-9-]+\.jsonl$/;

/**
 * Ledger lines this machine keeps for itself, outside the store. Of every ledger a copy: a line that is cut out of the
 * store later still lowers what it lowered. And lines set aside: lowerings made while the ledger could not take them, and
 * copies that no longer fit the ledger because a person accepted it as it was. What is set aside stays evidence.
 */
export class KeptCopies {
  readonly #folder: string;
  readonly #disk: Disk;
  /** As `fingerprints` last listed them: once for all ledgers, of which strangers may plant many. */
  #names: readonly string[] = [];
  /** Files of this folder as far as they have been read, by path. */
  readonly #read = new Map<string, LedgerFile>();
  /** What is kept lowers and never raises: a file here could be another store's, and nobody would notice. */
  readonly #faces = new Map<string, LedgerFace>();

  constructor(stateFolder: string, disk: Disk) {
    this.#folder = join(stateFolder, 'ledgers');
    this.#disk = disk;
  }

  /** Every ledger of which something is kept. */
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

  /** Takes over what the copy does not have yet of a ledger that is whole. */
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

  /** The copy of a ledger, read as far as it goes. */
  copy(fingerprint: string, publicKey: KeyObject | undefined): LedgerFile {
    return this.#upToDate(this.copyPath(fingerprint), fingerprint, publicKey);
  }

  /** How the copy, of so many bytes, differs from the ledger it should be the beginning of; one that is not whole says nothing. */
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

  /** By the last bytes of it: an entry names the one before it by its hash, so the same end has the same beginning. */
  #isBeginning(fingerprint: string, ledger: LedgerFile, copied: number): boolean {
    if (copied === 0 || copied > ledger.size) return copied === 0;
    const from = Math.max(0, copied - END);
    const mine = this.#disk.readFrom(this.copyPath(fingerprint), from, copied - from);
    const theirs = ledger.bytes.readFrom(from, copied - from);
    return mine !== undefined && theirs !== undefined && mine.equals(theirs);
  }

  /** After a person accepted the ledger as it is, a copy that says more is no copy of it any more. */
  setCopyAside(fingerprint: string): void {
    const copy = this.copyPath(fingerprint);
    if (this.#disk.exists(copy)) this.#disk.move(copy, this.asidePath(fingerprint));
  }

  /** What is set aside of this ledger. */
  asides(fingerprint: string, publicKey: KeyObject | undefined): readonly LedgerFile[] {
    const names = this.#names.filter((name) => name.startsWith(fingerprint) && ASIDE.test(name));
    return names.map((name) => this.#upToDate(join(this.#folder, name), fingerprint, publicKey));
  }

  /** Keeps lines this machine's key, or another's, did sign but whose ledger has no place for them. */
  setLinesAside(fingerprint: string, lines: readonly string[]): void {
    const text = lines.map((line) => `${line}\n`).join('');
    const path = this.#asidePath(fingerprint, `was-${sha256(text).slice(0, 12)}`);
    if (!this.#disk.exists(path)) this.#disk.replace(path, text);
  }

  /** Where lowerings go that the ledger cannot take: a chain of its own, moved out of the way once they are recorded. */
  lowerings(fingerprint: string, publicKey: KeyObject | undefined): LedgerFile {
    const path = this.#asidePath(fingerprint, 'lowered');
    const file = new LedgerFile(this.#face(fingerprint), oneFile(this.#disk, path), this.#disk, publicKey);
    file.takeIn();
    return file;
  }

  /** A file of its own for a lowering made without the lock: two processes that lower at once write no common chain. */
  loweringAlone(fingerprint: string, publicKey: KeyObject | undefined): LedgerFile {
    const path = this.#asidePath(fingerprint, `lowered-${randomHex(6)}`);
    return new LedgerFile(this.#face(fingerprint), oneFile(this.#disk, path), this.#disk, publicKey);
  }

  /** Every file of lowerings that are not recorded yet, as `fingerprints` last listed them. */
  unrecorded(fingerprint: string): string[] {
    const names = this.#names.filter((name) => name.startsWith(`${fingerprint}.lowered`));
    return names.filter((name) => ASIDE.test(name)).map((name) => join(this.#folder, name));
  }

  /** These lowerings are recorded: the file stays evidence under another name. */
  settleLowerings(fingerprint: string, path: string): void {
    this.#disk.move(path, this.#asidePath(fingerprint, `recorded-${randomHex(6)}`));
  }

  /** Forgets what was read, for an evidence that begins anew. */
  forget(): void {
    this.#read.clear();
  }

  #upToDate(path: string, fingerprint: string, publicKey: KeyObject | undefined): LedgerFile {
    const known = this.#read.get(path);
    if (known?.takeIn()) return known;
    const file = new LedgerFile(this.#face(fingerprint), oneFile(this.#disk, path), this.#disk, publicKey);
    file.takeIn();
    this.#read.set(path, file);
    return file;
  }

  #face(fingerprint: string): LedgerFace {
    const face = this.#faces.get(fingerprint) ?? { fingerprint, raises: false };
    this.#faces.set(fingerprint, face);
    return face;
  }

  /** A name for lines of a ledger that stay evidence although they do not stand in it. */
  asidePath(fingerprint: string): string {
    return this.#asidePath(fingerprint, `was-${randomHex(6)}`);
  }

  /** A name for a ledger's file that a person had replaced; nobody reads it but them. */
  replacedPath(fingerprint: string): string {
    return join(this.#folder, `${fingerprint}.replaced-${randomHex(6)}`);
  }

  #asidePath(fingerprint: string, tag: string): string {
    return join(this.#folder, `${fingerprint}.${tag}.jsonl`);
  }
}
