import { basename, join } from 'node:path';
import { readForeign } from '../disk/external-file.ts';
import { realPlace } from './places.ts';
import { workTreesAround } from './work-trees.ts';

/**
 * The project a folder belongs to: `owner/name` of its repository's origin, else the name of its top folder. It only
 * orders what is shown, so a repository that lies about its origin gains only that.
 */
export function projectAt(folder: string): string | undefined {
  const top = workTreesAround(realPlace(folder))[0]?.top;
  if (top === undefined) return undefined;
  return ownerAndName(originOf(top) ?? '') ?? slug(basename(top));
}

const LONGEST_CONFIG = 100_000;

function originOf(top: string): string | undefined {
  let config: string;
  try {
    config = readForeign(join(top, '.git', 'config')).bytes?.toString('utf8', 0, LONGEST_CONFIG) ?? '';
  } catch {
    // A linked work tree, a pipe, a device, or no repository any more: the folder's name is used.
    return undefined;
  }
  let inOrigin = false;
  for (const line of config.split('\n').map((each) => each.trim())) {
    if (line.startsWith('[')) inOrigin = line === '[remote "origin"]';
    else if (inOrigin && /^url\s*=/.test(line)) return line.slice(line.indexOf('=') + 1).trim();
  }
  return undefined;
}

function ownerAndName(url: string): string | undefined {
  const parts = url
    .replace(/\.git\/?$/, '')
    .split(/[/:]+/)
    .filter(Boolean);
  const [owner, name] = parts.slice(-2).map(slug);
  return parts.length >= 3 && owner && name ? `${owner}/${name}` : undefined;
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .slice(0, 60);
}
