import { basename, dirname, join, relative, sep } from 'node:path';
import type { ClaudeMemRow } from '../../core/import/claude-mem.ts';
import { LIMITS_OF_A_FILE } from '../../core/memory/document.ts';
import { Refusal } from '../../core/refusal.ts';
import { utf8Text } from '../../core/text/utf8-text.ts';
import type { Disk, FolderEntry } from '../disk/disk.ts';
import { codeOf } from '../disk/disk-errors.ts';
import { WHY_REFUSED } from '../disk/reading-disk.ts';
import { inside } from '../places/base-folders.ts';
import { type Places, realPlace } from '../places/places.ts';
import { isDatabase, readClaudeMem, unread } from './claude-mem-database.ts';

export { unread } from './claude-mem-database.ts';

/** What a person asked to import. */
export type Source =
  | {
      readonly kind: 'folder';
      readonly path: string;
      readonly files: readonly ListedFile[];
      readonly passed: readonly Passed[];
      /** A file of the folder was named, and not the folder. */
      readonly isOneFile?: true;
    }
  /** One file that is not markdown, such as the reference memory server's. */
  | { readonly kind: 'text'; readonly path: string; readonly text: string }
  | { readonly kind: 'claude-mem'; readonly path: string; readonly rows: readonly ClaudeMemRow[] };

/** One markdown file of the source, not read yet. */
export interface ListedFile {
  readonly path: string;
  /** Its path from the named folder. */
  readonly label: string;
  /** The index beside or above it, which shows that the folder is a Claude Code memory folder. */
  readonly index: string | undefined;
  /** Its path from the folder in which Codex keeps its memories, where it lies in one. */
  readonly codex: string | undefined;
}

/** Something that is not read, and why. */
export interface Passed {
  readonly label: string;
  readonly why: string;
}

export const INDEX = 'MEMORY.md';
/** Codex has it beside its MEMORY.md, which is no index. */
const CODEX_SUMMARY = 'memory_summary.md';
const MOST_FILES = 100_000;
const DEEPEST = 16;
const LARGEST_TEXT = 64 * 1024 * 1024;

const WHY: Record<Extract<FolderEntry, { kind: 'refused' }>['why'], string> = {
  ...WHY_REFUSED,
  symlink: 'it is a link, and links are not followed',
  'hard-link': 'it has a second name (hard link); copy it first',
  'too-large': `it is larger than ${LIMITS_OF_A_FILE.bytes / 1024} KiB; split it into several`,
  unreadable: 'it cannot be read; check its permissions',
};

/** Lists names only, but reads a single file. Refuses what belongs to a store of this machine. */
export function openSource(named: string, places: Places, disk: Disk): Source {
  const path = outside(named, places);
  const database = disk.isFolder(named) ? join(named, 'claude-mem.db') : named;
  if (isDatabase(disk, database)) return { kind: 'claude-mem', path, rows: readClaudeMem(disk, database) };
  if (disk.isFolder(named)) return listFolder(path, disk);
  if (isMarkdown(basename(path))) {
    const found = readFile(disk, named);
    if (!('bytes' in found)) throw unread(found.why);
    const folder = dirname(path);
    const near = nearIn(folder, (name) => disk.exists(join(folder, name)), {});
    return { kind: 'folder', path: folder, files: [listedIn(near, path, basename(path))], passed: [], isOneFile: true };
  }
  const found = disk.read(named, LARGEST_TEXT);
  if (found.kind === 'absent') throw unread('there is no such file or folder; check its name');
  if (found.kind === 'refused') throw unread(found.why === 'too-large' ? 'it is larger than 64 MiB' : WHY[found.why]);
  const text = utf8Text(found.bytes);
  if (text === undefined) throw unread(WHY_NOT_TEXT);
  return { kind: 'text', path, text };
}

export const WHY_NOT_TEXT = 'it is not UTF-8 text; save it as UTF-8 and try again';

/** The bytes of a listed file, or why there are none. */
export function readFile(
  disk: Disk,
  path: string,
): { readonly bytes: Buffer; readonly modified: number } | { readonly why: string } {
  const found = disk.read(path, LIMITS_OF_A_FILE.bytes);
  if (found.kind === 'absent') return { why: 'there is no such file or folder; check its name' };
  if (found.kind === 'refused') return { why: WHY[found.why] };
  return { bytes: found.bytes, modified: Number(found.stamp.modified / 1_000_000n) };
}

/** A path outside the store's own folders: their files are already here, or are private to the store. */
export function outside(named: string, places: Places): string {
  const path = realPlace(named);
  for (const own of [places.root, places.config, places.state, places.cache]) {
    if (!inside(own, path) && !inside(path, own)) continue;
    throw new Refusal(
      'unreadable-file',
      'This is the store’s own folder, one that it keeps its records in, or one that holds them; name another one.',
    );
  }
  return path;
}

/** Which program's memory folder a file lies in: the index of Claude Code's, or the folder of Codex. */
interface Near {
  readonly index?: string;
  readonly codex?: string;
}

function nearIn(folder: string, has: (name: string) => boolean, above: Near): Near {
  if (!has(INDEX)) return above;
  return has(CODEX_SUMMARY) ? { codex: folder } : { index: join(folder, INDEX) };
}

function listedIn({ index, codex }: Near, path: string, label: string): ListedFile {
  return { path, label, index, codex: codex && relative(codex, path).replaceAll(sep, '/') };
}

/** Cursor's rules are markdown under names of their own. */
function isMarkdown(name: string): boolean {
  return /\.mdc?$/.test(name) || name === '.cursorrules';
}

/** Of `.cursor` only its rules: the rest is settings and what other programs put there. */
function isHidden(name: string, folder: string): boolean {
  if (folder === '.cursor') return name !== 'rules';
  return name.startsWith('.') && name !== '.cursor' && name !== '.cursorrules';
}

function listFolder(path: string, disk: Disk): Source {
  const files: ListedFile[] = [];
  const passed: Passed[] = [];
  const walk = (folder: string, names: readonly string[], above: Near, depth: number): void => {
    const near = nearIn(folder, (name) => names.includes(name), above);
    for (const name of names) {
      const at = join(folder, name);
      const label = relative(path, at);
      if (isHidden(name, basename(folder))) continue;
      if (disk.isFolder(at)) {
        const below = depth < DEEPEST ? namesIn(disk, at) : `it lies more than ${DEEPEST} folders deep`;
        if (typeof below === 'string') passed.push({ label, why: below });
        else walk(at, below, near, depth + 1);
      } else if (isMarkdown(name)) {
        if (files.length >= MOST_FILES)
          throw unread(`it holds more than ${MOST_FILES} files; import its folders one by one`);
        files.push(listedIn(near, at, label));
      } else {
        const found = disk.read(at, 0);
        if (found.kind === 'refused' && found.why === 'symlink') passed.push({ label, why: WHY.symlink });
      }
    }
  };
  // Of another store only its memories: not what it quarantined or archived.
  const [memories, ...others] = ['memories', 'quarantine', 'ledger'].map((name) => disk.isFolder(join(path, name)));
  const top = memories && others.includes(true) ? join(path, 'memories') : path;
  const names = namesIn(disk, top);
  if (typeof names === 'string') throw unread(names);
  walk(top, names, {}, 0);
  return { kind: 'folder', path, files, passed };
}

/** Sorted names, or why they cannot be listed. */
function namesIn(disk: Disk, folder: string): readonly string[] | string {
  try {
    return disk.names(folder).sort();
  } catch (error) {
    if (codeOf(error) === '') throw error;
    return `the folder cannot be read (${codeOf(error)}); check its permissions`;
  }
}
