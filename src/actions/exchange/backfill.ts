import type { BackfillPlan, ProposedTier } from '../../core/memory/backfill-plan.ts';
import type { UserConsent } from '../../core/trust/consent.ts';
import { confirmFound, fillIn, planFound } from '../../store/exchange/backfill-file.ts';
import { failureOf } from '../../store/records/audit-log.ts';
import type { Loaded } from '../../store/vault/vault.ts';
import type { Session } from '../session.ts';

/** A found file nobody has vouched for, as it is now, with what would be set in it. */
export interface Find {
  readonly loaded: Loaded;
  readonly plan: Extract<BackfillPlan, { kind: 'plan' }>;
}

/** A file that is left as it is, and why; `error` where somebody should look at it. */
export interface Passed {
  readonly id: string;
  readonly why: Extract<BackfillPlan, { kind: 'skip' }>['why'] | 'blocked';
  readonly error: boolean;
}

/** What a look over the store found, without the texts. */
export interface LookedOver {
  readonly memories: number;
  readonly found: readonly Proposal[];
  /** What somebody should look at: no backfill can help it. */
  readonly left: readonly Passed[];
}

export interface Proposal {
  readonly id: string;
  readonly proposed: ProposedTier;
  /** The keys the proposal would set; where the person chooses, those that a yes would. */
  readonly sets: readonly string[];
}

/** Everything no ledger has decided on, in the order of the names. */
export function lookOver(session: Session): LookedOver {
  const all = [...session.vault.survey()];
  const found: Proposal[] = [];
  const left: Passed[] = [];
  for (const { stem, standing } of all) {
    if (standing.reason !== 'found' && standing.reason !== 'unproven') continue;
    const looked = lookAtFind(session, stem);
    if (looked === undefined) continue;
    if ('plan' in looked) found.push(proposalOf(looked));
    else if (looked.error) left.push(looked);
  }
  return { memories: all.length, found, left };
}

function proposalOf({ loaded: { id }, plan: { proposed, withYes, withoutYes } }: Find): Proposal {
  return { id, proposed, sets: [...(proposed === 'inferred' ? withoutYes : withYes).keys()] };
}

/** The file as it is now; undefined when it is gone. */
export function lookAtFind({ vault }: Session, id: string): Find | Passed | undefined {
  const loaded = vault.loadSpot({ place: 'memories', stem: id });
  if (loaded === undefined) return undefined;
  const plan = planFound(vault, loaded);
  if (plan.kind === 'skip') return { id, why: plan.why, error: plan.error };
  // Nobody is asked about a text that no yes could help.
  return loaded.withheld ? { id, why: 'blocked', error: true } : { loaded, plan };
}

/** Vouches for the file with the person's yes for exactly it. */
export function confirm(session: Session, { loaded }: Find, consent: UserConsent): Promise<void> {
  return recorded(session, loaded, undefined, () => confirmFound(session.vault, loaded, consent));
}

/** Fills in what the file lacks and leaves it inferred. */
export function keepInferred(session: Session, { loaded }: Find): Promise<void> {
  return recorded(session, loaded, 'kept-inferred', () => fillIn(session.vault, loaded));
}

async function recorded(
  { audit }: Session,
  { id, digest }: Loaded,
  reason: string | undefined,
  work: () => Promise<unknown>,
): Promise<void> {
  const attempt = { channel: 'terminal', action: 'backfill', id, digest } as const;
  try {
    await work();
    audit.record({ ...attempt, outcome: 'accepted', reason });
  } catch (error) {
    audit.record({ ...attempt, ...failureOf(error) });
    throw error;
  }
}
