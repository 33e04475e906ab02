import { type Assertion, flawOf } from '../passkeys/assertion.ts';
import { challengeOfChange, challengeOfYes } from '../passkeys/challenge.ts';
import { type LedgerEnd, PASSKEYS, recoveryHash } from '../passkeys/change.ts';
import { dateOf } from '../trust/clocks.ts';
import { type OrderLookup, ProvenOrder } from './proven-order.ts';
import { type PasskeyStatement, raises, type Statement } from './statement.ts';

/** What the set needs to know of the ledgers. */
export interface PasskeyLookup extends OrderLookup {
  /** Whether the ledger of this name raises. Lines that this machine keeps of it do not, and still lower. */
  readonly isRaising: (fingerprint: string) => boolean;
}

/**
 * The passkeys of a store and what they are needed for, from all entries that change them. The only order is the one that
 * the entries prove: a change names the end of every ledger that its writer knew, and the passkey signs that. What lies
 * before those ends is older than the change. Everything else is later, whatever its ledger or date.
 *
 * A change is *genuine* if a passkey signed it whose own enrolment is genuine. The first enrolment has no such signature:
 * it must be a person's, in a ledger that raises here, by a writer who knew of no passkey. If that entry no longer
 * raises, its passkeys stop counting. Their requirement stays if this machine kept it, or a ledger that raises records it.
 * What only lowers (a removal, a requirement) counts once it is genuine. What raises (an enrolment, the end of a
 * requirement) counts only if its passkey was not removed before or at the same time.
 */
export class PasskeySet {
  readonly #lookup: PasskeyLookup;
  readonly #order: ProvenOrder;
  readonly #verified: Set<string>;
  readonly #changes: readonly PasskeyStatement[];
  /** Those of ledgers that raise here, and of what is kept of them: a stranger can write thousands of others. */
  readonly #onRecord: readonly PasskeyStatement[];
  readonly #genuine: readonly PasskeyStatement[];
  /**
   * Records of changes that are not here any more, or are not genuine by what is left. What they required is unknown, so they
   * require a passkey.
   */
  readonly #lost: readonly PasskeyStatement[];
  readonly #enrolments: PasskeyStatement[] = [];
  readonly #removals: PasskeyStatement[] = [];
  readonly #requirements: PasskeyStatement[] = [];
  readonly #resets: PasskeyStatement[] = [];
  /** Ends of requirements that a passkey signed. */
  readonly #releases: PasskeyStatement[] = [];
  /** The enrolments of the passkey that signed a change, where any were found, until there are more enrolments. */
  #signers = new WeakMap<PasskeyStatement, readonly PasskeyStatement[]>();
  /**
   * Whether there are two first enrolments whose writers did not know of each other. Then no passkey counts, and every
   * requirement does, until a person distrusts one of the machines: the passkeys of a machine that is not trusted count for
   * nothing, so they make no others doubtful. Lines that are kept of a ledger that raises still do, because otherwise
   * somebody with its key could write another continuation with a passkey of their own. So does a passkey that was on record
   * before the other one was known: distrusting its machine and trusting another brings no other first passkey.
   */
  readonly isContested: boolean;

  /** `verified` remembers across sets which challenge which key has signed, because verifying is slow. */
  constructor(statements: readonly Statement[], lookup: PasskeyLookup, verified = new Set<string>()) {
    this.#lookup = lookup;
    this.#order = new ProvenOrder(lookup);
    this.#verified = verified;
    this.#changes = statements.filter(isChange);
    const isKept = ({ ledger }: Statement) => !ledger.raises && lookup.isRaising(ledger.fingerprint);
    this.#onRecord = this.#changes.filter((each) => raises(each) || isKept(each));
    const known = this.#onRecord.filter(({ action }) => action === 'known');
    const left = new Set(this.#changes.filter(({ action }) => action !== 'known'));
    // A genuine change can make another one genuine, so the rest is looked at again until nothing is added.
    for (let size = -1; size !== left.size; ) {
      size = left.size;
      for (const change of left) if (this.#add(change)) left.delete(change);
    }
    this.#genuine = this.#changes.filter((change) => change.action !== 'known' && !left.has(change));
    const genuine = new Set(this.#genuine.map(({ hash }) => hash));
    this.#lost = known.filter(({ after }) => after.some((hash) => !genuine.has(hash)));
    const first = this.#enrolments.filter(
      (each) => each.assertion === null && !this.#resets.some((reset) => this.#endsFirst(reset, each)),
    );
    const trusted = first.filter(({ ledger }) => lookup.isRaising(ledger.fingerprint));
    this.isContested = trusted.length > 1 || trusted.some((each) => this.#isPreceded(each, first));
  }

  /** Whether a ledger has an end that it did not have: it can arrive after the change that names it. */
  get isOutdated(): boolean {
    return this.#order.isOutdated;
  }

  /** Whether passkeys were ever enrolled here. From then on every change of them needs one. */
  get isKnown(): boolean {
    return this.#enrolments.length > 0;
  }

  /** Whether a yes that is given now needs a passkey. */
  get isRequired(): boolean {
    return this.#lost.length > 0 || this.#inForce.length > 0;
  }

  /** How many recovery codes it takes to end every requirement: two machines may each require before they sync. */
  get codesInForce(): number {
    return new Set(this.#inForce.map(({ passkeys }) => passkeys.recovery)).size;
  }

  /** Changes that a ledger neither holds nor has on record as known. */
  unknownTo(fingerprint: string): string[] {
    const own = this.#changes.filter(({ ledger }) => ledger.fingerprint === fingerprint);
    // Only a record of this kind requires a passkey if what it names is taken away.
    const known = new Set(own.flatMap(({ hash, after, action }) => (action === 'known' ? after : [hash])));
    return this.#genuine.map(({ hash }) => hash).filter((hash) => !known.has(hash));
  }

  /** What keeps required what ledgers require before these ends, once they raise no more; none where they require nothing. */
  requiredBefore(ends: readonly LedgerEnd[]): string[] {
    const before = this.#changes.filter((each) => this.#order.isWithin(each, ends));
    const named = new Set(before.flatMap(({ action, after, hash }) => (action === 'known' ? after : [hash])));
    if (before.some((each) => this.#lost.includes(each))) return [...named];
    const changes = this.#genuine.filter(({ hash }) => named.has(hash));
    if (!changes.some((each) => this.#inForce.includes(each))) return [];
    return [...new Set(changes.flatMap((each) => [each, ...this.#firstsOf(each)]))].map(({ hash }) => hash);
  }

  /** The hash of the recovery code of a requirement that is in force. */
  get recovery(): string | undefined {
    return this.#inForce[0]?.passkeys.recovery;
  }

  get #inForce(): PasskeyStatement[] {
    return this.#requirements.filter((each) => this.#endsOf(each).length === 0);
  }

  /** The passkeys that can sign now. */
  now(): Statement[] {
    return this.#enrolments.filter((each) => this.#counts(each, undefined));
  }

  /**
   * Ends of ledgers that raise no more, behind what this code ends there: a requirement and the passkeys that it goes back to.
   * No further, because what a reset knows is named here, and somebody may have the key of such a ledger.
   */
  endsFor(code: string): LedgerEnd[] {
    const opened = this.#inForce.filter(({ passkeys }) => passkeys.recovery === recoveryHash(code));
    const firsts = new Set(opened.flatMap((each) => this.#firstsOf(each)));
    const isTheirs = (each: PasskeyStatement) => this.#firstsOf(each).some((first) => firsts.has(first));
    const others = this.#genuine.filter((each) => !this.#lookup.isRaising(each.ledger.fingerprint) && isTheirs(each));
    const last = new Map(others.sort((a, b) => a.line - b.line).map((each) => [each.ledger.fingerprint, each]));
    return [...last].map(([fingerprint, { line, hash }]) => [fingerprint, line + 1, hash]);
  }

  /** The hashes of all resets. A first enrolment after a reset has to name it. */
  get resets(): string[] {
    return this.#resets.map(({ hash }) => hash);
  }

  /** Whether a change that is about to be written would count. */
  allows(change: Statement): boolean {
    if (!isChange(change)) return false;
    if (change.action === 'reset') return this.#isFirstUse(change);
    const signers = this.#signersOf(change);
    if (signers.length === 0) return change.action === 'enrolled' && this.#isFirst(change);
    return signers.some((each) => this.#counts(each, change));
  }

  /**
   * The level of a person's yes that verifies: 4 with an assertion that counts, 0 if it needs one and has none. A reader who
   * `presumes` takes the assertion for right if an enrolled passkey may have given it, and has proven nothing: to that reader
   * the level is 3.
   */
  levelOf(yes: Statement, presumes = false): number {
    if (this.#isSigned(yes, presumes)) return presumes ? 3 : 4;
    return this.#needsPasskey(yes) ? 0 : yes.level;
  }

  /** The level of a change of the passkeys: 4 if a passkey signed it, 0 if it is not genuine. */
  levelOfChange(change: Statement): number {
    if (!this.#genuine.some(({ hash }) => hash === change.hash)) return 0;
    return change.assertion === null ? change.level : 4;
  }

  #isSigned(yes: Statement, presumes: boolean): boolean {
    const { assertion, store } = yes;
    if (assertion === null || store === null) return false;
    const named = this.#enrolments.filter(({ passkeys }) => passkeys.credential === assertion.credential);
    const counting = named.filter((each) => this.#counts(each, yes));
    if (presumes || counting.length === 0) return counting.length > 0;
    const challenge = challengeOf(yes, store, assertion);
    return counting.some((each) => this.#signed(each, assertion, challenge));
  }

  /** Under a requirement, and not among what was there before it or comes after its end. */
  #needsPasskey(yes: Statement): boolean {
    const isAfter = (change: PasskeyStatement) => !this.#order.isWithin(yes, change.passkeys.ledgers);
    if (this.#lost.some(isAfter)) return true;
    return this.#requirements.some((each) => isAfter(each) && !this.#endsOf(each).some((end) => end.every(isAfter)));
  }

  /**
   * Each end is one release, or all resets together: the first one shows the code to everybody, and a second one whose writer
   * says nothing of it must not set free what lies before the first.
   */
  #endsOf(requirement: PasskeyStatement): PasskeyStatement[][] {
    const resets = this.#resets.filter((reset) => this.#opens(reset, requirement));
    return [...(resets.length > 0 ? [resets] : []), ...this.#releasesOf(requirement).map((release) => [release])];
  }

  #releasesOf(requirement: PasskeyStatement): PasskeyStatement[] {
    return this.#releases.filter(
      (release) =>
        this.#order.knows(release, requirement) && this.#signersOf(release).some((each) => this.#counts(each, release)),
    );
  }

  /**
   * Whether an enrolled passkey counts for a statement; for one that is made now if `at` is undefined. A passkey that was
   * removed counts for what lies before its removal, and for nothing that its writer left out. `tried` keeps a key that was
   * enrolled again and again from being followed on every way back.
   */
  #counts(enrolled: PasskeyStatement, at: Statement | undefined, tried = new Set<PasskeyStatement>()): boolean {
    if (this.isContested || (at !== undefined && this.#order.isWithin(at, enrolled.passkeys.ledgers))) return false;
    const ends = [...this.#removals.filter((each) => this.#removes(each, enrolled)), ...this.#resetsOf(enrolled)];
    if (ends.some((end) => at === undefined || !this.#order.isWithin(at, end.passkeys.ledgers))) return false;
    if (enrolled.assertion === null) return raises(enrolled);
    if (tried.has(enrolled)) return false;
    tried.add(enrolled);
    return this.#signersOf(enrolled).some((each) => this.#counts(each, enrolled, tried));
  }

  /** A passkey can be enrolled again by a writer who knows of its removal. */
  #removes(removal: PasskeyStatement, enrolled: PasskeyStatement): boolean {
    return removal.passkeys.credential === enrolled.passkeys.credential && !this.#order.knows(enrolled, removal);
  }

  #resetsOf(enrolled: PasskeyStatement): PasskeyStatement[] {
    return this.#resets.filter((reset) => this.#order.knows(reset, enrolled));
  }

  /**
   * Whether another first passkey may come after this one because of a reset. Every reset ends the passkeys that its writer
   * knew. Where they are required, another one comes only after a reset with the code of a requirement of theirs that no
   * passkey took back: anybody can enrol a first passkey on a machine of their own, require it, and use that code.
   */
  #endsFirst(reset: PasskeyStatement, first: PasskeyStatement): boolean {
    if (!this.#order.knows(reset, first)) return false;
    const theirs = this.#requirements.filter((each) => this.#firstsOf(each).includes(first));
    const isOpened = theirs.some((each) => this.#opens(reset, each) && !this.#isTakenBack(each, first));
    return isOpened || theirs.every((each) => this.#isTakenBack(each, first));
  }

  /**
   * Whether a passkey of this first one, not removed, ended a requirement, in whatever ledger, and whatever a reset says. Its
   * code lets no first passkey in then: a person who wants another code releases and requires again. A reset ends the
   * passkeys that it names for all that it does not name, so it could take such a release away.
   */
  #isTakenBack(requirement: PasskeyStatement, first: PasskeyStatement): boolean {
    const tried = new Set<PasskeyStatement>();
    const isHeld = (enrolled: PasskeyStatement, at: PasskeyStatement): boolean => {
      if (this.#removals.some((each) => this.#removes(each, enrolled) && !this.#order.knows(each, at))) return false;
      if (enrolled === first) return true;
      if (tried.has(enrolled)) return false;
      tried.add(enrolled);
      return this.#signersOf(enrolled).some((each) => isHeld(each, enrolled));
    };
    return this.#releases.some(
      (release) =>
        this.#order.knows(release, requirement) && this.#signersOf(release).some((each) => isHeld(each, release)),
    );
  }

  /** Takes a change in if it is genuine by what is known so far. */
  #add(change: PasskeyStatement): boolean {
    const { action } = change;
    if (action === 'reset') {
      const isGenuine = this.#isFirstUse(change);
      if (isGenuine) this.#resets.push(change);
      return isGenuine;
    }
    const isSigned = this.#signersOf(change).length > 0;
    if (action === 'enrolled' && (isSigned || this.#isFirst(change))) {
      this.#enrolments.push(change);
      this.#signers = new WeakMap();
    } else if (!isSigned) return false;
    else if (action === 'removed') this.#removals.push(change);
    else if (action === 'required') this.#requirements.push(change);
    else if (action === 'released') this.#releases.push(change);
    else return false;
    return true;
  }

  /**
   * The enrolments of the passkey that signed a change. They must not be later than the change. They can be several: the key
   * of a passkey is in the ledger, so anybody with a passkey can enrol it again.
   */
  #signersOf(change: PasskeyStatement): readonly PasskeyStatement[] {
    const { store, ledger, action, passkeys, after, at, assertion } = change;
    if (store === null || assertion === null) return [];
    const known = this.#signers.get(change);
    if (known !== undefined) return known;
    const place = { store, ledger: ledger.fingerprint, after, day: dateOf(at), nonce: assertion.nonce };
    const challenge = challengeOfChange({ ...place, action, change: passkeys });
    const signers = this.#enrolments.filter(
      (each) => this.#order.knows(change, each) && this.#signed(each, assertion, challenge),
    );
    if (signers.length > 0) this.#signers.set(change, signers);
    return signers;
  }

  /** The first passkeys that a change goes back to: the change itself, or those of every passkey that signed it. */
  #firstsOf(change: PasskeyStatement): PasskeyStatement[] {
    const found = new Set([change]);
    // What is added to a set is gone through as well.
    for (const each of found) for (const signer of this.#signersOf(each)) found.add(signer);
    return [...found].filter(({ assertion }) => assertion === null);
  }

  /**
   * A reset shows the code of a requirement to everybody, so the code opens nothing for a writer who came after it. Two
   * that knew nothing of each other both count, and a first enrolment after each of them makes the passkeys contested.
   */
  #isFirstUse(reset: PasskeyStatement): boolean {
    if (!this.#isTold(reset)) return false;
    const opened = this.#requirements.filter((each) => this.#opens(reset, each));
    const isEarlier = (other: PasskeyStatement) =>
      this.#order.follows(reset, other) ||
      this.#enrolments.some((each) => each.after.includes(other.hash) && this.#order.follows(reset, each));
    return (
      opened.length > 0 &&
      !this.#resets.some((other) => opened.some((each) => hasCodeOf(other, each)) && isEarlier(other))
    );
  }

  /** A person enrolled a passkey, and knew of no other one but those that a reset had ended. */
  #isFirst(change: PasskeyStatement): boolean {
    if (change.assertion !== null || change.actor !== 'operator' || change.level < 1) return false;
    if (!this.#isTold(change)) return false;
    const resets = this.#resets.filter((reset) => change.after.includes(reset.hash));
    const isEnded = (reset: PasskeyStatement, other: PasskeyStatement) =>
      this.#order.knows(reset, other) &&
      (!this.#enrolments.includes(other) || this.#firstsOf(other).every((first) => this.#endsFirst(reset, first)));
    const isOver = (hash: string) =>
      resets.some((reset) => reset.hash === hash || this.#changes.some((s) => s.hash === hash && isEnded(reset, s)));
    const before = this.#changes.filter((other) => this.#order.follows(change, other));
    return before.flatMap((other) => (other.action === 'known' ? other.after : [other.hash])).every(isOver);
  }

  /** Whether a ledger that raises has a change that no passkey signed, or tells of it. Anybody can write others. */
  #isTold(change: PasskeyStatement): boolean {
    if (raises(change) || this.#lookup.isRaising(change.ledger.fingerprint)) return true;
    return this.#onRecord.some((other) => this.#names(other, change));
  }

  /** Whether a record has another first passkey, or one that is not here any more, and was made before this one was known. */
  #isPreceded(change: PasskeyStatement, first: readonly PasskeyStatement[]): boolean {
    return this.#onRecord.some((record) => {
      if (this.#order.follows(record, change) || this.#names(record, change)) return false;
      return this.#lost.includes(record) || first.some((other) => this.#names(record, other));
    });
  }

  #signed({ passkeys }: PasskeyStatement, assertion: Assertion, challenge: string): boolean {
    const { credential, key } = passkeys;
    if (credential !== assertion.credential || key === undefined) return false;
    const known = `${challenge} ${key}`;
    if (!this.#verified.has(known)) {
      if (flawOf(assertion, challenge, key) !== undefined) return false;
      this.#verified.add(known);
    }
    return true;
  }

  /** Whether a reset ends a requirement: its writer knew of it, and has its code. */
  #opens(reset: PasskeyStatement, requirement: PasskeyStatement): boolean {
    return this.#order.knows(reset, requirement) && hasCodeOf(reset, requirement);
  }

  /** Whether a record tells of a change: by its hash, or by an end of its ledger. */
  #names(record: PasskeyStatement, change: PasskeyStatement): boolean {
    return record.after.includes(change.hash) || this.#order.knows(record, change);
  }
}

function isChange(statement: Statement): statement is PasskeyStatement {
  return statement.id === PASSKEYS && statement.passkeys !== null && statement.authentic;
}

function hasCodeOf(reset: PasskeyStatement, requirement: PasskeyStatement): boolean {
  const { code } = reset.passkeys;
  return code !== undefined && recoveryHash(code) === requirement.passkeys.recovery;
}

function challengeOf(yes: Statement, store: string, { nonce }: Assertion): string {
  const { ledger, action, id, was, digest, from, settled, replaces, after, at } = yes;
  const place = { store, ledger: ledger.fingerprint, after, day: dateOf(at), nonce };
  return challengeOfYes({ ...place, verb: action, id, was, digest, from, settled, replaces });
}

/** Whether the level of a statement depends on the passkeys. */
export function isJudged({ actor, to, passkeys }: Statement): boolean {
  return actor === 'operator' && (to === 'verified' || passkeys !== null);
}

/** The level that a statement has with these passkeys. */
export function levelOf(stated: Statement, passkeys: PasskeySet, presumes: boolean): number {
  if (!isJudged(stated)) return stated.level;
  return stated.to === 'verified' ? passkeys.levelOf(stated, presumes) : passkeys.levelOfChange(stated);
}
