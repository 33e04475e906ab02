import { DECISIONS } from '../../actions/decide.ts';
import { type CarryOut, changedMeanwhile, choicesFor, refuseRequest } from '../../actions/review/answers.ts';
import { dictationFacts, type Fact, memoryFacts } from '../../actions/review/case-facts.ts';
import { findByIdOrWords } from '../../actions/review/find-by-id-or-words.ts';
import { type Case, openCase, rivalsOf } from '../../actions/review/review.ts';
import type { Session } from '../../actions/session.ts';
import { parseId } from '../../core/memory/ids.ts';
import { Refusal } from '../../core/refusal.ts';
import { sanitize, text, visible } from '../../core/text/safe-text.ts';
import { auditInput } from '../../store/records/audit-input.ts';
import { withoutYes } from '../../store/records/audit-log.ts';
import type { Decision, Loaded } from '../../store/vault/vault.ts';
import { EXIT, type Given, Misuse } from '../command.ts';
import { TIER_STYLES } from '../terminal/line.ts';
import { say, tell } from '../terminal/print.ts';
import { linesOfRow } from '../terminal/rows.ts';
import { whileStoring } from '../terminal/while-waiting.ts';
import { personAtTerminal } from './person-at-terminal.ts';
import { withPerson } from './with-person.ts';
import type { PlainChoice, Witness } from './witness.ts';

/** Runs a command that changes one memory's standing: the memory is found by its id, its name or a few words. */
export function decideOne(verb: Exclude<Decision, 'reaffirm'>, { root, rest, options }: Given): Promise<number> {
  if (rest.length === 0) throw new Misuse(`surety ${verb} needs a memory: its id, its name or a few words of it`);
  const words = rest.join(' ');
  // Words that are no id may be a secret, so they are not recorded.
  const id = parseId(words);
  const work = async (session: Session, witness: Witness) => {
    const meant = await memoryMeant(session, witness, words, verb);
    if (meant !== undefined) return askAbout(session, witness, meant, verb, options.reason);
    session.audit.record({ channel: 'terminal', action: verb, ...withoutYes(false) });
    return nothingChanged();
  };
  return withPerson(verb, root, work, { id });
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
  { id, place, stem }: Loaded,
  asked: Decision,
  reason: string | undefined,
): Promise<number> {
  for (;;) {
    const open = openCase(session, { category: 'chosen', id, stem, place, asked });
    if (open?.loaded.place !== place) throw new Refusal('no-such-memory', whereNow(session, { place, stem }));
    const { loaded, verb, inVain } = open;
    const attempt = { channel: 'terminal', action: verb, id, digest: loaded.digest, input: auditInput({ reason }) };
    if (inVain !== undefined) {
      session.audit.recordFailure(attempt, inVain);
      throw inVain;
    }
    const leave = isNoOnRecord(open) ? 's' : 'n';
    const choices = [...choicesFor(open).filter(({ key }) => key === 'y'), ...noesTo(open)];
    const answer = await witness.ask({
      sheet: {
        ...open.screen,
        facts: [...dictationFacts(open.dictation), ...memoryFacts(session, loaded), ...nextFact(session, open)],
        against: open.against,
        rival: open.rivalScreen,
      },
      sentence: text`${sanitize(DECISIONS[verb].asksFor, 'line')}: ${sanitize(id, 'line')}?`,
      choices,
      otherwise: leave,
      leave,
    });
    const effect = choices.find(({ key }) => key === answer.key)?.effect;
    if (typeof effect !== 'function') {
      session.audit.record({ ...attempt, ...withoutYes(answer.isAnswered && answer.key === 'n') });
      return nothingChanged();
    }
    try {
      const { outcome, said } = await whileStoring(() => effect(session, open, personAtTerminal(answer, reason)));
      if (outcome.kind === 'declined') return noted(loaded, outcome.recorded);
      if (said !== undefined) tell(sanitize(said.sentence, 'line'), said.tone);
      return EXIT.done;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'changed-meanwhile') throw error;
      tell(sanitize(changedMeanwhile(open), 'line'), 'warning');
    }
  }
}

/** Another process may have moved it while the question was on the screen. */
function whereNow({ vault }: Session, { place, stem }: Pick<Loaded, 'place' | 'stem'>): string {
  const other = place === 'memories' ? 'quarantine' : 'memories';
  if (vault.loadSpot({ place: other, stem }) === undefined) return 'The memory is gone since it was found.';
  return other === 'quarantine'
    ? 'The memory was put into quarantine meanwhile; surety restore takes it out.'
    : 'The memory was taken out of quarantine meanwhile; surety show prints it.';
}

/** A yes decides about one other memory. */
function nextFact(session: Session, { loaded, rival }: Case): Fact[] {
  const another = rival && rivalsOf(session, loaded).find(({ id }) => id !== rival.id);
  if (another === undefined) return [];
  return [{ label: 'next', ours: `it contradicts ${another.id} too; after a yes surety review asks about that one` }];
}

/** A no to a quarantine says nothing against the text, and a changed text waits until its change is settled. */
function isNoOnRecord({ verb, loaded }: Case): boolean {
  return verb !== 'demote' && loaded.standing.reason !== 'changed';
}

interface No extends PlainChoice<'n' | 's'> {
  /** Without one it leaves the memory as it is. */
  readonly effect?: CarryOut;
}

function noesTo(open: Case): readonly No[] {
  if (!isNoOnRecord(open)) return [{ key: 'n', means: 'no, leave it' }];
  const [no, leave] = open.rival === undefined ? ['no', 'leave it'] : ['no, keep the old one', 'leave both'];
  return [
    { key: 'n', means: `${no}, and do not ask again`, effect: refuseRequest },
    { key: 's', means: leave },
  ];
}

function noted({ id, standing }: Loaded, recorded: boolean): number {
  const stays = `Your no is on record. ${id} stays ${standing.tier}, and nobody is asked about this text again.`;
  const sentence = recorded ? stays : `${id} stays ${standing.tier}. The ledger could not take your no.`;
  tell(sanitize(sentence, 'line'), recorded ? 'good' : 'warning');
  return EXIT.failed;
}

function nothingChanged(): number {
  tell(text`Nothing was changed.`);
  return EXIT.failed;
}
