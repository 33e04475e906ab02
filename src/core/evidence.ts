import type { Statement } from './replay.ts';
import { couldHappen } from './tiers.ts';

/** Everything all ledgers of a store state, answered by memory. It holds facts and no verdicts. */
export class Evidence {
  readonly #byId = new Map<string, Statement[]>();
  readonly #hashes = new Set<string>();
  readonly #bySaying = new Map<string, Statement[]>();

  /** The same line read from two places (the store's ledger and this machine's copy) is one statement. */
  add(statement: Statement): void {
    if (this.#hashes.has(statement.hash)) return;
    this.#hashes.add(statement.hash);
    push(this.#byId, statement.id, statement);
    if (statement.saying !== null && statement.to === 'quarantined') {
      push(this.#bySaying, statement.saying, statement);
    }
  }

  /** Whether any ledger has ever named this id; such an id is never given to another text. */
  knows(id: string): boolean {
    return this.#byId.has(id);
  }

  of(id: string): readonly Statement[] {
    return this.#byId.get(id) ?? [];
  }

  ids(): Iterable<string> {
    return this.#byId.keys();
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
 * Heads are found by cause and never by clock. A statement takes another out only if its line is authentic and it is
 * either of the same ledger or from a ledger that may raise; so an untrusted or damaged ledger can add a lower head and
 * never remove one of somebody else's.
 */
export function headsOf(statements: readonly Statement[]): readonly Statement[] {
  const decisions = statements.filter((s) => s.to !== null);
  const byHash = new Map(decisions.map((s) => [s.hash, s]));
  const superseded = new Set<string>();
  for (const later of decisions) {
    if (!later.authentic) continue;
    for (const hash of later.after) {
      const earlier = byHash.get(hash);
      if (earlier && (later.ledger.raises || later.ledger === earlier.ledger)) superseded.add(hash);
    }
  }
  return decisions.filter((s) => !superseded.has(s.hash));
}

/** A receipt: a person, asked through a channel, vouched for a text on a machine whose word counts here. */
export function vouches(s: Statement): boolean {
  return (
    s.to === 'verified' &&
    s.digest !== null &&
    s.authentic &&
    s.ledger.raises &&
    s.level >= 1 &&
    s.actor === 'operator' &&
    couldHappen(s.action, s.from, s.to, s.actor)
  );
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
