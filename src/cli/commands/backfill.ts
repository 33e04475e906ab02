import { confirm, keepInferred, readFound, type SkippedFile, surveyFound } from '../../actions/exchange/backfill.ts';
import { CHANGED_MEANWHILE } from '../../actions/review/answers.ts';
import { conflictFacts, memoryFacts } from '../../actions/review/case-facts.ts';
import { onScreen } from '../../actions/review/shown.ts';
import { openForReading, type Session } from '../../actions/session.ts';
import { Refusal } from '../../core/refusal.ts';
import { type SafeText, sanitize, text } from '../../core/text/safe-text.ts';
import { OneByOne, type OneByOneKey, stopsAll } from '../ask/one-by-one.ts';
import { Tally } from '../ask/tally.ts';
import { withPerson } from '../ask/with-person.ts';
import type { Witness } from '../ask/witness.ts';
import { type Command, EXIT } from '../command.ts';
import { printJson, say, tell } from '../terminal/print.ts';
import { withStore } from '../with-store.ts';

const LEFT: Record<SkippedFile['why'], string> = {
  complete: 'nothing is missing',
  decided: 'a ledger has decided on it',
  quarantined: 'it is quarantined',
  unreadable: 'it is not a file Surety reads',
  'unknown-type': 'its type is none that is known',
  'unknown-tier': 'its trust-level is none that is known',
  blocked: 'a check blocks it',
};

export const backfill: Command = {
  help: `usage: surety backfill [--execute] [--json] [--root DIR]

For memory files that somebody put into the store's folder and no ledger knows: an older collection, say. It tells what
each of them lacks (source-machine, created-at, trust-level, last-verified) and which tier it would propose: verified for
user and feedback, your choice for project, inferred for reference, wherever the origin is unclear, and where a
check holds the text back. Without --execute it changes nothing.

  --execute    go through them: each is shown whole and asked about
  --json       print what would be done as one JSON object (not with --execute)
  --root DIR   the store's folder (else SURETY_ROOT, else ~/.surety)

With --execute:
  y   yes, you vouch for this text: it becomes verified
  i   as inferred: fill in what is missing and vouch for nothing (also Enter)
  s   leave the file as it is
  r   this and the rest as inferred, without asking further
  q   stop here (also Ctrl+D)

No answer counts for more than the one memory that was shown. --execute needs a terminal, and there is no option that
answers in your place. Nothing but those four keys is touched in a file, and running it again changes nothing more.

--json: {"found": [{"id", "proposed", "sets"}], "left": [{"id", "why"}]}, where "left" has what somebody should look at
exit codes: 0 done, 1 failed or a file could not be done, 2 there are no memories, 64 the command line was not
understood, 130 interrupted
`,
  options: {},
  switches: ['execute', 'json'],
  takes: 0,
  run: ({ root, switches }) =>
    switches.has('execute')
      ? withPerson('backfill', root, goThrough)
      : withStore(openForReading(root), (session) => preview(session, switches.has('json'))),
};

const NONE = 2;

function preview(session: Session, json: boolean): number {
  const { memories, found, left } = surveyFound(session);
  if (json) {
    printJson({ found, left: left.map(({ id, why }) => ({ id, why })) });
  } else {
    for (const { id, proposed, sets } of found) {
      const style = proposed === 'verified' ? 'good' : 'label';
      say([style, sanitize(proposed.padEnd(10), 'body')], sanitize(id, 'line'));
      tell(sanitize(`          sets ${sets.join(', ')}`, 'body'), 'label');
    }
    tellLeft(left);
    const whole = `${found.length} to go through; nothing was changed. surety backfill --execute asks about each.`;
    tell(found.length > 0 ? sanitize(whole, 'line') : nothing(memories));
  }
  return codeFor(memories, left.length);
}

async function goThrough(session: Session, witness: Witness): Promise<number> {
  const { memories, found, left } = surveyFound(session);
  tellLeft(left);
  if (found.length === 0) {
    tell(nothing(memories));
    return codeFor(memories, left.length);
  }
  const asker = new OneByOne(session, witness);
  const tally = new Tally(found.length);
  try {
    for (const [i, { id }] of found.entries()) {
      // Ctrl+C also works between files, when nothing is being asked.
      witness.terminal.throwIfInterrupted();
      if (asker.asking) {
        say();
        tell(sanitize(`── ${i + 1} of ${found.length} ──`, 'line'), 'strong');
      }
      if ((await settle(session, asker, id, tally)) === 'q') break;
    }
  } finally {
    say();
    tell(tally.summary());
  }
  return codeFor(memories, left.length + tally.failed);
}

function codeFor(memories: number, failed: number): number {
  if (memories === 0) return NONE;
  return failed > 0 ? EXIT.failed : EXIT.done;
}

/** Asks about one file until it is answered; a file that changed meanwhile is shown again. */
async function settle(session: Session, asker: OneByOne, id: string, tally: Tally): Promise<OneByOneKey> {
  for (;;) {
    const find = readFound(session, id);
    if (find === undefined || !('plan' in find)) {
      tell(text`${sanitize(id, 'line')} was settled meanwhile.`);
      return 's';
    }
    const { loaded, plan } = find;
    if (loaded.memory === undefined) return 's';
    const sheet = {
      ...onScreen(loaded, { vouching: true }),
      facts: [...memoryFacts(session, loaded), ...conflictFacts(session, loaded)],
    };
    const { key, consent } = await asker.ask({
      sheet,
      proposed: plan.proposed,
      verb: 'backfill',
      skipping: 'leave it as it is',
    });
    try {
      if (consent !== undefined) {
        await confirm(session, find, consent);
        tally.count('verified');
        tell(text`${sanitize(id, 'line')} is verified.`, 'good');
      } else if (key === 'i') {
        await keepInferred(session, find);
        tally.count('inferred');
      }
      return key;
    } catch (error) {
      if (!(error instanceof Refusal) || stopsAll(error)) throw error;
      if (error.code !== 'changed-meanwhile') {
        tally.failed += 1;
        tell(sanitize(error.forPerson, 'line'), 'danger');
        return key;
      }
      tell(sanitize(CHANGED_MEANWHILE, 'line'), 'warning');
    }
  }
}

function tellLeft(left: readonly SkippedFile[]): void {
  for (const { id, why } of left) tell(sanitize(`${id} is left as it is: ${LEFT[why]}.`, 'line'), 'warning');
}

function nothing(memories: number): SafeText {
  return memories === 0 ? text`There are no memories in this store.` : text`There is nothing to fill in.`;
}
