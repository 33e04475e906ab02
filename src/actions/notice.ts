import type { Session } from './session.ts';
import { countReady } from './survey.ts';

const told = new WeakSet<Session>();
/** When the store was last looked over for it: that takes time with its size, and days pass before something gets ready. */
const looked = new WeakMap<Session, number>();
const AGAIN_MS = 600_000;

/** Said at most once in a session, and only when there is something: how many inferred memories await a person. */
export function noticeOnce(session: Session): string | null {
  if (told.has(session)) return null;
  const now = session.vault.parts.now();
  const last = looked.get(session);
  if (last !== undefined && now >= last && now - last < AGAIN_MS) return null;
  looked.set(session, now);
  const ready = countReady(session.vault);
  if (ready === 0) return null;
  told.add(session);
  const what = ready === 1 ? '1 inferred memory awaits' : `${ready} inferred memories await`;
  return `${what} review by the person: they can run surety review, or ask you to go through review_queue.`;
}
