import type { Standing } from '../core/ledger/standing.ts';
import { retention, timestamp } from '../core/trust/clocks.ts';
import { CATEGORIES, CATEGORY_NAMES, type Category } from '../core/trust/review-categories.ts';
import type { Missing, Surveyed, Vault } from '../store/vault/vault.ts';
import { requestsOf } from './decide.ts';
import type { Session } from './session.ts';
import { isReady, isStaleNow, served } from './survey.ts';

/** One thing that waits: of a quarantined memory never more than this. */
export interface Waiting {
  readonly category: Category;
  readonly id: string;
  readonly tier: Standing['tier'];
  readonly reason: string;
  readonly since: string | null;
}

export interface Queue {
  readonly waiting: readonly Waiting[];
  readonly counts: Readonly<Record<Category, number>>;
}

/** As many ready memories are read for whoever wants an overview: a thousand take a tenth of a second, all of them minutes. */
export const READ_FOR_OVERVIEW = 1_000;

/**
 * Everything that waits for a person. Held ones are found by reading, so only ready ones are looked at for it, and those
 * that a check blocked when they were last looked at: rules that changed move nothing, so a person has to. Of ready ones no
 * more than `read` are: the others count as ready until they have their turn.
 */
export function reviewQueue(session: Session, read = Number.POSITIVE_INFINITY): Queue {
  const { vault } = session;
  const waiting: Waiting[] = [];
  const counts = Object.fromEntries(CATEGORIES.map((category) => [category, 0])) as Record<Category, number>;
  let unread = read;
  for (const { id, verb, askedAt } of requestsOf(session).list().requests) {
    const tier = vault.load(id)?.standing.tier;
    if (tier !== undefined) waiting.push({ category: 'requests', id, tier, reason: verb, since: askedAt });
  }
  for (const { id, tier, at, damaged } of missingIn(session)) {
    const since = at === undefined ? null : timestamp(at);
    waiting.push({ category: 'missing', id, tier, reason: damaged ? 'damaged' : 'missing', since });
  }
  for (const known of vault.survey()) {
    const { id, standing, digest } = known;
    const waits = categoryOf(vault, known);
    if (waits === undefined) continue;
    const isHeld = waits === 'promote-ready' && unread-- > 0 && (served(vault, known)?.held.length ?? 0) > 0;
    const seen = digest === null ? undefined : vault.evidence.firstSeen(id, digest);
    const at = waits === 'held' ? undefined : 'receipt' in standing ? standing.receipt.at : seen;
    waiting.push({
      category: isHeld ? 'held' : waits,
      id,
      tier: standing.tier,
      reason: waits === 'held' ? 'checks-failed' : standing.reason,
      since: at === undefined ? null : timestamp(at),
    });
  }
  const displaced = new Set<string>();
  for (const { id, stem, standing, digest } of vault.displaced()) {
    displaced.add(stem);
    const receipt = vault.evidence.heads(id).find((head) => head.digest === digest);
    const since = receipt === undefined ? null : timestamp(receipt.at);
    waiting.push({ category: 'displaced', id, tier: standing.tier, reason: 'displaced', since });
  }
  for (const { id, stem, standing } of vault.survey('quarantine')) {
    if (displaced.has(stem)) continue;
    const at = 'decision' in standing ? standing.decision.at : undefined;
    const window = at === undefined ? standing.reason : retention(at, vault.now());
    waiting.push({
      category: 'quarantined',
      id,
      tier: 'quarantined',
      reason: window,
      since: at === undefined ? null : timestamp(at),
    });
  }
  for (const { category } of waiting) counts[category] += 1;
  return { waiting, counts };
}

/** Memories whose files are gone; none while the files are still looked at, because each would seem to be. */
export function missingIn({ vault, looking }: Session): Missing[] {
  return looking === undefined ? vault.missing.all() : [];
}

/** Why a memory waits, by what the index knows of it; whether a ready one is held back shows only in its text. */
function categoryOf(
  vault: Vault,
  known: Surveyed,
): Exclude<Category, 'requests' | 'displaced' | 'missing' | 'quarantined'> | undefined {
  const { standing, blocked, id } = known;
  if (standing.tier === 'quarantined') return undefined;
  // Of a damaged file it is said that it is missing.
  if (blocked !== null) return vault.missing.isDamaged(id) ? undefined : 'held';
  if (standing.reason === 'changed') return 'changed';
  if (isStaleNow(vault, standing)) return 'stale';
  return isReady(vault, known) ? 'promote-ready' : undefined;
}

/**
 * What waits, in one line for the person, counted while somebody goes through the memories for something else. Ready ones
 * are counted without reading them, and what lies in quarantine has been settled.
 */
export class WaitingLine {
  readonly #vault: Vault;
  readonly #counts = new Map<Category, number>();

  constructor(session: Session) {
    this.#vault = session.vault;
    this.#counts.set('requests', requestsOf(session).list().requests.length);
    this.#counts.set('displaced', session.vault.displaced().length);
    this.#counts.set('missing', missingIn(session).length);
  }

  count(known: Surveyed): void {
    const waits = categoryOf(this.#vault, known);
    if (waits !== undefined) this.#counts.set(waits, (this.#counts.get(waits) ?? 0) + 1);
  }

  /** Null when nothing waits. */
  said(): string | null {
    const parts = CATEGORIES.flatMap((category) => {
      const count = this.#counts.get(category) ?? 0;
      return count === 0 ? [] : [`${count} ${CATEGORY_NAMES[category]}`];
    });
    return parts.length === 0
      ? null
      : `Surety: ${parts.join(', ')}. surety review goes through them, in a terminal of yours.`;
  }
}
