import type { KeyObject } from 'node:crypto';
import { type Head, hashOf, publicKeyOf } from '../../core/ledger/entry.ts';
import { Statements } from '../../core/ledger/packed-statements.ts';
import { type LedgerTrouble, type Position, replay, START } from '../../core/ledger/replay.ts';
import type { LedgerTrust } from '../../core/ledger/statement.ts';
import type { Disk } from '../disk/disk.ts';
import { overtaken } from '../disk/disk-errors.ts';
import { sameStamp } from '../disk/reading-disk.ts';
import { joinSegments } from './join-segments.ts';
import { LedgerBytes, type LedgerPlace, SEGMENTS, type StampedFile, WatchedHash } from './ledger-bytes.ts';
import type { LedgerCache } from './ledger-cache.ts';
import { LEDGER_LIMITS, LedgerLines } from './ledger-lines.ts';

/** The cache is written after 500 new lines, or 2 % of the ledger if that is more; fewer are cheaper to read again. */
const READ_AGAIN = { lines: 500, share: 0.02 } as const;
/** At most 5 tries when a ledger's files are joined while they are read. */
const TRIES = 5;

/** What only entries hold that require a passkey, or that know of a requiring entry. */
const REQUIREMENT = '"recovery":"';

/** A ledger of a store, and whether it counts there. */
export interface OpenLedger {
  readonly trust: LedgerTrust;
  readonly file: LedgerFile;
  trouble: LedgerTrouble | undefined;
}

/** Options for reading a ledger. */
interface ReadOptions {
  /** The line that this process has just appended. Its signature need not be checked. */
  readonly signed?: string | undefined;
  /** At most this many bytes are read from the ledger's beginning. */
  readonly atMost?: number;
  /** The ledger's files, if they are listed already. */
  readonly paths?: readonly string[];
  /** The files as `append` has left them. */
  readonly appended?: readonly StampedFile[];
}

/** The files after lines were appended, and whether a new one was begun. */
interface Appended {
  readonly files: readonly StampedFile[];
  readonly isNewFile: boolean;
}

/**
 * One ledger, in one file or several, as far as it has been read. It only grows; after any other change it is read
 * again from the beginning.
 *
 * A reading (`takeIn`) has these steps. It lists the files. It takes from the cache what an earlier process read of exactly
 * these bytes, the first time only. It reads on from there, line by line. It lists the files again: if they were joined or
 * replaced meanwhile, it starts over.
 */
export class LedgerFile {
  statements: Statements;
  /** Bytes of whole lines. A line that a crash cut off may follow, and is dropped. */
  size = 0;
  damage: LedgerTrouble | undefined;
  /** The machine's name in the last entry that was read; its writer chose it. */
  machine: string | undefined;
  readonly #place: LedgerPlace;
  readonly #disk: Disk;
  readonly #cache: LedgerCache | undefined;
  readonly #givenKey: KeyObject | undefined;
  #publicKey: KeyObject | undefined;
  #position: Position = START;
  /** The files as they were read; undefined before the first reading. */
  #bytes: LedgerBytes | undefined;
  #atMost = 0;
  /** The hash of the bytes that were read. */
  #sum = new WatchedHash(REQUIREMENT);
  /** How many rows the cache has. */
  #cachedRows = 0;
  #isFromCache = false;

  constructor(
    trust: LedgerTrust,
    place: LedgerPlace,
    disk: Disk,
    publicKey: KeyObject | undefined,
    cache: LedgerCache | undefined = undefined,
  ) {
    this.statements = new Statements(trust);
    this.#place = place;
    this.#disk = disk;
    this.#givenKey = publicKey;
    this.#publicKey = publicKey;
    this.#cache = cache;
  }

  get head(): Head {
    return this.#position.head;
  }

  /** The raw public key of this ledger in base64url, once a first line has been read. */
  get publicKey(): string | undefined {
    return this.#publicKey?.export({ format: 'jwk' }).x;
  }

  /** How many bytes were read, including bytes that are no ledger lines. */
  get bytesRead(): number {
    return Math.min(this.#bytes?.size ?? 0, this.#atMost);
  }

  /** Whether an entry requires a passkey, or knows of one that does; true also where that is over or was never genuine. */
  get requiresPasskey(): boolean {
    return this.#sum.isFound;
  }

  /** Whether some of it was not read from its lines by this process. */
  get isFromCache(): boolean {
    return this.#isFromCache;
  }

  get lastAt(): number {
    return this.#position.lastAt;
  }

  /** The files as they were last read. */
  get bytes(): LedgerBytes {
    return this.#bytes ?? new LedgerBytes(this.#disk, []);
  }

  /**
   * Appends lines to the open file, or to a new file if the open one would become too large. Lines of version 1 stay in one
   * file, together with the first line of version 2. The caller holds the lock, and has read the files under it: they are not
   * listed again before the write, because the open file takes the lines only at the end that was read, and the other files are
   * compared after the write.
   */
  append(lines: readonly string[]): Appended {
    const files = this.#withoutTornLine();
    const text = Buffer.from(`${lines.join('\n')}\n`);
    const open = files.at(-1);
    const size = open?.stamp.size ?? 0;
    const isFull = this.#position.version > 1 && size > 0 && size + text.length > this.#place.open;
    const path = open === undefined || isFull ? this.#place.at(this.head.count) : open.path;
    const end = isFull ? 0 : size;
    this.#disk.append(path, text, end);
    // Another process may have written to another file, if the lock was removed while this process was paused.
    const others = (found: readonly StampedFile[]) => found.filter((file) => file.path !== path);
    const now = this.#filesAfter(files);
    if (!sameSizes(others(now), others(files))) {
      this.#disk.truncate(path, end);
      throw overtaken();
    }
    return { files: now, isNewFile: isFull };
  }

  /**
   * The files now, of which these are known. The full ones before the open one are not looked at again, because nobody appends
   * to them.
   */
  #filesAfter(known: readonly StampedFile[]): readonly StampedFile[] {
    const full = known.slice(0, -1);
    const paths = this.#place.paths();
    if (!full.every(({ path }, at) => path === paths[at])) return this.#listFiles().files;
    return [...full, ...this.#listFiles(paths.slice(full.length)).files];
  }

  /** Joins full files. Their content stays the same, so what was read remains valid. The caller holds the lock. */
  joinFiles(): void {
    try {
      joinSegments(this.#disk, this.bytes);
    } finally {
      this.takeIn();
    }
  }

  /** The files without what a crash left after the last whole line, because it would become part of the next line. */
  #withoutTornLine(): readonly StampedFile[] {
    if (this.bytes.size <= this.size) return this.bytes.parts;
    const { files } = this.#listFiles();
    const bytes = new LedgerBytes(this.#disk, files, this.#bytes);
    if (bytes.size <= this.size) return files;
    // A crash leaves no whole lines: another process wrote them and has reported them as written.
    for (const portion of bytes.readPortions(this.size)) if (portion?.includes(0x0a) !== false) throw overtaken();
    for (const { path, start, repeats, stamp } of bytes.parts) {
      const end = repeats + Math.max(0, this.size - start);
      if (end < stamp.size) this.#disk.truncate(path, end);
    }
    const whole = this.#listFiles().files;
    this.#bytes = new LedgerBytes(this.#disk, whole, this.#bytes);
    return whole;
  }

  /** Reads what was added since the last reading. Returns false if the files do not continue what was read. */
  takeIn({ signed, atMost = LEDGER_LIMITS.bytes, paths, appended }: ReadOptions = {}): boolean {
    const first = this.#bytes === undefined;
    let { files, linked } = appended === undefined ? this.#listFiles(paths) : { files: appended, linked: false };
    for (let tries = 1; ; tries++) {
      if (linked || files.length === 0) {
        this.damage = linked ? 'unreadable' : undefined;
        return first;
      }
      if (!first && sameFiles(files, this.bytes.parts)) return true;
      const bytes = new LedgerBytes(this.#disk, files, this.#bytes);
      if (!first && !this.#isContinuedBy(bytes)) return false;
      this.#atMost = atMost;
      if (first) this.#takeFromCache(bytes, atMost);
      const before = this.bytes.parts;
      const goesOn = this.#readOn(bytes, first, signed, atMost);
      const read = first ? files : files.filter((file, at) => !sameFile(file, before[at]));
      if (tries === TRIES || read.every((file) => this.#isStill(file))) {
        if (first) this.keepInCache();
        return goesOn;
      }
      // The files were joined or replaced while they were read.
      if (!first) return false;
      this.#startOver();
      ({ files, linked } = this.#listFiles());
    }
  }

  /**
   * Writes what was read to the cache, once that saves the next process more than it costs. Of a ledger that requires a
   * passkey nothing is kept.
   */
  keepInCache(): void {
    const { rows: count } = this.statements;
    if (count - this.#cachedRows < Math.max(READ_AGAIN.lines, count * READ_AGAIN.share)) return;
    const { publicKey } = this;
    if (this.#cache === undefined || this.damage !== undefined || publicKey === undefined) return;
    const { sum } = this.#sum;
    const { fingerprint } = this.statements.ledger;
    this.#cachedRows = count;
    if (sum === undefined) {
      this.#cache.drop(fingerprint);
      return;
    }
    const { size, machine } = this;
    const statements = this.statements.packed();
    this.#cache.keep(fingerprint, { size, sum, end: this.#position, machine, publicKey, statements });
  }

  /**
   * The files in order. A file that vanished after the listing was joined to another, so all files are listed again.
   */
  #listFiles(listed?: readonly string[]): { readonly files: readonly StampedFile[]; readonly linked: boolean } {
    let paths = listed ?? this.#place.paths();
    for (let tries = 1; ; tries++) {
      // One file over the limit is enough to see that there are too many.
      const files = paths.slice(0, SEGMENTS.files + 1).map((path) => ({ path, stamp: this.#disk.stamp(path) }));
      const missing = files.filter(({ stamp }) => stamp === undefined);
      const linked = missing.some(({ path }) => this.#disk.exists(path));
      if (missing.length === 0 || linked || tries === TRIES)
        return { files: files.flatMap(({ path, stamp }) => (stamp === undefined ? [] : [{ path, stamp }])), linked };
      paths = this.#place.paths();
    }
  }

  /** Whether there is still the same file at its path. Only what was appended since may differ. */
  #isStill(file: StampedFile): boolean {
    const stamp = this.#disk.stamp(file.path);
    return stamp !== undefined && isGrown(file, { ...file, stamp });
  }

  /** Whether changed files still begin with what was read. */
  #isContinuedBy(bytes: LedgerBytes): boolean {
    const before = this.bytes.parts;
    if (this.damage !== undefined || bytes.forked) return false;
    const grown = before.every((part, at) =>
      at < before.length - 1 ? sameFile(part, bytes.parts[at]) : isGrown(part, bytes.parts[at]),
    );
    // A changed file of unchanged length was rewritten, not appended to.
    if (grown && bytes.size > this.bytes.size) return true;
    if (bytes.parts.length === before.length) return false;
    // Joined files hold the same bytes as before.
    const { sum } = this.#sum;
    if (sum === undefined) return this.#hasLinesOf(bytes);
    const hash = new WatchedHash(REQUIREMENT);
    return bytes.hashStart(this.size, hash) && hash.sum === sum;
  }

  /** Whether the bytes begin with exactly the lines that were read. */
  #hasLinesOf(bytes: LedgerBytes): boolean {
    const lines = new LedgerLines(bytes, 0, this.size);
    let count = 0;
    for (const line of lines) if (hashOf(line) !== this.statements.hashAt(count++)) return false;
    return !lines.failed && lines.bytes === this.size && count === this.statements.count;
  }

  /** Takes over what an earlier process read, if the files still begin with exactly those bytes. */
  #takeFromCache(bytes: LedgerBytes, atMost: number): void {
    const { ledger } = this.statements;
    const kept = this.#cache?.read(ledger.fingerprint, Math.min(bytes.size, atMost));
    const sum = new WatchedHash(REQUIREMENT);
    if (kept === undefined || !bytes.hashStart(kept.size, sum) || sum.sum !== kept.sum) return;
    this.statements = Statements.unpacked(ledger, kept.statements);
    this.machine = kept.machine;
    this.size = kept.size;
    this.#publicKey = publicKeyOf(kept.publicKey);
    this.#position = kept.end;
    this.#sum = sum;
    this.#cachedRows = this.statements.rows;
    this.#isFromCache = true;
  }

  /** Resets everything to the state before the first reading. */
  #startOver(): void {
    this.statements = new Statements(this.statements.ledger);
    this.machine = undefined;
    this.damage = undefined;
    this.size = 0;
    this.#bytes = undefined;
    this.#publicKey = this.#givenKey;
    this.#position = START;
    this.#sum = new WatchedHash(REQUIREMENT);
    this.#cachedRows = 0;
    this.#isFromCache = false;
  }

  /**
   * Reads the lines behind what was read so far. What they say is kept if the ledger is whole, and after the first reading in
   * any case. Otherwise it returns false, and the ledger has to be read from the beginning.
   */
  #readOn(bytes: LedgerBytes, first: boolean, signed: string | undefined, atMost: number): boolean {
    const sum = this.#sum.copy();
    const lines = new LedgerLines(bytes, this.size, atMost, sum);
    const read = replay(this.statements, lines, this.#publicKey, this.#position, signed);
    const trouble = this.#troubleWith(bytes, atMost) ?? read.trouble;
    if (this.#isFromCache && first && (lines.failed || trouble !== undefined || sum.isFound)) {
      // Damage is only judged by a reading from the beginning, which checks every line's signature. And a program that has the
      // machine's key could have packed what lies before a requirement.
      this.#startOver();
      return this.#readOn(bytes, first, signed, atMost);
    }
    if (lines.failed) {
      this.damage = 'unreadable';
      this.statements = new Statements(this.statements.ledger);
      return first;
    }
    if (trouble !== undefined && !first) return false;
    this.damage = trouble;
    this.statements.ledger.isDamaged = trouble !== undefined;
    this.#publicKey = read.publicKey;
    this.machine = read.machine ?? this.machine;
    this.#position = read.end;
    this.#bytes = bytes;
    this.#sum = sum;
    this.size += lines.bytes;
    return true;
  }

  /** The trouble with the files themselves, whatever lines they hold. */
  #troubleWith(bytes: LedgerBytes, atMost: number): LedgerTrouble | undefined {
    if (bytes.size > atMost || bytes.parts.length > SEGMENTS.files) return 'too-large';
    if (bytes.forked) return 'forked';
    return bytes.parts[0]?.path === this.#place.at(0) ? undefined : 'broken';
  }
}

function sameFile(a: StampedFile, b: StampedFile | undefined): boolean {
  return a.path === b?.path && sameStamp(a.stamp, b.stamp);
}

function sameFiles(a: readonly StampedFile[], b: readonly StampedFile[]): boolean {
  return a.length === b.length && a.every((file, at) => sameFile(file, b[at]));
}

function sameSizes(a: readonly StampedFile[], b: readonly StampedFile[]): boolean {
  return (
    a.length === b.length && a.every(({ path, stamp }, at) => path === b[at]?.path && stamp.size === b[at].stamp.size)
  );
}

/** Whether it is the same file, unchanged or appended to. */
function isGrown(a: StampedFile, b: StampedFile | undefined): boolean {
  return a.path === b?.path && a.stamp.inode === b.stamp.inode && a.stamp.size <= b.stamp.size;
}

/**
 * Whether nothing of these ledgers is believed that a program with the machine's key could have put into the cache: once any
 * ledger, or a line that is kept of one, requires a passkey, all have to be read from their lines. Words in a ledger are enough
 * for that, because it can depend on what was in the cache whether they are genuine.
 */
export function areReadFromLines(files: readonly LedgerFile[]): boolean {
  return !files.some(({ isFromCache }) => isFromCache);
}
