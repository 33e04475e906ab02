import { isContested, type Place } from '../../core/ledger/standing.ts';
import type { Memory } from '../../core/memory/memory.ts';
import { NEEDS_PASSKEY } from '../../core/passkeys/needs-passkey.ts';
import { Refusal, refusalIn } from '../../core/refusal.ts';
import { Untrusted } from '../../core/text/safe-text.ts';
import { type Assurance, CHANNELS } from '../../core/trust/consent.ts';
import { CATEGORY_NAMES, type Reviewed } from '../../core/trust/review-categories.ts';
import { type Request, requestsOf } from '../../store/records/request-queue.ts';
import { type Decision, type Loaded, onRecord, type Vault } from '../../store/vault/vault.ts';
import { ANCHOR_MS, anchorLook, unsettledAnchors } from '../anchors.ts';
import { contradictionsOf } from '../contradictions.ts';
import { DECISIONS, type DecisionWords } from '../decide.ts';
import { waitsAsStale } from '../memory-state.ts';
import { countsIn, countsInWords, isUnseen, reviewQueue } from '../review-queue.ts';
import type { Session } from '../session.ts';
import { type Dictation, dictationOf } from './dictation.ts';
import { whyNoYesCounts } from './first-passkey.ts';
import { type OnScreen, onScreen } from './shown.ts';
import { findingsOf, withoutStyle } from './style-findings.ts';

/** One thing to decide. The stem is kept, because several quarantined files may have one id. */
export interface ReviewItem {
  /** Why it waits; `chosen` if it waits for nobody and the person picked it themselves. */
  readonly category: Reviewed | 'chosen';
  readonly id: string;
  readonly stem: string;
  /** Where the file of a chosen one lies; every other category says it by itself. */
  readonly place?: Place;
  /** The decision that the person picked it for; else its standing says which one a yes makes. */
  readonly asked?: Decision;
  /** The memory that corrects this one and was just vouched for. The question is whether this one is still wanted. */
  readonly correctedBy?: string;
  /** What may make it superfluous, in a few words. */
  readonly remark?: string;
  /** The digest of the text that this program took at a terminal, typed or from a file, and then stored. No ledger can prove that. */
  readonly given?: string | null;
}

/** Another text to compare a memory with, and a heading for the difference. */
export interface Against {
  readonly memory: Memory;
  readonly heading: string;
}

/** An item in its present state. Its file is read again whenever it is shown. */
export interface Case extends ReviewItem {
  readonly loaded: Loaded;
  /** The decision that a yes makes. */
  readonly verb: Decision;
  /** Why even a yes could not make that decision now. */
  readonly inVain: Refusal | undefined;
  /** Whether the person can take it as their own words. */
  readonly canAdopt: boolean;
  /** What the person has before them, and what their yes is made out of. */
  readonly screen: OnScreen;
  /** Whether a text in the person's own words could be stored. False if the settings need a stronger channel. */
  readonly canStore: boolean;
  readonly request: Request | undefined;
  /** Whether exactly this text was given at the terminal a moment ago. */
  readonly wasGiven: boolean;
  /** Whose words it has, where an agent proposed it and a yes would make it count. */
  readonly dictation: Dictation | undefined;
  /** For a changed one the text that was vouched for, where this machine has it. */
  readonly former: Memory | undefined;
  /** The text to compare it with: the vouched one, else the one in its place, else the one that it corrects. */
  readonly against: Against | undefined;
  /** The memory that is asked about after a yes to this one: the one it was proposed to correct, or another one it contradicts. */
  readonly corrects: Loaded | undefined;
  /** The verified memory that it cannot hold together with, shown beside it. One answer decides about both. */
  readonly rival: Loaded | undefined;
  readonly rivalScreen: OnScreen | undefined;
  /** The memory that corrects this one, as it was shown. */
  readonly successor: Loaded | undefined;
}

/** Everything to go through: what waits, then what is new. */
export function itemsToReview(session: Session, only?: Reviewed): ReviewItem[] {
  const { waiting, fresh } = reviewQueue(session);
  const items = [...waiting, ...fresh].map(({ category, id, stem }) => ({ category, id, stem }));
  return only === undefined ? items : items.filter(({ category }) => category === only);
}

/** How many of these wait for a person. */
export function waitingAmong(items: readonly ReviewItem[]): number {
  return items.filter(({ category }) => category !== 'new').length;
}

/** What waits among these, and what is new, in one line. */
export function waitingLine(items: readonly ReviewItem[]): string {
  const parts = countsInWords(countsIn(items));
  const waits = parts.length === 0 ? 'Nothing waits for you.' : `Waiting for you: ${parts.join(', ')}.`;
  const fresh = items.length - waitingAmong(items);
  return fresh === 0 ? waits : `${waits} ${fresh} ${fresh === 1 ? 'is' : 'are'} ${CATEGORY_NAMES.new}.`;
}

/** The item in its present state, for a person asked at `level`; undefined if it was settled meanwhile. */
export function openCase(session: Session, item: ReviewItem, level: Assurance = CHANNELS.terminal): Case | undefined {
  const { vault } = session;
  const { category, id, stem } = item;
  const inQuarantine = category === 'quarantined' || category === 'displaced' || item.place === 'quarantine';
  const loaded = inQuarantine
    ? vault.loadSpot({ place: 'quarantine', stem })
    : category === 'missing'
      ? vault.missing.load(id)
      : vault.load(id);
  if (loaded === undefined) return undefined;
  const request = requestsOf(vault).one(id);
  if (!stillWaits(session, item, loaded, request)) return undefined;
  const correctedBy =
    item.correctedBy ?? (category === 'conflicting' ? vault.conflicts.successorOf(loaded) : undefined);
  const verb = verbFor(item, correctedBy, loaded, request);
  if (verb === undefined) return undefined;
  const former = session.vault.formerText(loaded);
  // Where a yes quarantines, nobody chooses between two.
  const [rival, another] = verb === 'demote' ? [] : rivalsOf(session, loaded);
  const corrected = correctedOf(session, loaded);
  const corrects = corrected === undefined || corrected.id === rival?.id ? another : corrected;
  const successor = correctedBy === undefined ? undefined : vault.load(correctedBy);
  const against =
    sinceVouched(former, loaded) ??
    besideContested(session, loaded) ??
    besideInPlace(session, loaded) ??
    againstRival(rival ?? successor) ??
    besideCorrected(corrects);
  const inVain = category === 'displaced' ? undefined : whyInVain(session, verb, loaded, level);
  const isToCount = category !== 'displaced' && verb !== 'demote';
  const canAdopt = isToCount && whyInVain(session, 'adopt', loaded, level) === undefined;
  const vouching = isToCount && (canAdopt || inVain === undefined);
  const wasGiven = item.given != null && item.given === loaded.digest;
  const dictation = vouching && !wasGiven ? dictationOf(session, loaded) : undefined;
  const found = findingsOf(vault, loaded);
  // Words that a person is asked to take as their own, or that they gave here or typed in their prompt.
  const isOwn = verb === 'adopt' || wasGiven || dictation?.prompted !== undefined;
  const shown = onScreen(loaded, { vouching }, dictation?.prompted);
  const screen: OnScreen = isNowhere({ category, loaded })
    ? { ...shown, content: { file: Untrusted.of(''), isNowhere: true }, findings: [] }
    : { ...shown, findings: isOwn ? withoutStyle(found) : found };
  const canStore = vault.settings.minimumAssurance <= level;
  return {
    ...item,
    ...(correctedBy !== undefined && { correctedBy }),
    loaded,
    verb,
    inVain,
    canAdopt,
    screen,
    canStore,
    request,
    wasGiven,
    dictation,
    former,
    against,
    corrects,
    rival,
    rivalScreen: rival && onScreen(rival, { vouching: false }),
    successor,
  };
}

/** Whether a missing memory has a text that can be put back. */
export function canPutBack({ category, loaded }: Pick<Case, 'category' | 'loaded'>): boolean {
  return category === 'missing' && loaded.digest !== null;
}

/** Whether a missing memory cannot be put back, because no copy of its text is known. */
export function isNowhere(open: Pick<Case, 'category' | 'loaded'>): boolean {
  return open.category === 'missing' && !canPutBack(open);
}

/** The question above a case's text. */
export function questionAbove(open: Case): string {
  if (open.rival !== undefined) return 'These two seem to contradict each other. Which one do you keep?';
  if (isNowhere(open)) return 'Its file is missing. Was it meant to go?';
  return open.category === 'missing' ? 'Its file is missing or damaged. Put it back?' : wordsFor(open).question;
}

/** Asked about a memory that no yes could verify here: it stays, or goes into quarantine. */
const ONLY_A_NO: AskedInWords = { question: 'Does this stay?', asksFor: 'Leave this as it is for now' };
type AskedInWords = Pick<DecisionWords, 'question' | 'asksFor'>;

/** The words in which a case is asked about. A new memory can be adopted, and promoted only when its observation is over. */
export function wordsFor({ category, verb, canAdopt, rival, inVain }: Case): AskedInWords {
  const mayWait = category === 'new' || (rival !== undefined && inVain !== undefined);
  return mayWait ? (canAdopt ? DECISIONS.adopt : ONLY_A_NO) : DECISIONS[verb];
}

/** Why somebody is asked about it, in a few words. */
export function whyAsked({
  category,
  correctedBy: by,
  remark,
  loaded,
}: ReviewItem & Partial<Pick<Case, 'loaded'>>): string {
  const contested = category === 'changed' && loaded !== undefined && isContested(loaded.standing);
  const name = contested ? 'one of two texts that were vouched for' : undefined;
  const waits = name ?? (category === 'chosen' ? 'waits for nobody' : CATEGORY_NAMES[category]);
  const why = by === undefined ? waits : `corrected by ${by}`;
  return remark === undefined ? why : `${why}, ${remark}`;
}

/** What to compare a changed memory with. */
export function sinceVouched(former: Memory | undefined, now: Loaded): Against | undefined {
  const heading = isContested(now.standing) ? FROM_OTHER : 'what changed since a person vouched for it';
  return former && { memory: former, heading };
}

const FROM_OTHER = 'how it differs from the other text that a person vouched for';

/** For one of two vouched texts, the other one, where a sync put it into quarantine and this machine has no copy. */
function besideContested({ vault }: Session, { id, standing }: Loaded): Against | undefined {
  if (!isContested(standing)) return undefined;
  const { digest } = standing.receipt;
  const other = [...vault.survey('quarantine')].find((known) => known.id === id && known.digest === digest);
  const memory = other && vault.loadSpot({ place: 'quarantine', stem: other.stem })?.memory;
  return memory && { memory, heading: FROM_OTHER };
}

/** For a quarantined file, the text in `memories/` with its id, as after a sync conflict. */
function besideInPlace({ vault }: Session, { place, id }: Loaded): Against | undefined {
  const memory = place === 'quarantine' ? vault.loadSpot({ place: 'memories', stem: id })?.memory : undefined;
  return memory && { memory, heading: 'how it differs from the memory that is in place' };
}

function besideCorrected(corrected: Loaded | undefined): Against | undefined {
  return (
    corrected?.shown && { memory: corrected.shown, heading: `how it differs from ${corrected.id}, which it corrects` }
  );
}

/** For a text that contradicts a verified one, that one. */
function againstRival(rival: Loaded | undefined): Against | undefined {
  return (
    rival?.shown && {
      memory: rival.shown,
      heading: `how it differs from ${rival.id}, which is verified; they cannot both hold, as far as the words show`,
    }
  );
}

/**
 * The verified memories that an inferred text cannot hold together with. It is compared now, besides what is in the list of
 * conflicts: the list may be lost or full, and nobody should vouch for a text without having seen what it contradicts. A change of a
 * vouched text is settled first: beside another memory, “the old one” could be read as the text before the change.
 */
export function rivalsOf({ vault }: Session, loaded: Loaded): Loaded[] {
  const { tier, reason } = loaded.standing;
  if (tier !== 'inferred' || reason === 'changed') return [];
  const listed = [...vault.conflicts.rivalsOf(loaded)].flatMap((id) => vault.load(id) ?? []);
  const found = contradictionsOf(vault, loaded, true)
    .map(({ loaded: other }) => other)
    .filter((other) => other.standing.tier === 'verified' && !vault.conflicts.isKept(loaded, other));
  return [...listed, ...found.filter((other) => !listed.some(({ id }) => id === other.id))];
}

function correctedOf({ vault }: Session, { id, standing }: Loaded): Loaded | undefined {
  if (standing.tier !== 'inferred') return undefined;
  const named = vault.evidence.of(id).find(({ from, replaces }) => from === null && replaces !== null)?.replaces;
  const corrected = named && named !== id ? vault.load(named) : undefined;
  return corrected?.standing.tier === 'quarantined' ? undefined : corrected;
}

function verbFor(
  { category, asked }: ReviewItem,
  by: string | undefined,
  loaded: Loaded,
  request: Request | undefined,
): Decision | undefined {
  if (by !== undefined || category === 'missing') return 'demote';
  if (category === 'requests') return request?.verb;
  const fitting = yesTo(loaded);
  // What a person vouched for is vouched for again.
  return asked === undefined || (asked === 'promote' && fitting === 'reaffirm') ? fitting : asked;
}

/** The decision that a yes makes when no particular one was asked for. */
function yesTo({ standing }: Loaded): Decision {
  if (standing.tier === 'quarantined') return 'restore';
  return standing.tier === 'verified' || standing.reason === 'changed' ? 'reaffirm' : 'promote';
}

function stillWaits(
  session: Session,
  { category, correctedBy: by }: ReviewItem,
  loaded: Loaded,
  request: Request | undefined,
): boolean {
  const { vault } = session;
  const { standing, withheld } = loaded;
  if (by !== undefined) return isInUse(loaded) && isInUse(vault.load(by));
  const inferred = standing.tier === 'inferred' && standing.reason !== 'changed';
  switch (category) {
    case 'requests':
      return request !== undefined;
    case 'displaced':
      return vault.isDisplaced(loaded);
    case 'missing':
    case 'chosen':
      return true;
    case 'ready':
    case 'new':
      return inferred;
    case 'conflicting':
      return (
        (inferred && vault.conflicts.of(loaded) !== undefined) || vault.conflicts.successorOf(loaded) !== undefined
      );
    case 'questionable':
      return unsettledAnchors(session, loaded, anchorLook(session.checkout, ANCHOR_MS.person)).length > 0;
    case 'held':
      return inferred || (withheld && standing.tier !== 'quarantined');
    case 'changed':
      return standing.reason === 'changed';
    case 'stale':
      return waitsAsStale(vault, loaded);
    case 'quarantined':
      return standing.tier === 'quarantined' && isUnseen(vault, loaded.id, onRecord(loaded).digest);
  }
}

function isInUse(loaded: Loaded | undefined): boolean {
  return loaded !== undefined && loaded.standing.tier !== 'quarantined';
}

/** Why even a yes could not count: nobody is asked for one then. Passkeys that do not count are the reason also in observation. */
function whyInVain({ vault }: Session, verb: Decision, loaded: Loaded, level: Assurance): Refusal | undefined {
  return refusalIn(() => {
    if (verb !== 'demote') refuseWithoutPasskey(vault);
    vault.refuseInVain(verb, loaded);
    if (verb !== 'demote') refuseTooWeak(vault.settings.minimumAssurance, level);
  });
}

/** Refuses if no yes at a terminal can make a memory count. */
export function refuseVerifying(vault: Vault): void {
  refuseWithoutPasskey(vault);
  refuseTooWeak(vault.settings.minimumAssurance);
}

/** Where no passkey counts no other channel helps, so none is named. */
function refuseWithoutPasskey(vault: Vault): void {
  const why = whyNoYesCounts(vault);
  if (why !== undefined) throw new Refusal('needs-passkey', why);
}

/** Refuses if the settings, or the passkeys of the store, need a stronger channel than this one. The default is a terminal. */
export function refuseTooWeak(minimumAssurance: number, level: Assurance = CHANNELS.terminal): void {
  if (minimumAssurance <= level) return;
  if (minimumAssurance === 4) throw new Refusal('needs-passkey', NEEDS_PASSKEY);
  throw new Refusal(
    'assurance-too-low',
    'Your settings ask for a stronger channel than a terminal (minimumAssurance); lower it in config.json or confirm it in your MCP client.',
  );
}
