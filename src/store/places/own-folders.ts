import * as fs from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { baseFolders, inside, withoutTilde } from './base-folders.ts';
import type { Surroundings } from './places.ts';

/**
 * The folders on this machine that are Surety's own: the store and the config, state and cache folders of all stores, as
 * they are named and as they really lie. Only paths are looked at; nothing in them is opened, and nothing is refused.
 */
export class OwnGround {
  readonly #folders: readonly string[];
  /** A command names the same paths over and over. */
  readonly #ways = new Map<string, readonly string[]>();

  constructor({ root, env, home, account = home, platform }: Surroundings) {
    // The usual places count besides those the environment names: a repository's settings may set the environment.
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

  /** Whether something at this absolute path would be read or written there, by whatever name. */
  holds(path: string): boolean {
    return this.#waysTo(path).some((way) => this.#folders.some((folder) => inside(folder, way)));
  }

  /** Whether one of the folders lies below this absolute path. */
  isBelow(path: string): boolean {
    return this.#waysTo(path).some((way) => this.#folders.some((folder) => inside(way, folder)));
  }

  #waysTo(path: string): readonly string[] {
    const known = this.#ways.get(path);
    if (known !== undefined) return known;
    const ways = [...new Set([path, leadsTo(path)].map(folded))];
    this.#ways.set(path, ways);
    return ways;
  }

  /** The folders as they can stand in a text, with slashes, in lower case. */
  get names(): readonly string[] {
    return this.#folders.map((folder) => folder.replaceAll('\\', '/'));
  }
}

/** Links within links: as many as Linux follows. */
const MOST_LINKS = 40;
/** No system opens a longer one. */
const LONGEST_PATH = 8_192;

/**
 * Where a path leads, also through links to what does not exist yet, since writing through such a link creates it. What
 * cannot be looked at is taken by its name.
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

/** Whether a file is part of a checkout or an installation of this package, two folders up at most. */
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

/** Many systems ignore case and composition in names; on one that does not, a look-alike of ours is closed as well. */
function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}
