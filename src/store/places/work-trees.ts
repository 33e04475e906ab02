import * as fs from 'node:fs';
import { dirname, join } from 'node:path';

/** A folder with a `.git` entry: everything below it belongs to a repository's work tree. */
interface WorkTree {
  readonly top: string;
  /** `.git` is not a folder here: a linked work tree or a submodule, whose repository lives elsewhere. */
  readonly linked: boolean;
}

/**
 * Every work tree around a real absolute path, nearest first. All of them, because a submodule is the top of its own
 * tree and still part of the repository around it. Found without git, because the repository itself may set GIT_DIR,
 * GIT_WORK_TREE and GIT_CEILING_DIRECTORIES.
 */
export function workTreesAround(path: string): WorkTree[] {
  const found: WorkTree[] = [];
  for (let folder = path; ; folder = dirname(folder)) {
    const entry = fs.lstatSync(join(folder, '.git'), { throwIfNoEntry: false });
    if (entry !== undefined) found.push({ top: folder, linked: !entry.isDirectory() });
    if (dirname(folder) === folder) return found;
  }
}
