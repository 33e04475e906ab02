import { join } from 'node:path';
import { sha256 } from '../../core/memory/memory.ts';
import { parsedObject } from '../../core/parsed-json.ts';
import { Refusal } from '../../core/refusal.ts';
import { Disk } from '../disk/disk.ts';
import { diskTrouble } from '../disk/disk-errors.ts';
import type { Places } from '../places/places.ts';
import { outside } from './import-source.ts';

/** Lists what an export wrote, one JSON line per file; it marks a folder that an export made. */
export const MANIFEST = 'surety-export.jsonl';

/** One file of an export, as listed in the manifest. */
interface Exported {
  readonly file: string;
  readonly id: string;
  readonly tier: string;
  readonly digest: string | null;
  /** Digest of the bytes; shows whether the file was changed since. */
  readonly sha256: string;
}

/**
 * An export's folder: new, empty, or made by an export and unchanged since. The manifest names each file before it is
 * written, so that an interrupted export can be repeated.
 */
export class ExportFolder {
  readonly #path: string;
  readonly #disk: Disk;
  readonly #before: ReadonlySet<string>;
  readonly #written: Exported[] = [];

  private constructor(path: string, disk: Disk, before: ReadonlySet<string>) {
    this.#path = path;
    this.#disk = disk;
    this.#before = before;
  }

  static open(named: string, places: Places): ExportFolder {
    const disk = new Disk();
    const path = outside(named, places);
    if (disk.exists(named) && !disk.isFolder(named)) throw unusable('there is a file or a link of this name.');
    const names = onDisk(() => disk.names(path)).filter((name) => !name.startsWith('.'));
    if (names.length === 0) onDisk(() => disk.makeFolder(path));
    const known = names.length === 0 ? new Map<string, Set<string>>() : listed(path, disk);
    const files = names.filter((name) => name !== MANIFEST);
    for (const name of files) refuseForeign(path, name, known.get(name), disk);
    return new ExportFolder(path, disk, new Set(files));
  }

  write(entry: Omit<Exported, 'sha256'>, bytes: Buffer): void {
    const exported = { ...entry, sha256: sha256(bytes) };
    onDisk(() => {
      if (!this.#disk.exists(this.#manifest)) this.#disk.replace(this.#manifest, '');
      this.#disk.appendCopy(this.#manifest, lineOf(exported));
      this.#disk.replace(join(this.#path, entry.file), bytes);
    });
    this.#written.push(exported);
  }

  /** Removes what only an earlier export wrote, and writes the final list. */
  finish(): void {
    const written = new Set(this.#written.map(({ file }) => file));
    onDisk(() => {
      for (const name of this.#before) if (!written.has(name)) this.#disk.remove(join(this.#path, name));
      this.#disk.replace(this.#manifest, this.#written.map(lineOf).join(''));
    });
  }

  get #manifest(): string {
    return join(this.#path, MANIFEST);
  }
}

/** Every state in which an export, even an interrupted one, left a file. */
function listed(path: string, disk: Disk): Map<string, Set<string>> {
  const manifest = disk.readFrom(join(path, MANIFEST), 0);
  if (manifest === undefined) throw unusable('the folder is not empty, and no export wrote it.');
  const known = new Map<string, Set<string>>();
  for (const line of manifest.toString('utf8').split('\n')) {
    // The last line of an interrupted export may be cut.
    const { file, sha256 } = parsedObject(line);
    if (typeof file !== 'string' || typeof sha256 !== 'string') continue;
    known.set(file, (known.get(file) ?? new Set()).add(sha256));
  }
  return known;
}

function refuseForeign(path: string, name: string, states: ReadonlySet<string> | undefined, disk: Disk): void {
  const bytes = states && disk.readFrom(join(path, name), 0);
  if (bytes !== undefined && states?.has(sha256(bytes))) return;
  throw unusable('something in the folder was added or changed since the last export; you can move that away.');
}

function lineOf(exported: Exported): string {
  return `${JSON.stringify(exported)}\n`;
}

function onDisk<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const why = diskTrouble(error);
    if (why === undefined) throw error;
    throw new Refusal(
      'disk-failed',
      `The export is not complete: ${why}. Nothing in the store was changed; make room or check the folder’s permissions, then run it again.`,
    );
  }
}

function unusable(why: string): Refusal {
  return new Refusal('unreadable-file', `Nothing was exported: ${why} Name a new or an empty folder.`);
}
