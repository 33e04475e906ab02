import { retention, timestamp } from '../core/clocks.ts';
import type { Standing } from '../core/standing.ts';
import { requestsOf } from './decide.ts';
import type { Session } from './session.ts';
import { isReady, isStaleNow, served, survey } from './survey.ts';

/** Why something waits for the operator, in the order it is shown. */
export const CATEGORIES = ['requests', 'promote-ready', 'changed', 'stale', 'held', 'quarantined'] as const;
export type Category = (typeof CATEGORIES)[number];

/** Each as the operator reads it. */
export const CATEGORY_NAMES: Record<Category, string> = {
  requests: 'asked for by an agent',
  'promote-ready': 'ready to be verified',
  changed: 'changed since you vouched for it',
  stale: 'not looked at for long',
  held: 'held back by a finding',
  quarantined: 'in quarantine',
};

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
  for (const known of survey(vault)) {
    const { id, standing, digest, rules } = known;
    if (standing.tier === 'quarantined') continue;
    const add = (category: Category, since: number | undefined, reason: string = standing.reason) =>
      waiting.push({
        category,
        id,
        tier: standing.tier,
        reason,
        since: since === undefined ? null : timestamp(since),
      });
    if (rules === '' && vault.loadSpot(known)?.withheld) add('held', undefined, 'checks-failed');
    else if (standing.reason === 'changed') add('changed', standing.receipt.at);
    else if (isStaleNow(vault, standing) && standing.tier === 'verified') add('stale', standing.receipt.at);
    else if (isReady(vault, known)) {
      const held = (served(vault, known)?.held.length ?? 0) > 0;
      add(held ? 'held' : 'promote-ready', digest === null ? undefined : vault.evidence.firstSeen(id, digest));
    }
  }
  for (const { id, standing } of survey(vault, 'quarantine')) {
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
