import * as fs from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { type AnchorState, gitPath, isInRepository, isPlainPath, type SeenAnchor } from '../../core/memory/anchors.ts';
import { realPlace } from '../places/places.ts';
import { folderProjectAt, worktreeEntryOf } from '../places/project.ts';
import { workTreesAround } from '../places/work-trees.ts';
import { workingFolder } from '../places/working-folder.ts';
import { type TrackedPaths, trackedIn } from './git-index.ts';

/** A place in a repository's files, as a memory names it. */
interface Anchor {
  readonly path: string;
  readonly text?: string | undefined;
}

/** No file over 1 MB is read. */
const LARGEST_FILE = 1_000_000;
const LARGEST_INDEX = 64 * 1024 * 1024;
/** So many bytes of an index are read in a millisecond. A larger one is left for a look with more time. */
const INDEX_BYTES_A_MS = 100_000;
/** As long as a session's start may look at anchors. */
const AHEAD_MS = 30;
/** A file with a zero byte in its first 8,000 bytes is binary, as git decides it. */
const BINARY_LOOK = 8_000;
const MOST_KEPT = 500;

interface Stamped<T> {
  readonly stamp: string;
  readonly value: T;
}

/** A search for a text through all tracked files, carried on where the last look ended. */
interface Scan {
  readonly tracked: TrackedPaths;
  readonly order: readonly string[];
  next: number;
  readonly found: Set<string>;
}

/**
 * The working folder of a repository, as far as anchors need it. The repository is hostile: git is never started, only tracked
 * files are read, no link is followed, and nothing but states and plain paths comes out. Every look has an end in time.
 */
export class Checkout {
  readonly project: string;
  readonly #top: string;
  readonly #git: string;
  #isAhead = false;
  #tracked: Stamped<TrackedPaths | undefined> | undefined;
  readonly #texts = new Map<string, Stamped<boolean | undefined>>();
  readonly #scans = new Map<string, Scan>();

  private constructor(project: string, top: string, git: string) {
    this.project = project;
    this.#top = top;
    this.#git = git;
  }

  /** The checkout around a folder; undefined where there is none, or one that cannot be looked at. */
  static at(folder: string = workingFolder()): Checkout | undefined {
    try {
      const tree = workTreesAround(realPlace(folder))[0];
      const project = tree && folderProjectAt(folder)?.name;
      const git = tree?.linked ? worktreeEntryOf(tree.top)?.entry : tree && join(tree.top, '.git');
      return tree && project && git ? new Checkout(project, tree.top, git) : undefined;
    } catch {
      return undefined;
    }
  }

  /** What has become of an anchor. `until` is when the look ends, by performance.now(); what is not done then is unseen. */
  look(anchor: Anchor, until: number): SeenAnchor {
    // Files may hold other spellings of a path; what is said of it names it as the memory does.
    return { ...this.#look({ ...anchor, path: gitPath(anchor.path) }, until), path: anchor.path };
  }

  #look({ path, text }: Anchor, until: number): SeenAnchor {
    if (!isInRepository(path)) return { path, state: 'gone' };
    const tracked = this.#trackedPaths(until);
    if (tracked === undefined || performance.now() > until) {
      this.#readLater();
      return { path, state: 'unseen' };
    }
    const state = this.#stateOf(path, text, tracked);
    if (text === undefined || (state !== 'changed' && state !== 'gone')) return { path, state };
    // A quarter of the time that is left, because searching for one text must leave time to look at the other anchors.
    const begin = performance.now();
    const now = this.#otherWith(text, path, tracked, begin + (until - begin) / 4);
    if (now === undefined) return { path, state };
    return { path, state: 'moved', ...(isPlainPath(now) && { now }) };
  }

  /** A path from the top, where an absolute one lies below it; any other path as it is. */
  fromTop(path: string): string {
    if (!isAbsolute(path)) return path;
    try {
      const below = relative(this.#top, join(realPlace(dirname(path)), basename(path)));
      return isAbsolute(below) || below.split(sep)[0] === '..' ? path : below;
    } catch {
      return path;
    }
  }

  isSameFolder(other: Checkout | undefined): boolean {
    return other !== undefined && this.#top === other.#top;
  }

  /** Reads what is tracked, so that the first look is quick. An index that takes longer than a session's start is left out. */
  readAhead(): void {
    this.#trackedPaths(performance.now() + AHEAD_MS);
  }

  /** Whether a path is tracked here, as a file or a folder; undefined where that is not known. */
  tracks(path: string, until: number): boolean | undefined {
    const tracked = this.#trackedPaths(until);
    if (tracked === undefined || tracked.isAbsent(path)) return undefined;
    if (tracked.has(path) || isFolder(path, tracked) || this.#isThere(path)) return true;
    return tracked.paths.length > 0 ? false : undefined;
  }

  /** A tracked text file; undefined for anything else. For our own look at it: no part of it may come out. */
  textOf(path: string, until: number): string | undefined {
    return this.#trackedPaths(until)?.has(path) ? this.#read(path)?.bytes?.toString('utf8') : undefined;
  }

  /** Every tracked path, in the order of the index. */
  tracked(until: number): readonly string[] {
    return this.#trackedPaths(until)?.paths ?? [];
  }

  #stateOf(path: string, text: string | undefined, tracked: TrackedPaths): AnchorState {
    if (!tracked.has(path)) {
      if (tracked.isAbsent(path)) return 'unseen';
      if (text === undefined && isFolder(path, tracked)) return 'holds';
      // A file that nobody has added yet is there, and is not read.
      return this.#isThere(path) ? 'unseen' : 'gone';
    }
    const has = this.#has(path, text);
    if (has !== 'absent') return has === undefined ? 'unseen' : has ? 'holds' : 'changed';
    return tracked.isAbsent(path) ? 'unseen' : 'gone';
  }

  /** Whether a file holds a text; undefined for one that may not be read. Without a text it only has to be there. */
  #has(path: string, text: string | undefined): boolean | undefined | 'absent' {
    const stat = this.#statOf(path);
    if (stat === undefined) return 'absent';
    if (text === undefined) return true;
    const key = `${path}\0${text}`;
    const known = this.#texts.get(key);
    if (known?.stamp === stampOf(stat)) return known.value;
    const { bytes, stamp } = this.#read(path) ?? { stamp: stampOf(stat) };
    const value = bytes?.includes(text);
    if (this.#texts.size >= MOST_KEPT) this.#texts.clear();
    this.#texts.set(key, { stamp, value });
    return value;
  }

  /** Whether any tracked file holds a text; undefined while not all were looked at. */
  contains(text: string, until: number): boolean | undefined {
    const tracked = this.#trackedPaths(until);
    const scan = tracked && this.#scan(text, '', tracked, until, 1);
    if (scan === undefined || tracked?.paths.length === 0) return undefined;
    if (scan.found.size > 0) return true;
    return scan.next >= scan.order.length ? false : undefined;
  }

  /** The only other tracked file that holds this text; undefined while not all were looked at. */
  #otherWith(text: string, path: string, tracked: TrackedPaths, until: number): string | undefined {
    const { found, next, order } = this.#scan(text, path, tracked, until, 2);
    const [only, second] = found;
    if (only === undefined || second !== undefined || next < order.length) return undefined;
    return this.#has(only, text) === true ? only : undefined;
  }

  /** Looks through the tracked files for a text until `enough` have it, those named like `path` first. */
  #scan(text: string, path: string, tracked: TrackedPaths, until: number, enough: number): Scan {
    const known = this.#scans.get(text);
    const scan = known?.tracked === tracked ? known : newScan(path, tracked);
    if (this.#scans.size >= MOST_KEPT) this.#scans.clear();
    this.#scans.set(text, scan);
    while (scan.next < scan.order.length && scan.found.size < enough && performance.now() < until) {
      const each = scan.order[scan.next++] ?? '';
      if (each !== path && this.#read(each)?.bytes?.includes(text)) scan.found.add(each);
    }
    return scan;
  }

  #trackedPaths(until: number): TrackedPaths | undefined {
    const index = join(this.#git, 'index');
    const stat = fs.lstatSync(index, { throwIfNoEntry: false, bigint: true });
    if (stat === undefined || !stat.isFile() || stat.size > LARGEST_INDEX) return undefined;
    if (this.#tracked?.stamp === stampOf(stat)) return this.#tracked.value;
    if (performance.now() + Number(stat.size) / INDEX_BYTES_A_MS > until) return undefined;
    const read = readPlain(index, LARGEST_INDEX);
    this.#tracked = { stamp: read?.stamp ?? stampOf(stat), value: read?.bytes && trackedIn(read.bytes) };
    return this.#tracked.value;
  }

  /** Reads the index when nobody waits, so that the next look is quick. */
  #readLater(): void {
    if (this.#isAhead) return;
    this.#isAhead = true;
    setTimeout(() => {
      this.#trackedPaths(Number.POSITIVE_INFINITY);
      this.#isAhead = false;
    }).unref();
  }

  /** A file below the top that no link leads to. */
  #statOf(path: string): fs.BigIntStats | undefined {
    try {
      const full = join(this.#top, path);
      if (fs.realpathSync.native(dirname(full)) !== dirname(full)) return undefined;
      const stat = fs.lstatSync(full, { bigint: true, throwIfNoEntry: false });
      return stat?.isFile() ? stat : undefined;
    } catch {
      return undefined;
    }
  }

  #isThere(path: string): boolean {
    return this.#statOf(path) !== undefined;
  }

  #read(path: string): { bytes?: Buffer; stamp: string } | undefined {
    const stat = this.#statOf(path);
    if (stat === undefined || stat.size > LARGEST_FILE) return undefined;
    const read = readPlain(join(this.#top, path), LARGEST_FILE);
    return read?.bytes?.subarray(0, BINARY_LOOK).includes(0) ? { stamp: read.stamp } : read;
  }
}

/** Reads an ordinary file without following a link and without waiting for a pipe. */
function readPlain(path: string, most: number): { bytes: Buffer; stamp: string } | undefined {
  let file: number | undefined;
  try {
    file = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0));
    const stat = fs.fstatSync(file, { bigint: true });
    if (!stat.isFile() || stat.size > most) return undefined;
    const bytes = Buffer.alloc(Number(stat.size));
    const length = fs.readSync(file, bytes, 0, bytes.length, 0);
    return { bytes: bytes.subarray(0, length), stamp: stampOf(stat) };
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

/** Files of the same name come first: most moves keep it. */
function newScan(path: string, tracked: TrackedPaths): Scan {
  return { tracked, order: [...tracked.named(basename(path)), ...tracked.paths], next: 0, found: new Set() };
}

function isFolder(path: string, { paths }: TrackedPaths): boolean {
  return paths.some((each) => each.startsWith(`${path}/`));
}

function stampOf({ ino, size, mtimeNs, ctimeNs }: fs.BigIntStats): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}
