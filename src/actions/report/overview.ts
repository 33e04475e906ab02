import type { Evidence } from '../../core/ledger/evidence.ts';
import type { Place } from '../../core/ledger/standing.ts';
import type { MemoryType } from '../../core/memory/limits.ts';
import { projectIn } from '../../core/memory/project.ts';
import { type SafeText, sanitize, visible } from '../../core/text/safe-text.ts';
import { REVIEWED, type Reviewed } from '../../core/trust/review-categories.ts';
import type { Tier } from '../../core/trust/tiers.ts';
import { evidenceNow, projectsByStem, surveyIds, withDependents } from '../../store/reconcile/survey-changes.ts';
import { requestsOf } from '../../store/records/request-queue.ts';
import type { Surveyed, Vault } from '../../store/vault/vault.ts';
import { ANCHOR_MS } from '../anchors.ts';
import { type Origin, originsKind } from '../history.ts';
import { isDeclined, isHeldBack, isStaleNow } from '../memory-state.ts';
import { QueueSorting, type WaitingMemory } from '../review-queue.ts';
import type { Session } from '../session.ts';
import { usageOf } from '../usage.ts';
import { withPauses } from '../with-pauses.ts';
import { typeOf } from './charts.ts';
import type { Mark } from './list.ts';
import { everyMemory } from './status.ts';

/** What an overview can mark a memory with. */
type OverviewMark = Mark | 'unused';

/** One memory in an overview of the whole store: facts of the index and the ledgers, and no word of its text. */
export interface OverviewRow {
  readonly stem: string;
  readonly id: string;
  readonly place: Place;
  readonly tier: Tier;
  readonly type: MemoryType;
  /** Why it waits or is new; null if it does neither. */
  readonly category: Reviewed | null;
  readonly marks: readonly OverviewMark[];
  /** Who brought it. */
  readonly by: Origin;
  /** When it was vouched for, first seen, or quarantined. */
  readonly since: number | null;
  readonly project: SafeText | null;
  /** Differs whenever the text differs; null if the file holds no memory. */
  readonly version: string | null;
}

/** At most 200 changed memories are looked at by themselves; to survey all is simpler for more. */
const MOST_CHANGED = 200;

/** The rows of an overview, all at first and then those that changed. No file is read for them unless it changed. */
export class OverviewSurvey {
  readonly #session: Session;
  #isUnused: (id: string) => boolean = () => false;
  #asked: ReadonlySet<string> = new Set();
  /** What the ledgers stated when rows were last made. */
  #known: { readonly evidence: Evidence; readonly taken: number } | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Every memory; what waits comes first, in the order of the review. What changes meanwhile is for `changed`. Once the
   * signal is given, it rejects and reads the store no longer.
   */
  async all(signal: AbortSignal): Promise<OverviewRow[]> {
    const { vault } = this.#session;
    const evidence = evidenceNow(vault);
    const known = { evidence, taken: evidence.taken };
    this.#asked = this.#askedNow();
    const projects = projectsByStem(vault);
    this.#isUnused = (await usageOf(vault)).isUnused ?? (() => false);
    signal.throwIfAborted();
    const making = new RowMaking(this.#session, this.#isUnused);
    const rows: OverviewRow[] = [];
    for await (const each of withPauses(everyMemory(vault), signal))
      rows.push(making.row(each, projects.get(each.stem)));
    this.#known = known;
    return inOrder([...making.missing(rows), ...rows]);
  }

  /**
   * The memories that changed since the last call, with what depends on them, and their rows now: `named`, those in new
   * entries of the ledgers, and those that an agent asks about. Undefined if only a survey of all finds what changed.
   */
  changed(named: Iterable<string>): { readonly ids: ReadonlySet<string>; readonly rows: OverviewRow[] } | undefined {
    const { vault } = this.#session;
    const asked = this.#askedNow();
    const evidence = evidenceNow(vault);
    const before = this.#known;
    if (before?.evidence !== evidence) return undefined;
    const entered = evidence.idsAfter(before.taken);
    const changed = new Set([...named, ...entered, ...asked.symmetricDifference(this.#asked)]);
    if (changed.size > MOST_CHANGED) return undefined;
    const ids = withDependents(vault, changed);
    this.#known = { evidence, taken: evidence.taken };
    this.#asked = asked;
    const making = new RowMaking(this.#session, this.#isUnused, ids);
    const rows = surveyIds(vault, ids).map((each) => making.row(each, projectOf(vault, each)));
    return { ids, rows: [...making.missing(rows), ...rows] };
  }

  #askedNow(): Set<string> {
    return new Set(
      requestsOf(this.#session.vault)
        .list()
        .requests.map(({ id }) => id),
    );
  }
}

/** Makes rows, by the state of the queue when it was made. */
class RowMaking {
  readonly #session: Session;
  readonly #isUnused: (id: string) => boolean;
  readonly #sorting: QueueSorting;
  readonly #others: ReadonlyMap<string, WaitingMemory>;

  constructor(session: Session, isUnused: (id: string) => boolean, only?: ReadonlySet<string>) {
    this.#session = session;
    this.#isUnused = isUnused;
    this.#sorting = new QueueSorting(session, ANCHOR_MS.person, only);
    this.#others = new Map(this.#sorting.others.map((each) => [each.stem, each]));
  }

  row(known: Surveyed, project: string | undefined): OverviewRow {
    const { stem, id, place, standing, digest } = known;
    const category = this.#categoryOf(known);
    const asked = category === 'requests' ? this.#others.get(stem)?.since : null;
    return {
      stem,
      id,
      place,
      tier: standing.tier,
      type: typeOf(id),
      category,
      marks: marksOf(this.#session, known, this.#isUnused),
      by: originsKind(this.#session, id),
      since: asked == null ? sinceOf(this.#session, known) : Date.parse(asked),
      project: project === undefined || place !== 'memories' ? null : sanitize(project, 'line'),
      version: digest?.slice(0, 16) ?? null,
    };
  }

  /** Rows for memories that should be there and are not among these. */
  missing(rows: readonly OverviewRow[]): OverviewRow[] {
    const there = new Set(rows.map(({ id }) => id));
    return this.#sorting.others
      .filter(({ category, id }) => category === 'missing' && !there.has(id))
      .map((each) => missingRow(this.#session, each));
  }

  /** Of a displaced text and the one in its place only one waits, and both can have the same stem. */
  #categoryOf(known: Surveyed): Reviewed | null {
    const other = this.#others.get(known.stem)?.category;
    if (other === 'requests') return other;
    const isAway = other === 'displaced' || other === 'quarantined';
    if (other !== undefined && isAway === (known.place === 'quarantine')) return other;
    return (known.place === 'memories' ? this.#sorting.categoryOf(known) : undefined) ?? null;
  }
}

/** What waits first, in the order of the review. */
function inOrder(rows: OverviewRow[]): OverviewRow[] {
  const at = ({ category }: OverviewRow) => (category === null ? REVIEWED.length : REVIEWED.indexOf(category));
  return rows.sort((a, b) => at(a) - at(b));
}

function projectOf(vault: Vault, known: Surveyed): string | undefined {
  const shown = vault.loadSurveyed(known)?.shown;
  return (shown && projectIn(shown)) ?? undefined;
}

function missingRow(
  session: Session,
  { id, tier, since }: { id: string; tier: Tier; since: string | null },
): OverviewRow {
  return {
    stem: id,
    id,
    place: 'memories',
    tier,
    type: typeOf(id),
    category: 'missing',
    marks: [],
    by: originsKind(session, id),
    since: since === null ? null : Date.parse(since),
    project: null,
    version: null,
  };
}

function marksOf({ vault }: Session, known: Surveyed, isUnused: (id: string) => boolean): OverviewMark[] {
  const { id, digest, standing, blocked } = known;
  const isAway = standing.tier === 'quarantined';
  const marks: readonly (readonly [OverviewMark, boolean])[] = [
    ['stale', isStaleNow(vault, standing)],
    ['changed', standing.reason === 'changed'],
    ['held', standing.tier === 'inferred' && isHeldBack(vault, known)],
    ['declined', standing.tier === 'inferred' && isDeclined(vault, id, digest)],
    ['conflict', vault.conflicts.of(known) !== undefined],
    ['blocked', blocked !== null && !isAway],
    ['unused', !isAway && isUnused(id)],
  ];
  return marks.flatMap(([mark, holds]) => (holds ? mark : []));
}

function sinceOf({ vault }: Session, { id, digest, standing }: Surveyed): number | null {
  if ('receipt' in standing) return standing.receipt.at;
  if ('decision' in standing) return standing.decision.at;
  return digest === null ? null : (vault.evidence.firstSeen(id, digest) ?? null);
}

/** The name in a memory's file; undefined for a text that a list must not show: of a quarantined or blocked memory. */
export function overviewName(
  { vault }: Session,
  { stem, place }: Pick<OverviewRow, 'stem' | 'place'>,
): SafeText | undefined {
  const loaded = vault.loadSpot({ place, stem });
  if (loaded?.shown === undefined || loaded.withheld || loaded.standing.tier === 'quarantined') return undefined;
  return visible(loaded.shown.name, 'line');
}
