import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readForeign } from '../disk/foreign-file.ts';
import { programOnPath, thisSystem } from '../places/system-programs.ts';

/** At most 4 folders above the program are looked at for the manifest of its package. */
const MOST_FOLDERS = 4;
const VERSION = /\b\d{1,5}\.\d{1,5}\.\d{1,5}\b/;

/**
 * The version of an installed program, by the manifest of its package or by its path; undefined if neither names one. The
 * program is not started, because a look must not run anything of others.
 */
export function versionOf(program: string, env: NodeJS.ProcessEnv): string | undefined {
  const path = programOnPath(program, thisSystem(env));
  if (path === undefined) return undefined;
  try {
    const real = realpathSync(path);
    let folder = dirname(real);
    for (let n = 0; n < MOST_FOLDERS; n++, folder = dirname(folder)) {
      const manifest = readForeign(join(folder, 'package.json')).bytes;
      const version = manifest && JSON.parse(manifest.toString('utf8'))?.version;
      if (typeof version === 'string') return VERSION.exec(version)?.[0];
    }
    return VERSION.exec(real)?.[0];
  } catch {
    return undefined;
  }
}
