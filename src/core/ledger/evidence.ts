import { couldHappen } from '../trust/tiers.ts';
import { Finder, grown, keyOf } from './hash-index.ts';
import type { Statements } from './packed-statements.ts';
import { raises, type Statement } from './statement.ts';

/** Everything all ledgers of a store state, answered by memory. It holds facts and no verdicts. */
export class Evidence {
  readonly #ledgers: Statements[] = [];
  readonly #now: () => number;
  readonly #taken = new Map<Statements, { readonly place: number; readonly rows: number }>();
  /** What counts, by number: of which ledger it is, and which row there. */
  #ledger = new Uint32Array(64);
  #row = new Uint32Array(64);
  #count = 0;
  readonly #byId = new Finder();
  readonly #byHash = new Finder();
  readonly #bySaying = new Finder();
  /** Numbers in whose place the original of the same line has come. */
  readonly #replaced = new Set<number>();
  /** What was asked last: several questions about one memory come one after the other. */
  #asked: { readonly id: string; readonly numbers: readonly number[] } | undefined;

  /** `now` is the clock by which an entry is ahead of its time. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes in what a ledger states and has not stated before. */
  take(statements: Statements): void {
    this.#asked = undefined;
    const { place, rows } = this.#taken.get(statements) ?? { place: this.#ledgers.push(statements) - 1, rows: 0 };
    for (const finder of [this.#byHash, this.#byId]) finder.expect(statements.rows - rows);
    for (let row = rows; row < statements.rows; row++) this.#add(statements, row, place);
    this.#taken.set(statements, { place, rows: statements.rows });
  }

  /**
   * A line counts once, as its author's. The same line also turns up among what this machine keeps, and in the ledger of
   * anyone who repeats it; repeating somebody's words makes them neither stronger nor one's own to take back. What nobody
   * signed counts for each ledger it stands in, since no one can say whose it is.
   */
  #add(statements: Statements, row: number, place: number): void {
    const alike = this.#byHash.of(hashAndId(statements, row));
    // Nearly every line is the first of its hash, and a ledger has one for every entry ever written.
    if (alike.length === 0) {
      this.#keep(statements, row, place);
      return;
    }
    const [hash, id, digest] = [statements.rowHashAt(row), statements.idAt(row), statements.digestAt(row)];
    const authentic = statements.isAuthentic(row);
    // An entry about many memories is a row for each of them, with one hash.
    const same = alike.filter((number) => {
      const [other, at] = [this.#of(number), this.#row[number] ?? 0];
      const isSame = other.rowHashAt(at) === hash && other.idAt(at) === id && other.digestAt(at) === digest;
      return this.#counts(number) && isSame;
    });
    const original = same.find((number) => this.#of(number).isAuthentic(this.#row[number] ?? 0));
    if (original !== undefined && !authentic) return;
    const { fingerprint, raises } = statements.ledger;
    const known = authentic ? original : same.find((number) => this.#of(number).ledger.fingerprint === fingerprint);
    if (known !== undefined && !(raises && !this.#of(known).ledger.raises)) return;
    for (const number of authentic ? same : []) this.#replaced.add(number);
    if (known !== undefined) this.#replaced.add(known);
    this.#keep(statements, row, place);
  }

  /** Whether any ledger has ever named this id; such an id is never given to another text. */
  knows(id: string): boolean {
    return this.#numbered(id).length > 0;
  }

  /** Every id that this ledger names, each once, besides those whose keys are given. */
  idsBesides(fingerprint: string, keys: ReadonlySet<number>): string[] {
    const found = new Set<string>();
    for (const statements of this.#ledgers) {
      if (statements.ledger.fingerprint !== fingerprint) continue;
      for (let row = 0; row < statements.rows; row++) {
        if (!keys.has(statements.idKeyAt(row))) found.add(statements.idAt(row));
      }
    }
    return [...found];
  }

  of(id: string): readonly Statement[] {
    return this.#numbered(id).map((number) => this.#at(number));
  }

  /** The decisions on a memory that nothing which counts has superseded. */
  heads(id: string): readonly Statement[] {
    return headsOf(this.#decisions(id));
  }

  /**
   * When a ledger that counts first saw exactly this text. An untrusted machine could say it saw it years ago, so only
   * ledgers that can raise are asked.
   */
  firstSeen(id: string, digest: string): number | undefined {
    let first: number | undefined;
    for (const number of this.#numbered(id)) {
      const [statements, row] = [this.#of(number), this.#row[number] ?? 0];
      if (!statements.countsAt(row) || statements.digestAt(row) !== digest) continue;
      first = Math.min(first ?? Number.POSITIVE_INFINITY, statements.timeAt(row, this.#now()));
    }
    return first;
  }

  /** Hold rules that a person saw and accepted for exactly this text. */
  settled(id: string, digest: string): ReadonlySet<string> {
    const receipts = this.#decisions(id).filter((s) => vouches(s) && s.digest === digest);
    return new Set(receipts.flatMap((s) => s.settled));
  }

  /** Every id that any ledger states a verification of, and the latest one's time; the latest first. It proves nothing. */
  *everVerified(): Generator<{ readonly id: string; readonly at: number }> {
    const found: { readonly number: number; readonly at: number }[] = [];
    const now = this.#now();
    for (let number = 0; number < this.#count; number++) {
      const at = this.#counts(number) ? this.#of(number).verifiedAt(this.#row[number] ?? 0, now) : undefined;
      if (at !== undefined) found.push({ number, at });
    }
    const told = new Set<string>();
    for (const { number, at } of found.sort((a, b) => b.at - a.at)) {
      const id = this.#of(number).idAt(this.#row[number] ?? 0);
      if (!told.has(id)) yield { id, at };
      told.add(id);
    }
  }

  /** A decision in force that quarantined a text saying the same. */
  quarantinedSaying(saying: string): Statement | undefined {
    for (const number of this.#bySaying.of(keyOf(saying))) {
      const quarantine = this.#counts(number) ? this.#at(number) : undefined;
      if (quarantine?.saying !== saying) continue;
      if (this.heads(quarantine.id).some((head) => head.to === 'quarantined')) return quarantine;
    }
    return undefined;
  }

  #keep(statements: Statements, row: number, place: number): void {
    if (this.#count === this.#row.length) [this.#ledger, this.#row] = [grown(this.#ledger), grown(this.#row)];
    const number = this.#count++;
    this.#ledger[number] = place;
    this.#row[number] = row;
    this.#byHash.add(hashAndId(statements, row), number);
    this.#byId.add(statements.idKeyAt(row), number);
    const lowered = statements.sayingQuarantinedAt(row);
    if (lowered !== null) this.#bySaying.add(keyOf(lowered), number);
  }

  /** Unpacked only these: most memories were seen and never decided on, and every one of a store is asked about. */
  #decisions(id: string): Statement[] {
    const decided = this.#numbered(id).filter((number) => this.#of(number).decidesAt(this.#row[number] ?? 0));
    return decided.map((number) => this.#at(number));
  }

  /** What counts about an id, in the order it was taken in. */
  #numbered(id: string): readonly number[] {
    if (this.#asked?.id === id) return this.#asked.numbers;
    const numbers = this.#byId
      .of(keyOf(id))
      .filter((number) => this.#counts(number) && this.#of(number).idAt(this.#row[number] ?? 0) === id);
    this.#asked = { id, numbers };
    return numbers;
  }

  #counts(number: number): boolean {
    return !this.#replaced.has(number);
  }

  #of(number: number): Statements {
    return this.#ledgers[this.#ledger[number] ?? 0] as Statements;
  }

  #at(number: number): Statement {
    return this.#of(number).at(this.#row[number] ?? 0, this.#now());
  }
}

function hashAndId(statements: Statements, row: number): number {
  return (statements.hashKeyAt(row) ^ statements.idKeyAt(row)) >>> 0;
}

/**
 * Heads are found by cause and never by clock. A statement takes another out only if it could have been made under the
 * table, its line is authentic, and it is either of the same ledger or from a ledger that may raise; so an untrusted or
 * damaged ledger can add a lower head and never remove one of somebody else's.
 */
export function headsOf(statements: readonly Statement[]): readonly Statement[] {
  const decisions = statements.filter((s) => s.to !== null);
  if (decisions.length < 2) return decisions;
  const byHash = Map.groupBy(decisions, (s) => s.hash);
  const superseded = new Set<Statement>();
  for (const later of decisions) {
    if (!later.authentic || !isLawful(later)) continue;
    for (const hash of later.after) {
      for (const earlier of byHash.get(hash) ?? []) {
        const mayTake = raises(later) || later.ledger.fingerprint === earlier.ledger.fingerprint;
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
  return s.to === 'verified' && s.digest !== null && s.authentic && raises(s) && s.actor === 'operator' && isLawful(s);
}
