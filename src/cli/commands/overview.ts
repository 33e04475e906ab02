import { type Status, statusOf } from '../../actions/report/status.ts';
import { openForReading } from '../../actions/session.ts';
import { Refusal } from '../../core/refusal.ts';
import { sanitize } from '../../core/text/safe-text.ts';
import { EXIT } from '../command.ts';
import { say, tell } from '../terminal/print.ts';
import { withStore } from '../with-store.ts';
import { showStatus } from './status.ts';

/** What `surety` without a command shows a person at a terminal: how the store is, and what to do next. */
export async function overviewAtTerminal(root: string | undefined): Promise<number> {
  try {
    const found = await withStore(
      openForReading(root, () => {}),
      statusOf,
    );
    showStatus(found);
    say();
    tell(sanitize(nextStep(found), 'line'), 'strong');
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'no-store') throw error;
    tell(sanitize(`${error.message} surety demo shows in two minutes what it is for.`, 'line'));
  }
  return EXIT.done;
}

/** One sentence; what keeps everything else from counting comes first. */
function nextStep({ key, ledgers, waiting, memories, project, sync, ...found }: Status): string {
  const trouble =
    key.trouble !== null || found.passkeysContested !== null || ledgers.some((ledger) => ledger.trouble !== undefined);
  if (trouble) return 'Next: surety doctor, which says what is wrong and repairs what you say yes to.';
  const waits = Object.values(waiting).reduce((sum, count) => sum + count, 0);
  if (waits > 0)
    return `Next: ${found.reviewedWith}, which goes through the ${waits === 1 ? 'one' : waits} that ${waits === 1 ? 'waits' : 'wait'} for you.`;
  if (memories.verified + memories.inferred === 0)
    return 'Next: surety remember "…" writes down a first memory, and surety init sets up your clients.';
  if (project.notLoaded.length > 0) return 'Next: surety doctor, run in this folder, which settles its project.';
  const notices = sync?.notices ?? [];
  if (notices.some(({ kind }) => kind === 'machine'))
    return 'Next: surety machines, which lists whose word counts here; surety machines trust lets another’s count.';
  if (notices.some(({ kind }) => kind === 'failed')) return 'Next: surety sync, because the last one did not work.';
  if (notices.length > 0)
    return `Next: surety review, which shows what syncing brought up and marks it as seen (${notices.length === 1 ? 'one thing' : `${notices.length} things`}).`;
  return 'Nothing to do. surety search finds a memory, surety remember "…" writes one down, surety --help lists the rest.';
}
