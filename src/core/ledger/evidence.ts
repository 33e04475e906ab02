import { isPasskeyRecord } from '../passkeys/change.ts';
import { grown, HashIndex, keyOf } from './hash-index.ts';
import { headsOf, vouches } from './heads.ts';
import type { Statements } from './packed-statements.ts';
import { isJudged, levelOf, type PasskeyLookup, PasskeySet } from './passkey-set.ts';
import { isAfter, type LedgerTrust, raises, type Statement } from './statement.ts';

/** Everything that all ledgers of a store state, looked up by memory. It holds facts and makes no decisions. */
export class Evidence {
  readonly #ledgers: Statements[] = [];
  readonly #now: () => number;
  readonly #keyed: (digest: string) => string;
  readonly #taken = new Map<Statements, { readonly place: number; readonly rows: number }>();
  /** The statements that count, by number: the ledger of each, and its row there. */
  #ledger = new Uint32Array(64);
  #row = new Uint32Array(64);
  #count = 0;
  readonly #byId = new HashIndex();
  readonly #byHash = new HashIndex();
  readonly #bySaying = new HashIndex();
  /** Whether a quarantined text has a saying and no digest, as one that may hold a secret: that saying is keyed. */
  #hasKeyedSaying = false;
  /** Keys of ids with a person's no among their statements: few have one, and every memory of a store is asked about. */
  readonly #declined = new Set<number>();
  /** The numbers of those noes. */
  readonly #noes: number[] = [];
  /** Adoptions of which nobody has looked up yet what the text said that they reworded. */
  #adoptions: number[] = [];
  /** How many statements were known when the adoptions were looked up. */
  #lookedUp = 0;
  /** What reworded texts said before, and in which adoptions they were reworded. */
  readonly #reworded = new Map<string, number[]>();
  /** The numbers of statements that change the passkeys of the store. */
  readonly #changes: number[] = [];
  /** The passkeys, kept until a change or an end that one names arrives, or a ledger of one begins or ceases to raise. */
  #set: { readonly of: string; readonly at: string; readonly passkeys: PasskeySet } | undefined;
  /** What passkeys are known to have signed. */
  readonly #signed = new Set<string>();
  /** Copies of a line that its author's own line has replaced. */
  readonly #replaced = new Set<number>();
  /** For as long as `presuming` runs: assertions are taken for right, unverified, and no ledger changes. */
  #presumed: { readonly passkeys: PasskeySet | undefined } | undefined;
  /** The numbers of statements of a verification: few have one, and a session's start asks for all of them. */
  readonly #verified: number[] = [];
  /** The last lookup, because several questions about one memory usually follow each other. */
  #asked: { readonly id: string; readonly numbers: readonly number[] } | undefined;

  /** `now` tells whether an entry is dated ahead. `keyed` is how this machine writes the digest of a text that may hold a secret. */
  constructor(now: () => number, keyed: (digest: string) => string = (digest) => digest) {
    this.#now = now;
    this.#keyed = keyed;
  }

  /** Takes in the rows that the ledger has added since the last call. */
  take(statements: Statements): void {
    this.#asked = undefined;
    const { place, rows } = this.#taken.get(statements) ?? { place: this.#ledgers.push(statements) - 1, rows: 0 };
    for (const index of [this.#byHash, this.#byId]) index.expect(statements.rows - rows);
    for (let row = rows; row < statements.rows; row++) this.#add(statements, row, place);
    this.#taken.set(statements, { place, rows: statements.rows });
  }

  /**
   * A line counts once, as its author's. A copy may be among this machine's kept lines, or in the ledger of anyone who
   * repeats it: repeating a line neither strengthens it nor gives the right to take it back. An unsigned line counts
   * for every ledger that has it, because its author cannot be known.
   */
  #add(statements: Statements, row: number, place: number): void {
    // The usual case first: nearly every line is the first with its hash.
    const hashAndId = hashAndIdOf(statements, row);
    if (!this.#byHash.has(hashAndId)) {
      this.#keep(statements, row, place, hashAndId);
      return;
    }
    const alike = this.#byHash.of(hashAndId);
    const [hash, id, digest] = [statements.rowHashAt(row), statements.idAt(row), statements.digestAt(row)];
    const authentic = statements.isAuthentic(row);
    // An entry about many memories has a row for each of them, all with one hash.
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
    this.#keep(statements, row, place, hashAndId);
  }

  get taken(): number {
    return this.#count;
  }

  get ledgers(): readonly Statements[] {
    return this.#ledgers;
  }

  /** The ids in the statements that were taken in after the first `taken`, each once. */
  idsAfter(taken: number): string[] {
    const found = new Set<string>();
    for (let number = taken; number < this.#count; number++) found.add(this.#of(number).idAt(this.#row[number] ?? 0));
    return [...found];
  }

  /** Whether any ledger has ever named this id. A named id is never given to another text. */
  knows(id: string): boolean {
    return this.#numbered(id).length > 0;
  }

  /** Every id that these ledgers name, each once, without those whose keys are given. */
  idsBesides(isAsked: (ledger: LedgerTrust) => boolean, keys: Pick<ReadonlySet<number>, 'has'>): string[] {
    const found = new Set<string>();
    for (const statements of this.#ledgers) {
      if (!isAsked(statements.ledger)) continue;
      for (let row = 0; row < statements.rows; row++) {
        if (!keys.has(statements.idKeyAt(row))) found.add(statements.idAt(row));
      }
    }
    return [...found];
  }

  of(id: string): readonly Statement[] {
    return this.#numbered(id).map((number) => this.#at(number));
  }

  /** The decisions on a memory that no counting decision has superseded. */
  heads(id: string): readonly Statement[] {
    return headsOf(this.#decisions(id));
  }

  /** When a ledger that counts here first saw exactly this text: an untrusted machine could claim any date. */
  firstSeen(id: string, digest: string): number | undefined {
    let first: number | undefined;
    for (const number of this.#numbered(id)) {
      const [statements, row] = [this.#of(number), this.#row[number] ?? 0];
      if (!statements.isTrustedAt(row) || !this.#isOf(statements.digestAt(row), digest)) continue;
      first = Math.min(first ?? Number.POSITIVE_INFINITY, statements.timeAt(row, this.#now()));
    }
    return first;
  }

  /** Hold rules that a person saw and accepted for exactly this text; none where it has no digest. */
  settled(id: string, digest: string | null): ReadonlySet<string> {
    const receipts = this.#decisions(id).filter((s) => s.digest === digest && vouches(s));
    return new Set(receipts.flatMap((s) => s.settled));
  }

  /** Whether a person erased this memory, on a machine that counts here. An erasure elsewhere lowers it all the same. */
  isErased(id: string): boolean {
    return this.of(id).some((s) => s.action === 'erased' && s.authentic && raises(s));
  }

  /**
   * When a person said no to exactly this text; undefined where nobody did, or somebody vouched for it since. A no only
   * lowers, so it counts from any ledger. Texts without a digest are all alike on record, so for them a no ends with the next
   * quarantine.
   */
  declinedAt(id: string, digest: string | null): number | undefined {
    if (!this.mayBeDeclined(id)) return undefined;
    const about = this.of(id).filter((s) => this.#isOf(s.digest, digest));
    const endings = about.filter(digest === null ? (s) => s.to === 'quarantined' : vouches);
    const noes = about.filter((s) => s.action === 'declined' && s.actor === 'operator');
    return noes.findLast((no) => !endings.some((ending) => isAfter(ending, no)))?.at;
  }

  /**
   * Whether any decision quarantines this memory, or has other words in the place of exactly this text, in force or not. It
   * judges no person's yes, so no assertion is verified for it.
   */
  mayBeLowered(id: string, digest: string | null): boolean {
    return this.#numbered(id).some((number) => {
      const [statements, row] = [this.#of(number), this.#row[number] ?? 0];
      if (!statements.decidesAt(row)) return false;
      return statements.quarantinesAt(row) || (digest !== null && statements.wasAt(row) === digest);
    });
  }

  /**
   * Runs `work`, which takes every assertion of an enrolled passkey for right without verifying it. Verifying those of a whole
   * store takes seconds, and a caller that chooses from it needs an order and no proof. What was chosen must be judged again. The
   * work must take in no ledger.
   */
  presuming<T>(work: () => T): T {
    const before = this.#presumed;
    this.#presumed = { passkeys: this.passkeys() };
    try {
      return work();
    } finally {
      this.#presumed = before;
    }
  }

  /** The passkeys of the store; undefined where no entry is about any, which costs nothing to say. */
  passkeys(): PasskeySet | undefined {
    if (this.#presumed !== undefined) return this.#presumed.passkeys;
    return this.#changes.length === 0 ? undefined : this.passkeySet();
  }

  /** The same, as an empty set where there are none. */
  passkeySet(): PasskeySet {
    // Asked for with every statement, and going through all changes takes long where somebody wrote thousands.
    const at = this.#ledgersNow();
    if (this.#set?.at === at) return this.#set.passkeys;
    const changes = this.#changes.filter((number) => this.#counts(number));
    const isRaising = (fingerprint: string) =>
      this.#ledgers.some(({ ledger }) => ledger.raises && ledger.fingerprint === fingerprint);
    const stateOf = (number: number) => {
      const { ledger } = this.#of(number);
      const isTrusted = this.#of(number).isTrustedAt(this.#row[number] ?? 0);
      return `${number}${isTrusted}${ledger.isDamaged}${isRaising(ledger.fingerprint)}`;
    };
    const of = changes.map(stateOf).join();
    if (this.#set?.of !== of || this.#set.passkeys.isOutdated) {
      // As the ledgers state them: a time ahead of the clock is part of what was signed.
      const statements = changes.map((number) => this.#of(number).at(this.#row[number] ?? 0));
      const lookup: PasskeyLookup = {
        hasAt: (of, line, hash) => this.#ledgers.some((each) => each.ledger === of && each.hashAt(line) === hash),
        isInWhole: (...asked) => this.#ledgers.some((each) => each.isWholeWith(...asked)),
        isRaising,
      };
      this.#set = { of, at, passkeys: new PasskeySet(statements, lookup, this.#signed) };
    } else {
      this.#set = { ...this.#set, at };
    }
    return this.#set.passkeys;
  }

  /** Everything that decides which changes of passkeys count. */
  #ledgersNow(): string {
    return [this.#count, this.#replaced.size, ...this.#ledgers.map(({ state }) => state)].join();
  }

  /** Ids of memories of which a person said no to some text: those of noes that count here first, and the last no first. */
  declinedIds(): readonly string[] {
    const noes = this.#noes.toReversed().flatMap((number) => (this.#counts(number) ? [this.#at(number)] : []));
    return [...new Set([...noes.filter(raises), ...noes].map(({ id }) => id))];
  }

  /** Whether a person may have said no to a text of this memory: another id can have the same key. */
  mayBeDeclined(id: string): boolean {
    return this.#declined.size > 0 && this.#declined.has(keyOf(id));
  }

  /** Whether any ledger states any verification. It proves nothing. */
  get namesVerified(): boolean {
    return this.#verified.length > 0;
  }

  /** Every id with a verification in any ledger, and the time of the latest; latest first, then by id. It proves nothing. */
  *everVerified(): Generator<{ readonly id: string; readonly at: number }> {
    const now = this.#now();
    const counting = this.#verified.filter((number) => this.#counts(number));
    const found = counting.map((number) => ({ number, at: this.#of(number).timeAt(this.#row[number] ?? 0, now) }));
    const given = new Set<string>();
    found.sort((a, b) => b.at - a.at);
    for (let from = 0, to = 0; from < found.length; from = to) {
      const at = found[from]?.at ?? 0;
      while (found[to]?.at === at) to += 1;
      const ids = found.slice(from, to).map(({ number }) => this.#of(number).idAt(this.#row[number] ?? 0));
      for (const id of ids.sort()) {
        if (!given.has(id)) yield { id, at };
        given.add(id);
      }
    }
  }

  /** A decision in force that quarantined a text with the same saying. */
  quarantinedSaying(saying: string, heads = (id: string) => this.heads(id)): Statement | undefined {
    // Few texts are ever quarantined, and every memory of a store is asked about.
    if (this.#bySaying.isEmpty) return undefined;
    // Each memory once: anybody can write a ledger that quarantines one a thousand times.
    const asked = new Set<string>();
    const sayings = this.#hasKeyedSaying ? [saying, this.#keyed(saying)] : [saying];
    for (const number of sayings.flatMap((each) => this.#bySaying.of(keyOf(each)))) {
      if (!this.#counts(number)) continue;
      const quarantine = this.#at(number);
      if (!sayings.some((each) => each === quarantine.saying) || asked.has(quarantine.id)) continue;
      if (heads(quarantine.id).some((head) => head.to === 'quarantined')) return quarantine;
      asked.add(quarantine.id);
    }
    return undefined;
  }

  /** The memory that said this before a person reworded it; undefined where none did. */
  rewordedAs(saying: string): string | undefined {
    this.#lookUpAdoptions();
    const numbers = this.#reworded.get(saying) ?? [];
    return numbers.map((number) => this.#at(number)).find(vouches)?.id;
  }

  /** Looks up what adopted texts said before; where no ledger has it yet, again once something new is known of the memory. */
  #lookUpAdoptions(): void {
    if (this.#adoptions.length === 0 || this.#lookedUp === this.#count) return;
    const fresh = new Set(this.idsAfter(this.#lookedUp));
    this.#lookedUp = this.#count;
    const known = new Map<string, ReadonlyMap<string | null, string>>();
    this.#adoptions = this.#adoptions.filter((number) => {
      const [statements, row] = [this.#of(number), this.#row[number] ?? 0];
      const [id, was] = [statements.idAt(row), statements.wasAt(row)];
      if (was === null || !fresh.has(id)) return was !== null;
      const sayings = known.get(id) ?? this.#sayingsOf(id);
      known.set(id, sayings);
      const before = sayings.get(was);
      if (before === undefined) return true;
      const numbers = this.#reworded.get(before) ?? [];
      numbers.push(number);
      this.#reworded.set(before, numbers);
      return false;
    });
  }

  /** What each known text of a memory says, by its digest. */
  #sayingsOf(id: string): ReadonlyMap<string | null, string> {
    const found = new Map<string | null, string>();
    for (const { digest, saying } of this.of(id)) if (saying && !found.has(digest)) found.set(digest, saying);
    return found;
  }

  #keep(statements: Statements, row: number, place: number, hashAndId: number): void {
    if (this.#count === this.#row.length) [this.#ledger, this.#row] = [grown(this.#ledger), grown(this.#row)];
    const number = this.#count++;
    this.#ledger[number] = place;
    this.#row[number] = row;
    this.#byHash.add(hashAndId, number);
    this.#byId.add(statements.idKeyAt(row), number);
    if (statements.isPlainAt(row)) return;
    const lowered = statements.sayingQuarantinedAt(row);
    if (lowered !== null) this.#bySaying.add(keyOf(lowered), number);
    this.#hasKeyedSaying ||= lowered !== null && statements.digestAt(row) === null;
    if (statements.verifiesAt(row)) this.#verified.push(number);
    if (statements.actionAt(row) === 'adopt') this.#adoptions.push(number);
    if (isPasskeyRecord(statements.actionAt(row))) this.#changes.push(number);
    if (statements.actionAt(row) === 'declined') {
      this.#declined.add(statements.idKeyAt(row));
      this.#noes.push(number);
    }
  }

  #isOf(stated: string | null, digest: string | null): boolean {
    return stated === digest || (digest !== null && stated === this.#keyed(digest));
  }

  /** Only decisions are unpacked, because most memories of a store are asked about and have none. */
  #decisions(id: string): Statement[] {
    const decided = this.#numbered(id).filter((number) => this.#of(number).decidesAt(this.#row[number] ?? 0));
    return decided.map((number) => this.#at(number));
  }

  /** The numbers of the statements that count for an id, in the order they were taken in. */
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
    const [statements, row] = [this.#of(number), this.#row[number] ?? 0];
    const passkeys = this.passkeys();
    const stated = statements.at(row, passkeys === undefined ? this.#now() : undefined);
    if (passkeys === undefined) return stated;
    const at = statements.timeAt(row, this.#now());
    const isPresumed = this.#presumed !== undefined;
    // Judged when it is asked for, because that can mean verifying an assertion. It is judged by the time that was signed, also
    // where that is ahead of the clock.
    const levelNow = () => levelOf(stated, passkeys, isPresumed);
    if (isPresumed || !isJudged(stated)) {
      const level = levelNow();
      return at === stated.at && level === stated.level ? stated : { ...stated, at, level };
    }
    return {
      ...stated,
      at,
      get level() {
        return levelNow();
      },
    };
  }
}

function hashAndIdOf(statements: Statements, row: number): number {
  return (statements.hashKeyAt(row) ^ statements.idKeyAt(row)) >>> 0;
}
