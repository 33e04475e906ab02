import { type FSWatcher, lstatSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { segmentNamed } from '../../core/ledger/segments.ts';
import { idOfStem } from '../../core/memory/ids.ts';
import { readableNames, sameStamp } from '../disk/reading-disk.ts';
import { isMemoryFile, type Places } from '../places/places.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';

/** How often the folders' times are compared. Events from the system only make a change noticed sooner. */
const POLL_MS = 2_000;
/** At most 500 changed files are collected, because more are a git pull, and a full scan is simpler. */
const MOST_TOUCHED = 500;

/**
 * Notices that something in the store may have changed, by any program. The system's events are only a hint, because
 * they fail on some file systems and get lost. The folders' times are compared every few seconds and decide. Neither
 * keeps the process alive, and a failure of either is ignored.
 */
export class StoreWatch {
  readonly #folders: readonly string[];
  readonly #requests: string;
  readonly #machines: string;
  readonly #ledger: string;
  readonly #stirred: () => void;
  readonly #watchers = new Map<string, { readonly watcher: FSWatcher; readonly inode: bigint }>();
  readonly #timer: NodeJS.Timeout;
  /**
   * Files that the system named since the last scan; undefined once something may have changed that it did not name.
   */
  #touched: Set<string> | undefined;
  /** Empty at first, so that changes made while the store was being opened are noticed too. */
  #last: ReadonlyMap<string, string> = new Map();

  /** `ticked` runs after every comparison of the folders, for periodic work. */
  constructor(places: Places, stirred: () => void, ticked: () => void = () => {}, pollMs = POLL_MS) {
    this.#folders = [places.memories, places.quarantine, places.ledger];
    this.#ledger = places.ledger;
    // The requests that wait for the operator and the trusted machines change what is shown, and lie outside the
    // watched folders.
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

  /** Whether an edit in place could go unnoticed, because it changes no folder's time and a folder is not watched. */
  get isBlind(): boolean {
    return this.#watchers.size < this.#folders.length;
  }

  /**
   * Call it right before a scan. Returns the files that changed until now, or undefined if only a full scan finds them.
   */
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

  /** Watches every existing folder that is not watched yet, and watches a replaced folder again. */
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
        // No watches are left, or the file system has none. The times are compared anyway.
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
    // A changed requests file can be named. A folder's time does not show which of its files changed.
    if (changed.every((path) => path === this.#requests)) this.#touched?.add(this.#requests);
    else if (this.#touched?.size === 0 || changed.includes(this.#machines)) this.#touched = undefined;
    this.#stirred();
  }

  /** Appending to a ledger does not change its folder's time, so each of the few ledger files is checked too. */
  #stamps(): ReadonlyMap<string, string> {
    const ledgers = readableNames(this.#ledger).map((name) => join(this.#ledger, name));
    const paths = [...this.#folders, ...ledgers, this.#requests, this.#machines];
    return new Map(paths.map((path) => [path, stampOf(path)]));
  }
}

/**
 * Whether a touched file holds something that no Surety process has taken in. They share the index and update it with
 * each write, and a full scan after each of their writes would cost more than the writes.
 */
export function isChange(vault: Vault, path: string): boolean {
  const { places, key, index, disk } = insideOf(vault);
  const name = basename(path);
  if (dirname(path) === places.ledger) return segmentNamed(name)?.fingerprint !== key.fingerprint;
  if (!isMemoryFile(name)) return false;
  const place = dirname(path) === places.memories ? 'memories' : 'quarantine';
  return !sameStamp(index.get(place, name.slice(0, -'.md'.length))?.stamp, disk.stamp(path));
}

/** The ids whose files are among the touched ones; undefined if another machine's ledger is, which may say anything. */
export function idsTouched(vault: Vault, paths: readonly string[]): readonly string[] | undefined {
  const { places, key } = insideOf(vault);
  const isForeign = (path: string) =>
    dirname(path) === places.ledger && segmentNamed(basename(path))?.fingerprint !== key.fingerprint;
  if (paths.some(isForeign)) return undefined;
  const files = paths.filter((path) => dirname(path) !== places.ledger && isMemoryFile(basename(path)));
  return files.flatMap((path) => idOfStem(basename(path).slice(0, -'.md'.length)) ?? []);
}

function stampOf(path: string): string {
  try {
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
  } catch {
    return 'unreadable';
  }
}
