import * as fs from 'node:fs';

const { O_NOFOLLOW, O_EXCL } = fs.constants;
/** At most 5 tries, because a file that is being replaced can differ at each look. */
const MOST_TRIES = 5;

/** Whether the system can refuse to open a link. Windows cannot. */
function refusesLinks(platform: NodeJS.Platform): boolean {
  return platform !== 'win32' && O_NOFOLLOW !== undefined;
}

/**
 * Opens a file without following a link. Where the system has no flag for this, the name is checked before and after:
 * it must be no link, and must name the open file.
 */
export function openUnlinked(path: string, flags: number, mode: number, platform: NodeJS.Platform): number {
  if (refusesLinks(platform) || (flags & O_EXCL) !== 0) return fs.openSync(path, flags, mode);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const before = identityAt(path);
    const fd = fs.openSync(path, flags & ~(O_NOFOLLOW ?? 0), mode);
    try {
      const opened = identityOf(fs.fstatSync(fd, { bigint: true }));
      const [was, is] = [before ?? opened, identityAt(path) ?? opened];
      if (was === opened && is === opened) return fd;
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
    fs.closeSync(fd);
  }
  throw linked();
}

/** Without the volume number: Windows gives different ones for a name and for an open file. */
function identityOf({ ino, birthtimeNs }: fs.BigIntStats): string {
  return `${ino} ${birthtimeNs}`;
}

function identityAt(path: string): string | undefined {
  const stat = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat?.isSymbolicLink()) throw linked();
  return stat && identityOf(stat);
}

function linked(): Error {
  return Object.assign(new Error('a link is not followed'), { code: 'ELOOP' });
}
