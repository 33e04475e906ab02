import { closeSync, openSync } from 'node:fs';
import { adviceOnCode, asSystemRefusal, codeOf, systemTrouble } from '../../core/system-errors.ts';

export { codeOf, NotDurable, overtaken } from '../../core/system-errors.ts';

/** A failure of the disk itself, in words for the person who asked; anything else is a bug and stays one. */
export function asDiskRefusal(error: unknown): unknown {
  return asSystemRefusal(error, causeOf(error));
}

/** What the disk said no to, in a few words; undefined where it was not the disk. */
export function diskTrouble(error: unknown): string | undefined {
  return systemTrouble(error, causeOf(error));
}

/** What to do about it, as the beginning of a sentence. */
export function adviceOn(error: unknown): string {
  return adviceOnCode(causeOf(error));
}

/** What a process or the whole computer has run out of: it says nothing about the file that was asked for. */
const SHORTAGES = ['EMFILE', 'ENFILE', 'ENOMEM', 'SQLITE_NOMEM'];

/** Whether a file could not be opened for a reason that has nothing to do with it. To take it for unreadable would be wrong. */
export function isShortage(error: unknown): boolean {
  return SHORTAGES.includes(causeOf(error));
}

/** SQLite does not say why it cannot open a file. Whether there are too many open ones can be tried out. */
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

/** Tries something whose failure must be reported and must stop nothing. */
export function attempt(complain: (line: string) => void, otherwise: string, work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    complain(`surety: ${otherwise} (${codeOf(error) || (error instanceof Error ? error.message : 'unknown')})`);
    return false;
  }
}
