import type { Session } from '../../actions/session.ts';
import { text } from '../../core/text/safe-text.ts';
import { recordUnrecorded, unrecordedLowerings } from '../../store/maintenance/unrecorded-lowerings.ts';
import { tell } from '../terminal/print.ts';
import type { Witness } from './witness.ts';

/**
 * Where the ledger could not take a quarantine, waits until the person has made room or leaves. Only this process knows who
 * quarantined the memory and why. Without that, the next scan takes the quarantine for a check's, and the review asks about it.
 */
export async function waitForLedger({ vault }: Session, { terminal }: Witness): Promise<void> {
  const waiting = unrecordedLowerings(vault);
  if (waiting.length === 0) return;
  while (unrecordedLowerings(vault).length > 0) {
    tell(
      text`That you quarantined it, and why, is not on record yet, and is lost when this command ends. Make room on the disk, then press Enter.`,
      'warning',
    );
    const typed = await terminal.answer('Enter records it, q leaves it: ');
    if (typed === undefined || ['q', 'quit'].includes(typed.trim().toLowerCase())) return;
    await recordUnrecorded(vault);
  }
  // What was overtaken was told when it was dropped.
  if (!waiting.some((each) => each.isOvertaken())) tell(text`It is on record.`, 'good');
}

/** Where a command ends before it could wait: Ctrl+C answers no question, and its terminal takes no more. */
export function tellUnrecorded({ vault }: Session): void {
  if (unrecordedLowerings(vault).length === 0) return;
  tell(
    text`That you quarantined it, and why, is not on record and is lost now. It stays quarantined; surety review asks you about it.`,
    'warning',
  );
}
