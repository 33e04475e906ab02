import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { Refusal } from '../../core/refusal.ts';
import { knownTrouble } from '../../core/system-errors.ts';
import type { Disk } from '../disk/disk.ts';
import { codeOf } from '../disk/disk-errors.ts';
import { shownPath } from '../disk/display-path.ts';
import { ReadingDisk } from '../disk/reading-disk.ts';
import { baseFolders, inside, withoutTilde } from './base-folders.ts';
import { newStoreId, readStoreFile, STORE_FILE, storeFileOf } from './store-file.ts';
import { workTreesAround } from './work-trees.ts';

/** Where one store and this machine's files about it lie; real absolute paths, resolved once at start. */
export interface Places {
  readonly root: string;
  readonly memories: string;
  readonly quarantine: string;
  readonly archive: string;
  readonly ledger: string;
  /** The lock and the guard database: inside the root, because all processes that share the root must use them. */
  readonly guard: string;
  /** Keeps two stores' derived files apart on one machine. */
  readonly rootHash: string;
  /** Whether `--root` named the store, so that the next command needs it too. */
  readonly isRootGiven: boolean;
  readonly cache: string;
  readonly state: string;
  readonly config: string;
}

export interface Surroundings {
  /** `--root`, as typed. */
  readonly root?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** What `~` means: `os.homedir()`, which follows $HOME. */
  readonly home: string;
  /**
   * The home folder by the system's own records, see `accountHome`. When given, only it is exempt from the repository
   * rule: a repository's `.mcp.json` can set HOME to the repository itself.
   */
  readonly account?: string | undefined;
  readonly platform: NodeJS.Platform;
}

/** Folders of a store; a symlink in place of one would let files be read or written outside the root. */
const OWN_FOLDERS = ['memories', 'quarantine', 'archive', 'ledger', '.surety'] as const;

/**
 * What may lie in a folder that still counts as empty: files that git, a hosting site's "new repository" button and
 * file managers leave. None of them is changed, not even a `.gitignore`.
 */
export const COUNTS_AS_NOTHING: ReadonlySet<string> = new Set([
  '.git',
  '.gitattributes',
  '.gitignore',
  STORE_FILE,
  'README',
  'README.md',
  'LICENSE',
  'LICENSE.md',
  '.DS_Store',
]);

export const STARTER_FILES: Readonly<Record<'.gitattributes' | '.gitignore', string>> = {
  // Line endings are part of a vouched text's bytes; git must not change them.
  '.gitattributes': '* -text\n',
  '.gitignore': 'archive/\n.surety/\n.tmp-*\n',
};

/** Resolves every path, or refuses. Creates nothing. */
export function resolvePlaces(input: Surroundings): Places {
  const home = homeOf(input.home);
  const exempt = input.account === undefined ? home : homeOf(input.account);
  const root = realPlace(askedRoot(input, home));
  const rootHash = createHash('sha256').update(root).digest('hex').slice(0, 32);
  const bases = baseFolders(input, home);
  const own = {
    config: realPlace(bases.config),
    state: realPlace(join(bases.state, rootHash)),
    cache: realPlace(join(bases.cache, rootHash)),
  };

  for (const whole of [home, exempt]) {
    if (inside(root, whole)) {
      throw unusable(`The store folder ${shownPath(root)} is the home folder or holds it. ${CHOOSE_ROOT}`);
    }
  }
  refuseWorkTree('store', root, root, exempt, CHOOSE_ROOT);
  for (const [name, folder] of Object.entries(own)) {
    const choose = `Set XDG_${name.toUpperCase()}_HOME to a folder outside any repository and outside the store, or unset it.`;
    refuseWorkTree(name, folder, root, exempt, choose);
    if (inside(root, folder)) {
      throw unusable(
        `The ${name} folder ${shownPath(folder)} lies inside the store, where it would be synced. ${choose}`,
      );
    }
    const entry = fs.lstatSync(folder, { throwIfNoEntry: false });
    if (entry !== undefined && !entry.isDirectory()) {
      throw unusable(`The ${name} folder ${shownPath(folder)} is a file. ${choose}`);
    }
  }
  if (input.platform === 'win32') for (const folder of [root, ...Object.values(own)]) refuseLong(folder);
  refuseForeignFolder(root);
  // Here, because every command settles its places first: nothing of a store is read that a newer Surety made.
  readStoreFile(root, new ReadingDisk());

  return {
    root,
    memories: join(root, 'memories'),
    quarantine: join(root, 'quarantine'),
    archive: join(root, 'archive'),
    ledger: join(root, 'ledger'),
    guard: join(root, '.surety'),
    rootHash,
    isRootGiven: input.root !== undefined,
    ...own,
  };
}

/** Creates what a store lacks and changes nothing that exists; safe to call at every start. */
export function createStore(places: Places, disk: Disk): void {
  // Checked again, because something else may have been put there since the paths were resolved.
  refuseForeignFolder(places.root);
  const { memories, quarantine, ledger, guard, config, state } = places;
  // A store that was there before has its id already, or gets one when something is first signed in it.
  const isNew = !disk.exists(memories) && !disk.exists(ledger);
  try {
    // memories/ first: it makes the folder a store if this is interrupted. The index makes its own folder.
    for (const folder of [memories, quarantine, ledger, guard, config, state]) disk.makeFolder(folder);
    for (const [name, text] of Object.entries(STARTER_FILES)) createMissing(disk, join(places.root, name), text);
    if (isNew) createMissing(disk, join(places.root, STORE_FILE), storeFileOf(newStoreId()));
  } catch (error) {
    if (codeOf(error) === '') throw error;
    const known = knownTrouble(codeOf(error));
    const why = known === undefined ? `(${codeOf(error)})` : `because ${known.why}`;
    const advice = known?.advice ?? 'Make sure that its folder and the config and state folders can be written';
    throw unusable(`The store ${shownPath(places.root)} could not be created ${why}. ${advice}, then try again.`);
  }
}

/** Windows opens paths of at most 260 characters for SQLite and as a working folder; our names take up to 60. */
const LONGEST_ON_WINDOWS = 200;

function refuseLong(folder: string): void {
  if (folder.length <= LONGEST_ON_WINDOWS) return;
  throw unusable(
    `The folder ${shownPath(folder)} is longer than ${LONGEST_ON_WINDOWS} characters; Windows opens no path over 260. Choose a shorter one.`,
  );
}

/** The real absolute path of something that may not exist yet: links are followed as far as there are entries. */
export function realPlace(path: string): string {
  const missing: string[] = [];
  let at = resolve(path);
  for (let looks = 0; ; looks++) {
    try {
      // The native call gives the spelling on disk where names ignore case.
      return join(fs.realpathSync.native(at), ...missing);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || isDangling(at) || dirname(at) === at) throw unresolved(path, codeOf(error));
    }
    // Another process created it since: look again.
    if (looks < 100 && fs.lstatSync(at, { throwIfNoEntry: false }) !== undefined) continue;
    missing.unshift(basename(at));
    at = dirname(at);
  }
}

const CHOOSE_ROOT = 'Choose a new or empty folder outside any repository with --root or SURETY_ROOT.';

function homeOf(path: string): string {
  if (!isAbsolute(path)) throw unusable('The home folder is not known as an absolute path. Set HOME and try again.');
  return realPlace(path);
}

function askedRoot({ root, env }: Surroundings, home: string): string {
  if (root === '') throw unusable(`--root is empty. ${CHOOSE_ROOT}`);
  return withoutTilde(root ?? (env.SURETY_ROOT || join('~', '.surety')), home);
}

/**
 * Memory is never read from, or configured by, the repository an agent works in. The root may be the top of its own
 * repository, for syncing. It may not be a linked work tree or a submodule, which belong to another repository.
 */
function refuseWorkTree(name: string, folder: string, root: string, home: string, choose: string): void {
  for (const { top, linked } of treesAround(folder)) {
    if (top === home || (top === root && !linked)) continue;
    throw unusable(
      `The ${name} folder ${shownPath(folder)} lies inside the git work tree ${shownPath(top)}. ` +
        `Memory is never kept in a repository an agent may work in. ${choose}`,
    );
  }
}

function treesAround(folder: string) {
  try {
    return workTreesAround(folder);
  } catch (error) {
    throw unresolved(folder, codeOf(error));
  }
}

/** Refuses a folder that is neither missing, nor empty, nor a store. */
function refuseForeignFolder(root: string): void {
  let names: string[];
  try {
    names = fs.readdirSync(root);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    if (codeOf(error) === 'ENOTDIR') throw unusable(`The store folder ${shownPath(root)} is a file. ${CHOOSE_ROOT}`);
    throw unresolved(root, codeOf(error));
  }
  const present = OWN_FOLDERS.filter((name) => names.includes(name));
  for (const name of present) {
    if (fs.lstatSync(join(root, name)).isDirectory()) continue;
    throw unusable(
      `${name} in the store folder ${shownPath(root)} is a link or a file. ` +
        'Put a real folder of that name in its place, or choose another folder with --root or SURETY_ROOT.',
    );
  }
  if (present.includes('memories')) return;
  // Git keeps no empty folders: a store cloned without memories is only its ledger. A checkout of another branch can take
  // the ledger away too, and leaves the folder that git ignores.
  const isStore = present.includes('ledger') || present.includes('.surety');
  const ours = isStore ? present : [];
  if (names.every((name) => COUNTS_AS_NOTHING.has(name) || ours.some((own) => own === name))) return;
  throw unusable(
    `The store folder ${shownPath(root)} holds other files and is not a store (it has no memories folder). ${CHOOSE_ROOT}`,
  );
}

function createMissing(disk: Disk, path: string, text: string): void {
  try {
    disk.create(path, text);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function isDangling(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function unresolved(path: string, code: string): Refusal {
  const why: Readonly<Record<string, string>> = {
    ELOOP: 'its links lead in a circle',
    ENOENT: 'a link in it leads nowhere',
    ENOTDIR: 'a part of it is a file',
    EACCES: 'a folder in it may not be read',
    EPERM: 'a folder in it may not be read',
    ENAMETOOLONG: 'it is too long',
  };
  return unusable(
    `The folder ${shownPath(path)} cannot be used: ${why[code] ?? 'the system refuses it'}. Correct it or choose another folder.`,
  );
}

function unusable(sentence: string): Refusal {
  return new Refusal('root-unusable', sentence);
}

/** Whether a file in the memories folder should be a memory, by its name. */
export function isMemoryFile(name: string): boolean {
  return name.endsWith('.md') && name !== 'MEMORY.md' && !name.startsWith('.');
}
