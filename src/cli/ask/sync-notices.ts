import type { Session } from '../../actions/session.ts';
import { lastSync, tickOffSyncNotices } from '../../actions/sync/sync-notices.ts';
import { sanitize, text } from '../../core/text/safe-text.ts';
import { say, tell, windowSize } from '../terminal/print.ts';
import { wrapped } from '../terminal/quote.ts';

/** Prints sync notices once, before anything else, because a person reads them here. */
export async function tellOfSync(session: Session): Promise<void> {
  const notices = lastSync(session)?.notices ?? [];
  if (notices.length === 0) return;
  tell(text`From the last syncs:`, 'strong');
  for (const { about, what } of notices) {
    const rows = wrapped(sanitize(`${about} ${what}`, 'line'), windowSize().width - 4);
    // What goes on in the next row is set in further, so that a person sees where each begins.
    for (const [i, row] of rows.entries()) say(['warning', text`${i === 0 ? text`  ` : text`    `}${row}`]);
  }
  say();
  await tickOffSyncNotices(session, notices);
}
