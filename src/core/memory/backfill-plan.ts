import { dateOf, parseDate, parseTimestamp, timestamp } from '../trust/clocks.ts';
import { TIERS } from '../trust/tiers.ts';
import { type Document, textOf, type Unreadable } from './document.ts';
import { type MemoryType, TYPES } from './limits.ts';

/** What is known about a file besides its text. `modified` is its mtime. Times are in milliseconds. */
interface FileOrigin {
  readonly modified: number;
  readonly machine: string;
  readonly now: number;
  /** Whether any ledger has a decision on the file: then backfill has nothing to add. */
  readonly decided: boolean;
}

/**
 * `ask` has no default, so the person chooses. `verified` is only a proposal too: nothing is verified without a yes.
 */
export type ProposedTier = 'verified' | 'ask' | 'inferred';

/** Keys to set, in this order. New keys go before the frontmatter's closing line. */
type Additions = ReadonlyMap<string, string>;

export type BackfillPlan =
  | {
      readonly kind: 'plan';
      readonly proposed: ProposedTier;
      /** The keys that a yes sets, whatever was proposed. */
      readonly withYes: Additions;
      /** The keys that are set without a yes: never `last-verified`, and never a tier above inferred. */
      readonly withoutYes: Additions;
    }
  | { readonly kind: 'skip'; readonly why: 'complete' | 'decided' | 'quarantined'; readonly error: false }
  | { readonly kind: 'skip'; readonly why: 'unreadable' | 'unknown-type' | 'unknown-tier'; readonly error: true };

const BY_TYPE: Readonly<Record<MemoryType, ProposedTier>> = {
  user: 'verified',
  feedback: 'verified',
  project: 'ask',
  reference: 'inferred',
};

/**
 * Plans which keys an older memory file lacks, and which tier to propose for it. Existing values stay, except for the
 * two keys about its tier: a file that claims to be verified without a receipt becomes verified by a yes, or else
 * inferred.
 */
export function planBackfill(document: Document | Unreadable, origin: FileOrigin): BackfillPlan {
  if ('kind' in document) return { kind: 'skip', why: 'unreadable', error: true };
  const type = TYPES.find((each) => each === textOf(document.fields.get('type')));
  if (type === undefined) return { kind: 'skip', why: 'unknown-type', error: true };
  const claim = textOf(document.fields.get('trust-level'));
  if (claim === 'quarantined') return { kind: 'skip', why: 'quarantined', error: false };
  if (isSet(document, 'trust-level') && !TIERS.some((tier) => tier === claim))
    return { kind: 'skip', why: 'unknown-tier', error: true };
  if (origin.decided) return { kind: 'skip', why: 'decided', error: false };

  const withoutYes = setting(document, origin, 'inferred');
  if (withoutYes.size === 0) return { kind: 'skip', why: 'complete', error: false };
  const proposed = claim === 'inferred' || isUnclear(document, origin.now) ? 'inferred' : BY_TYPE[type];
  return { kind: 'plan', proposed, withYes: setting(document, origin, 'verified'), withoutYes };
}

function setting(document: Document, { modified, machine, now }: FileOrigin, tier: 'verified' | 'inferred'): Additions {
  const missing: readonly (readonly [string, string])[] = [
    ['source-machine', machine],
    // A file cannot have been made after now, even if a copied or touched mtime says so.
    ['created-at', timestamp(Math.min(modified, now))],
  ];
  const owned: readonly (readonly [string, string])[] = [
    ['trust-level', tier],
    ...(tier === 'verified' ? ([['last-verified', dateOf(now)]] as const) : []),
  ];
  return new Map([
    ...missing.filter(([key]) => !isSet(document, key)),
    ...owned.filter(([key, value]) => document.fields.get(key) !== value),
  ]);
}

/**
 * Whether a date is impossible, or a date of verification has no tier beside it. Then nothing above inferred is
 * proposed.
 */
function isUnclear(document: Document, now: number): boolean {
  const dates = [
    ['created-at', parseTimestamp],
    ['last-verified', parseDate],
  ] as const;
  const impossible = dates.some(([key, parse]) => {
    const at = parse(textOf(document.fields.get(key)) ?? '');
    return isSet(document, key) && (at === undefined || at > now);
  });
  return impossible || (isSet(document, 'last-verified') && !isSet(document, 'trust-level'));
}

/** An empty value counts as not set, because filling it in overwrites nothing. */
function isSet(document: Document, key: string): boolean {
  const value = document.fields.get(key);
  return value !== undefined && value !== null && value !== '';
}
