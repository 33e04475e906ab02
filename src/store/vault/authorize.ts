import { refuseBlocked, refuseSecrets, refuseUnshown } from '../../core/checks/enforce.ts';
import type { Inspection } from '../../core/checks/inspect.ts';
import type { InspectedFile } from '../../core/memory/inspected-file.ts';
import { UserConsent } from '../../core/trust/consent.ts';
import { type ActorKind, judge, needsMet, type Tier, type Transition, type Verb } from '../../core/trust/tiers.ts';
import type { Writer } from './ledger-entries.ts';

/** A requested change of standing, with everything that the rules need to judge it. */
export interface RequestedTransition {
  readonly verb: Verb;
  /** Null for a text that no ledger has a decision on. */
  readonly from: Tier | null;
  readonly id: string;
  readonly digest: string | null;
  /** The digest before, where a person reworded the text. */
  readonly was?: string;
  /** The memory whose place it takes, where a person chose between both. */
  readonly replaces?: string | undefined;
  /** What a person's yes has to name: `standingKey` of the memory, or `new`. */
  readonly standing: string;
  readonly inspection: Inspection;
  /** The text itself, if its writer can still correct it. */
  readonly subject?: InspectedFile;
  /** Whether the observation period is over. A new text has none. */
  readonly observation?: boolean;
  /** Rules of findings that an earlier yes for the same text accepted. */
  readonly settled?: Iterable<string>;
}

interface Authorized<T> {
  readonly row: Transition;
  readonly prepared: T;
}

/** The row of the trust table that allows the change. `consent` says whether a person said yes. */
export function rowFor(change: RequestedTransition, who: ActorKind, consent: boolean): Transition {
  const { verb, from, inspection, observation = false } = change;
  const checks = !inspection.blocked && inspection.crashed.length === 0;
  const row = judge({ verb, from, who, met: needsMet({ checks, observation, consent }) });
  if (row.to === 'verified') refuseBlocked(inspection);
  return row;
}

/**
 * Allows a change by the trust table, and spends the person's yes if the row needs one. All raising changes pass here,
 * so one place decides what a yes must cover. `prepare` runs before the yes is spent, so that its refusals cost no yes.
 */
export function authorize<T>(
  change: RequestedTransition,
  by: Writer | UserConsent,
  minimumAssurance: number,
  prepare: (row: Transition) => T,
): Authorized<T> {
  const { verb, from, id, digest, was, replaces, standing, inspection, settled = [] } = change;
  const consent = UserConsent.isGenuine(by) ? by : undefined;
  if (from === null) {
    // The writer of a new text can correct it, so its findings are reported first.
    if (consent === undefined) refuseSecrets(inspection, change.subject);
    refuseBlocked(inspection);
  }
  // An existing text is judged by the rows of the operator. Without a genuine consent, their need of a yes refuses it.
  const who = consent || from !== null ? 'operator' : (by as Writer).actor;
  const row = rowFor(change, who, consent !== undefined);
  if (row.to === 'verified' && consent) refuseUnshown(inspection, settled, consent, minimumAssurance);
  const prepared = prepare(row);
  consent?.spend({ verb, id, digest, was, replaces, standing });
  return { row, prepared };
}
