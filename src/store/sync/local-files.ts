import { join } from 'node:path';
import { inspect, openSecrets } from '../../core/checks/inspect.ts';
import { LIMITS_OF_A_FILE } from '../../core/memory/document.ts';
import { subjectOf } from '../../core/memory/inspected-file.ts';
import { Refusal } from '../../core/refusal.ts';
import { SHARED_FOLDERS, sharedAt } from '../../core/sync/shared-paths.ts';
import { sameStamp } from '../disk/reading-disk.ts';
import { read } from '../format/format.ts';
import { type Algorithm, blobName } from '../git/writer.ts';
import { hasLedgerLines, LEDGER_LIMITS } from '../ledger/ledger-lines.ts';
import type { VaultParts } from '../vault/vault-parts.ts';
import { BlobCache, type KnownBlob } from './blob-cache.ts';
import { textKey } from './merge-file.ts';

/** The shared files in the store's folder. */
export interface LocalFolder {
  /** Each file's path in the repository, with the blob that git would make of it. */
  readonly files: ReadonlyMap<string, string>;
  /**
   * Files that are not read, such as links and files over the limit. They are not sent, and they do not count as
   * removed.
   */
  readonly unread: ReadonlySet<string>;
}

/** Reads the store's folder without git, so that no filter, attribute or ignore rule changes what a file holds. */
export class LocalFiles {
  readonly #parts: VaultParts;
  readonly #algorithm: Algorithm;
  readonly #blobs: BlobCache;
  readonly #known: Map<string, KnownBlob>;
  /** When the first file that the cache did not know was read; undefined while there is none. */
  #news: number | undefined;
  #lost = false;

  constructor(parts: VaultParts, algorithm: Algorithm) {
    this.#parts = parts;
    this.#algorithm = algorithm;
    this.#blobs = new BlobCache(parts, algorithm);
    this.#known = this.#blobs.read();
  }

  look(): LocalFolder {
    const { disk, places } = this.#parts;
    const files = new Map<string, string>();
    const unread = new Set<string>();
    for (const folder of SHARED_FOLDERS) {
      // A missing folder would count as the removal of all its files, on every machine.
      if (!disk.isFolder(places[folder])) {
        throw new Refusal(
          'root-unusable',
          `The store’s ${folder} folder is missing or a link; nothing was synced. Put the folder back.`,
        );
      }
      for (const name of disk.names(places[folder])) {
        const path = `${folder}/${name}`;
        if (sharedAt(path) === undefined) continue;
        const oid = this.#oidAt(path);
        if (oid === undefined) unread.add(path);
        else files.set(path, oid);
      }
    }
    for (const path of this.#known.keys()) {
      if (files.has(path)) continue;
      this.#known.delete(path);
      this.#lost = true;
    }
    return { files, unread };
  }

  /**
   * A shared file's bytes as they are synced: a ledger ends with its last whole line. Undefined for anything but an
   * ordinary file of its kind.
   */
  bytes(path: string): Buffer | undefined {
    const { disk, places } = this.#parts;
    if (sharedAt(path)?.kind === 'ledger') {
      const all = disk.read(join(places.root, path), LEDGER_LIMITS.bytes);
      if (all.kind !== 'file' || !hasLedgerLines(all.bytes)) return undefined;
      return all.bytes.subarray(0, all.bytes.lastIndexOf(0x0a) + 1);
    }
    const found = disk.read(join(places.root, path), LIMITS_OF_A_FILE.bytes);
    return found.kind === 'file' ? found.bytes : undefined;
  }

  isThere(path: string): boolean {
    return this.#parts.disk.exists(join(this.#parts.places.root, path));
  }

  /** Whether it is an ordinary file and not a link. */
  isFile(path: string): boolean {
    return this.#parts.disk.stamp(join(this.#parts.places.root, path)) !== undefined;
  }

  /** The id that git gives these bytes. */
  oid(bytes: Buffer): string {
    return blobName(this.#algorithm, bytes);
  }

  #oidAt(path: string): string | undefined {
    const stamp = this.#parts.disk.stamp(join(this.#parts.places.root, path));
    const known = this.#known.get(path);
    const isKnown = stamp !== undefined && known !== undefined && sameStamp(stamp, known.stamp);
    // Ledgers are read each time: a program with the machine's key could sign that one which it put back from before is the one
    // that was sent.
    if (isKnown && sharedAt(path)?.kind !== 'ledger') return known.oid;
    const lookedAt = Date.now();
    const bytes = this.bytes(path);
    if (bytes === undefined) return undefined;
    const oid = this.oid(bytes);
    if (isKnown && known.oid === oid) return oid;
    if (stamp !== undefined) this.#known.set(path, { stamp, oid });
    this.#news ??= lookedAt;
    return oid;
  }

  /** Whether every file is unchanged since the end of the last sync. */
  isUnchanged(): boolean {
    const { files, unread } = this.look();
    return files.size > 0 && unread.size === 0 && this.#news === undefined && !this.#lost;
  }

  /** Saves the blobs of the files that were read, for the next sync. */
  remember(): void {
    if (this.#news !== undefined) this.#blobs.write(this.#known, this.#news);
  }
}

/** The reasons why a text must not leave this machine. */
export const PRIVATE = {
  secret: 'it holds a secret',
  'possible-secret': 'it may hold a secret, and nobody has let it pass',
  personal: 'it holds personal data',
  unchecked: 'a check could not finish on it',
} as const;
export type Private = keyof typeof PRIVATE;

/**
 * Why a memory's text must not leave this machine; undefined if it may. A secret, certain or likely, must not leave
 * unless a person has accepted it, and personal data must not leave. The file itself is checked, in `memories/` and in
 * quarantine alike.
 */
export function whyPrivate({ checks, ledgers }: VaultParts, stem: string, bytes: Buffer): Private | undefined {
  const subject = subjectOf(stem, read(bytes), 'found', bytes);
  const { findings, crashed } = inspect(subject, checks());
  if (openSecrets(findings, new Set()).some(({ severity }) => severity === 'block')) return 'secret';
  if (crashed.length > 0) return 'unchecked';
  const { id } = subject;
  const settled = id === undefined ? new Set<string>() : ledgers.evidence.settled(id, textKey(id, bytes));
  if (openSecrets(findings, settled).length > 0) return 'possible-secret';
  return findings.some((finding) => finding.class === 'personal') ? 'personal' : undefined;
}
