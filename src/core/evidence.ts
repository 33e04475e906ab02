import type { Statement } from './replay.ts';
import { couldHappen } from './tiers.ts';

/** Everything all ledgers of a store state, answered by memory. It holds facts and no verdicts. */
export class Evidence {
  readonly #byId = new Map<string, Statement[]>();
  readonly #known = new Map<string, Statement>();
  readonly #bySaying = new Map<string, Statement[]>();

  /**
   * A line counts once, as its author's. The same line also turns up among what this machine keeps, and in the ledger of
   * anyone who repeats it; repeating somebody's words makes them neither stronger nor one's own to take back. What nobody
   * signed counts for each ledger it stands in, since no one can say whose it is.
   */
  add(statement: Statement): void {
    const { hash, authentic, ledger } = statement;
    const key = authentic ? hash : `${hash} ${ledger.fingerprint}`;
    const known = this.#known.get(key);
    if (this.#known.get(hash)?.authentic && !authentic) return;
    if (known !== undefined && !(ledger.raises && !known.ledger.raises)) return;
    this.#known.set(key, statement);
    const instead = (other: Statement) => other === known || (authentic && other.hash === hash);
    place(this.#byId, statement.id, statement, instead);
    if (statement.saying !== null && statement.to === 'quarantined') {
      place(this.#bySaying, statement.saying, statement, instead);
    }
  }

  /** Whether any ledger has ever named this id; such an id is never given to another text. */
  knows(id: string): boolean {
    return this.#byId.has(id);
  }

  of(id: string): readonly Statement[] {
    return this.#byId.get(id) ?? [];
  }

  /** The decisions on a memory that nothing which counts has superseded. */
  heads(id: string): readonly Statement[] {
    return headsOf(this.of(id));
  }

  /**
   * When a ledger that counts first saw exactly this text. An untrusted machine could say it saw it years ago, so only
   * ledgers that can raise are asked.
   */
  firstSeen(id: string, digest: string): number | undefined {
    const times = this.of(id)
      .filter((s) => s.digest === digest && s.ledger.raises)
      .map((s) => s.at);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Hold rules that a person saw and accepted for exactly this text. */
  settled(id: string, digest: string): ReadonlySet<string> {
    const receipts = this.of(id).filter((s) => vouches(s) && s.digest === digest);
    return new Set(receipts.flatMap((s) => s.settled));
  }

  /** A decision in force that quarantined a text saying the same. */
  quarantinedSaying(saying: string): Statement | undefined {
    return this.#bySaying.get(saying)?.find((s) => this.heads(s.id).some((head) => head.to === 'quarantined'));
  }
}

/**
 * Heads are found by cause and never by clock. A statement takes another out only if it could have been made under the
 * table, its line is authentic, and it is either of the same ledger or from a ledger that may raise; so an untrusted or
 * damaged ledger can add a lower head and never remove one of somebody else's.
 */
export function headsOf(statements: readonly Statement[]): readonly Statement[] {
  const decisions = statements.filter((s) => s.to !== null);
  const byHash = Map.groupBy(decisions, (s) => s.hash);
  const superseded = new Set<Statement>();
  for (const later of decisions) {
    if (!later.authentic || !isLawful(later)) continue;
    for (const hash of later.after) {
      for (const earlier of byHash.get(hash) ?? []) {
        const mayTake = later.ledger.raises || later.ledger.fingerprint === earlier.ledger.fingerprint;
        if (mayTake && leadsFrom(earlier, later)) superseded.add(earlier);
      }
    }
  }
  return decisions.filter((s) => !superseded.has(s));
}

/** A row of the table, with a person where it takes one. */
function isLawful({ action, from, to, actor, level }: Statement): boolean {
  return to !== null && couldHappen(action, from, to, actor) && (actor !== 'operator' || level >= 1);
}

/** Out of quarantine leads nothing but a restore. */
function leadsFrom(earlier: Statement, later: Statement): boolean {
  return earlier.to !== 'quarantined' || later.to === 'quarantined' || later.from === 'quarantined';
}

/** A receipt: a person, asked through a channel, vouched for a text on a machine whose word counts here. */
export function vouches(s: Statement): boolean {
  return (
    s.to === 'verified' && s.digest !== null && s.authentic && s.ledger.raises && s.actor === 'operator' && isLawful(s)
  );
}

/** Adds a statement, in the place of those it is the original of. */
function place(
  map: Map<string, Statement[]>,
  key: string,
  statement: Statement,
  instead: (other: Statement) => boolean,
): void {
  const before = map.get(key);
  if (before === undefined) map.set(key, [statement]);
  else if (before.some(instead)) map.set(key, [...before.filter((other) => !instead(other)), statement]);
  else before.push(statement);
}
