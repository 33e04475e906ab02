import { Refusal } from '../../core/refusal.ts';

/** A failure of the disk itself, in words for whoever asked; anything else is a bug and stays one. */
export function asDiskRefusal(error: unknown): unknown {
  if (codeOf(error) === OVERTAKEN) {
    const what = 'Another process was writing; nothing was changed. Try again in a few seconds.';
    return because(error, new Refusal('lock-busy', what));
  }
  const why = diskTrouble(error);
  if (why === undefined) return error;
  const what = `Nothing was changed: ${why}. Make room or check the store’s permissions, then try again.`;
  return because(error, new Refusal('disk-failed', what));
}

/** The failure itself goes along, for whoever had changed something before it and must say so in other words. */
function because(cause: unknown, refusal: Refusal): Refusal {
  refusal.cause = cause;
  return refusal;
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
