import { DECISIONS, decide, doneWith, takePlace, tookPlace } from '../../actions/decide.ts';
import { changedMeanwhile, replacing } from '../../actions/review/answers.ts';
import { memoryFacts } from '../../actions/review/case-facts.ts';
import { findByIdOrWords } from '../../actions/review/find-by-id-or-words.ts';
import { besideRival, refuseTooWeak, rivalsOf, sinceVouched } from '../../actions/review/review.ts';
import { onScreen } from '../../actions/review/shown.ts';
import { findingsOf } from '../../actions/review/style-findings.ts';
import type { Session } from '../../actions/session.ts';
import { Refusal } from '../../core/refusal.ts';
import { sanitize, text, visible } from '../../core/text/safe-text.ts';
import { failureOf } from '../../store/records/audit-log.ts';
import type { Decision, Loaded } from '../../store/vault/vault.ts';
import { EXIT, type Given, Misuse } from '../command.ts';
import { TIER_STYLES } from '../terminal/line.ts';
import { say, tell } from '../terminal/print.ts';
import { linesOfRow } from '../terminal/rows.ts';
import { withPerson } from './with-person.ts';
import type { Witness } from './witness.ts';

/** Runs a command that changes one memory's standing: the memory is found by its id, its name or a few words. */
export function decideOne(verb: Exclude<Decision, 'reaffirm'>, { root, rest, options }: Given): Promise<number> {
  if (rest.length === 0) throw new Misuse(`surety ${verb} needs a memory: its id, its name or a few words of it`);
  return withPerson(verb, root, async (session, witness) => {
    const meant = await memoryMeant(session, witness, rest.join(' '), verb);
    return meant === undefined ? nothingChanged() : askAbout(session, witness, meant, verb, options.reason);
  });
}

async function memoryMeant(
  { vault }: Session,
  witness: Witness,
  words: string,
  verb: Decision,
): Promise<Loaded | undefined> {
  const found = await findByIdOrWords(vault, words, verb === 'restore' ? 'quarantine' : 'memories');
  if (found.length <= 1) {
    if (found[0] !== undefined) return found[0];
    const where = verb === 'restore' ? 'surety list --quarantined' : 'surety list';
    throw new Refusal('no-such-memory', `No memory has this id, this name or these words; ${where} names all.`);
  }
  tell(text`Several memories fit:`, 'strong');
  for (const [i, { stem, standing, shown }] of found.entries()) {
    const cells = [
      { words: String(i + 1), width: 2 },
      { words: standing.tier, width: 11, style: TIER_STYLES[standing.tier] },
      { words: stem, width: 28 },
    ];
    for (const line of linesOfRow({ cells, stored: shown && visible(shown.name, 'line') })) say(...line);
  }
  const typed = (await witness.terminal.answer(`which one, 1 to ${found.length} (Enter: none): `))?.trim() ?? '';
  return /^[1-9]$/.test(typed) ? found[Number(typed) - 1] : undefined;
}

/** A lowering is carried out at once; it is never held. */
async function askAbout(
  session: Session,
  witness: Witness,
  { place, stem }: Loaded,
  asked: Decision,
  reason: string | undefined,
): Promise<number> {
  const { vault, audit } = session;
  for (;;) {
    const loaded = vault.loadSpot({ place, stem });
    if (loaded === undefined) throw new Refusal('no-such-memory', 'The memory is gone since it was found.');
    const { id, digest, standing } = loaded;
    const vouched = standing.tier === 'verified' || standing.reason === 'changed';
    const verb = asked === 'promote' && vouched ? 'reaffirm' : asked;
    vault.refuseInVain(verb, loaded);
    if (verb !== 'demote') refuseTooWeak(vault.settings.minimumAssurance);
    const rival = verb === 'promote' ? rivalsOf(session, loaded)[0] : undefined;
    const { consent, both } = await witness.ask({
      sheet: {
        ...onScreen(loaded, { vouching: verb !== 'demote' }),
        findings: findingsOf(vault, loaded),
        facts: memoryFacts(session, loaded),
        against: sinceVouched(vault.formerText(loaded), loaded) ?? besideRival(rival),
        rival: rival && onScreen(rival, { vouching: false }),
      },
      sentence: text`${sanitize(DECISIONS[verb].asksFor, 'line')}: ${sanitize(id, 'line')}?`,
      choices: [
        rival === undefined
          ? { key: 'y', means: DECISIONS[verb].yes, verb }
          : { key: 'y', means: `yes, ${replacing(rival)}`, verb, takesPlace: true },
        { key: 'n', means: rival === undefined ? 'no, leave it' : 'no, leave both as they are' },
      ],
      otherwise: 'n',
      leave: 'n',
    });
    const attempt = { channel: 'terminal', action: verb, id, digest } as const;
    if (consent === undefined && both === undefined) {
      audit.record({ ...attempt, outcome: 'declined', reason: 'person-said-no' });
      return nothingChanged();
    }
    try {
      if (both !== undefined && rival !== undefined) {
        const { recorded } = await takePlace(session, 'promote', loaded, rival, both);
        audit.record({ ...attempt, outcome: 'accepted' });
        audit.record({ ...attempt, action: 'demote', id: rival.id, digest: rival.digest, outcome: 'accepted' });
        tell(
          sanitize(tookPlace(verb, id, rival.id, { recorded, signed: false }), 'line'),
          recorded ? 'good' : 'warning',
        );
      } else if (consent !== undefined) {
        const { recorded } = await decide(session, verb, loaded, consent, reason);
        audit.record({ ...attempt, outcome: 'accepted' });
        tell(sanitize(doneWith(verb, id, { recorded }), 'line'), recorded ? 'good' : 'warning');
      }
      return EXIT.done;
    } catch (error) {
      audit.record({ ...attempt, ...failureOf(error) });
      if (!(error instanceof Refusal) || error.code !== 'changed-meanwhile') throw error;
      tell(sanitize(changedMeanwhile({ rival }), 'line'), 'warning');
    }
  }
}

function nothingChanged(): number {
  tell(text`Nothing was changed.`);
  return EXIT.failed;
}
