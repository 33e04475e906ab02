import { Refusal } from '../core/refusal.ts';

/** A failure of the disk itself, in words for whoever asked; anything else is a bug and stays one. */
export function asDiskRefusal(error: unknown): unknown {
  if (codeOf(error) === OVERTAKEN) {
    return new Refusal('lock-busy', 'Another process was writing; nothing was changed. Try again in a few seconds.');
  }
  const why = diskTrouble(error);
  if (why === undefined) return error;
  return new Refusal(
    'disk-failed',
    `Nothing was changed: ${why}. Make room or check the store’s permissions, then try again.`,
  );
}

/** What the disk said no to, in a few words; undefined where it was not the disk. */
export function diskTrouble(error: unknown): string | undefined {
  const code = codeOf(error);
  if (error instanceof Refusal || !/^(?:E[A-Z0-9]+|SQLITE_(?:FULL|CANTOPEN.*|IOERR.*|READONLY.*))$/.test(code))
    return undefined;
  return ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(code) ? 'the disk is full' : `the disk refused it (${code})`;
}

const OVERTAKEN = 'EAGAIN';

/** What was read has grown since, although this process had the lock: somebody removed the lock under it. */
export function overtaken(): Error {
  return Object.assign(new Error('the file has grown since it was read'), { code: OVERTAKEN });
}

/** Tries something whose failure must be told and must stop nothing. */
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
