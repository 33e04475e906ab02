import type { Session } from '../../actions/session.ts';
import { lastSync, tickOffSyncNotices } from '../../actions/sync/sync-notices.ts';
import { sanitize, text } from '../../core/text/safe-text.ts';
import { say, tell } from '../terminal/print.ts';

/** Prints sync notices once, before anything else, because a person reads them here. */
export async function tellOfSync(session: Session): Promise<void> {
  const notices = lastSync(session)?.notices ?? [];
  if (notices.length === 0) return;
  tell(text`From the last syncs:`, 'strong');
  for (const { about, what } of notices) tell(text`  ${sanitize(about, 'line')} ${sanitize(what, 'line')}`, 'warning');
  say();
  await tickOffSyncNotices(session, notices);
}
