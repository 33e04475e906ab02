import type { Place } from '../../core/ledger/standing.ts';
import { type MemoryType, TYPES } from '../../core/memory/limits.ts';
import { type SafeText, sanitize, visible } from '../../core/text/safe-text.ts';
import type { Reviewed } from '../../core/trust/review-categories.ts';
import type { Tier } from '../../core/trust/tiers.ts';
import type { Surveyed } from '../../store/vault/vault.ts';
import { type Origin, originsKind } from '../history.ts';
import { isDeclined, isHeldBack, isStaleNow } from '../memory-state.ts';
import { reviewQueue } from '../review-queue.ts';
import type { Session } from '../session.ts';
import { unusedAmong } from '../usage.ts';
import type { Mark } from './list.ts';

/** What an overview can mark a memory with. */
export type OverviewMark = Mark | 'unused';

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

/** Every memory of the store, without reading its file; what waits comes first, in the order of the review. */
export async function overviewRows(session: Session): Promise<OverviewRow[]> {
  const { vault } = session;
  const known: Surveyed[] = [];
  const { waiting, fresh } = reviewQueue(session, (each) => known.push(each));
  const projects = new Map<string, SafeText>();
  vault.surveyScoped(({ stem, project }) => {
    if (project !== null) projects.set(stem, sanitize(project, 'line'));
  });
  const categories = new Map<string, Reviewed>([...waiting, ...fresh].map(({ stem, category }) => [stem, category]));
  const quarantined = [...vault.survey('quarantine')];
  const unused = new Set(
    (
      await unusedAmong(
        vault,
        known.map(({ id }) => id),
      )
    ).ids ?? [],
  );
  const rows = [...known, ...quarantined].map((each): OverviewRow => {
    const { stem, id, place, standing, digest } = each;
    return {
      stem,
      id,
      place,
      tier: standing.tier,
      type: typeOf(id),
      category: categoryAt(categories, each),
      marks: marksOf(session, each, unused),
      by: originsKind(session, id),
      since: sinceOf(session, each),
      project: projects.get(stem) ?? null,
      version: digest?.slice(0, 16) ?? null,
    };
  });
  const there = new Set(rows.map(({ id }) => id));
  const gone = waiting.filter(({ category, id }) => category === 'missing' && !there.has(id));
  const order = new Map([...waiting, ...fresh].map(({ stem, category }, i) => [keyOf(stem, category), i]));
  const at = ({ stem, category }: OverviewRow) =>
    category === null ? order.size : (order.get(keyOf(stem, category)) ?? order.size);
  return [...gone.map((each) => missingRow(session, each)), ...rows].sort((a, b) => at(a) - at(b));
}

/** An id begins with its type. */
function typeOf(id: string): MemoryType {
  return TYPES.find((type) => id.startsWith(`${type}_`)) ?? 'reference';
}

function keyOf(stem: string, category: Reviewed): string {
  return `${category} ${stem}`;
}

/** Of a displaced text and the one in its place only one waits, and both can have the same stem. */
function categoryAt(categories: ReadonlyMap<string, Reviewed>, { stem, place }: Surveyed): Reviewed | null {
  const category = categories.get(stem);
  if (category === undefined || category === 'requests') return category ?? null;
  const isAway = category === 'displaced' || category === 'quarantined';
  return isAway === (place === 'quarantine') ? category : null;
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

function marksOf({ vault }: Session, known: Surveyed, unused: ReadonlySet<string>): OverviewMark[] {
  const { id, digest, standing, blocked } = known;
  const isAway = standing.tier === 'quarantined';
  const marks: readonly (readonly [OverviewMark, boolean])[] = [
    ['stale', isStaleNow(vault, standing)],
    ['changed', standing.reason === 'changed'],
    ['held', standing.tier === 'inferred' && isHeldBack(vault, known)],
    ['declined', standing.tier === 'inferred' && isDeclined(vault, id, digest)],
    ['blocked', blocked !== null && !isAway],
    ['unused', !isAway && unused.has(id)],
  ];
  return marks.flatMap(([mark, holds]) => (holds ? mark : []));
}

function sinceOf({ vault }: Session, { id, digest, standing }: Surveyed): number | null {
  if ('receipt' in standing) return standing.receipt.at;
  if ('decision' in standing) return standing.decision.at;
  return digest === null ? null : (vault.evidence.firstSeen(id, digest) ?? null);
}

/** What an overview shows of one memory's text in its list. */
export interface OverviewName {
  readonly name: SafeText;
  readonly project: SafeText | null;
}

/** The name in a memory's file; undefined for a text that a list must not show: of a quarantined or blocked memory. */
export function overviewName(
  { vault }: Session,
  { stem, place }: Pick<OverviewRow, 'stem' | 'place'>,
): OverviewName | undefined {
  const loaded = vault.loadSpot({ place, stem });
  if (loaded?.shown === undefined || loaded.withheld || loaded.standing.tier === 'quarantined') return undefined;
  const { name, project } = loaded.shown;
  return { name: visible(name, 'line'), project: project === null ? null : sanitize(project, 'line') };
}
