import { duplicatesAndUnusedLast } from '../../actions/review/duplicates-and-unused-last.ts';
import { whyNoPasskeyCounts } from '../../actions/review/first-passkey.ts';
import { itemsToReview, type ReviewItem, waitingAmong, waitingLine } from '../../actions/review/review.ts';
import type { Session } from '../../actions/session.ts';
import { sanitize, text } from '../../core/text/safe-text.ts';
import { REVIEWED, type Reviewed } from '../../core/trust/review-categories.ts';
import { passkeysNow } from '../../store/maintenance/passkeys.ts';
import { goThroughOnPage } from '../ask/browser-review.ts';
import { QueueReview } from '../ask/queue-review.ts';
import { tellOfSync } from '../ask/sync-notices.ts';
import { Tally } from '../ask/tally.ts';
import { withPerson } from '../ask/with-person.ts';
import type { Witness } from '../ask/witness.ts';
import { type Command, EXIT } from '../command.ts';
import { choice, number } from '../options.ts';
import { say, tell } from '../terminal/print.ts';

const ASKED_ON_PAGE =
  'In this store every yes that makes a memory count needs a passkey: surety review --web asks for it. Here you can say no, skip and put back.';

export const review: Command = {
  help: `usage: surety review [--web] [--category C] [--limit N] [--root DIR]

Goes through what waits for you, one memory at a time: what agents asked for, memories whose files are missing (y puts
them back, n says that they were meant to go), verified texts that another text has displaced, changed ones, ones that
contradict a verified memory (both are shown), verified ones with an anchor that is lost in the repository you are in,
ones that a finding holds back, ones that are due to be looked at again, inferred ones whose observation is over, and
what a check put into quarantine. Last come new ones, which are in observation and wait for nobody. Nearly doubled and
never used ones come in a row. Each is shown in full. One that corrects another is shown beside it; after your yes you
are asked about that one too. What else is in quarantine is not asked about: surety list --quarantined lists it.

  a   these are your own words: they are verified from now on, without waiting (for an inferred memory)
  y   yes: make it verified, vouch for it again, restore it, put a displaced text back, or do what the agent asked for
  n   no: put it into quarantine; for a request: refuse it and leave the memory as it is
  b   keep both (only for one that contradicts a verified memory, which is shown beside it); y or a takes it and puts
      the old one into quarantine, in one answer; n keeps the old one
  p   put the old text back: the one you vouched for (only for a memory that changed)
  e   say it in your own words, in your editor (VISUAL, else EDITOR, else nano or vi); what you write is checked and
      shown whole, and your yes makes it verified, under the same id; of a quarantined one it makes a new memory
  s   skip: leave it for now (also Enter)
  u   take back the answer before
  q   stop here (also Ctrl+D)

One key answers, without Enter; where TERM is dumb, Enter is needed. A key that was typed before the question was on the
screen answers nothing, and neither does the same letter within three quarters of a second, as of a key that is held
down. Each answer is held until the next key or for five seconds, and u takes it back without a trace; stopping, closing
the window and Ctrl+C carry it out. The page of --web holds each answer in the same way, and has a button for u.

  --web          on a page in your browser; it closes by itself
  --category C   only these: ${REVIEWED.slice(0, 6).join(', ')},
                 ${REVIEWED.slice(6).join(', ')}
  --limit N      at most N memories
  --root DIR     the store's folder (else SURETY_ROOT, else ~/.surety)

It needs a terminal, and there is no option that answers in your place.
exit codes: 0 done, 1 failed, 64 the command line was not understood, 130 interrupted
`,
  options: { category: `one of ${REVIEWED.join(', ')}`, limit: 'a number' },
  switches: ['web'],
  takes: 0,
  run: (given, doors) => {
    const { root, switches } = given;
    const only = choice(given, 'category', REVIEWED);
    const limit = number(given, 'limit', 999_999, Number.POSITIVE_INFINITY);
    return withPerson('review', root, async (session, witness) => {
      const items = await duplicatesAndUnusedLast(session, itemsToReview(session, only));
      if (switches.has('web')) return goThroughOnPage(session, witness, items.slice(0, limit), doors);
      await tellOfSync(session);
      return goThrough(session, witness, items, only, limit);
    });
  },
};

async function goThrough(
  session: Session,
  witness: Witness,
  items: readonly ReviewItem[],
  only: Reviewed | undefined,
  limit: number,
): Promise<number> {
  if (items.length === 0) {
    tell(
      only
        ? text`Nothing waits for you under ${sanitize(only, 'line')}.`
        : text`Nothing waits for you. All is settled.`,
    );
    return EXIT.done;
  }
  tell(sanitize(waitingLine(items), 'line'), 'strong');
  if (passkeysNow(session.vault).isRequired)
    tell(sanitize(whyNoPasskeyCounts(session.vault) ?? ASKED_ON_PAGE, 'line'), 'warning');

  const tally = new Tally(items.length);
  try {
    await new QueueReview(session, witness, items.slice(0, limit), tally).run();
  } finally {
    say();
    const left = itemsToReview(session, only);
    const waits = waitingAmong(left);
    tell(tally.summary(waits, left.length - waits));
  }
  return tally.failed > 0 ? EXIT.failed : EXIT.done;
}
