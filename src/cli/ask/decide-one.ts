import { DECISIONS, decide, decline, doneWith, takePlace, tookPlace } from '../../actions/decide.ts';
import { changedMeanwhile, replacing } from '../../actions/review/answers.ts';
import { dictationFacts, type Fact, memoryFacts } from '../../actions/review/case-facts.ts';
import { dictationOf } from '../../actions/review/dictation.ts';
import { findByIdOrWords } from '../../actions/review/find-by-id-or-words.ts';
import { againstRival, refuseYesInVain, rivalsOf, sinceVouched } from '../../actions/review/review.ts';
import { onScreen } from '../../actions/review/shown.ts';
import { findingsOf } from '../../actions/review/style-findings.ts';
import type { Session } from '../../actions/session.ts';
import { parseId } from '../../core/memory/ids.ts';
import { Refusal } from '../../core/refusal.ts';
import { sanitize, text, visible } from '../../core/text/safe-text.ts';
import { CHANNELS } from '../../core/trust/consent.ts';
import { auditInput } from '../../store/records/audit-input.ts';
import { withoutYes } from '../../store/records/audit-log.ts';
import type { Decision, Loaded } from '../../store/vault/vault.ts';
import { EXIT, type Given, Misuse } from '../command.ts';
import { TIER_STYLES } from '../terminal/line.ts';
import { say, tell } from '../terminal/print.ts';
import { linesOfRow } from '../terminal/rows.ts';
import { whileStoring } from '../terminal/while-waiting.ts';
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
  { place, stem }: Loaded,
  asked: Decision,
  reason: string | undefined,
): Promise<number> {
  const { vault, audit } = session;
  for (;;) {
    const loaded = vault.loadSpot({ place, stem });
    if (loaded === undefined) throw new Refusal('no-such-memory', whereNow(session, { place, stem }));
    const { id, digest, standing } = loaded;
    const vouched = standing.tier === 'verified' || standing.reason === 'changed';
    const verb = asked === 'promote' && vouched ? 'reaffirm' : asked;
    const attempt = { channel: 'terminal', action: verb, id, digest, input: auditInput({ reason }) } as const;
    audit.recordIfItThrows(attempt, () => refuseYesInVain(vault, verb, loaded));
    const [rival, another] = verb === 'promote' ? rivalsOf(session, loaded) : [];
    const dictation = verb === 'demote' ? undefined : dictationOf(session, loaded);
    const noes = choicesOfNo(verb, loaded, rival);
    const { key, isAnswered, consent, both } = await witness.ask<'y' | 'n' | 's'>({
      sheet: {
        ...onScreen(loaded, { vouching: verb !== 'demote' }, dictation?.prompted),
        findings: findingsOf(vault, loaded),
        facts: [...dictationFacts(dictation), ...memoryFacts(session, loaded), ...nextFact(another)],
        against: sinceVouched(vault.formerText(loaded), loaded) ?? againstRival(rival),
        rival: rival && onScreen(rival, { vouching: false }),
      },
      sentence: text`${sanitize(DECISIONS[verb].asksFor, 'line')}: ${sanitize(id, 'line')}?`,
      choices: [
        rival === undefined
          ? { key: 'y', means: DECISIONS[verb].yes, verb }
          : { key: 'y', means: `yes, ${replacing(rival)}`, verb, takesPlace: true },
        ...noes.choices,
      ],
      otherwise: noes.leave,
      leave: noes.leave,
    });
    try {
      if (consent === undefined && both === undefined) {
        const settles = noes.settle && key === 'n';
        const recorded = settles && (await decline(session, verb, loaded, NO));
        audit.record({ ...attempt, ...withoutYes(isAnswered && key === 'n') });
        return settles ? noted(loaded, recorded) : nothingChanged();
      }
      if (both !== undefined && rival !== undefined) {
        const { recorded } = await whileStoring(() => takePlace(session, 'promote', loaded, rival, both));
        audit.record({ ...attempt, outcome: 'accepted' });
        audit.record({ ...attempt, action: 'demote', id: rival.id, digest: rival.digest, outcome: 'accepted' });
        tell(
          sanitize(tookPlace(verb, id, rival.id, { recorded, signed: false }), 'line'),
          recorded ? 'good' : 'warning',
        );
      } else if (consent !== undefined) {
        const { recorded } = await whileStoring(() => decide(session, verb, loaded, consent, reason));
        audit.record({ ...attempt, outcome: 'accepted' });
        tell(sanitize(doneWith(verb, id, { recorded }), 'line'), recorded ? 'good' : 'warning');
      }
      return EXIT.done;
    } catch (error) {
      audit.recordFailure(attempt, error);
      if (!(error instanceof Refusal) || error.code !== 'changed-meanwhile') throw error;
      tell(sanitize(changedMeanwhile({ rival }), 'line'), 'warning');
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
function nextFact(another: Loaded | undefined): Fact[] {
  if (another === undefined) return [];
  return [{ label: 'next', ours: `it contradicts ${another.id} too; after a yes surety review asks about that one` }];
}

const NO = { channel: 'terminal', level: CHANNELS.terminal, client: null } as const;

interface ChoicesOfNo {
  readonly choices: readonly PlainChoice<'n' | 's'>[];
  /** What Enter and the end of input mean. */
  readonly leave: 'n' | 's';
  /** Whether `n` is a record for this text, so that nobody is asked about it again. */
  readonly settle: boolean;
}

/** A no to a quarantine says nothing against the text, and a changed text waits until its change is settled. */
function choicesOfNo(verb: Decision, { standing }: Loaded, rival: Loaded | undefined): ChoicesOfNo {
  if (verb === 'demote' || standing.reason === 'changed')
    return { choices: [{ key: 'n', means: 'no, leave it' }], leave: 'n', settle: false };
  const no = rival === undefined ? 'no' : 'no, keep the old one';
  const choices = [
    { key: 'n', means: `${no}, and do not ask again` },
    { key: 's', means: rival === undefined ? 'leave it' : 'leave both' },
  ] as const;
  return { choices, leave: 's', settle: true };
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
