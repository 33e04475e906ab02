import { wholeDays } from '../../core/trust/clocks.ts';
import type { Removals, SyncRecord } from '../../store/sync/notices.ts';
import type { SyncRun } from '../../store/sync/run.ts';

/** For 30 days a removal that was spared can be taken, and one that was taken is not asked about again. */
export const REMEMBERED_DAYS = 30;

type Remembered = Pick<SyncRecord, 'spared' | 'taken'>;

/** The remembered removals that still count, as a sync needs them: the blob by path. */
export function removalsOf(before: Remembered | undefined, now: number) {
  const blobs = (removals: Removals | undefined) =>
    new Map(Object.entries(recent(removals, now)).map(([path, { blob }]) => [path, blob]));
  return { spared: blobs(before?.spared), taken: blobs(before?.taken) };
}

/** What is remembered after a run. One that takes deletions leaves none of the earlier ones open. */
export function removalsAfter(
  before: Remembered | undefined,
  run: Pick<SyncRun, 'spared' | 'taken'>,
  takeDeletions: boolean,
  now: number,
): Remembered {
  const at = new Date(now).toISOString();
  const known = { spared: takeDeletions ? {} : recent(before?.spared, now), taken: recent(before?.taken, now) };
  const fresh = [...run.spared.here, ...run.spared.elsewhere].map(([path, blob]) => [path, { blob, at }]);
  const taken = [...run.taken].map(([path, blob]) => {
    const earlier = known.taken[path];
    return [path, earlier?.blob === blob ? earlier : { blob, at }];
  });
  return { spared: { ...known.spared, ...Object.fromEntries(fresh) }, taken: Object.fromEntries(taken) };
}

function recent(removals: Removals = {}, now: number): Removals {
  const isRecent = ([, { at }]: [string, Removals[string]]) => wholeDays(Date.parse(at), now) <= REMEMBERED_DAYS;
  return Object.fromEntries(Object.entries(removals).filter(isRecent));
}
