/**
 * The paths that a repository tracks, read from its index (git's `index-format`, versions 2, 3 and 4). Git itself is not asked:
 * the repository's own configuration could make it run programs.
 */
export interface TrackedPaths {
  has(path: string): boolean;
  /** Whether nothing can be said of a path: the checkout is sparse, or a tracked link or repository is there. */
  isAbsent(path: string): boolean;
  readonly paths: readonly string[];
  /** The paths whose last part this is. */
  named(name: string): readonly string[];
}

const HEADER = 12;
/** Times, device, inode, mode, owner and size. */
const STAT = 40;
const EXTENDED = 0x4000;
const SKIPPED = 0x4000;
const LENGTH = 0x0fff;
/** Modes of an ordinary file, a link, another repository, and a folder of a sparse index. */
const KIND = 0o170000;
const FILE = 0o100000;
const FOLDER = 0o040000;
/** At most 200,000 entries, because a larger index takes too long to read. */
const MOST_ENTRIES = 200_000;
/** At most 32 MB of paths, because in version 4 an entry of 64 bytes can repeat a path of megabytes. */
const MOST_PATH_BYTES = 32 * 1024 * 1024;
const CHECKSUMS = [20, 32];

/** What a repository tracks; undefined for an index that is damaged, too large, or of a form that is not read. */
export function trackedIn(index: Buffer): TrackedPaths | undefined {
  if (index.length < HEADER + 20 || index.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = index.readUInt32BE(4);
  const many = index.readUInt32BE(8);
  if (version < 2 || version > 4 || many > MOST_ENTRIES) return undefined;
  for (const hash of CHECKSUMS) {
    const found = entriesIn(index, version, many, hash);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `hash` is how long an object's name is, which the index does not say. Undefined where the entries do not fit it. */
function entriesIn(index: Buffer, version: number, many: number, hash: number): TrackedPaths | undefined {
  const end = index.length - hash;
  const paths: string[] = [];
  const absent = new Set<string>();
  const folders: string[] = [];
  const elsewhere: string[] = [];
  let at = HEADER;
  let pathBytes = 0;
  let before: Buffer = Buffer.alloc(0);
  for (let n = 0; n < many; n++) {
    const fixed = at + STAT + hash + 2;
    if (fixed > end) return undefined;
    const kind = index.readUInt32BE(at + 24) & KIND;
    const flags = index.readUInt16BE(at + STAT + hash);
    const isExtended = (flags & EXTENDED) !== 0;
    if (isExtended && (version < 3 || fixed + 2 > end)) return undefined;
    const more = isExtended ? index.readUInt16BE(fixed) : 0;
    let name = isExtended ? fixed + 2 : fixed;
    let kept = 0;
    if (version === 4) {
      const dropped = variableNumber(index, name, end);
      if (dropped === undefined || dropped.value > before.length) return undefined;
      kept = before.length - dropped.value;
      name = dropped.next;
    }
    const nul = index.indexOf(0, name);
    if (nul === -1 || nul >= end) return undefined;
    pathBytes += kept + nul - name;
    if (pathBytes > MOST_PATH_BYTES) return undefined;
    const path =
      version === 4 ? Buffer.concat([before.subarray(0, kept), index.subarray(name, nul)]) : index.subarray(name, nul);
    const length = flags & LENGTH;
    if (path.length === 0 || (length !== LENGTH && length !== path.length)) return undefined;
    before = path;
    const text = path.toString('utf8');
    if (kind === FOLDER) folders.push(text);
    else if (kind === FILE) {
      paths.push(text);
      if ((more & SKIPPED) !== 0) absent.add(text);
    }
    // Links and other repositories have no text of their own, and what is behind them is not looked at.
    else elsewhere.push(`${text}/`);
    // Entries are padded to a multiple of eight bytes, in version 4 not.
    at = version === 4 ? nul + 1 : at + ((nul - at + 8) & ~7);
  }
  if (at > end || hasUnreadPart(index, at, end)) return undefined;
  const all = new Set(paths);
  const unread = [...folders, ...elsewhere];
  let names: Map<string, string[]> | undefined;
  return {
    has: (path) => all.has(path),
    isAbsent: (path) => absent.has(path) || unread.some((beginning) => `${path}/`.startsWith(beginning)),
    paths: folders.length === 0 ? paths : [],
    named: (name) => {
      names ??= Map.groupBy(paths, (path) => path.slice(path.lastIndexOf('/') + 1));
      return names.get(name) ?? [];
    },
  };
}

/** A split index has most of its entries in another file. */
function hasUnreadPart(index: Buffer, from: number, end: number): boolean {
  for (let at = from; at + 8 <= end; at += 8 + index.readUInt32BE(at + 4)) {
    const name = index.toString('latin1', at, at + 4);
    // An extension that begins with a small letter must be understood; `sdir` says only that there are folders.
    if (/^[a-z]/.test(name) && name !== 'sdir') return true;
  }
  return false;
}

/** A number in the form of git's pack offsets. */
function variableNumber(bytes: Buffer, from: number, end: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let at = from; at < end && at < from + 4; at++) {
    const byte = bytes[at] ?? 0;
    value = value * 128 + (byte & 0x7f);
    if ((byte & 0x80) === 0) return { value, next: at + 1 };
    value += 1;
  }
  return undefined;
}
