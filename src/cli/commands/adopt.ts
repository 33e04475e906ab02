import { loadStem } from '../../actions/memory-state.ts';
import { CHANGED_MEANWHILE } from '../../actions/review/answers.ts';
import { memoryFacts } from '../../actions/review/case-facts.ts';
import { refuseVerifying } from '../../actions/review/review.ts';
import { onScreen } from '../../actions/review/shown.ts';
import { withoutStyle } from '../../actions/review/style-findings.ts';
import type { Session } from '../../actions/session.ts';
import { parseId } from '../../core/memory/ids.ts';
import { Refusal } from '../../core/refusal.ts';
import { sanitize, text } from '../../core/text/safe-text.ts';
import type { Loaded } from '../../store/vault/vault.ts';
import { Rewording, type RewordingResult } from '../ask/reword.ts';
import { withPerson } from '../ask/with-person.ts';
import type { Witness } from '../ask/witness.ts';
import { type Command, EXIT, Misuse } from '../command.ts';
import { idIn } from '../ids.ts';
import { tell } from '../terminal/print.ts';

export const adopt: Command = {
  help: `usage: surety adopt [--root DIR] ID

Takes an inferred memory as your own words, as it is or after you have changed it in your editor (VISUAL, else EDITOR,
else nano or vi). You are shown exactly what would be stored and what the checks say about it; your yes makes it
verified, without any observation. It keeps its id and its type. Of a quarantined memory that cannot be restored a new
one is made; the old one stays in quarantine.

While your editor is open the text lies in a file that only you can read; it is removed afterwards. Your editor may keep
copies of its own.

  --root DIR   the store's folder (else SURETY_ROOT, else ~/.surety)

It needs a terminal, and there is no option that answers in your place.
exit codes: 0 stored, 1 not stored, 64 the command line was not understood, 130 interrupted
`,
  options: {},
  takes: 1,
  run: (given) => {
    const stem = idIn(given, 'adopt');
    if (stem === undefined) throw new Misuse('surety adopt needs the id of a memory');
    return withPerson('adopt', given.root, (session, witness) => adoptOne(session, witness, stem), {
      id: parseId(stem),
    });
  },
};

async function adoptOne(session: Session, witness: Witness, stem: string): Promise<number> {
  refuseVerifying(session.vault);
  let written: string | undefined;
  for (;;) {
    const original = loadStem(session.vault, stem);
    if (original === undefined) throw new Refusal('no-such-memory', 'No memory has this id; surety list names all.');
    const reworded = await begin(session, witness, original, written);
    if (reworded.kind === 'stored') return EXIT.done;
    if (reworded.kind === 'left') {
      tell(text`Nothing was stored.`);
      return EXIT.failed;
    }
    written = reworded.written;
    tell(sanitize(CHANGED_MEANWHILE, 'line'), 'warning');
  }
}

/** A text that is partly hidden must be changed before it can be adopted. */
async function begin(
  session: Session,
  witness: Witness,
  original: Loaded,
  written: string | undefined,
): Promise<RewordingResult> {
  const rewording = new Rewording(session, witness, original, written);
  const { id, memory, shown } = original;
  if (written === undefined && memory !== undefined && shown === memory) return rewording.asItIs();
  const { key } = await witness.ask({
    sheet: {
      ...onScreen(original, { vouching: false }),
      findings: withoutStyle(original.inspection.findings),
      facts: memoryFacts(session, original),
    },
    sentence: text`Say this in your own words: ${sanitize(id, 'line')}?`,
    choices: [
      { key: 'e', means: written === undefined ? 'open it in your editor' : 'open what you wrote in your editor' },
      { key: 's', means: 'leave it' },
    ],
    otherwise: 's',
    leave: 's',
  });
  return key === 'e' ? rewording.inEditor() : { kind: 'left' };
}
