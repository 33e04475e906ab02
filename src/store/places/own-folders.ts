import * as fs from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { baseFolders, withoutTilde } from './base-folders.ts';
import type { Surroundings } from './places.ts';

/**
 * Surety's own folders on this machine: the store, and the config, state and cache folders of all stores, by name and
 * by real path. It only compares paths, and opens and refuses nothing.
 */
export class OwnFolders {
  readonly #folders: readonly string[];
  /** Cached, because one command names a path many times. */
  readonly #ways = new Map<string, readonly string[]>();

  constructor({ root, env, home, account = home, platform }: Surroundings) {
    // The default places count too, because a repository's settings may set the environment.
    const usual = [home, account].flatMap((each) => [
      join(each, '.surety'),
      ...Object.values(baseFolders({ env: {}, platform }, each)),
    ]);
    const asked = [root, env.SURETY_ROOT].filter((each) => each !== undefined && each !== '');
    const named = [
      ...usual,
      ...asked.map((each) => withoutTilde(each as string, home)),
      ...Object.values(baseFolders({ env, platform }, home)),
    ].map((folder) => resolve(folder));
    this.#folders = [...new Set(named.flatMap((folder) => [folder, leadsTo(folder)]).map(folded))];
  }

  /** Whether this absolute path leads into one of the folders, by any name. */
  holds(path: string): boolean {
    return this.#waysTo(path).some((way) => this.#folders.some((folder) => contains(folder, way)));
  }

  /** Whether one of the folders lies below this absolute path. */
  isBelow(path: string): boolean {
    return this.#waysTo(path).some((way) => this.#folders.some((folder) => contains(way, folder)));
  }

  #waysTo(path: string): readonly string[] {
    const known = this.#ways.get(path);
    if (known !== undefined) return known;
    if (this.#ways.size >= MOST_LOOKED_UP) return [folded(path)];
    const ways = [...new Set([path, leadsTo(path)].map(folded))];
    this.#ways.set(path, ways);
    return ways;
  }

  /** The folders as a text may name them: with slashes, in lower case. */
  get names(): readonly string[] {
    return this.#folders.map((folder) => folder.replaceAll('\\', '/'));
  }
}

/** More paths of one call are judged by name, because a hook that is not done in time lets the call go on. */
const MOST_LOOKED_UP = 2_000;
/** At most 40 links within links, as on Linux. */
const MOST_LINKS = 40;
/** No system opens a longer path. */
const LONGEST_PATH = 8_192;

/**
 * Where a path leads, also through links to missing files, because writing through a link creates its target. A path
 * that cannot be examined counts by its name.
 */
export function leadsTo(path: string, links = MOST_LINKS): string {
  if (path.length > LONGEST_PATH) return path;
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(fs.realpathSync.native(at), ...missing);
    } catch {
      const target = links > 0 ? linkTarget(at) : undefined;
      if (target !== undefined) return leadsTo(join(resolve(dirname(at), target), ...missing), links - 1);
      if (dirname(at) === at) return path;
      missing.unshift(basename(at));
    }
  }
}

/** Whether a file belongs to a checkout or an installation of this package, at most two folders up. */
export function isOfPackage(file: string, name: string): boolean {
  try {
    const manifest = join(dirname(dirname(leadsTo(file))), 'package.json');
    return fs.statSync(manifest).size < 1 << 16 && JSON.parse(fs.readFileSync(manifest, 'utf8')).name === name;
  } catch {
    return false;
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return fs.readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** As `inside`, for resolved paths and in less time: a command can name hundreds of thousands. */
function contains(parent: string, child: string): boolean {
  return child === parent || child.startsWith(parent.endsWith(sep) ? parent : parent + sep);
}

/** Many systems ignore case and composition in names; on others, a look-alike of our folder is closed as well. */
function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}
