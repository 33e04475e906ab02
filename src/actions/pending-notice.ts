import { reviewCommand } from '../core/trust/review-command.ts';
import { PausesForCalls } from '../store/reconcile/pauses-for-calls.ts';
import { isReady } from './memory-state.ts';
import type { Session } from './session.ts';

const notified = new WeakSet<Session>();
/** The last count. Counting takes longer in a larger store, and memories become ready over days. */
const counts = new WeakMap<Session, { readonly at: number; ready: number }>();
const AGAIN_MS = 600_000;
/** At most 2,000 memories are counted at once; a larger store is counted in the background. */
const SMALL = 2_000;
const PORTION = 256;

/** Goes with search results while the index lacks some files: until all were read once, and where the disk had no room for what is new. */
export function notFoundYet({ scanning, vault }: Session): string | null {
  const { complete, unwritten } = vault.indexState();
  if (unwritten > 0)
    return 'The disk is full, so memories that came or changed lately may not be found until there is room. Tell the person.';
  if (scanning === undefined || complete) return null;
  const read = vault.count('memories');
  return `The memories are being read for the first time on this machine, ${read} so far: what is not found yet may be in a minute or two.`;
}

/** Says how many inferred memories await a person; at most once in a session, and never for zero. */
export function noticeOnce(session: Session): string | null {
  if (notified.has(session)) return null;
  const ready = readyIn(session);
  if (ready === 0) return null;
  notified.add(session);
  const what = ready === 1 ? '1 inferred memory awaits' : `${ready} inferred memories await`;
  return `${what} review by the person: they can run ${reviewCommand(session.vault.settings)}, or ask you to go through review_queue.`;
}

/** The number that is known now; 0 until the count is done. */
function readyIn(session: Session): number {
  const { vault } = session;
  const now = vault.now();
  const known = counts.get(session);
  if (known !== undefined && now >= known.at && now - known.at < AGAIN_MS) return known.ready;
  // Counting during the first scan would delay every call that waits for the scan.
  if (session.scanning !== undefined) return 0;
  const count = { at: now, ready: 0 };
  counts.set(session, count);
  if (vault.count('memories') > SMALL) {
    // If counting fails, no notice is given.
    countSlowly(session).then(
      (ready) => {
        count.ready = ready;
      },
      () => {},
    );
    return 0;
  }
  for (const each of vault.survey()) if (isReady(vault, each)) count.ready += 1;
  return count.ready;
}

async function countSlowly({ vault }: Session): Promise<number> {
  const pauses = new PausesForCalls();
  let [ready, counted] = [0, 0];
  for (const each of vault.survey()) {
    if (isReady(vault, each)) ready += 1;
    if (++counted % PORTION === 0) await pauses.letCallsGoFirst();
  }
  return ready;
}
