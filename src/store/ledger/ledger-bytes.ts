import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { nameOfSegment, segmentNamed, seqOf } from '../../core/ledger/segments.ts';
import type { Disk, Stamp } from '../disk/disk.ts';
import { sameStamp } from '../disk/reading-disk.ts';
import { LEDGER_LIMITS } from './ledger-lines.ts';

export const SEGMENTS = {
  /**
   * At most 64 KiB in the file that is appended to, because each sync that adds a line stores that file whole: 36 KB
   * where it is all hashes, which hardly compress.
   */
  open: 65_536,
  /** At most 5 MiB in a joined file, because repository hosts refuse files of 100 MB. */
  joined: 5_242_880,
  /**
   * At most 1,000 files a ledger, because the 256 MiB that are read need only 52 joined files and 80 that wait to be
   * joined.
   */
  files: 1_000,
} as const;

/** Where the files of one ledger are. */
export interface LedgerPlace {
  /** The existing files, in order. */
  paths(): readonly string[];
  /** The path of the file that begins with this entry. */
  at(first: number): string;
  /** No file is appended to once it has this size. */
  readonly open: number;
}

/** A ledger in a store's folder, in any number of files. */
export function segmented(disk: Disk, folder: string, fingerprint: string): LedgerPlace {
  return {
    paths: () => pathsByLedger(disk, folder).get(fingerprint) ?? [],
    at: (first) => join(folder, nameOfSegment({ fingerprint, first })),
    open: SEGMENTS.open,
  };
}

/** Lines that this machine keeps for itself, in one file. */
export function oneFile(disk: Disk, path: string): LedgerPlace {
  return { paths: () => (disk.exists(path) ? [path] : []), at: () => path, open: Number.POSITIVE_INFINITY };
}

interface Listing {
  readonly folder: string;
  readonly names: readonly string[];
  readonly paths: ReadonlyMap<string, readonly string[]>;
}

/** What was listed last. Most listings find the same names again, and taking 64 names apart takes longer than listing them. */
const lastListings = new WeakMap<Disk, Listing>();

/** The files of every ledger in a folder, in each ledger's order. */
export function pathsByLedger(disk: Disk, folder: string): ReadonlyMap<string, readonly string[]> {
  const names = disk.names(folder);
  const last = lastListings.get(disk);
  const isSame = last?.folder === folder && last.names.length === names.length;
  if (isSame && last.names.every((name, at) => name === names[at])) return last.paths;
  const paths = pathsIn(folder, names);
  lastListings.set(disk, { folder, names, paths });
  return paths;
}

function pathsIn(folder: string, names: readonly string[]): Map<string, readonly string[]> {
  const found = new Map<string, { readonly first: number; readonly path: string }[]>();
  for (const name of names) {
    const segment = segmentNamed(name);
    if (segment === undefined) continue;
    const files = found.get(segment.fingerprint) ?? [];
    files.push({ first: segment.first, path: join(folder, name) });
    found.set(segment.fingerprint, files);
  }
  return new Map(
    [...found].map(([fingerprint, files]) => [
      fingerprint,
      files.sort((a, b) => a.first - b.first).map(({ path }) => path),
    ]),
  );
}

export interface StampedFile {
  readonly path: string;
  readonly stamp: Stamp;
}

/** These files as one run of bytes. Anything but an ordinary file is left out. */
export function bytesAt(disk: Disk, paths: readonly string[]): LedgerBytes {
  const files = paths.slice(0, SEGMENTS.files).flatMap((path) => {
    const stamp = disk.stamp(path);
    return stamp === undefined ? [] : [{ path, stamp }];
  });
  return new LedgerBytes(disk, files);
}

/** A file and its position in the joined bytes of all files. */
interface LedgerPart extends StampedFile {
  /** How many of its first bytes the files before it have already. */
  readonly repeats: number;
  readonly start: number;
}

const LINE_FEED = 0x0a;
/** Enough for the beginning of a line, and for any whole line with the byte before it. */
const BEGINNING = 64;
const ANY_LINE = LEDGER_LIMITS.line + BEGINNING;
/** Where lines are read that are only looked at. V8 frees buffers late, and one for the end of each file of a large ledger would take 17 MB. */
const LINES = Buffer.allocUnsafeSlow(ANY_LINE);

/** The files of one ledger, read as one run of bytes. Lines that a file repeats from the files before it count once. */
export class LedgerBytes {
  readonly parts: readonly LedgerPart[];
  /** Whether a file has another line for an entry than a file before it. */
  readonly forked: boolean;
  readonly #disk: Disk;

  /** `known` is an earlier reading: unchanged files are not read again. */
  constructor(disk: Disk, files: readonly StampedFile[], known?: LedgerBytes) {
    this.#disk = disk;
    const parts: LedgerPart[] = [];
    this.parts = parts;
    let forked = false;
    for (const [at, file] of files.entries()) {
      const before = known?.parts[at];
      const isKnown = before !== undefined && repeatsAsMuch(before, file);
      if (!isKnown) known = undefined;
      const repeats = isKnown ? before.repeats : this.#repeatedIn(file);
      if (repeats === undefined) forked = true;
      parts.push({ ...file, repeats: repeats ?? 0, start: this.size });
    }
    this.forked = forked || (known?.forked ?? false);
  }

  get size(): number {
    const last = this.parts.at(-1);
    return last === undefined ? 0 : last.start + last.stamp.size - last.repeats;
  }

  /** Reads from an offset to the end, in portions. The last portion is undefined if the files cannot be read. */
  *readPortions(offset: number): Iterable<Buffer | undefined> {
    for (const [at, { path, repeats, start }] of this.parts.entries()) {
      const end = this.parts[at + 1]?.start ?? Number.POSITIVE_INFINITY;
      let next = Math.max(offset, start);
      if (next >= end) continue;
      for (const read of this.#disk.readPortions(path, repeats + next - start)) {
        if (read === undefined) return yield undefined;
        const portion = read.subarray(0, end - next);
        next += portion.length;
        if (portion.length > 0) yield portion;
      }
    }
  }

  /** Reads into `room`, or into a buffer of its own. */
  readFrom(offset: number, atMost: number, room?: Buffer): Buffer | undefined {
    const bytes = room ?? Buffer.allocUnsafe(Math.max(0, Math.min(atMost, this.size - offset)));
    let got = 0;
    for (const [at, { path, repeats, start }] of this.parts.entries()) {
      const end = Math.min(offset + atMost, this.parts[at + 1]?.start ?? Number.POSITIVE_INFINITY);
      const from = Math.max(offset, start);
      if (from >= end) continue;
      const read = this.#disk.readFrom(path, repeats + from - start, end - from, bytes.subarray(got));
      if (read === undefined) return undefined;
      got += read.length;
    }
    return bytes.subarray(0, got);
  }

  /** Takes the first bytes into the hash. False if there are fewer, or they cannot be read. */
  hashStart(length: number, hash: WatchedHash): boolean {
    if (this.size < length) return false;
    for (const [at, { path, repeats, start }] of this.parts.entries()) {
      const end = Math.min(length, this.parts[at + 1]?.start ?? length);
      if (end > start && !this.#disk.hashPart(path, repeats, repeats + end - start, hash)) return false;
    }
    return true;
  }

  /** How many first bytes of the next file are here already; undefined if they differ from what is here. */
  #repeatedIn({ path, stamp }: StampedFile): number | undefined {
    if (this.size === 0 || stamp.size === 0) return 0;
    const seq = seqOf(this.#disk.readFrom(path, 0, BEGINNING)?.toString('latin1') ?? '');
    const last = this.#lastSeq();
    if (seq === undefined || last === undefined || seq > last) return 0;
    const place = this.#placeOf(seq);
    const length = place === undefined ? 0 : Math.min(this.size - place, stamp.size);
    const [here, there] = [this.readFrom(place ?? 0, length), this.#disk.readFrom(path, 0, length)];
    return length > 0 && here !== undefined && there?.equals(here) ? length : undefined;
  }

  #lastSeq(): number | undefined {
    const from = Math.max(0, this.size - ANY_LINE);
    const end = this.readFrom(from, this.size - from, LINES);
    const last = end?.lastIndexOf(LINE_FEED, -2) ?? -1;
    return end && seqOf(end.toString('latin1', last + 1, last + 1 + BEGINNING));
  }

  /** Where the line of an entry begins. Entries are in order, so a binary search finds it. */
  #placeOf(seq: number): number | undefined {
    let [low, high] = [0, this.size];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const line = this.#lineFrom(middle);
      if (line === undefined || line.seq >= seq) high = middle;
      else low = middle + 1;
    }
    const found = this.#lineFrom(low);
    return found?.seq === seq ? found.start : undefined;
  }

  /** The first line that begins at this offset or after it. */
  #lineFrom(offset: number): { readonly start: number; readonly seq: number } | undefined {
    const from = Math.max(0, offset - 1);
    const read = this.readFrom(from, ANY_LINE, LINES);
    if (read === undefined) return undefined;
    const begin = offset === 0 ? 0 : read.indexOf(LINE_FEED) + 1;
    if (begin === 0 && offset > 0) return undefined;
    const seq = seqOf(read.toString('latin1', begin, begin + BEGINNING));
    return seq === undefined ? undefined : { start: from + begin, seq };
  }
}

/**
 * Whether a file repeats as many bytes as it did before: it is unchanged, or was appended to behind a line of its own. An append
 * would otherwise read the whole file before it again.
 */
function repeatsAsMuch(before: LedgerPart, { path, stamp }: StampedFile): boolean {
  if (before.path !== path) return false;
  const isGrown = before.stamp.inode === stamp.inode && before.stamp.size <= stamp.size;
  return sameStamp(before.stamp, stamp) || (isGrown && before.repeats < before.stamp.size);
}

/** A SHA-256 of bytes that come in portions, given up once a text is among them. */
export class WatchedHash {
  readonly #text: string;
  #hash = createHash('sha256');
  /** The last bytes, which may be the beginning of the text. */
  #end = Buffer.alloc(0);
  #isFound = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether the text is among the bytes. Then there is no sum. */
  get isFound(): boolean {
    return this.#isFound;
  }

  /** The SHA-256 of the bytes so far, in hex; undefined if the text is among them. */
  get sum(): string | undefined {
    return this.#isFound ? undefined : this.#hash.copy().digest('hex');
  }

  update(bytes: Buffer): void {
    if (this.#isFound) return;
    const across = Buffer.concat([this.#end, bytes.subarray(0, this.#text.length)]);
    this.#isFound = across.includes(this.#text) || bytes.includes(this.#text);
    if (this.#isFound) return;
    this.#hash.update(bytes);
    // Portions can be shorter than the text.
    this.#end = Buffer.concat([this.#end, bytes.subarray(-this.#text.length)]).subarray(-this.#text.length);
  }

  /** Another one with the same bytes so far. */
  copy(): WatchedHash {
    const copy = new WatchedHash(this.#text);
    copy.#hash = this.#hash.copy();
    copy.#end = this.#end;
    copy.#isFound = this.#isFound;
    return copy;
  }
}
