import type { Standing } from '../core/ledger/standing.ts';
import { dateOf, observationEnds, timestamp } from '../core/trust/clocks.ts';
import { CATEGORIES, CATEGORY_NAMES, type Category, type Reviewed } from '../core/trust/review-categories.ts';
import { reviewCommand } from '../core/trust/review-command.ts';
import { surveyIds } from '../store/reconcile/survey-changes.ts';
import { type Request, requestsOf } from '../store/records/request-queue.ts';
import type { Surveyed, Vault } from '../store/vault/vault.ts';
import { ANCHOR_MS, QuestionableLook } from './anchors.ts';
import { firstSeenOf, isDeclined, isHeldBack, isReady, waitsAsStale } from './memory-state.ts';
import { quarantineFacts } from './read-memory.ts';
import type { Session } from './session.ts';

/** One thing that waits: of a quarantined memory never more than this. */
export interface WaitingMemory<Why extends Reviewed = Category> {
  readonly category: Why;
  readonly id: string;
  /** The name of its file, which in quarantine may differ from the id. */
  readonly stem: string;
  readonly tier: Standing['tier'];
  readonly reason: string;
  readonly since: string | null;
}

/** A memory in observation, with the day on which that ends; null for a text that no ledger has seen yet. */
export interface New extends WaitingMemory<'new'> {
  readonly until: string | null;
}

type CategoryCounts = Readonly<Record<Category, number>>;

/** What waits, and behind it what is new, which is not counted. */
export interface ReviewQueue {
  readonly waiting: readonly WaitingMemory[];
  readonly counts: CategoryCounts;
  readonly fresh: readonly New[];
}

/**
 * Everything that waits for a person, each memory once, in the order in which it is shown. `memories` is for a caller that has
 * gone through them.
 */
export function reviewQueue(session: Session, memories: Iterable<Surveyed> = session.vault.survey()): ReviewQueue {
  const sorting = new QueueSorting(session, ANCHOR_MS.person);
  const waiting = [...sorting.others];
  const fresh: New[] = [];
  for (const known of memories) {
    const found = sorting.entryFor(known);
    if (found?.category === 'new') fresh.push({ ...found, category: 'new', until: sorting.observedUntil(known) });
    else if (found !== undefined) waiting.push({ ...found, category: found.category });
  }
  const inOrder = CATEGORIES.flatMap((category) => waiting.filter((each) => each.category === category));
  return { waiting: inOrder, counts: countsIn(inOrder), fresh };
}

/** Why it waits, as a code. It reads the file of what a check quarantined, so ask only about what is shown. */
export function reasonCodeOf({ vault }: Session, { category, stem, reason }: WaitingMemory<Reviewed>): string {
  const loaded = category === 'quarantined' ? vault.loadSpot({ place: 'quarantine', stem }) : undefined;
  return loaded === undefined ? reason : quarantineFacts(loaded).reason;
}

/** What waits, in one line for the person, counted while somebody goes through the memories for something else. */
export class WaitingLine {
  readonly #sorting: QueueSorting;
  readonly #counts: Record<Category, number>;
  readonly #command: string;

  constructor(session: Session) {
    this.#command = reviewCommand(session.vault.settings);
    this.#sorting = new QueueSorting(session, ANCHOR_MS.start);
    this.#counts = { ...countsIn(this.#sorting.others) };
  }

  /** Memories that count unlike others, because they are asked for. */
  get apart(): Iterable<string> {
    return this.#sorting.asked;
  }

  /** Counts so many that are like this one. `seen` is when its text was first seen, where the caller knows. */
  count(known: Surveyed, seen?: number, times = 1): void {
    const category = this.#sorting.categoryOf(known, seen);
    if (category !== undefined && category !== 'new') this.#counts[category] += times;
  }

  /** Null when nothing waits. */
  said(): string | null {
    const parts = countsInWords(this.#counts);
    return parts.length === 0
      ? null
      : `Surety: ${parts.join(', ')}. ${goesThrough(this.#counts, this.#command)}, in a terminal of yours.`;
  }
}

/** The words after the counts of what waits: which command asks about it. */
export function goesThrough(counts: CategoryCounts, command: string): string {
  const waiting = CATEGORIES.reduce((sum, category) => sum + counts[category], 0);
  return `${command} goes through ${waiting === 1 ? 'it' : 'them'}`;
}

/** The counts that are not zero, such as `2 ready to be verified`. */
export function countsInWords(counts: CategoryCounts): string[] {
  return CATEGORIES.filter((each) => counts[each] > 0).map((each) => `${counts[each]} ${CATEGORY_NAMES[each]}`);
}

/**
 * Decides what waits, for everyone who lists or counts it. A memory that waits for several reasons waits once: a request
 * for it comes first, and the text in the place of a displaced one is asked about after that one.
 */
export class QueueSorting {
  readonly #session: Session;
  /** What waits for another reason than the memory in its place. */
  readonly others: readonly WaitingMemory[];
  /** Memories that a request is about. */
  readonly asked: ReadonlySet<string>;
  readonly #displaced: ReadonlySet<string>;

  readonly #anchors: QuestionableLook;

  /** `only`: the ids that will be asked about, where that is not every memory. */
  constructor(session: Session, anchorMs: number, only?: ReadonlySet<string>) {
    this.#session = session;
    this.#anchors = new QuestionableLook(session, anchorMs);
    const isWanted = ({ id }: { readonly id: string }) => only?.has(id) ?? true;
    const requests = [...requested(session, isWanted)];
    this.asked = new Set(requests.map(({ id }) => id));
    const { vault } = session;
    const away =
      only === undefined
        ? vault.survey('quarantine')
        : surveyIds(vault, only).filter(({ place }) => place === 'quarantine');
    const putAway = [...quarantined(vault, [...away])].filter(({ id }) => !this.asked.has(id));
    this.#displaced = new Set(putAway.filter(({ category }) => category === 'displaced').map(({ id }) => id));
    this.others = [...requests, ...[...missing(session)].filter(isWanted), ...putAway];
  }

  /** Why a memory waits, by what the index knows of it. */
  categoryOf(known: Surveyed, seen?: number): Reviewed | undefined {
    const { vault } = this.#session;
    const { standing, blocked, id, digest } = known;
    if (standing.tier === 'quarantined' || this.asked.has(id)) return undefined;
    // Of a damaged file it is said that it is missing.
    if (blocked !== null) return vault.missing.isDamaged(id) ? undefined : 'held';
    if (standing.reason === 'changed') return this.#displaced.has(id) ? undefined : 'changed';
    if (vault.conflicts.successorOf(known) !== undefined) return 'conflicting';
    if (this.#anchors.isQuestionable(known)) return 'questionable';
    if (waitsAsStale(vault, known)) return 'stale';
    if (standing.tier !== 'inferred' || isDeclined(vault, id, digest)) return undefined;
    if (vault.conflicts.of(known) !== undefined) return 'conflicting';
    if (!isReady(vault, known, seen)) return 'new';
    return isHeldBack(vault, known) ? 'held' : 'ready';
  }

  entryFor(known: Surveyed): WaitingMemory<Reviewed> | undefined {
    const category = this.categoryOf(known);
    if (category === undefined) return undefined;
    const { vault } = this.#session;
    const { id, stem, standing, blocked } = known;
    const at = blocked !== null ? undefined : 'receipt' in standing ? standing.receipt.at : firstSeenOf(vault, known);
    const reason = blocked !== null ? 'checks-failed' : standing.reason;
    return { category, id, stem, tier: standing.tier, reason, since: timeOrNull(at) };
  }

  observedUntil(known: Surveyed): string | null {
    const { vault } = this.#session;
    const seen = firstSeenOf(vault, known);
    return seen === undefined ? null : dateOf(observationEnds(seen, vault.settings.observationDays));
  }
}

function* requested(session: Session, isWanted: (request: Request) => boolean): Generator<WaitingMemory> {
  for (const { id, verb, askedAt } of requestsOf(session.vault).list().requests.filter(isWanted)) {
    const loaded = session.vault.load(id);
    if (loaded === undefined) continue;
    const { stem, standing } = loaded;
    yield { category: 'requests', id, stem, tier: standing.tier, reason: verb, since: askedAt };
  }
}

/** Memories whose files are gone; none while the files are still scanned, because each would seem to be. */
function* missing({ vault, scanning }: Session): Generator<WaitingMemory> {
  if (scanning !== undefined) return;
  for (const { id, tier, at, damaged } of vault.missing.all()) {
    const reason = damaged ? 'damaged' : 'missing';
    yield { category: 'missing', id, stem: id, tier, reason, since: timeOrNull(at) };
  }
}

/** Of what lies in quarantine: texts that a receipt vouches for, and what a check put there and no person has seen. */
function* quarantined(vault: Vault, away: readonly Surveyed[]): Generator<WaitingMemory> {
  const displaced = new Set(vault.displaced(away).map(({ stem }) => stem));
  for (const { id, stem, standing, digest } of away) {
    const { tier } = standing;
    if (displaced.has(stem)) {
      const receipt = vault.evidence.heads(id).find((head) => head.digest === digest);
      yield { category: 'displaced', id, stem, tier, reason: 'displaced', since: timeOrNull(receipt?.at) };
    } else if ('decision' in standing && isUnseen(vault, id, digest)) {
      const { reason, decision } = standing;
      yield { category: 'quarantined', id, stem, tier, reason, since: timeOrNull(decision.at) };
    }
  }
}

/** Whether only a check decided that it is quarantined, and no person has seen it since. */
export function isUnseen(vault: Vault, id: string, digest: string | null): boolean {
  const decisions = vault.evidence.heads(id).filter(({ to }) => to === 'quarantined');
  return decisions.length > 0 && decisions.every(({ actor }) => actor === 'check') && !isDeclined(vault, id, digest);
}

/** How many of these wait in each category. */
export function countsIn(items: readonly { readonly category: string }[]): CategoryCounts {
  const found = Map.groupBy(items, ({ category }) => category);
  return Object.fromEntries(CATEGORIES.map((each) => [each, found.get(each)?.length ?? 0])) as CategoryCounts;
}

function timeOrNull(at: number | undefined): string | null {
  return at === undefined ? null : timestamp(at);
}
