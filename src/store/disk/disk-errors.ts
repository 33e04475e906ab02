import { closeSync, openSync } from 'node:fs';
import { Refusal } from '../../core/refusal.ts';

/** A disk failure as a refusal the caller can show; any other error is a bug and stays unchanged. */
export function asDiskRefusal(error: unknown): unknown {
  if (codeOf(error) === OVERTAKEN) {
    const what = 'Another process was writing; nothing was changed. Try again in a few seconds.';
    return because(error, new Refusal('lock-busy', what));
  }
  const why = diskTrouble(error);
  if (why === undefined) return error;
  if (error instanceof NotDurable) {
    const written = `It was written, but ${why}, so a power cut could undo it. Check the disk, then look how it is before you try again.`;
    return because(error, new Refusal('unfinished', written));
  }
  const what = `Nothing was changed: ${why}. ${adviceOn(error)}, then try again.`;
  return because(error, new Refusal('disk-failed', what));
}

/** Keeps the cause, for a caller that had already changed something and must say so. */
function because(cause: unknown, refusal: Refusal): Refusal {
  refusal.cause = cause;
  return refusal;
}

/** What the disk refused, in a few words; undefined where it was not the disk. */
export function diskTrouble(error: unknown): string | undefined {
  if (error instanceof Refusal || !FROM_THE_DISK.test(codeOf(error))) return undefined;
  const code = causeOf(error);
  if (error instanceof NotDurable) return `the disk could not make it durable (${code})`;
  return TROUBLES[code]?.why ?? `the disk refused it (${code})`;
}

/** What to do about the error, as the beginning of a sentence. */
export function adviceOn(error: unknown): string {
  return TROUBLES[causeOf(error)]?.advice ?? 'Make room or check the store’s permissions';
}

/** Every code of the operating system, and SQLite's codes for disk failures. */
const FROM_THE_DISK =
  /^(?:E[A-Z0-9]+|ERR_FS_[A-Z_]+|SQLITE_(?:FULL|NOMEM|NOLFS|PERM|PROTOCOL|(?:CANTOPEN|IOERR|READONLY|BUSY|LOCKED).*))$/;

interface Trouble {
  readonly why: string;
  readonly advice: string;
}

const FULL: Trouble = { why: 'the disk is full', advice: 'Make room' };
const NO_MEMORY: Trouble = { why: 'this computer has no memory left', advice: 'Close other programs' };
const BUSY: Trouble = { why: 'another program has the file open', advice: 'Wait a moment or close that program' };
const AWAY: Trouble = { why: 'the disk does not answer', advice: 'See whether it is still connected' };

/** The codes that a person can act on. Every other code is shown by its name. */
const TROUBLES: Readonly<Record<string, Trouble>> = {
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

/** What a process or the computer can run out of: it says nothing about the requested file. */
const SHORTAGES = ['EMFILE', 'ENFILE', 'ENOMEM', 'SQLITE_NOMEM'];

/**
 * Whether a file could not be opened for a reason outside the file. Calling the file unreadable would be wrong then.
 */
export function isShortage(error: unknown): boolean {
  return SHORTAGES.includes(causeOf(error));
}

/** SQLite does not say why it cannot open a file. Opening one ourselves shows whether too many are open. */
function causeOf(error: unknown): string {
  const code = codeOf(error);
  if (!/^SQLITE_(?:CANTOPEN|IOERR)/.test(code)) return code;
  try {
    closeSync(openSync(process.execPath, 'r'));
    return code;
  } catch (shortage) {
    return SHORTAGES.includes(codeOf(shortage)) ? codeOf(shortage) : code;
  }
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

/** The file grew since it was read although this process had the lock: somebody removed the lock. */
export function overtaken(): Error {
  return Object.assign(new Error('the file has grown since it was read'), { code: OVERTAKEN });
}

/** Runs work whose failure is reported and stops nothing. */
export function attempt(complain: (line: string) => void, otherwise: string, work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    complain(`surety: ${otherwise} (${codeOf(error) || (error instanceof Error ? error.message : 'unknown')})`);
    return false;
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
