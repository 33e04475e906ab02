import { refuseBlocked, refuseSecrets, refuseUnshown } from '../../core/checks/enforce.ts';
import type { Inspection } from '../../core/checks/inspect.ts';
import type { Subject } from '../../core/memory/inspected-file.ts';
import { UserConsent } from '../../core/trust/consent.ts';
import { type ActorKind, judge, needsMet, type Tier, type Transition, type Verb } from '../../core/trust/tiers.ts';
import type { Writer } from './ledger-entries.ts';

/** A change of standing that somebody asks for, with everything the rules want to know about it. */
export interface Change {
  readonly verb: Verb;
  /** Null for a text that no ledger has decided on. */
  readonly from: Tier | null;
  readonly id: string;
  readonly digest: string | null;
  /** The digest before, where a person reworded the text. */
  readonly was?: string;
  /** What a person's yes has to name: `standingKey` of the memory, or `new`. */
  readonly standing: string;
  readonly inspection: Inspection;
  /** The text itself, where its writer can still correct it. */
  readonly subject?: Subject;
  /** Whether the observation period is over; no new text has one. */
  readonly observation?: boolean;
  /** Rules of findings that an earlier yes for the same text let pass. */
  readonly settled?: Iterable<string>;
}

export interface Authorized<T> {
  readonly row: Transition;
  readonly prepared: T;
}

/** The row of the table that allows the change, where `consent` tells whether a person says yes. */
export function rowFor(change: Change, who: ActorKind, consent: boolean): Transition {
  const { verb, from, inspection, observation = false } = change;
  const checks = !inspection.blocked && inspection.crashed.length === 0;
  const row = judge({ verb, from, who, met: needsMet({ checks, observation, consent }) });
  if (row.to === 'verified') refuseBlocked(inspection);
  return row;
}

/**
 * Allows a change by the table, and spends the person's yes where it takes one. All changes that raise go through here, so
 * what a yes has to cover is decided in one place. `prepare` runs before the yes is spent: whatever it refuses, nobody was
 * asked in vain.
 */
export function authorize<T>(
  change: Change,
  by: Writer | UserConsent,
  minimumAssurance: number,
  prepare: (row: Transition) => T,
): Authorized<T> {
  const { verb, from, id, digest, was, standing, inspection, settled = [] } = change;
  const consent = UserConsent.isGenuine(by) ? by : undefined;
  if (from === null) {
    // Its writer can correct a new text, so what is wrong with it is said before anything else.
    if (consent === undefined) refuseSecrets(inspection, change.subject);
    refuseBlocked(inspection);
  }
  // Only a person decides about a text that is there; whatever else is handed in is no yes.
  const who = consent || from !== null ? 'operator' : (by as Writer).actor;
  const row = rowFor(change, who, consent !== undefined);
  if (row.to === 'verified' && consent) refuseUnshown(inspection, settled, consent, minimumAssurance);
  const prepared = prepare(row);
  consent?.spend({ verb, id, digest, was, standing });
  return { row, prepared };
}
