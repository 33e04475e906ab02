import type { Refusal } from '../../core/refusal.ts';
import type { Channel, ConsentToBoth, UserConsent, UserNo } from '../../core/trust/consent.ts';
import { auditInput } from '../../store/records/audit-input.ts';
import { putInPlace } from '../../store/sync/put-in-place.ts';
import type { Decision, Loaded } from '../../store/vault/vault.ts';
import {
  becomes,
  DECISIONS,
  decide,
  decline,
  doneWith,
  keepBoth,
  settleRequest,
  takePlace,
  tookPlace,
  WITH_PASSKEY,
} from '../decide.ts';
import { putBackOne } from '../put-back-from-copies.ts';
import type { Session } from '../session.ts';
import { type Adoption, adoptingOf } from './adopt.ts';
import { refuseUncorrected } from './is-as-shown.ts';
import { type Case, canPutBack, type ReviewItem } from './review.ts';

// Every answer to a review: its key, its words, when it is offered and what it does. Page and terminal show these rows
// and carry them out, so a new answer is a new row.

/** In the order in which they are offered. */
export const KEYS = ['y', 'a', 'n', 'b', 'p', 'e', 's', 'q'] as const;
export type AnswerKey = (typeof KEYS)[number];

/** What came of one item. `kept` and `left` are a no that settles the item, `skipped` leaves it waiting. */
export type AnswerOutcome =
  | {
      readonly kind: 'done';
      readonly verb: Decision;
      readonly id: string;
      readonly recorded: boolean;
      /** Whether the person's passkey signed it. */
      readonly signed: boolean;
      /** The memory whose place it took. */
      readonly replaced?: string;
    }
  | { readonly kind: 'adopted'; readonly id: string; readonly signed: boolean }
  | { readonly kind: 'unfinished'; readonly id: string; readonly refusal: Refusal }
  | { readonly kind: 'declined'; readonly id: string; readonly recorded: boolean }
  | { readonly kind: 'put-back' | 'kept' | 'left' | 'skipped'; readonly id: string };

/** One sentence for the person. */
export interface Said {
  readonly tone: 'good' | 'warning' | 'danger';
  readonly sentence: string;
}

/** An answer that was carried out. */
export interface CarriedOut {
  readonly outcome: AnswerOutcome;
  readonly said?: Said;
  /** What only came up when it was carried out, and the person is asked about because of it. */
  readonly then?: ReviewItem | undefined;
}

/** The person who answers, as page and terminal provide them. */
export interface Person {
  readonly channel: Channel;
  /** The person's yes, made by the witness from what it has shown. */
  yes(verb: Decision): UserConsent;
  /** Their yes to the memory in the place of the one that was shown beside it. */
  yesToBoth(verb: Decision): ConsentToBoth;
  /** Their no, with how they were asked. */
  readonly no: UserNo;
  /** Why they put a memory into quarantine; `usual` where there is a reason without asking. */
  reason(usual: string | undefined): Promise<string | undefined>;
}

export type CarryOut = (session: Session, open: Case, person: Person) => Promise<CarriedOut>;

/** One way to answer a case. */
export interface ReviewChoice {
  readonly key: AnswerKey;
  /** In lower case; the page capitalizes it. */
  readonly means: string;
  /** The decision that this answer is a yes to. Without a verb it changes no standing. */
  readonly verb?: Decision;
  /** Whether the memory that was shown beside it goes into quarantine with this answer. */
  readonly takesPlace?: true;
  /** What the person is asked about after this answer: the memory that the verified one corrects, or another that it contradicts. */
  readonly next: ReviewItem | undefined;
  /** Page and terminal carry out `write` and `stop` themselves, because each has its own editor and its own end. */
  readonly effect: CarryOut | 'write' | 'stop';
}

interface ChoiceRow {
  readonly key: AnswerKey;
  /** Which cases it is offered for. For each key, a case gets the first row that fits. */
  readonly fits: (open: Case) => boolean;
  readonly means: string | ((open: Case) => string);
  readonly verb?: (open: Case) => Decision;
  readonly takesPlace?: true;
  readonly effect: ReviewChoice['effect'];
}

const any = () => true;

const ROWS: readonly ChoiceRow[] = [
  { key: 'y', fits: canPutBack, means: 'put it back', effect: putMissingBack },
  { key: 'n', fits: ({ category }) => category === 'missing', means: 'it was meant to go', ...demotesMissing() },
  {
    key: 'y',
    fits: ({ category }) => category === 'displaced',
    means: 'yes, put it back in its place',
    effect: putDisplacedBack,
  },
  // Of two that cannot both hold: this one, the old one, or both. The person has both on the screen, and one answer is about both.
  {
    key: 'a',
    fits: ({ canAdopt, rival }) => canAdopt && rival !== undefined,
    means: ({ rival }) => `these are my words: ${replacing(rival)}`,
    ...takesItsPlace('adopt'),
  },
  {
    key: 'y',
    fits: ({ inVain, verb, rival }) => inVain === undefined && verb === 'promote' && rival !== undefined,
    means: ({ rival }) => `yes, ${replacing(rival)}`,
    ...takesItsPlace('promote'),
  },
  {
    key: 'n',
    fits: ({ category, rival }) => rival !== undefined && category !== 'requests',
    means: 'no, keep the old one and quarantine this',
    ...decides(() => 'demote'),
  },
  { key: 'b', fits: ({ rival }) => rival !== undefined, means: 'keep both, they hold together', effect: keepPair },
  // A key of its own: it says that the words are the person's, which no other yes does.
  { key: 'a', fits: ({ canAdopt }) => canAdopt, means: DECISIONS.adopt.yes, ...decides(() => 'adopt') },
  {
    key: 'y',
    fits: ({ inVain, verb, category }) => inVain === undefined && verb !== 'adopt' && category !== 'missing',
    means: ({ verb }) => DECISIONS[verb].yes,
    ...decides(({ verb }) => verb),
  },
  {
    key: 'n',
    fits: ({ correctedBy }) => correctedBy !== undefined,
    means: 'no, keep both',
    effect: keepCorrected,
  },
  {
    key: 'n',
    fits: ({ category }) => category === 'displaced',
    means: 'no, it stays there',
    effect: async (session, open, person) => {
      const left = await leaveInQuarantine(session, open, person);
      const { id } = open;
      const isNext = session.vault.load(id)?.standing.reason === 'changed';
      const then: ReviewItem | undefined = isNext ? { category: 'changed', id, stem: id } : undefined;
      return { ...left, then };
    },
  },
  { key: 'n', fits: ({ category }) => category === 'requests', means: 'no, refuse the request', effect: refuseRequest },
  {
    key: 'n',
    fits: ({ category, loaded }) => category !== 'chosen' && loaded.standing.tier === 'quarantined',
    means: 'no, it stays there',
    effect: leaveInQuarantine,
  },
  {
    key: 'n',
    fits: ({ loaded }) => loaded.standing.tier !== 'quarantined',
    means: 'no, quarantine it',
    ...decides(() => 'demote'),
  },
  { key: 'p', fits: ({ former }) => former !== undefined, means: 'put the old text back', effect: putBack },
  {
    key: 'e',
    fits: ({ canStore, category, loaded }) => canStore && category !== 'missing' && adoptingOf(loaded) !== undefined,
    means: 'say it in your own words',
    effect: 'write',
  },
  {
    key: 's',
    fits: any,
    means: 'skip',
    effect: async (_, { id }) => ({ outcome: { kind: 'skipped', id } }),
  },
  { key: 'q', fits: any, means: 'stop here', effect: 'stop' },
];

/** Every answer to this case. An answer that could not count is not offered. */
export function choicesFor(open: Case): ReviewChoice[] {
  return KEYS.flatMap((key) => {
    const row = ROWS.find((each) => each.key === key && each.fits(open));
    if (row === undefined) return [];
    const { means, verb, takesPlace, effect } = row;
    const said = typeof means === 'string' ? means : means(open);
    const decision = verb?.(open);
    const next = decision === 'promote' || decision === 'adopt' ? afterwards(open) : undefined;
    return [{ key, means: said, effect, next, ...(decision && { verb: decision }), ...(takesPlace && { takesPlace }) }];
  });
}

function afterwards({ id, corrects }: Case): ReviewItem | undefined {
  return corrects && { category: 'ready', id: corrects.id, stem: corrects.stem, correctedBy: id };
}

/** Shown if the memory is no longer what the person saw. */
export const CHANGED_MEANWHILE = 'It changed while you were looking at it, so nothing was done. This is how it is now:';
const ONE_CHANGED_MEANWHILE =
  'One of the two changed while you were looking at them, so nothing was done. This is how it is now:';

/** Shown if what a person answered about is no longer what they saw. */
export function changedMeanwhile({ rival, successor }: Partial<Pick<Case, 'rival' | 'successor'>>): string {
  return rival === undefined && successor === undefined ? CHANGED_MEANWHILE : ONE_CHANGED_MEANWHILE;
}

export function settledMeanwhile({ id, category }: ReviewItem): string {
  return category === 'conflicting'
    ? `${id} is not in conflict with a verified memory any more, so there is nothing to choose.`
    : `${id} was settled somewhere else meanwhile.`;
}

/** Whether a person vouched for a text by this, and no passkey signed it. */
export function isUnsignedYes(outcome: object): boolean {
  if (!('signed' in outcome) || outcome.signed !== false) return false;
  return !('verb' in outcome && outcome.verb === 'demote');
}

/** The words for an outcome in a review's last line, one for each memory that it settled; none if the item still waits. */
export function countedAs(outcome: AnswerOutcome): readonly string[] {
  if (outcome.kind === 'done')
    return [becomes(outcome.verb, outcome.signed), ...(outcome.replaced ? [becomes('demote', false)] : [])];
  const counted = COUNTED[outcome.kind];
  if (counted === undefined) return [];
  return [outcome.kind === 'adopted' && outcome.signed ? `${counted}${WITH_PASSKEY}` : counted];
}

const COUNTED: Record<Exclude<AnswerOutcome['kind'], 'done'>, string | undefined> = {
  adopted: 'said in your words',
  'put-back': 'put back',
  declined: 'refused',
  kept: 'kept beside the other one',
  left: 'left in quarantine',
  skipped: undefined,
  unfinished: undefined,
};

/** The person's own words were stored, in place of a memory's text or beside a quarantined one. */
export function carriedOutAdoption(
  { verb, original }: Adoption,
  { id }: Loaded,
  signed = false,
): CarriedOut & { readonly said: Said } {
  // Its file's name: a memory with its id may be in use.
  const beside = verb === 'rewrite' ? `; ${original.stem} stays in quarantine` : '';
  const said = sayDone(`${id} is verified, in your words${signed ? WITH_PASSKEY : ''}${beside}.`);
  return { outcome: { kind: 'adopted', id: original.id, signed }, said };
}

/** A warning where the ledger could not take it. */
function sayDone(sentence: string, recorded = true): Said {
  return { tone: recorded ? 'good' : 'warning', sentence };
}

/** A row that is a yes to a decision about exactly the memory that was shown. */
function decides(verbFor: (open: Case) => Decision): Pick<ChoiceRow, 'verb' | 'effect'> {
  const effect: CarryOut = async (session, open, person) => {
    const { id, loaded, correctedBy, rival } = open;
    const verb = verbFor(open);
    const consent = person.yes(verb);
    const usual = (correctedBy && `corrected by ${correctedBy}`) ?? (rival && `conflicts with ${rival.id}`);
    const reason = verb === 'demote' ? await person.reason(usual) : undefined;
    const work = async () => {
      refuseUncorrected(session, open);
      return decide(session, verb, loaded, consent, reason);
    };
    const { recorded } = await onRecord(session, verb, open, 'accepted', person, work, reason);
    const signed = consent.assertion !== undefined;
    const said = sayDone(doneWith(verb, id, { recorded, signed }), recorded);
    return { outcome: { kind: 'done', verb, id, recorded, signed }, said };
  };
  return { verb: verbFor, effect };
}

/** The answer that verifies a memory and quarantines the one it contradicts, each with its own yes and its own receipt. */
function takesItsPlace(verb: 'promote' | 'adopt'): Pick<ChoiceRow, 'verb' | 'takesPlace' | 'effect'> {
  const effect: CarryOut = async (session, open, person) => {
    const { id, loaded, rival } = open;
    if (rival === undefined) throw new TypeError('No other memory was shown beside it.');
    const yes = person.yesToBoth(verb);
    const work = () => takePlace(session, verb, loaded, rival, yes);
    const { recorded } = await onRecord(session, verb, open, 'accepted', person, work);
    const { channel } = person;
    session.audit.record({ channel, action: 'demote', id: rival.id, digest: rival.digest, outcome: 'accepted' });
    const signed = yes.consent.assertion !== undefined;
    const said = sayDone(tookPlace(verb, id, rival.id, { recorded, signed }), recorded);
    return { outcome: { kind: 'done', verb, id, recorded, signed, replaced: rival.id }, said };
  };
  return { verb: () => verb, takesPlace: true, effect };
}

/** What taking a memory in another's place does. */
function replacing(rival: Loaded | undefined): string {
  return `take this one, and quarantine ${rival?.id ?? 'the old one'}`;
}

/** Puts the file of a missing memory back, from the kept copy or from git. Refused if neither has its text. */
async function putMissingBack(session: Session, open: Case, person: Person): Promise<CarriedOut> {
  const { id } = open;
  await onRecord(session, 'put-back-missing', open, 'accepted', person, () => putBackOne(session.vault, id));
  return { outcome: { kind: 'put-back', id }, said: sayDone(`The file of ${id} is back.`) };
}

/** Demotes a memory whose file was removed on purpose, without a file to move. */
function demotesMissing(): Pick<ChoiceRow, 'verb' | 'effect'> {
  const effect: CarryOut = async (session, open, person) => {
    const { id, loaded } = open;
    const consent = person.yes('demote');
    const reason = await person.reason('its file was removed on purpose');
    const work = () => session.vault.demoteMissing(loaded, consent, reason);
    await onRecord(session, 'demote', open, 'accepted', person, work, reason);
    const said = sayDone(`${id} is quarantined; its file is not there to be restored.`);
    return { outcome: { kind: 'done', verb: 'demote', id, recorded: true, signed: false }, said };
  };
  return { verb: () => 'demote', effect };
}

/** Replaces the changed text by the vouched one. */
async function putBack(session: Session, open: Case, person: Person): Promise<CarriedOut> {
  const { id, loaded } = open;
  await onRecord(session, 'put-back', open, 'accepted', person, () => session.vault.putBack(loaded));
  await settleRequest(session, open.verb, loaded);
  return { outcome: { kind: 'put-back', id }, said: sayDone(`${id} says again what you vouched for.`) };
}

/** Puts a displaced text back in its place. Its receipt counts, so it needs no new one. */
async function putDisplacedBack(session: Session, open: Case, person: Person): Promise<CarriedOut> {
  const { id, loaded } = open;
  const { standing } = await onRecord(session, 'put-in-place', open, 'accepted', person, () =>
    putInPlace(session.vault, loaded),
  );
  const is = standing.tier === 'verified' ? 'verified' : `${standing.tier} until every decision on it agrees`;
  return {
    outcome: { kind: 'put-back', id },
    said: sayDone(`${id} is back in its place and ${is}; the other text is in quarantine.`),
  };
}

/** The person's no to what an agent asked for: the request is gone, and the memory has the tier it had. */
export async function refuseRequest(session: Session, open: Case, person: Person): Promise<CarriedOut> {
  const { id, verb, loaded } = open;
  const recorded = await onRecord(session, verb, open, 'declined', person, () =>
    decline(session, verb, loaded, person.no),
  );
  const stays = `The request is refused; ${id} stays as it is.`;
  const sentence = recorded ? stays : `${stays} The ledger could not take your no, so you may be asked again.`;
  return { outcome: { kind: 'declined', id, recorded }, said: sayDone(sentence, recorded) };
}

/** The person has seen what is in quarantine and leaves it there, so nobody is asked about it again. */
async function leaveInQuarantine(session: Session, open: Case, person: Person): Promise<CarriedOut> {
  const { id, loaded } = open;
  await onRecord(session, 'restore', open, 'declined', person, () => session.vault.decline(loaded, person.no));
  await settleRequest(session, 'restore', loaded);
  return { outcome: { kind: 'left', id }, said: sayDone(`${id} stays in quarantine.`) };
}

/** The person has seen both and keeps both: this one goes on in observation like any other. */
async function keepPair(session: Session, open: Case, person: Person): Promise<CarriedOut> {
  const { id, loaded, rival } = open;
  if (rival === undefined) throw new TypeError('No other memory was shown beside it.');
  const work = () => keepBoth(session, open.verb, loaded, rival);
  await onRecord(session, 'keep-both', open, 'accepted', person, work);
  return { outcome: { kind: 'kept', id }, said: sayDone(`${id} and ${rival.id} are both kept.`) };
}

/** The memory that corrects this one is verified, and this one stays too. Nobody is asked about the two again. */
async function keepCorrected(session: Session, open: Case, person: Person): Promise<CarriedOut> {
  const { id, loaded, successor } = open;
  const { vault } = session;
  const work = () => vault.exclusively(() => successor && vault.conflicts.keepBoth(successor, loaded));
  await onRecord(session, 'keep-both', open, 'accepted', person, work);
  return { outcome: { kind: 'kept', id }, said: sayDone(`${id} stays as it is.`) };
}

/** Carries out an answer, and records it as a yes or a no to `action`, with the reason that the person gave. */
function onRecord<T>(
  { audit }: Session,
  action: string,
  { loaded: { id, digest } }: Case,
  outcome: 'accepted' | 'declined',
  { channel }: Person,
  work: () => Promise<T>,
  given?: string,
): Promise<T> {
  const reason = outcome === 'declined' ? 'person-said-no' : undefined;
  const attempt = { channel, action, id, digest, reason, input: auditInput({ reason: given }) };
  return audit.runAndRecord(attempt, work, () => ({ outcome }));
}
