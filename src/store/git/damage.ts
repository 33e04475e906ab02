import { join } from 'node:path';
import { readableNames } from '../disk/reading-disk.ts';
import type { Places } from '../places/places.ts';
import { Git, type GitFailure } from './git.ts';
import { refuseForeignRepository, refuseLinks } from './refuse-repository.ts';

/** Git's messages for a damaged object or ref, as after a power cut. */
const DAMAGE =
  /is empty|is corrupt|corrupt or missing|unable to (?:unpack|mmap|read)|bad (?:object|tree|commit)|broken (?:ref|link)|^missing |invalid (?:sha1 pointer|HEAD)|hash mismatch|not a git repository|No such ref|lacks an object|could not be moved/m;
const NAME = /\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b|\brefs\/[\w./-]+/;
/** Fsck's exit codes are sums of its findings. */
const FOUND = [...Array.from({ length: 64 }, (_, code) => code), 128];

/** How the name begins under which a damaged repository is kept beside the fresh one. */
export const SET_ASIDE = '.git-damaged-';

export function repositoriesSetAside({ root }: Pick<Places, 'root'>): string[] {
  return readableNames(root).flatMap((name) => (name.startsWith(SET_ASIDE) ? [join(root, name)] : []));
}

export function mayBeDamage({ message, said }: GitFailure): boolean {
  return DAMAGE.test(said) || DAMAGE.test(message);
}

/** The damaged or missing objects and refs of the store's repository. */
export async function damagedObjects({ root }: Pick<Places, 'root'>): Promise<string[]> {
  await refuseForeignRepository({ root });
  const git: Git = new Git(root, () => refuseLinks(git.folder));
  const look = ['fsck', '--full', '--no-dangling', '--no-reflogs', '--no-progress'];
  const { code, out, said } = await git.run(look, { answers: FOUND });
  if (code === 0) return [];
  const lines = `${out.toString('utf8')}\n${said}`.split('\n').filter((line) => DAMAGE.test(line));
  const named = lines.flatMap((line) => NAME.exec(line)?.[0] ?? []).filter((name) => !/^0+$/.test(name));
  return lines.length > 0 && named.length === 0 ? ['HEAD'] : [...new Set(named)];
}
