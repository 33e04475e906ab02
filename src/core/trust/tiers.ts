import { Refusal } from '../refusal.ts';

/** What a memory may be trusted for, lowest first. */
export const TIERS = ['quarantined', 'inferred', 'verified'] as const;
export type Tier = (typeof TIERS)[number];

/** Who can cause a change. Nobody can claim to be the `operator`: it takes a UserConsent (consent.ts). */
export const ACTORS = ['agent', 'import', 'check', 'operator'] as const;
export type ActorKind = (typeof ACTORS)[number];

/** What must hold before a transition happens. */
export const NEEDS = {
  checks: 'checks pass',
  observation: 'observation over',
  consent: 'confirmation',
  failure: 'a check’s hard failure',
} as const;
export type Need = keyof typeof NEEDS;

/** The frontmatter keys the server owns. A transition rewrites only those its row names. */
export type OwnedKey =
  | 'trust-level'
  | 'created-at'
  | 'last-verified'
  | 'source-machine'
  | 'quarantined-at'
  | 'quarantine-reason'
  | 'quarantined-by';

export interface Transition {
  readonly verb: string;
  readonly from: Tier | null;
  readonly to: Tier;
  readonly who: ActorKind;
  /** In the order they are judged. Consent is last: nobody is asked, and no yes is spent, for what the rules refuse anyway. */
  readonly needs: readonly Need[];
  readonly sets: readonly OwnedKey[];
  readonly removes?: readonly OwnedKey[];
  readonly moves?: 'into quarantine' | 'out of quarantine';
  /** Earlier versions wrote it: an entry with it is read for ever, and none is made any more. */
  readonly retired?: true;
}

/** What a quarantine writes into a file. */
export const QUARANTINE_KEYS = ['quarantined-at', 'quarantine-reason', 'quarantined-by'] as const;
const BORN_INFERRED = { from: null, to: 'inferred', needs: ['checks'], sets: ['trust-level', 'created-at'] } as const;
const BORN_VERIFIED = {
  from: null,
  to: 'verified',
  who: 'operator',
  needs: ['checks', 'consent'],
  sets: ['trust-level', 'created-at', 'last-verified'],
} as const;
const LOWERED = {
  to: 'quarantined',
  sets: ['trust-level', 'last-verified', ...QUARANTINE_KEYS],
  moves: 'into quarantine',
} as const;

/** The trust model: every change of tier that exists. A pair without a row does not exist. */
export const TRANSITIONS = [
  { verb: 'propose', who: 'agent', ...BORN_INFERRED },
  { verb: 'import', who: 'import', ...BORN_INFERRED },
  { verb: 'add', ...BORN_VERIFIED },
  { verb: 'adopt', ...BORN_VERIFIED, retired: true },
  { verb: 'rewrite', ...BORN_VERIFIED },
  { verb: 'import', ...BORN_VERIFIED },
  { verb: 'backfill', ...BORN_VERIFIED },
  {
    verb: 'promote',
    from: 'inferred',
    to: 'verified',
    who: 'operator',
    needs: ['observation', 'checks', 'consent'],
    sets: ['trust-level', 'last-verified'],
  },
  // What a person takes as their own words waits for nothing; reworded by them, the text changes with it.
  {
    verb: 'adopt',
    from: 'inferred',
    to: 'verified',
    who: 'operator',
    needs: ['checks', 'consent'],
    sets: ['trust-level', 'last-verified'],
  },
  { verb: 'demote', from: 'inferred', who: 'operator', needs: ['consent'], ...LOWERED },
  { verb: 'demote', from: 'verified', who: 'operator', needs: ['consent'], ...LOWERED },
  // A check moves the file unchanged, so that no evidence is lost; the ledger records the rest.
  { verb: 'quarantine', from: 'inferred', who: 'check', needs: ['failure'], ...LOWERED, sets: [] },
  { verb: 'quarantine', from: 'verified', who: 'check', needs: ['failure'], ...LOWERED, sets: [] },
  {
    verb: 'restore',
    from: 'quarantined',
    to: 'verified',
    who: 'operator',
    needs: ['checks', 'consent'],
    sets: ['trust-level', 'last-verified'],
    removes: QUARANTINE_KEYS,
    moves: 'out of quarantine',
  },
  {
    verb: 'reaffirm',
    from: 'verified',
    to: 'verified',
    who: 'operator',
    needs: ['checks', 'consent'],
    sets: ['trust-level', 'last-verified'],
  },
] as const satisfies readonly Transition[];

/** The rows that can still happen. */
const WRITTEN: readonly Transition[] = TRANSITIONS.filter((row: Transition) => row.retired === undefined);

export type Verb = (typeof TRANSITIONS)[number]['verb'];

/** The facts a transition is judged by. The vault establishes each; none is a caller's claim. */
interface TransitionCase {
  readonly verb: Verb;
  readonly from: Tier | null;
  readonly who: ActorKind;
  readonly met: ReadonlySet<Need>;
}

/** The needs that hold. */
export function needsMet(needs: Partial<Record<Need, boolean>>): ReadonlySet<Need> {
  return new Set((Object.keys(needs) as Need[]).filter((need) => needs[need]));
}

const UNMET: Record<Need, () => Refusal> = {
  checks: () =>
    new Refusal('checks-failed', 'A check blocks this memory; see its findings, correct the text and try again.'),
  observation: () =>
    new Refusal(
      'observation-running',
      'The observation period of this text is not over. Until then only adopt makes it count: a person takes the text as their own words.',
    ),
  consent: () =>
    new Refusal(
      'needs-person',
      'Only a person can decide this; ask for it and let the operator answer, or run surety review.',
    ),
  failure: () => new Refusal('not-allowed', 'A check may quarantine only what failed it.'),
};

/** The row that allows this case, or a Refusal. The only place that permits a change of tier. */
export function judge(asked: TransitionCase): Transition {
  const row = WRITTEN.find((t) => t.verb === asked.verb && t.from === asked.from && t.who === asked.who);
  if (row === undefined) throw forbidden(asked);
  for (const need of row.needs) {
    if (!asked.met.has(need)) throw UNMET[need]();
  }
  return row;
}

/** Whether the table could have allowed a recorded change. A ledger line it could not allow proves nothing. */
export function couldHappen(verb: string, from: Tier | null, to: Tier, who: ActorKind): boolean {
  return TRANSITIONS.some((t) => t.verb === verb && t.from === from && t.to === to && t.who === who);
}

const IN_QUARANTINE = 'This memory is in quarantine; restore takes it out.';
/** Why a decision cannot be made about a memory of this tier. */
const WRONG_TIER: Partial<Record<Verb, Partial<Record<Tier, string>>>> = {
  promote: {
    quarantined: IN_QUARANTINE,
    verified: 'This memory is verified already; reaffirm vouches for it again.',
  },
  reaffirm: { quarantined: IN_QUARANTINE, inferred: 'This memory is not verified yet; promote makes it verified.' },
  demote: { quarantined: 'This memory is in quarantine already.' },
  restore: {
    inferred: 'This memory is not in quarantine, so there is nothing to restore.',
    verified: 'This memory is not in quarantine, so there is nothing to restore.',
  },
};

function forbidden({ verb, from }: TransitionCase): Refusal {
  // A person may do it from there, so it was somebody else who asked.
  if (WRITTEN.some((t) => t.verb === verb && t.from === from && t.who === 'operator')) return UNMET.consent();
  const why = from === null ? undefined : WRONG_TIER[verb]?.[from];
  if (why !== undefined) return new Refusal('not-allowed', `${why} Nothing was changed.`);
  const starts = WRITTEN.filter((t) => t.verb === verb).map((t) => t.from ?? 'new');
  return new Refusal(
    'not-allowed',
    `${verb} starts from ${[...new Set(starts)].join(' or ')}; this memory is ${from ?? 'new'}. Nothing was changed.`,
  );
}
