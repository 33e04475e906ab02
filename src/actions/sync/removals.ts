import { wholeDays } from '../../core/trust/clocks.ts';
import type { Removals, SyncRecord } from '../../store/sync/notices.ts';
import type { SyncRun } from '../../store/sync/sync-run.ts';

/** For at most 2 days a removal that was spared can be taken, because a later word is about something else. */
export const SPARED_DAYS = 2;
/** For at most 30 days one that was taken is not asked about again, because other machines sync late. */
const TAKEN_DAYS = 30;

type RememberedRemovals = Pick<SyncRecord, 'spared' | 'taken'>;

/** The remembered removals that still count, as a sync needs them: the blob by path. */
export function removalsOf(before: RememberedRemovals | undefined, now: number) {
  const { spared, taken } = stillCounting(before, now);
  const blobs = (removals: Removals) => new Map(Object.entries(removals).map(([path, { blob }]) => [path, blob]));
  return { spared: blobs(spared), taken: blobs(taken) };
}

/** What is remembered after a run. One that takes deletions leaves none of the earlier ones open. */
export function removalsAfter(
  before: RememberedRemovals | undefined,
  run: Pick<SyncRun, 'spared' | 'taken'>,
  takeDeletions: boolean,
  now: number,
): RememberedRemovals {
  const at = new Date(now).toISOString();
  const known = stillCounting(takeDeletions ? { ...before, spared: {} } : before, now);
  const fresh = [...run.spared.here, ...run.spared.elsewhere].map(([path, blob]) => [path, { blob, at }]);
  const taken = [...run.taken].map(([path, blob]) => {
    const earlier = known.taken[path];
    return [path, earlier?.blob === blob ? earlier : { blob, at }];
  });
  return { spared: { ...known.spared, ...Object.fromEntries(fresh) }, taken: Object.fromEntries(taken) };
}

function stillCounting(before: RememberedRemovals | undefined, now: number) {
  return { spared: recent(before?.spared, SPARED_DAYS, now), taken: recent(before?.taken, TAKEN_DAYS, now) };
}

/** One that lies ahead was met while the clock was wrong, and may be long ago. */
function recent(removals: Removals = {}, days: number, now: number): Removals {
  const isRecent = ([, { at }]: [string, Removals[string]]) => Math.abs(wholeDays(Date.parse(at), now)) <= days;
  return Object.fromEntries(Object.entries(removals).filter(isRecent));
}
