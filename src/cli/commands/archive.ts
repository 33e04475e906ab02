import { ago } from '../../actions/history.ts';
import { loadStem } from '../../actions/memory-state.ts';
import { quarantinedAt } from '../../actions/retention.ts';
import { CHANGED_MEANWHILE } from '../../actions/review/answers.ts';
import { type Fact, memoryFacts } from '../../actions/review/case-facts.ts';
import { onScreen } from '../../actions/review/shown.ts';
import type { Session } from '../../actions/session.ts';
import { archiveCandidates, archive as putAway, refuseInVain } from '../../actions/upkeep/archive.ts';
import { parseId } from '../../core/memory/ids.ts';
import { Refusal } from '../../core/refusal.ts';
import { sanitize, text } from '../../core/text/safe-text.ts';
import type { Loaded } from '../../store/vault/vault.ts';
import { Tally } from '../ask/tally.ts';
import { withPerson } from '../ask/with-person.ts';
import type { KeyQuestion, Witness } from '../ask/witness.ts';
import { type Command, EXIT } from '../command.ts';
import { idsIn } from '../ids.ts';
import { say, tell } from '../terminal/print.ts';

export const archive: Command = {
  help: `usage: surety archive [--root DIR] [ID…]

Puts away what has been in quarantine for more than 90 days, or the quarantined memories you name: each is shown and
asked about, and moved to archive/YYYY-MM/ in the store, by the month it was quarantined in. Nothing is deleted, and
nothing is archived by age alone.

An archived memory stays quarantined: it is not served and waits in no review, and a text that repeats it is quarantined
too. The archive stays on this machine: git ignores it, and the next sync removes the file on other machines. To get one
back, move its file into quarantine/ and run surety review.

  y   yes, archive it
  s   leave it where it is (also Enter)
  q   stop here (also Ctrl+D)

  --root DIR   the store's folder (else SURETY_ROOT, else ~/.surety)

It needs a terminal, and there is no option that answers in your place.
exit codes: 0 done, 1 failed, 64 the command line was not understood, 130 interrupted
`,
  options: {},
  takes: Number.POSITIVE_INFINITY,
  run: (given) => {
    const stems = idsIn(given, 'archive');
    return withPerson('archive', given.root, (session, witness) => goThrough(session, witness, stems), {
      id: stems.length === 1 ? parseId(stems[0] ?? '') : undefined,
    });
  },
};

async function goThrough(session: Session, witness: Witness, stems: readonly string[]): Promise<number> {
  const chosen = stems.length > 0 ? stems.map((stem) => quarantined(session, stem)) : archiveCandidates(session);
  if (chosen.length === 0) {
    tell(text`Nothing has been in quarantine for more than 90 days.`);
    return EXIT.done;
  }
  if (stems.length === 0) {
    tell(
      sanitize(`In quarantine for more than 90 days: ${chosen.map(({ stem }) => stem).join(', ')}.`, 'line'),
      'strong',
    );
  }
  const tally = new Tally(chosen.length);
  try {
    for (const [i, loaded] of chosen.entries()) {
      say();
      tell(sanitize(`── ${i + 1} of ${chosen.length} ──`, 'line'), 'strong');
      if ((await settle(session, witness, loaded, tally)) === 'quit') break;
    }
  } finally {
    say();
    tell(tally.summary());
  }
  return tally.failed > 0 ? EXIT.failed : EXIT.done;
}

function quarantined(session: Session, stem: string): Loaded {
  const loaded = loadStem(session.vault, stem);
  if (loaded === undefined) throw new Refusal('no-such-memory', `No memory has the id ${stem}; surety list names all.`);
  if (loaded.place === 'quarantine') return loaded;
  throw new Refusal('not-allowed', `${stem} is not in quarantine; only what is there can be archived.`);
}

async function settle(session: Session, witness: Witness, first: Loaded, tally: Tally): Promise<'next' | 'quit'> {
  for (let loaded: Loaded | undefined = first; loaded !== undefined; loaded = session.vault.loadSpot(first)) {
    try {
      refuseInVain(session, loaded);
      const { key, consent } = await witness.ask(questionAbout(session, loaded));
      if (key === 'q') return 'quit';
      if (consent === undefined) return 'next';
      const path = await putAway(session, loaded, consent);
      tally.count('archived');
      tell(text`${sanitize(loaded.id, 'line')} is archived: ${sanitize(path, 'line')}`, 'good');
      return 'next';
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
  tell(text`${sanitize(first.id, 'line')} was settled meanwhile.`);
  return 'next';
}

/** The date from which the archive counts, where the decision on the sheet has another one or there is none. */
function sinceFacts(session: Session, loaded: Loaded): Fact[] {
  const { standing } = loaded;
  const since = ago(session, quarantinedAt(loaded));
  const isSaid = 'decision' in standing && ago(session, standing.decision.at) === since;
  return isSaid ? [] : [{ label: 'quarantined', ours: since }];
}

function questionAbout(session: Session, loaded: Loaded): KeyQuestion<'y' | 's' | 'q'> {
  return {
    sheet: {
      ...onScreen(loaded, { vouching: false }),
      facts: [...memoryFacts(session, loaded), ...sinceFacts(session, loaded)],
    },
    sentence: text`Archive this: ${sanitize(loaded.stem, 'line')}?`,
    choices: [
      { key: 'y', means: 'yes, archive it', verb: 'archive' },
      { key: 's', means: 'leave it where it is' },
      { key: 'q', means: 'stop here' },
    ],
    otherwise: 's',
    leave: 'q',
  };
}
