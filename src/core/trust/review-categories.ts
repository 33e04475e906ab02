/** Why something waits for the operator, in the order it is shown. */
export const CATEGORIES = [
  'requests',
  'missing',
  'displaced',
  'changed',
  'conflicting',
  'questionable',
  'held',
  'stale',
  'ready',
  'quarantined',
] as const;
export type Category = (typeof CATEGORIES)[number];

/** What a review goes through: what waits, and behind it what is new. A new memory is in observation and waits for nobody. */
export const REVIEWED = [...CATEGORIES, 'new'] as const;
export type Reviewed = (typeof REVIEWED)[number];

export const CATEGORY_NAMES: Record<Reviewed, string> = {
  requests: 'asked for by an agent',
  missing: 'missing: the file is gone or damaged',
  displaced: 'vouched for, and displaced by another text',
  changed: 'changed since you vouched for it',
  conflicting: 'in conflict with a verified one',
  questionable: 'verified, with an anchor that is lost',
  held: 'held back by a finding',
  stale: 'due to be looked at again',
  ready: 'ready to be verified',
  quarantined: 'quarantined by a check',
  new: 'new, in observation',
};

/** Why something waits, in one list for a model, to which “you” would be itself. */
export const WHY_WAITING = CATEGORIES.map((each) => CATEGORY_NAMES[each].replace('you ', 'the person ')).join('; ');
