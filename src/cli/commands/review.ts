import { CHANGED_MEANWHILE, choicesFor, countedAs, settledMeanwhile } from '../../actions/review/answers.ts';
import { type Item, itemsToReview, openCase, waitingLine, whyAsked } from '../../actions/review/review.ts';
import { superfluousLast } from '../../actions/review/superfluous-last.ts';
import type { Session } from '../../actions/session.ts';
import { Refusal } from '../../core/refusal.ts';
import { sanitize, text } from '../../core/text/safe-text.ts';
import { CHANNELS, type UserConsent } from '../../core/trust/consent.ts';
import { REVIEWED, type Reviewed } from '../../core/trust/review-categories.ts';
import { goThroughOnPage } from '../ask/browser-review.ts';
import { questionFor } from '../ask/review-question.ts';
import { Rewording } from '../ask/reword.ts';
import { tellOfSync } from '../ask/sync-notices.ts';
import { Tally } from '../ask/tally.ts';
import { attended } from '../ask/with-person.ts';
import type { Witness } from '../ask/witness.ts';
import { type Command, EXIT } from '../command.ts';
import { choice, number } from '../options.ts';
import { say, tell } from '../terminal/print.ts';

export const review: Command = {
  help: `usage: surety review [--web] [--category C] [--limit N] [--root DIR]

Goes through what waits for you, one memory at a time: what agents asked for, memories whose files are missing (y puts
them back, n says that they were meant to go), verified texts that another text has displaced, changed ones, ones that a
finding holds back, ones that have not been looked at for long, inferred ones whose observation is over, and what a check
put into quarantine. Last come new ones, which are in observation and wait for nobody. Nearly doubled and never used ones
come in a row. Each is shown in full; each answer is carried out at once. One that corrects another is shown beside it;
after your yes you are asked about that one too. What else is in quarantine is not asked about: surety list
--quarantined lists it.

  a   these are your own words: they are verified from now on, without waiting (for an inferred memory)
  y   yes: make it verified, vouch for it again, restore it, put a displaced text back, or do what the agent asked for
  n   no: put it into quarantine; for a request: refuse it and leave the memory as it is
  p   put the old text back: the one you vouched for (only for a memory that changed)
  e   say it in your own words, in your editor (VISUAL, else EDITOR, else nano or vi); what you write is checked and
      shown whole, and your yes makes it verified, under the same id; of a quarantined one it makes a new memory
  s   skip: leave it for now (also Enter)
  q   stop here (also Ctrl+D)

  --web          on a page in your browser; it closes by itself
  --category C   only these: ${REVIEWED.join(', ')}
  --limit N      at most N memories
  --root DIR     the store's folder (else SURETY_ROOT, else ~/.surety)

It needs a terminal, and nothing answers in your place: there is no option for it.
exit codes: 0 done, 1 failed, 64 the command line was not understood, 130 interrupted
`,
  options: { category: `one of ${REVIEWED.join(', ')}`, limit: 'a number' },
  switches: ['web'],
  takes: 0,
  run: (given, doors) => {
    const { root, switches } = given;
    const only = choice(given, 'category', REVIEWED);
    const limit = number(given, 'limit', 999_999, Number.POSITIVE_INFINITY);
    return attended('review', root, async (session, witness) => {
      const items = await superfluousLast(session, itemsToReview(session, only));
      if (switches.has('web')) return goThroughOnPage(session, witness, items.slice(0, limit), doors);
      await tellOfSync(session);
      return goThrough(session, witness, items, only, limit);
    });
  },
};

async function goThrough(
  session: Session,
  witness: Witness,
  items: readonly Item[],
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

  const shown = items.slice(0, limit);
  const tally = new Tally(items.length);
  try {
    for (const [i, item] of shown.entries()) {
      const head = (each: Item) =>
        tell(sanitize(`\n── ${i + 1} of ${shown.length} · ${whyAsked(each)} ──`, 'body'), 'strong');
      head(item);
      let next = await settle(session, witness, item, tally);
      if (typeof next === 'object') {
        head(next);
        next = await settle(session, witness, next, tally);
      }
      if (next === 'quit') break;
    }
  } finally {
    say();
    tell(tally.summary());
  }
  return tally.failed > 0 ? EXIT.failed : EXIT.done;
}

const CHANGED_WHILE_WRITING = text`It changed while you were writing. Nothing was done; this is how it is now. What you wrote is kept: e opens it again.`;

/** Asks about one item until it is answered, and again if it changed meanwhile. Returns the follow-up item, if any. */
async function settle(session: Session, witness: Witness, item: Item, tally: Tally): Promise<'next' | 'quit' | Item> {
  let written: string | undefined;
  for (;;) {
    const open = openCase(session, item);
    if (open === undefined) {
      tell(sanitize(settledMeanwhile(item), 'line'));
      return 'next';
    }
    const choices = choicesFor(open);
    const { key, consent } = await witness.ask(questionFor(session, open, choices));
    const effect = choices.find((choice) => choice.key === key)?.effect ?? 'stop';
    if (effect === 'stop') return 'quit';
    try {
      if (effect === 'write') {
        const reworded = await new Rewording(session, witness, open.loaded, written).inEditor();
        written = reworded.kind === 'changed' ? reworded.written : undefined;
        if (reworded.kind === 'changed') tell(CHANGED_WHILE_WRITING, 'warning');
        if (reworded.kind !== 'stored') continue;
        tally.count(countedAs(reworded.outcome));
        return 'next';
      }
      const { outcome, said, then } = await effect(session, open, {
        channel: 'terminal',
        yes: () => given(consent),
        no: { channel: 'terminal', level: CHANNELS.terminal, client: null },
        reason: async (usual) => usual ?? reasonFrom(witness),
      });
      tally.count(countedAs(outcome));
      if (said !== undefined) tell(sanitize(said.sentence, 'line'), said.tone);
      if (then !== undefined) tally.expect(1);
      return then ?? 'next';
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code !== 'changed-meanwhile') {
        tally.failed += 1;
        tell(sanitize(error.forPerson, 'line'), 'danger');
        return 'next';
      }
      tell(sanitize(CHANGED_MEANWHILE, 'line'), 'warning');
    }
  }
}

function given(consent: UserConsent | undefined): UserConsent {
  if (consent === undefined) throw new TypeError('This answer was not a yes.');
  return consent;
}

async function reasonFrom(witness: Witness): Promise<string | undefined> {
  const reason = await witness.terminal.line('why, in one line (Enter: no reason): ');
  return reason?.trim() || undefined;
}
