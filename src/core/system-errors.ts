import { Refusal } from './refusal.ts';

/** A failure of the disk or the system in words, by its code alone; anything else is a bug and stays one. */
export function asSystemRefusal(error: unknown, code = codeOf(error)): unknown {
  if (code === OVERTAKEN) {
    const what = 'Another process was writing; nothing was changed. Try again in a few seconds.';
    return because(error, new Refusal('lock-busy', what));
  }
  const why = systemTrouble(error, code);
  if (why === undefined) return error;
  if (error instanceof NotDurable) {
    // Some callers take back what they wrote and others cannot, so these words promise neither.
    const unsure = `It cannot be relied on: ${why}. Check the disk, then look how it is before you try again.`;
    return because(error, new Refusal('disk-failed', unsure));
  }
  const what = `Nothing was changed: ${why}. ${adviceOnCode(code)}, then try again.`;
  return because(error, new Refusal('disk-failed', what));
}

/** The failure itself goes along, for a caller that had changed something before it and must say so. */
function because(cause: unknown, refusal: Refusal): Refusal {
  refusal.cause = cause;
  return refusal;
}

/** What the system said no to, in a few words; undefined where it was not the system. */
export function systemTrouble(error: unknown, code: string): string | undefined {
  if (error instanceof Refusal || !FROM_THE_DISK.test(code)) return undefined;
  if (error instanceof NotDurable) return `the disk could not make it durable (${code})`;
  return knownTrouble(code)?.why ?? `the disk refused it (${code})`;
}

/** What the code means and what to do about it, if a person can do something. */
export function knownTrouble(code: string): SystemAdvice | undefined {
  return TROUBLES[code];
}

/** What to do about it, as the beginning of a sentence. */
export function adviceOnCode(code: string): string {
  return knownTrouble(code)?.advice ?? 'Make room or check the store’s permissions';
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** A file was written, renamed or removed, but the disk could not make the folder's names durable. */
export class NotDurable extends Error {
  override readonly name = 'NotDurable';
  readonly code: string;

  constructor(code: string) {
    super('the folder could not be made durable');
    this.code = code;
  }
}

const OVERTAKEN = 'EAGAIN';

/** What was read has grown since, although this process had the lock: somebody removed the lock under it. */
export function overtaken(): Error {
  return Object.assign(new Error('the file has grown since it was read'), { code: OVERTAKEN });
}

/** Every code of the operating system, and those of SQLite that say what the disk did to it. */
const FROM_THE_DISK =
  /^(?:E[A-Z0-9]+|ERR_FS_[A-Z_]+|SQLITE_(?:FULL|NOMEM|NOLFS|PERM|PROTOCOL|(?:CANTOPEN|IOERR|READONLY|BUSY|LOCKED).*))$/;

interface SystemAdvice {
  readonly why: string;
  readonly advice: string;
}

const FULL: SystemAdvice = { why: 'the disk is full', advice: 'Make room' };
const NO_MEMORY: SystemAdvice = { why: 'this computer has no memory left', advice: 'Close other programs' };
const BUSY: SystemAdvice = { why: 'another program has the file open', advice: 'Wait a moment or close that program' };
const AWAY: SystemAdvice = { why: 'the disk does not answer', advice: 'See whether it is still connected' };

/** The codes that a person can do something about. Every other one is named as it is. */
const TROUBLES: Readonly<Record<string, SystemAdvice>> = {
  ENOSPC: FULL,
  SQLITE_FULL: FULL,
  EDQUOT: { why: 'the disk is full for this account (quota)', advice: 'Make room or ask for a larger share' },
  EFBIG: { why: 'a file would become larger than this disk or account may have', advice: 'Raise the limit' },
  EMFILE: {
    why: 'this process has as many files open as it may',
    advice: 'Raise the limit (ulimit -n) and start it again',
  },
  ENFILE: { why: 'this computer has as many files open as it can', advice: 'Close other programs' },
  ENOMEM: NO_MEMORY,
  SQLITE_NOMEM: NO_MEMORY,
  ENAMETOOLONG: {
    why: 'a name or a path is longer than this disk takes',
    advice: 'Choose a store folder with a shorter path',
  },
  ETXTBSY: BUSY,
  EBUSY: BUSY,
  EDEADLK: BUSY,
  SQLITE_BUSY: BUSY,
  SQLITE_LOCKED: BUSY,
  ESTALE: AWAY,
  ETIMEDOUT: AWAY,
  EHOSTDOWN: AWAY,
  EHOSTUNREACH: AWAY,
  ENOTCONN: AWAY,
  ENODEV: AWAY,
};
