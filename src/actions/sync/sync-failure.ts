import { Refusal } from '../../core/refusal.ts';
import { truncate, visible } from '../../core/text/safe-text.ts';
import { asDiskRefusal, diskTrouble } from '../../store/disk/disk-errors.ts';
import { GitFailure, NO_ROOM } from '../../store/git/git.ts';
import type { SyncNotice } from '../../store/sync/notices.ts';
import { SYNC, type Synced } from './synced.ts';

/** Turns expected failures into outcomes; a bug is thrown. Git's words are sanitized and only for people. */
export function failure(thrown: unknown, notices: readonly SyncNotice[]): Synced {
  const error = asDiskRefusal(thrown);
  const done = { sent: 0, received: 0, removed: 0, notices };
  if (error instanceof GitFailure) {
    const words = error.said
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !SAYS_NOTHING.test(line))
      .slice(-3)
      .join(' / ');
    const quoted = words === '' ? '' : ` Git says: ${truncate(visible(words, 'line'), 400)}`;
    return { ...done, code: SYNC.failed, said: `Sync could not be done: ${error.message}.${quoted}` };
  }
  if (!(error instanceof Refusal)) throw error;
  const code = error.code === 'lock-busy' ? SYNC.busy : SYNC.failed;
  return { ...done, code, said: error.message };
}

/** Like `failure`, for a sync that stopped with only some files done. */
export function failureMidway(thrown: unknown, notices: readonly SyncNotice[]): Synced {
  const outcome = failure(thrown, notices);
  const full = thrown instanceof GitFailure && NO_ROOM.test(thrown.said) ? 'the disk is full' : undefined;
  const why = diskTrouble(thrown) ?? (thrown instanceof Refusal ? diskTrouble(thrown.cause) : undefined) ?? full;
  if (why === undefined) return outcome;
  const stands = 'Each memory is whole, as it was here or as it came in, and none is lost.';
  const next = 'Make room or check the store’s permissions, then run surety sync again: it goes on from there.';
  return { ...outcome, said: `Sync stopped before it was done: ${why}. ${stands} ${next}` };
}

/** Git ends every failure of a remote so. The line that says why stands before it. */
const SAYS_NOTHING = /^(?:Please make sure you have the correct access rights|and the repository exists\.)$/;
