import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../disk/disk-errors.ts';

/** What below a repository's folder could make git read or write outside of it. */
export interface WayOut {
  /** As seen from the folder. */
  readonly path: string;
  readonly kind: 'link' | 'hard-link' | 'not-a-file';
}

/**
 * The first link, pipe or device below a repository's folder, at any depth. Git follows links nearly everywhere: a reflog
 * that is a link gets a line appended wherever it leads. Of hard links only those outside `objects` count: git never
 * writes into an object that is there, and a clone of a folder shares its objects with it.
 */
export function wayOutOf(folder: string): WayOut | undefined {
  const waiting = [''];
  for (const path of waiting) {
    for (const entry of entriesIn(join(folder, path))) {
      const at = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isSymbolicLink()) return { path: at, kind: 'link' };
      if (entry.isDirectory()) waiting.push(at);
      else if (!entry.isFile()) return { path: at, kind: 'not-a-file' };
      else if (!at.startsWith('objects/') && namesOf(join(folder, at)) > 1) return { path: at, kind: 'hard-link' };
    }
  }
  return undefined;
}

/** Another git may be at work and take away what was just listed. */
function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function namesOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.nlink ?? 0;
}
