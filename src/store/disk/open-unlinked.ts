import * as fs from 'node:fs';

const { O_NOFOLLOW, O_EXCL } = fs.constants;
/** A file that is being replaced is another one from look to look. */
const MOST_TRIES = 5;

/** Whether the system itself refuses to open a link when it is asked to. Windows does not. */
export function refusesLinks(platform: NodeJS.Platform): boolean {
  return platform !== 'win32' && O_NOFOLLOW !== undefined;
}

/**
 * Opens a file without following a link. Where the system has no such flag, the name is looked at before and after: it must
 * be no link, and the file that is open must be the one under that name.
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

/** Not the number of the volume: Windows gives it for a name otherwise than for an open file. */
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
