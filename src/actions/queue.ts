import { CATEGORIES, CATEGORY_NAMES, type Category } from '../core/categories.ts';
import { retention, timestamp } from '../core/clocks.ts';
import type { Standing } from '../core/standing.ts';
import type { Vault } from '../store/vault.ts';
import { requestsOf } from './decide.ts';
import type { Session } from './session.ts';
import { isReady, isStaleNow, type Surveyed, served, surveyed } from './survey.ts';

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

/**
 * Everything that waits for a person. Held ones are found by reading, so only ready ones are looked at for it, and those
 * that a check blocked when they were last looked at: rules that changed move nothing, so a person has to.
 */
export function reviewQueue(session: Session): Queue {
  const { vault } = session;
  const waiting: Waiting[] = [];
  for (const { id, verb, askedAt } of requestsOf(session).list().requests) {
    const tier = vault.load(id)?.standing.tier;
    if (tier !== undefined) waiting.push({ category: 'requests', id, tier, reason: verb, since: askedAt });
  }
  for (const known of surveyed(vault)) {
    const { id, standing, digest } = known;
    const waits = categoryOf(vault, known);
    if (waits === undefined) continue;
    const isHeld = waits === 'promote-ready' && (served(vault, known)?.held.length ?? 0) > 0;
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
  for (const { id, standing } of surveyed(vault, 'quarantine')) {
    const at = 'decision' in standing ? standing.decision.at : undefined;
    const window = at === undefined ? standing.reason : retention(at, vault.parts.now());
    waiting.push({
      category: 'quarantined',
      id,
      tier: 'quarantined',
      reason: window,
      since: at === undefined ? null : timestamp(at),
    });
  }
  const count = (category: Category) => waiting.filter((w) => w.category === category).length;
  const counts = Object.fromEntries(CATEGORIES.map((category) => [category, count(category)]));
  return { waiting, counts: counts as Record<Category, number> };
}

/** Why a memory waits, by what the index knows of it; whether a ready one is held back shows only in its text. */
function categoryOf(vault: Vault, known: Surveyed): Exclude<Category, 'requests' | 'quarantined'> | undefined {
  const { standing, rules } = known;
  if (standing.tier === 'quarantined') return undefined;
  if (rules === '' && vault.loadSpot(known)?.withheld) return 'held';
  if (standing.reason === 'changed') return 'changed';
  if (isStaleNow(vault, standing)) return 'stale';
  return isReady(vault, known) ? 'promote-ready' : undefined;
}

/**
 * What waits, in one line for the person; null when nothing does. Ready memories are counted without reading them, and
 * what lies in quarantine has been settled.
 */
export function waitingLine(session: Session): string | null {
  const { vault } = session;
  const counts = new Map<Category, number>([['requests', requestsOf(session).list().requests.length]]);
  for (const known of surveyed(vault)) {
    const waits = categoryOf(vault, known);
    if (waits !== undefined) counts.set(waits, (counts.get(waits) ?? 0) + 1);
  }
  const parts = CATEGORIES.flatMap((category) => {
    const count = counts.get(category) ?? 0;
    return count === 0 ? [] : [`${count} ${CATEGORY_NAMES[category]}`];
  });
  return parts.length === 0
    ? null
    : `Surety: ${parts.join(', ')}. surety review goes through them, in a terminal of yours.`;
}
