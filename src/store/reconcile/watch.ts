import { type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { segmentNamed } from '../../core/ledger/segments.ts';
import { sameStamp } from '../ledger/signed-file.ts';
import { isMemoryFile, type Places } from '../places/places.ts';
import { insideOf } from '../vault/inside.ts';
import type { Vault } from '../vault/vault.ts';

/** How often the folders are looked at. What the system reports in between only makes it faster. */
const POLL_MS = 2_000;
/** More than this is a git pull, and looking at everything is simpler. */
const MOST_TOUCHED = 500;

/**
 * Notices that something in the store may have changed, whoever changed it. The system's own watching is a hint: it fails
 * on some file systems and loses events. The truth are the folders' times, asked for every few seconds. Neither keeps
 * the process alive, and no failure of either is anybody's problem.
 */
export class StoreWatch {
  readonly #folders: readonly string[];
  readonly #requests: string;
  readonly #machines: string;
  readonly #ledger: string;
  readonly #stirred: () => void;
  readonly #watchers = new Map<string, { readonly watcher: FSWatcher; readonly inode: bigint }>();
  readonly #timer: NodeJS.Timeout;
  /** What the system named since the last look; undefined once something may have stirred that it did not name. */
  #touched: Set<string> | undefined;
  /** Empty at first, as the names are: what happened while the store was being opened is looked at too. */
  #last: ReadonlyMap<string, string> = new Map();

  /** `ticked` comes with every look at the folders, for whoever wants to do something now and then. */
  constructor(places: Places, stirred: () => void, ticked: () => void = () => {}, pollMs = POLL_MS) {
    this.#folders = [places.memories, places.quarantine, places.ledger];
    this.#ledger = places.ledger;
    // What waits for the operator, and whose word counts: both can be seen, and neither is in a watched folder.
    this.#requests = join(places.state, 'requests.jsonl');
    this.#machines = join(places.config, 'machines.json');
    this.#stirred = stirred;
    this.#listen();
    this.#timer = setInterval(() => {
      this.#listen();
      this.#compare();
      ticked();
    }, pollMs).unref();
  }

  /** Whether an edit in place could go unnoticed: it changes no folder's time. */
  get isBlind(): boolean {
    return this.#watchers.size < this.#folders.length;
  }

  /** Everything up to now is about to be looked at: these files, or all where it is not known which. */
  taken(): readonly string[] | undefined {
    const touched = this.#touched && [...this.#touched];
    this.#touched = new Set();
    this.#last = this.#stamps();
    return touched;
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const folder of [...this.#watchers.keys()]) this.#deafen(folder);
  }

  /** Watches every folder that is there and not watched yet; one that was replaced by another is watched anew. */
  #listen(): void {
    for (const folder of this.#folders) {
      const inode = lstatSync(folder, { bigint: true, throwIfNoEntry: false })?.ino;
      if (this.#watchers.get(folder)?.inode === inode) continue;
      this.#deafen(folder);
      if (inode === undefined) continue;
      try {
        const watcher = watch(folder, { persistent: false }, (_event, name) => this.#hint(folder, name));
        watcher.on('error', () => this.#deafen(folder));
        this.#watchers.set(folder, { watcher, inode });
      } catch {
        // Out of watches, or a file system without them: the times are asked for anyway.
      }
    }
  }

  #hint(folder: string, name: string | null): void {
    if (name === null || (this.#touched?.size ?? 0) >= MOST_TOUCHED) this.#touched = undefined;
    else this.#touched?.add(join(folder, name));
    this.#stirred();
  }

  #deafen(folder: string): void {
    this.#watchers.get(folder)?.watcher.close();
    this.#watchers.delete(folder);
  }

  #compare(): void {
    const now = this.#stamps();
    const changed = [...new Set([...now.keys(), ...this.#last.keys()])].filter(
      (path) => now.get(path) !== this.#last.get(path),
    );
    if (changed.length === 0) return;
    // The queue has a name; of a folder only a hint could have said which of its files it was.
    if (changed.every((path) => path === this.#requests)) this.#touched?.add(this.#requests);
    else if (this.#touched?.size === 0) this.#touched = undefined;
    this.#stirred();
  }

  /** A ledger is appended to, which its folder's time does not show, so each of the few is looked at. */
  #stamps(): ReadonlyMap<string, string> {
    const ledgers = names(this.#ledger).map((name) => join(this.#ledger, name));
    const paths = [...this.#folders, ...ledgers, this.#requests, this.#machines];
    return new Map(paths.map((path) => [path, stampOf(path)]));
  }
}

/**
 * Whether a touched file says something no process of Surety's has taken in: they share the index and bring it up to date
 * with each write, and looking through a large store after every one of those would cost more than the writes.
 */
export function isChange(vault: Vault, path: string): boolean {
  const { places, key, index, disk } = insideOf(vault);
  const name = basename(path);
  if (dirname(path) === places.ledger) return segmentNamed(name)?.fingerprint !== key.fingerprint;
  if (!isMemoryFile(name)) return false;
  const place = dirname(path) === places.memories ? 'memories' : 'quarantine';
  return !sameStamp(index.get(place, name.slice(0, -'.md'.length))?.stamp, disk.stamp(path));
}

function stampOf(path: string): string {
  try {
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
  } catch {
    return 'unreadable';
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
