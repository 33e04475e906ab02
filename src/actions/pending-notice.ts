import type { Session } from './session.ts';
import { isReady } from './survey.ts';

const told = new WeakSet<Session>();
/** When the store was last looked over for it: that takes time with its size, and days pass before something gets ready. */
const counts = new WeakMap<Session, { readonly at: number; ready: number }>();
const AGAIN_MS = 600_000;
/** A larger store is counted while other calls go on, and the number told with a later one. */
const SMALL = 2_000;
const PORTION = 256;

/** Said with whatever is found before all files of a store were read for the first time. */
export function stillReading({ looking, vault }: Session): string | null {
  if (looking === undefined || vault.indexState().complete) return null;
  const read = vault.count('memories');
  return `The memories are being read for the first time on this machine, ${read} so far: what is not found yet may be in a minute or two.`;
}

/** Said at most once in a session, and only when there is something: how many inferred memories await a person. */
export function noticeOnce(session: Session): string | null {
  if (told.has(session)) return null;
  const ready = readyIn(session);
  if (ready === 0) return null;
  told.add(session);
  const what = ready === 1 ? '1 inferred memory awaits' : `${ready} inferred memories await`;
  return `${what} review by the person: they can run surety review, or ask you to go through review_queue.`;
}

/** As far as it is known by now. */
function readyIn(session: Session): number {
  const { vault } = session;
  const now = vault.now();
  const known = counts.get(session);
  if (known !== undefined && now >= known.at && now - known.at < AGAIN_MS) return known.ready;
  // Whoever waits for the look at the files would wait for this too.
  if (session.looking !== undefined) return 0;
  const count = { at: now, ready: 0 };
  counts.set(session, count);
  if (vault.count('memories') > SMALL) {
    // What cannot be counted now is not told.
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
  let [ready, looked] = [0, 0];
  for (const each of vault.survey()) {
    if (isReady(vault, each)) ready += 1;
    if (++looked % PORTION === 0) await new Promise((next) => setImmediate(next));
  }
  return ready;
}
