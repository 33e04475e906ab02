import { join } from 'node:path';
import { readForeign } from '../disk/foreign-file.ts';

/** At most 100,000 bytes of git's settings are read, because those of a repository have a few lines. */
const LONGEST_CONFIG = 100_000;

/**
 * The addresses of a repository's remotes, by name. Read from its file: git is never started in a folder that an agent works
 * in. None where the file cannot be read.
 */
export function remotesOf(repository: string): ReadonlyMap<string, string> {
  const remotes = new Map<string, string>();
  let remote: string | undefined;
  for (const line of configIn(repository).split('\n')) {
    const header = /^\s*\[(?:remote\s+"(.*?)")?/i.exec(line);
    if (header !== null) remote = header[1];
    const url = /^\s*url\s*=(.*)$/i.exec(line)?.[1];
    if (url !== undefined && remote !== undefined && !remotes.has(remote)) remotes.set(remote, url.trim());
  }
  return remotes;
}

function configIn(repository: string): string {
  try {
    return readForeign(join(repository, 'config')).bytes?.toString('utf8', 0, LONGEST_CONFIG) ?? '';
  } catch {
    return '';
  }
}
