import { offersPasskey } from '../../actions/review/first-passkey.ts';
import { openForReading } from '../../actions/session.ts';
import { text } from '../../core/text/safe-text.ts';
import { whyNobody } from '../ask/witness.ts';
import { say, tell } from '../terminal/print.ts';
import { Terminal } from '../terminal/terminal.ts';
import { withStore } from '../with-store.ts';

/** Asks once, where a person is at the terminal and no passkey was ever enrolled, whether to enrol one. */
export async function offerPasskey(root: string | undefined, enrol: () => Promise<unknown>): Promise<void> {
  if (whyNobody('init') !== undefined) return;
  if (!(await withStore(openForReading(root), ({ vault }) => offersPasskey(vault, 'init')))) return;
  say();
  tell(text`With a passkey (fingerprint, face, PIN, security key or phone) you sign what you say yes to.`, 'strong');
  tell(text`No program can give that yes, not even one that has a shell here. Without one everything works.`);
  if (await saysYes()) await enrol();
  else tell(text`No passkey was enrolled. surety passkey add does it at any time; you are not asked again.`);
}

async function saysYes(): Promise<boolean> {
  const terminal = new Terminal();
  try {
    const typed = (await terminal.answer('Enrol one now? y opens a page for it, Enter leaves it: '))
      ?.trim()
      .toLowerCase();
    return typed === 'y' || typed === 'yes';
  } finally {
    terminal.close();
  }
}
