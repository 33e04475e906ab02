import type { Case } from '../actions/review/review.ts';
import type { Decision } from '../store/vault/vault.ts';

/** The terminal's keys, and `e` for one's own words. */
export const KEYS = ['y', 'n', 'p', 'e', 's', 'q'] as const;
export type Key = (typeof KEYS)[number];

export interface Choice {
  readonly key: Key;
  readonly means: string;
  /** How it looks: the answer that is asked for, one that lowers, or one that changes nothing. */
  readonly look: 'yes' | 'no' | 'plain';
}

export const QUESTIONS: Record<Decision, string> = {
  promote: 'Do you vouch for this?',
  reaffirm: 'Do you still vouch for this?',
  restore: 'Do you vouch for this, and take it out of quarantine?',
  demote: 'Should this go into quarantine?',
};

const YES: Record<Decision, string> = {
  promote: 'Yes, make it verified',
  reaffirm: 'Yes, it holds',
  restore: 'Yes, restore it',
  demote: 'Yes, quarantine it',
};

/** Whether a no puts the memory into quarantine; else it leaves everything as it is. */
export function noLowers({ category, loaded, correctedBy }: Case): boolean {
  return correctedBy === undefined && category !== 'requests' && loaded.standing.tier !== 'quarantined';
}

/** Every way to answer this case; what could not count is not offered. */
export function choicesFor(open: Case): Choice[] {
  const { category, verb, inVain, former, correctedBy } = open;
  const no = noLowers(open)
    ? 'No, quarantine it'
    : correctedBy !== undefined
      ? 'No, keep both'
      : category === 'requests'
        ? 'No, refuse the request'
        : 'No, it stays there';
  return [
    ...(inVain === undefined ? [{ key: 'y', means: YES[verb], look: verb === 'demote' ? 'no' : 'yes' } as const] : []),
    { key: 'n', means: no, look: noLowers(open) ? 'no' : 'plain' },
    ...(former === undefined ? [] : [{ key: 'p', means: 'Put the old text back', look: 'plain' } as const]),
    { key: 'e', means: 'Say it in your words', look: 'plain' },
    { key: 's', means: 'Skip', look: 'plain' },
    { key: 'q', means: 'Stop', look: 'plain' },
  ];
}
