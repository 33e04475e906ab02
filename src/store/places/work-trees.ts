import * as fs from 'node:fs';
import { dirname, join } from 'node:path';

/** A folder that holds a `.git` entry, so that everything below it belongs to some repository's work tree. */
export interface WorkTree {
  readonly top: string;
  /** `.git` is not a folder here: a linked work tree or a submodule, whose repository lives elsewhere. */
  readonly linked: boolean;
}

/**
 * Every work tree a real absolute path lies in, nearest first. All of them and not only the nearest: a submodule is the
 * top of its own tree and still part of the repository around it. Found by walking up, without asking git, because
 * GIT_DIR, GIT_WORK_TREE and GIT_CEILING_DIRECTORIES may come from the repository that is being looked for.
 */
export function workTreesAround(path: string): WorkTree[] {
  const found: WorkTree[] = [];
  for (let folder = path; ; folder = dirname(folder)) {
    const entry = fs.lstatSync(join(folder, '.git'), { throwIfNoEntry: false });
    if (entry !== undefined) found.push({ top: folder, linked: !entry.isDirectory() });
    if (dirname(folder) === folder) return found;
  }
}
