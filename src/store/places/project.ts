import { lstatSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { projectOfFolder, projectOfRemote } from '../../core/memory/project.ts';
import { readForeign } from '../disk/foreign-file.ts';
import { remotesOf } from './git-remotes.ts';
import { realPlace } from './places.ts';
import { workTreesAround } from './work-trees.ts';
import { workingFolder } from './working-folder.ts';

/** A repository, and what its files call its project. */
export interface FolderProject {
  /** Where the repository's own files lie: one path for all its work trees. */
  readonly repository: string;
  /** `owner/name` of its origin, else `ownName`. No secret is in either. */
  readonly name: string;
  /** By the name of its folder. */
  readonly ownName: string;
  /** Stays when the repository is moved or renamed on its disk, and no other folder of the disk has it; undefined where the disk tells none. */
  readonly mark: string | undefined;
}

/** The repository around a folder. What it calls itself proves nothing: `KnownProjects` says whether it is believed. */
export function folderProjectAt(folder: string): FolderProject | undefined {
  const tree = workTreesAround(realPlace(folder))[0];
  if (tree === undefined) return undefined;
  const repository = (tree.linked ? worktreeEntryOf(tree.top)?.main : undefined) ?? join(tree.top, '.git');
  const ownName = projectOfFolder(nameOf(repository));
  const name = projectOfRemote(remotesOf(repository).get('origin') ?? '') ?? ownName;
  return { repository, name, ownName, mark: markOf(repository) };
}

/** The repository whose project all of a client's roots are of; where they are of none or of several, that of the working folder. */
export function folderProjectOfSession(roots: readonly string[]): FolderProject | undefined {
  const found = roots.flatMap((root) => projectOfReadable(root) ?? []);
  const isOne = new Set(found.map(({ name }) => name)).size === 1;
  return isOne ? found[0] : projectOfReadable(workingFolder());
}

/** A folder that is missing or cannot be read is of no project. */
export function projectOfReadable(folder: string): FolderProject | undefined {
  try {
    return folderProjectAt(folder);
  } catch {
    return undefined;
  }
}

/** Far longer than any path in these files. */
const LONGEST_LINE = 4_096;

/**
 * The repository of a linked work tree, and this tree's folder in it. It must point back to this tree, because any folder can hold a `.git` file that names
 * somebody else's repository. Read from files: git is never started in a folder that an agent works in.
 */
export function worktreeEntryOf(top: string): { readonly entry: string; readonly main: string } | undefined {
  const own = join(top, '.git');
  const [, named] = /^gitdir: (.+)$/.exec(lineIn(own)) ?? [];
  if (named === undefined) return undefined;
  try {
    const entry = realPlace(resolve(top, named));
    const back = lineIn(join(entry, 'gitdir'));
    const main = realPlace(resolve(entry, lineIn(join(entry, 'commondir'))));
    const isEntry = dirname(entry) === join(main, 'worktrees');
    return isEntry && back !== '' && realPlace(resolve(entry, back)) === own ? { entry, main } : undefined;
  } catch {
    return undefined;
  }
}

/** The folder around `.git`; a bare repository has a name of its own. */
function nameOf(repository: string): string {
  const name = basename(repository);
  return name === '.git' ? basename(dirname(repository)) : name.replace(/\.git$/, '');
}

/**
 * The folder's number on its disk and when it was made: the number alone is given to another folder once this one is deleted.
 * Without the disk's own number, which can change at a restart. A disk that keeps no birth time gives that of the last change.
 */
function markOf(folder: string): string | undefined {
  const entry = lstatSync(folder, { bigint: true, throwIfNoEntry: false });
  if (entry === undefined || entry.birthtimeNs === 0n || entry.birthtimeNs === entry.ctimeNs) return undefined;
  return `${entry.ino}-${entry.birthtimeNs}`;
}

/** Empty for a pipe, a device, and what cannot be read. */
function lineIn(path: string): string {
  try {
    return readForeign(path).bytes?.toString('utf8', 0, LONGEST_LINE).trim() ?? '';
  } catch {
    return '';
  }
}
