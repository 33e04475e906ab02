import type { BackfillPlan, ProposedTier } from '../../core/memory/backfill-plan.ts';
import type { UserConsent } from '../../core/trust/consent.ts';
import { confirmFound, fillIn, planFound } from '../../store/exchange/backfill-file.ts';
import type { Attempt } from '../../store/records/audit-log.ts';
import type { Loaded } from '../../store/vault/vault.ts';
import { noteContradictions } from '../contradictions.ts';
import type { Session } from '../session.ts';

/** A found file nobody has vouched for, and what backfill would set in it. */
interface PlannedFile {
  readonly loaded: Loaded;
  readonly plan: Extract<BackfillPlan, { kind: 'plan' }>;
}

/** A file that is left unchanged, and why; `error` if somebody should look at it. */
export interface SkippedFile {
  readonly id: string;
  readonly why: Extract<BackfillPlan, { kind: 'skip' }>['why'] | 'blocked';
  readonly error: boolean;
}

/** What backfill found in the store, without texts. */
interface BackfillReport {
  readonly memories: number;
  readonly found: readonly Proposal[];
  /** Files that backfill cannot help and somebody should look at. */
  readonly left: readonly SkippedFile[];
}

interface Proposal {
  readonly id: string;
  readonly proposed: ProposedTier;
  /** The keys the proposal would set; if the person chooses, the keys a yes would set. */
  readonly sets: readonly string[];
}

/** Every file that no ledger has decided on, by name. */
export function surveyFound(session: Session): BackfillReport {
  const all = [...session.vault.survey()];
  const found: Proposal[] = [];
  const left: SkippedFile[] = [];
  for (const { stem, standing } of all) {
    if (standing.reason !== 'found' && standing.reason !== 'unproven') continue;
    const looked = readFound(session, stem);
    if (looked === undefined) continue;
    if ('plan' in looked) found.push(proposalOf(looked));
    else if (looked.error) left.push(looked);
  }
  return { memories: all.length, found, left };
}

function proposalOf({ loaded: { id }, plan: { proposed, withYes, withoutYes } }: PlannedFile): Proposal {
  return { id, proposed, sets: [...(proposed === 'inferred' ? withoutYes : withYes).keys()] };
}

/** Reads the file again; undefined if it is gone. */
export function readFound({ vault }: Session, id: string): PlannedFile | SkippedFile | undefined {
  const loaded = vault.loadSpot({ place: 'memories', stem: id });
  if (loaded === undefined) return undefined;
  const plan = planFound(vault, loaded);
  if (plan.kind === 'skip') return { id, why: plan.why, error: plan.error };
  // A blocked text is not asked about, because no yes could verify it.
  if (loaded.withheld) return { id, why: 'blocked', error: true };
  return { loaded, plan: loaded.held.length > 0 ? { ...plan, proposed: 'inferred' } : plan };
}

/** Vouches for the file; the consent covers only this text. */
export async function confirm(session: Session, { loaded }: PlannedFile, consent: UserConsent): Promise<void> {
  await session.audit.runAndRecord(attemptOn(loaded), () => confirmFound(session.vault, loaded, consent));
  const confirmed = session.vault.load(loaded.id);
  if (confirmed !== undefined) await noteContradictions(session, confirmed);
}

/** Fills in what the file lacks and leaves it inferred. */
export async function keepInferred({ vault, audit }: Session, { loaded }: PlannedFile): Promise<void> {
  await audit.runAndRecord({ ...attemptOn(loaded), reason: 'kept-inferred' }, () => fillIn(vault, loaded));
}

function attemptOn({ id, digest }: Loaded): Attempt {
  return { channel: 'terminal', action: 'backfill', id, digest };
}
