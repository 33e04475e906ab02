import { createHmac, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { PACKING, type Packed } from '../../core/ledger/packed-statements.ts';
import type { Position } from '../../core/ledger/replay.ts';
import { VERSION } from '../../version.ts';
import type { Disk } from '../disk/disk.ts';
import { diskTrouble } from '../disk/disk-errors.ts';
import type { MachineKey } from './machine-key.ts';

/** What was read of a whole ledger. All of it follows from the ledger's name and its first bytes. */
export interface CachedLedger {
  /** The number of those bytes. */
  readonly size: number;
  /** The SHA-256 of those bytes. */
  readonly sum: string;
  readonly end: Position;
  readonly machine: string | undefined;
  readonly publicKey: string;
  readonly statements: Packed;
}

type CacheHead = Omit<CachedLedger, 'statements'> & {
  readonly commons: Packed['commons'];
  readonly rows: number;
  readonly chunks: readonly number[];
};

const SEAL = 32;
const LENGTH = 4;

/**
 * Ledgers as they were read, kept in the cache folder so that the next process checks and parses only new lines. Each
 * is sealed with a secret of this machine and is valid only for exactly the bytes that it was read from. So writing
 * into the cache folder can only make a ledger be read again. It holds no decision about trust: that is made whenever
 * it is asked for. It is not used where any ledger requires a passkey, because a program that has the machine's key has the secret
 * too.
 */
export class LedgerCache {
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #secret: Buffer;
  #isOff = false;

  constructor(cacheFolder: string, disk: Disk, key: MachineKey) {
    this.#folder = join(cacheFolder, 'ledgers');
    this.#disk = disk;
    this.#secret = key.secretFor(JSON.stringify(['surety-packed-ledger-1', VERSION, PACKING]));
  }

  /** From now on nothing is read from the cache or kept in it. */
  turnOff(): void {
    this.#isOff = true;
  }

  get isOff(): boolean {
    return this.#isOff;
  }

  /**
   * The cached reading of a ledger with this many bytes. Undefined for anything that this machine has not sealed for
   * that ledger.
   */
  read(fingerprint: string, bytes: number): CachedLedger | undefined {
    if (this.#isOff) return undefined;
    // At most twice the ledger's size, because a line is usually several times larger than its packed row. Lines with
    // many first sights are the exception.
    const found = this.#disk.read(this.#path(fingerprint), 2 * bytes);
    if (found.kind !== 'file' || found.bytes.length <= SEAL + LENGTH) return undefined;
    const sealed = found.bytes.subarray(SEAL);
    if (!timingSafeEqual(found.bytes.subarray(0, SEAL), this.#sealOf(fingerprint, [sealed]))) return undefined;
    const start = LENGTH + sealed.readUInt32LE();
    const { commons, rows, chunks, ...head } = JSON.parse(sealed.toString('utf8', LENGTH, start)) as CacheHead;
    // A program with the machine's key can seal anything here. With something else than a number no byte of the ledger would be
    // read, and so no requirement of a passkey be seen.
    if (!Number.isSafeInteger(head.size) || head.size <= 0) return undefined;
    let at = start;
    const numbers = () => {
      const copy = new Uint32Array(rows);
      at += sealed.copy(Buffer.from(copy.buffer), 0, at, at + copy.byteLength);
      return copy;
    };
    const packed = { commons, rows: numbers(), idKeys: numbers(), hashKeys: numbers() };
    const parts = chunks.map((length) => {
      at += length;
      return sealed.subarray(at - length, at);
    });
    return { ...head, statements: { ...packed, chunks: parts } };
  }

  keep(fingerprint: string, { statements, ...head }: CachedLedger): void {
    if (this.#isOff) return;
    const { commons, rows, idKeys, hashKeys, chunks } = statements;
    const cacheHead: CacheHead = { ...head, commons, rows: rows.length, chunks: chunks.map(({ length }) => length) };
    const text = Buffer.from(JSON.stringify(cacheHead));
    const length = Buffer.alloc(LENGTH);
    length.writeUInt32LE(text.length);
    const numbers = [rows, idKeys, hashKeys].map((each) => Buffer.from(each.buffer, each.byteOffset, each.byteLength));
    const parts = [length, text, ...numbers, ...chunks];
    try {
      this.#disk.makeFolder(this.#folder);
      this.#disk.replaceCache(this.#path(fingerprint), [this.#sealOf(fingerprint, parts), ...parts]);
    } catch (error) {
      // If the disk refuses, the next process reads the ledger in full, as this one did.
      if (diskTrouble(error) === undefined) throw error;
    }
  }

  /** Removes what is kept of a ledger, so that no later process reads it in vain. */
  drop(fingerprint: string): void {
    const path = this.#path(fingerprint);
    try {
      if (this.#disk.exists(path)) this.#disk.removeCache(path);
    } catch (error) {
      if (diskTrouble(error) === undefined) throw error;
    }
  }

  #sealOf(fingerprint: string, parts: readonly Buffer[]): Buffer {
    const seal = createHmac('sha256', this.#secret).update(`${fingerprint}\n`);
    for (const part of parts) seal.update(part);
    return seal.digest();
  }

  #path(fingerprint: string): string {
    return join(this.#folder, `${fingerprint}.packed`);
  }
}
