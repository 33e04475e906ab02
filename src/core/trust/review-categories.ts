/** Why something waits for the operator, in the order it is shown. */
export const CATEGORIES = [
  'requests',
  'displaced',
  'missing',
  'promote-ready',
  'changed',
  'stale',
  'held',
  'quarantined',
] as const;
export type Category = (typeof CATEGORIES)[number];

export const CATEGORY_NAMES: Record<Category, string> = {
  requests: 'asked for by an agent',
  displaced: 'verified and displaced by another text',
  missing: 'missing: its file is gone or damaged',
  'promote-ready': 'ready to be verified',
  changed: 'changed since you vouched for it',
  stale: 'not looked at for long',
  held: 'held back by a finding',
  quarantined: 'in quarantine',
};
