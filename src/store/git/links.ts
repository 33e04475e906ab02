import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../disk/disk-errors.ts';

/** Something in a repository's folder that could make git read or write outside of it. */
export interface OutsideLink {
  /** Relative to the folder. */
  readonly path: string;
  readonly kind: 'link' | 'hard-link' | 'not-a-file';
}

/**
 * The first link, pipe or device in a repository's folder, at any depth. Git follows links nearly everywhere: it
 * appends to a reflog that is a link wherever it leads. Hard links count only outside `objects`, because git never
 * writes into an existing object and a local clone shares its objects.
 */
export function outsideLink(folder: string): OutsideLink | undefined {
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

/** Another git may remove what was just listed. */
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
