import type { Session } from './session.ts';
import { isReady, survey } from './survey.ts';

const told = new WeakSet<Session>();

/** Said at most once in a session, and only when there is something: how many inferred memories await a person. */
export function noticeOnce(session: Session): string | null {
  if (told.has(session)) return null;
  const ready = survey(session.vault).filter((known) => isReady(session.vault, known)).length;
  if (ready === 0) return null;
  told.add(session);
  const what = ready === 1 ? '1 inferred memory awaits' : `${ready} inferred memories await`;
  return `${what} review by the person: they can run surety review, or ask you to go through review_queue.`;
}
