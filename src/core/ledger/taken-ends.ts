import { PASSKEYS } from '../passkeys/change.ts';
import type { Evidence } from './evidence.ts';
import type { Statements } from './packed-statements.ts';
import type { LedgerTrust } from './statement.ts';

/** How much of a ledger was taken in, and what decides which of its statements count. */
export interface TakenEnd {
  readonly counts: string;
  readonly rows: number;
  /** The hash of the last entry, which commits to all before it. */
  readonly hash: string | null;
}

/**
 * Where each ledger ends, for naming what something was derived from; undefined where that cannot be named: a ledger that is not
 * whole, an entry dated ahead, which changes its time when that comes, or a change of the passkeys that names an end which its
 * ledger does not reach yet, because lines up to there would be older than the change.
 */
export function takenEnds(evidence: Evidence, now: number): readonly TakenEnd[] | undefined {
  if (!hasEndsOfChanges(evidence)) return undefined;
  const isSettled = (each: Statements) => !each.ledger.isDamaged && (each.lastTimes()?.at ?? 0) <= now;
  if (!evidence.ledgers.every(isSettled)) return undefined;
  return evidence.ledgers.map((statements) => endOf(statements, statements.rows));
}

/**
 * The ids that these ledgers name after their ends, each once; undefined where anything before the ends differs, or the
 * passkeys were changed after them, because that weighs entries of all ledgers.
 */
export function idsBeyond(
  evidence: Evidence,
  ends: readonly TakenEnd[],
  isAsked: (ledger: LedgerTrust) => boolean = () => true,
): ReadonlySet<string> | undefined {
  const { ledgers } = evidence;
  if (ledgers.length !== ends.length) return undefined;
  const found = new Set<string>();
  for (const [at, statements] of ledgers.entries()) {
    const end = ends[at];
    if (end === undefined || statements.rows < end.rows || statements.ledger.isDamaged) return undefined;
    const now = endOf(statements, end.rows);
    if (now.counts !== end.counts || now.hash !== end.hash) return undefined;
    for (let row = end.rows; row < statements.rows; row++) {
      const id = statements.idAt(row);
      if (id === PASSKEYS) return undefined;
      if (isAsked(statements.ledger)) found.add(id);
    }
  }
  return found;
}

/** Whether each ledger is as long as every change of the passkeys says that it was. */
function hasEndsOfChanges(evidence: Evidence): boolean {
  const ends = evidence.of(PASSKEYS).flatMap(({ passkeys }) => passkeys?.ledgers ?? []);
  return ends.every(([fingerprint, count]) =>
    evidence.ledgers.every((each) => each.ledger.fingerprint !== fingerprint || each.count >= count),
  );
}

function endOf(statements: Statements, rows: number): TakenEnd {
  const { fingerprint, raises, scope } = statements.ledger;
  const counts = JSON.stringify([fingerprint, raises, scope && [...scope.ids].sort(), scope?.unnamed]);
  return { counts, rows, hash: rows === 0 ? null : statements.rowHashAt(rows - 1) };
}
