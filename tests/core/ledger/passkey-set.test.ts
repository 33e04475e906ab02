import { describe, expect, test } from 'vitest';
import { isJudged, levelOf, type PasskeyLookup, PasskeySet } from '../../../src/core/ledger/passkey-set.ts';
import type { LedgerTrust, Statement } from '../../../src/core/ledger/statement.ts';
import { challengeOfChange, challengeOfYes } from '../../../src/core/passkeys/challenge.ts';
import {
  type LedgerEnd,
  PASSKEYS,
  type PasskeyChange,
  type PasskeyRecord,
  recoveryHash,
} from '../../../src/core/passkeys/change.ts';
import { SoftwareAuthenticator } from '../../../testkit/authenticator.ts';

const STORE = 'ab'.repeat(16);
const AT = Date.parse('2026-03-01T12:00:00Z');
const [CODE, NONCE] = ['00112233445566778899aabbccddeeff', 'bm9uY2U'];
const passkey = () => new SoftwareAuthenticator('EdDSA');

/** How a change differs from one that is right. */
interface Differs {
  /** The passkey that signs it. */
  readonly by?: SoftwareAuthenticator;
  /** The ends that its writer names; all that there are if nothing is said. */
  readonly knows?: readonly LedgerEnd[];
  readonly says?: Partial<Statement>;
}

/** Ledgers of a store, written line by line. */
class Ledgers {
  readonly trusts = new Map<string, LedgerTrust>();
  readonly written: Statement[] = [];
  readonly lookup: PasskeyLookup = {
    hasAt: ({ fingerprint }, line, hash) => this.#of(fingerprint)[line]?.hash === hash,
    isInWhole: () => false,
    isRaising: (fingerprint) => this.trusts.get(fingerprint)?.raises === true,
  };

  #of(fingerprint: string): Statement[] {
    return this.written.filter(({ ledger }) => ledger.fingerprint === fingerprint);
  }

  ends(...besides: readonly string[]): LedgerEnd[] {
    return [...this.trusts.keys()].flatMap((fingerprint): LedgerEnd[] => {
      const own = besides.includes(fingerprint) ? [] : this.#of(fingerprint);
      return own.length === 0 ? [] : [[fingerprint, own.length, own.at(-1)?.hash ?? '']];
    });
  }

  /** What would be the next line of a ledger. */
  next(machine: string, says: Partial<Statement>): Statement {
    const ledger = this.trusts.get(machine) ?? { fingerprint: machine, raises: true };
    this.trusts.set(machine, ledger);
    const line = this.#of(machine).length;
    return {
      ledger,
      hash: `${machine} ${line}`,
      authentic: true,
      line,
      at: AT,
      clock: AT,
      store: STORE,
      action: 'promote',
      actor: 'operator',
      level: 3,
      id: 'user_build',
      from: 'inferred',
      to: 'verified',
      rules: 'r',
      digest: 'd',
      saying: 's',
      was: null,
      settled: [],
      replaces: null,
      after: [],
      passkeys: null,
      assertion: null,
      ...says,
    };
  }

  write(statement: Statement): Statement {
    this.written.push(statement);
    return statement;
  }

  /** A change that would be the next line. */
  planned(machine: string, action: PasskeyRecord, what: Omit<PasskeyChange, 'ledgers'>, differs: Differs): Statement {
    const { by, knows = this.ends(), says } = differs;
    const passkeys = { ...what, ledgers: knows };
    const made = this.next(machine, { action, id: PASSKEYS, from: null, to: null, digest: null, passkeys, ...says });
    return by === undefined ? made : { ...made, assertion: signedChange(made, passkeys, by) };
  }

  change(
    machine: string,
    action: PasskeyRecord,
    what: Omit<PasskeyChange, 'ledgers'> = {},
    differs: Differs = {},
  ): Statement {
    return this.write(this.planned(machine, action, what, differs));
  }

  enrol(machine: string, key: SoftwareAuthenticator, differs: Differs = {}): Statement {
    return this.change(machine, 'enrolled', { credential: key.credential, key: key.publicKey }, differs);
  }

  require(machine: string, by: SoftwareAuthenticator, differs: Differs = {}): Statement {
    return this.change(machine, 'required', { recovery: recoveryHash(CODE) }, { by, ...differs });
  }

  yes(machine: string, by?: SoftwareAuthenticator, says: Partial<Statement> = {}): Statement {
    const made = this.next(machine, says);
    return this.write(by === undefined ? made : { ...made, assertion: signedYes(made, by) });
  }

  get set(): PasskeySet {
    return new PasskeySet(this.written, this.lookup);
  }
}

function signedChange(statement: Statement, change: PasskeyChange, by: SoftwareAuthenticator) {
  const { ledger, action, after, store } = statement;
  const place = { store: store as string, ledger: ledger.fingerprint, after, day: '2026-03-01', nonce: NONCE };
  return by.sign(challengeOfChange({ ...place, action, change }), NONCE);
}

function signedYes(yes: Statement, by: SoftwareAuthenticator) {
  const { ledger, action, id, was, digest, from, settled, replaces, after, store } = yes;
  const place = { store: store as string, ledger: ledger.fingerprint, after, day: '2026-03-01', nonce: NONCE };
  return by.sign(challengeOfYes({ ...place, verb: action, id, was, digest, from, settled, replaces }), NONCE);
}

/** One machine with a passkey that is required, and a yes from before. */
function required() {
  const ledgers = new Ledgers();
  const key = passkey();
  const before = ledgers.yes('here');
  const enrolled = ledgers.enrol('here', key);
  const requirement = ledgers.require('here', key);
  return { ledgers, key, before, enrolled, requirement };
}

const hashes = (statements: readonly Statement[]) => statements.map(({ hash }) => hash);

describe('a store without passkeys', () => {
  test('asks for none, and a yes is as hard to forge as its channel', () => {
    const ledgers = new Ledgers();
    const yes = ledgers.yes('here');
    const { set } = ledgers;
    expect([set.isKnown, set.isRequired, set.isContested, set.recovery]).toEqual([false, false, false, undefined]);
    expect([set.now(), set.resets, set.unknownTo('here')]).toEqual([[], [], []]);
    expect(set.levelOf(yes)).toBe(3);
  });
});

describe('a first passkey', () => {
  test('counts where a person enrolled it on a machine that counts here', () => {
    const ledgers = new Ledgers();
    const what = { credential: 'c', key: passkey().publicKey };
    expect(ledgers.set.allows(ledgers.planned('here', 'enrolled', what, {}))).toBe(true);
    expect(ledgers.set.allows(ledgers.planned('here', 'removed', what, {}))).toBe(false);
    // That it names a decision that is not here requires nothing.
    const enrolled = ledgers.enrol('here', passkey(), { says: { after: ['elsewhere'] } });
    const { set } = ledgers;
    expect([set.isKnown, set.isRequired, set.isContested]).toEqual([true, false, false]);
    expect(hashes(set.now())).toEqual(hashes([enrolled]));
    expect(set.levelOfChange(enrolled)).toBe(3);
    const terminal = ledgers.enrol('there', passkey(), { knows: [], says: { level: 1 } });
    expect(ledgers.set.levelOfChange(terminal)).toBe(1);
  });

  test.each<[string, Partial<Statement>]>([
    ['an agent wrote', { actor: 'agent' }],
    ['a check wrote', { actor: 'check' }],
    ['nobody was asked about', { level: 0 }],
    ['its machine did not sign', { authentic: false }],
    ['is recorded under the id of a memory', { id: 'user_build' }],
    ['says nothing', { passkeys: null }],
    ['is from a machine that is not trusted', { ledger: { fingerprint: 'stranger', raises: false } }],
    ['is of another kind', { action: 'seen' }],
  ])('that %s is none', (_, says) => {
    const ledgers = new Ledgers();
    const enrolled = ledgers.enrol('here', passkey(), { says });
    expect([ledgers.set.isKnown, ledgers.set.now(), ledgers.set.levelOfChange(enrolled)]).toEqual([false, [], 0]);
    expect(ledgers.set.allows(enrolled)).toBe(false);
  });

  test('that only itself signed for is none', () => {
    const ledgers = new Ledgers();
    const key = passkey();
    ledgers.enrol('here', key, { by: key });
    expect(ledgers.set.isKnown).toBe(false);
  });

  test('is refused behind another one, in the same ledger or by a writer who knew of it', () => {
    for (const [machine, knows] of [
      ['here', []],
      ['there', undefined],
    ] as const) {
      const ledgers = new Ledgers();
      const first = ledgers.enrol('here', passkey());
      const thief = { credential: 'thief', key: passkey().publicKey };
      const differs = knows === undefined ? {} : { knows };
      const planned = ledgers.planned(machine, 'enrolled', thief, differs);
      expect(ledgers.set.allows(planned)).toBe(false);
      ledgers.write(planned);
      const { set } = ledgers;
      expect([set.isContested, hashes(set.now()), set.levelOfChange(planned)]).toEqual([false, hashes([first]), 0]);
    }
  });

  test('beside another one that its writer did not know of makes both doubtful: no passkey counts, and what one requires does', () => {
    const ledgers = new Ledgers();
    const [one, other] = [passkey(), passkey()];
    ledgers.enrol('here', one);
    ledgers.enrol('there', other, { knows: [] });
    ledgers.require('here', one);
    const [yes, signed] = [ledgers.yes('here'), ledgers.yes('here', one)];
    const { set } = ledgers;
    expect([set.isContested, set.isKnown, set.isRequired, set.now()]).toEqual([true, true, true, []]);
    expect([set.levelOf(yes), set.levelOf(signed)]).toEqual([0, 0]);
    const plan = ledgers.planned('here', 'released', {}, { by: one });
    expect(set.allows(plan)).toBe(false);
  });

  test('is doubtful no more once the other one’s machine is distrusted, though a record here names it', () => {
    const ledgers = new Ledgers();
    const [one, other] = [passkey(), passkey()];
    const first = ledgers.enrol('here', one);
    const theirs = ledgers.enrol('there', other, { knows: [] });
    ledgers.require('there', other);
    ledgers.change('here', 'known', {}, { says: { after: [theirs.hash] } });
    expect(ledgers.set.isContested).toBe(true);
    const there = ledgers.trusts.get('there');
    if (there === undefined) throw new Error('it is there');
    there.raises = false;
    const { set } = ledgers;
    expect([set.isContested, hashes(set.now()), set.isRequired]).toEqual([false, hashes([first]), true]);
  });

  test('stays doubtful beside one in lines that are kept of a ledger that raises', () => {
    const ledgers = new Ledgers();
    ledgers.enrol('here', passkey());
    ledgers.enrol('there', passkey(), { knows: [] });
    const kept: LedgerTrust = { fingerprint: 'here', raises: false };
    const written = ledgers.written.map((s) => (s.ledger.fingerprint === 'here' ? { ...s, ledger: kept } : s));
    const set = new PasskeySet(written, ledgers.lookup);
    expect([set.isContested, set.now()]).toEqual([true, []]);
  });

  test('of a machine that raises no more signs nothing, and what it required stays required', () => {
    const { ledgers, key, enrolled } = required();
    const here = ledgers.trusts.get('here');
    if (here === undefined) throw new Error('it is there');
    ledgers.enrol('there', passkey(), { by: key });
    // Its lines are kept here, and another ledger of this name still raises.
    const kept: LedgerTrust = { fingerprint: 'here', raises: false };
    const written = ledgers.written.map((s) => (s.ledger === here ? { ...s, ledger: kept } : s));
    const stays = new PasskeySet(written, ledgers.lookup);
    expect([stays.isKnown, stays.isRequired, stays.now()]).toEqual([true, true, []]);
    // Nothing of that name raises any more, and the other machine's record names it.
    const gone: PasskeyLookup = { ...ledgers.lookup, isRaising: () => false };
    const onRecord = new PasskeySet(written, gone);
    expect([onRecord.isKnown, onRecord.isRequired, onRecord.now()]).toEqual([true, true, []]);
    const own = written.filter(({ ledger }) => ledger.fingerprint === 'here');
    const keptAlone = new PasskeySet(own, ledgers.lookup);
    expect([keptAlone.isKnown, keptAlone.isRequired, keptAlone.now()]).toEqual([true, true, []]);
    const alone = new PasskeySet(own, gone);
    expect([alone.isKnown, alone.isRequired]).toEqual([false, false]);
    expect(alone.levelOfChange(enrolled)).toBe(0);
  });
});

describe('lines that are kept of a ledger', () => {
  test('prove what stood before an end that was cut off', () => {
    const { ledgers, before, requirement } = required();
    const written = ledgers.written.map((s) =>
      s === requirement ? { ...s, ledger: { ...s.ledger, raises: false } } : s,
    );
    const cut: PasskeyLookup = { ...ledgers.lookup, hasAt: () => false };
    expect(new PasskeySet(written, cut).isRequired).toBe(false);
    const isInWhole: PasskeyLookup['isInWhole'] = (fingerprint, entries) =>
      entries.every(([line, hash]) => hash === `${fingerprint} ${line}`);
    const set = new PasskeySet(written, { ...cut, isInWhole });
    const forged = { ...ledgers.next('here', { line: 1, hash: 'forged' }) };
    expect([set.isRequired, set.levelOf(before), set.levelOf(forged)]).toEqual([true, 3, 0]);
  });

  test('make no passkey of the ledger itself void, nor do lines of a damaged one', () => {
    for (const isDamaged of [false, true]) {
      const { ledgers, enrolled } = required();
      const kept: LedgerTrust = { fingerprint: 'here', raises: false, isDamaged };
      const junk = ledgers.planned('here', 'removed', {}, { knows: [], says: { ledger: kept, line: 0 } });
      // A damaged file can have a forged line before an end that it has.
      const hasAt: PasskeyLookup['hasAt'] = (ledger, ...end) => ledger !== kept && ledgers.lookup.hasAt(ledger, ...end);
      const lookup = isDamaged ? ledgers.lookup : { ...ledgers.lookup, hasAt };
      const set = new PasskeySet([junk, ...ledgers.written], lookup);
      expect([set.isRequired, hashes(set.now())]).toEqual([true, hashes([enrolled])]);
      const inDamaged = ledgers.written.map((s) => ({ ...s, ledger: kept }));
      const alone = new PasskeySet([{ ...junk, line: 0 }, ...inDamaged], ledgers.lookup);
      expect(alone.isKnown).toBe(isDamaged);
    }
  });
});

describe('a passkey that another one signed for', () => {
  test('counts, whatever the order in which the lines are read', () => {
    const ledgers = new Ledgers();
    const [first, second, third] = [passkey(), passkey(), passkey()];
    const enrolled = [
      ledgers.enrol('here', first),
      ledgers.enrol('there', second, { by: first }),
      ledgers.enrol('here', third, { by: second }),
    ];
    expect(hashes(ledgers.set.now())).toEqual(hashes(enrolled));
    const reversed = new PasskeySet([...ledgers.written].reverse(), ledgers.lookup);
    expect(new Set(hashes(reversed.now()))).toEqual(new Set(hashes(enrolled)));
    expect(enrolled.map((each) => reversed.levelOfChange(each))).toEqual([3, 4, 4]);
  });

  test('does not count if its writer does not name the signer’s enrolment as older', () => {
    for (const knows of [
      [],
      [['here', 1, 'another hash']],
      [['there', 1, 'here 0']],
      [['here', 0, 'here 0']],
    ] as const) {
      const ledgers = new Ledgers();
      const [first, second] = [passkey(), passkey()];
      ledgers.enrol('here', first);
      const enrolled = ledgers.enrol('here', second, { by: first, knows });
      expect([ledgers.set.now().length, ledgers.set.levelOfChange(enrolled)]).toEqual([1, 0]);
    }
  });

  test.each<[string, Partial<Statement>]>([
    ['another store', { store: 'cd'.repeat(16) }],
    ['no store', { store: null }],
    ['another day', { at: AT + 86_400_000 }],
    ['another place among the changes', { after: ['x'] }],
    ['another kind of change', { action: 'removed' }],
  ])('does not count with the signature for %s', (_, says) => {
    const ledgers = new Ledgers();
    const [first, second] = [passkey(), passkey()];
    ledgers.enrol('here', first);
    const what = { credential: second.credential, key: second.publicKey };
    const right = ledgers.planned('here', 'enrolled', what, { by: first });
    ledgers.write({ ...right, ...says });
    const { set } = ledgers;
    expect([hashes(set.now()), set.levelOfChange(right)]).toEqual([['here 0'], 0]);
    expect(set.allows({ ...right, ...says })).toBe(false);
    expect(set.allows(right)).toBe(true);
  });

  test('does not count without a key, or with the credential of one and the key of another', () => {
    const { ledgers, key } = required();
    const thief = passkey();
    const keyless = ledgers.change('here', 'enrolled', { credential: thief.credential }, { by: key });
    expect(ledgers.set.levelOfChange(keyless)).toBe(4);
    expect(ledgers.set.levelOf(ledgers.yes('here', thief))).toBe(0);
    Object.assign(thief, { credential: key.credential });
    expect(ledgers.set.levelOf(ledgers.yes('here', thief))).toBe(0);
  });
});

describe('where a passkey is required', () => {
  test('a yes without one counts for nothing, one that it signed is of level 4, and one from before is what it was', () => {
    const { ledgers, key, before } = required();
    const [yes, signed] = [ledgers.yes('here'), ledgers.yes('here', key)];
    const elsewhere = ledgers.yes('there');
    const { set } = ledgers;
    expect([set.isRequired, set.recovery]).toEqual([true, recoveryHash(CODE)]);
    expect([before, yes, signed, elsewhere].map((each) => set.levelOf(each))).toEqual([3, 0, 4, 0]);
  });

  test.each<[string, Partial<Statement>]>([
    ['another memory', { id: 'user_other' }],
    ['another text', { digest: 'x' }],
    ['other words before', { was: 'x' }],
    ['another tier before', { from: 'quarantined' }],
    ['other findings', { settled: ['rule'] }],
    ['another memory that it replaces', { replaces: 'user_old' }],
    ['another place among the decisions', { after: ['x'] }],
    ['another decision', { action: 'restore' }],
    ['another day', { at: AT + 86_400_000 }],
    ['another store', { store: 'cd'.repeat(16) }],
    ['no store', { store: null }],
    ['another ledger', { ledger: { fingerprint: 'there', raises: true } }],
  ])('the signature of a yes is none for %s', (_, says) => {
    const { ledgers, key } = required();
    const right = ledgers.next('here', {});
    const signed = { ...right, assertion: signedYes(right, key) };
    expect(ledgers.set.levelOf(signed)).toBe(4);
    expect(ledgers.set.levelOf({ ...signed, ...says })).toBe(0);
  });

  test('a yes or a change that names no store is signed by no passkey', () => {
    const { ledgers, key } = required();
    expect(ledgers.set.levelOf(ledgers.yes('here', key, { store: null }))).toBe(0);
    const released = ledgers.change('here', 'released', {}, { by: key, says: { store: null } });
    expect([ledgers.set.isRequired, ledgers.set.levelOfChange(released)]).toEqual([true, 0]);
  });

  test('a yes is signed by the passkey that it names', () => {
    const { ledgers, key } = required();
    const yes = ledgers.yes('here', key);
    if (yes.assertion === null) throw new Error('it is signed');
    expect(ledgers.set.levelOf({ ...yes, assertion: { ...yes.assertion, credential: 'another' } })).toBe(0);
  });

  test('a change of a kind that nobody knows changes nothing, also if a passkey signed it', () => {
    const { ledgers, key } = required();
    const later = ledgers.change('here', 'of a later version' as PasskeyRecord, {}, { by: key });
    expect([ledgers.set.isRequired, ledgers.set.levelOfChange(later)]).toEqual([true, 0]);
    expect(ledgers.set.unknownTo('there')).not.toContain(later.hash);
  });

  test('nobody but a passkey requires it', () => {
    const ledgers = new Ledgers();
    const key = passkey();
    ledgers.enrol('here', key);
    const forged = ledgers.change('here', 'required', { recovery: recoveryHash(CODE) });
    const other = ledgers.require('here', passkey());
    const { set } = ledgers;
    expect([set.isRequired, set.recovery]).toEqual([false, undefined]);
    expect([set.levelOfChange(forged), set.levelOfChange(other)]).toEqual([0, 0]);
    expect([set.allows(forged), set.allows(other)]).toEqual([false, false]);
    expect(set.allows(ledgers.planned('here', 'required', {}, { by: key }))).toBe(true);
  });

  test('a yes that the passkey signed before it was enrolled here is not raised by it', () => {
    const ledgers = new Ledgers();
    const key = passkey();
    const early = ledgers.yes('here', key);
    ledgers.enrol('here', key);
    expect(ledgers.set.levelOf(early)).toBe(3);
    expect(ledgers.set.levelOf(ledgers.yes('here', key))).toBe(4);
  });

  test('a verified signature is remembered for its challenge and key, and for no other', () => {
    const { ledgers, key } = required();
    const remembered = new Set<string>();
    const yes = ledgers.yes('here', key);
    expect(new PasskeySet(ledgers.written, ledgers.lookup, remembered).levelOf(yes)).toBe(4);
    const size = remembered.size;
    expect(size).toBeGreaterThan(0);
    const again = new PasskeySet(ledgers.written, ledgers.lookup, remembered);
    expect([again.levelOf(yes), again.levelOf({ ...yes, digest: 'x' }), remembered.size]).toEqual([4, 0, size]);
  });
});

describe('a passkey that was removed', () => {
  test('signs nothing more; what it signed before stays, and it can be enrolled again', () => {
    const { ledgers, key } = required();
    const second = passkey();
    const enrolled = ledgers.enrol('here', second, { by: key });
    const signed = ledgers.yes('here', key);
    const removed = ledgers.change('here', 'removed', { credential: key.credential }, { by: second });
    const late = ledgers.yes('here', key);
    const { set } = ledgers;
    expect(hashes(set.now())).toEqual(hashes([enrolled]));
    expect([signed, late].map((each) => set.levelOf(each))).toEqual([4, 0]);
    expect([set.levelOfChange(removed), set.isRequired]).toEqual([4, true]);
    expect(set.allows(ledgers.planned('here', 'released', {}, { by: key }))).toBe(false);
    expect(set.allows(ledgers.planned('here', 'released', {}, { by: second }))).toBe(true);

    const again = ledgers.enrol('here', key, { by: second });
    expect(hashes(ledgers.set.now())).toEqual(hashes([enrolled, again]));
    expect(ledgers.set.levelOf(ledgers.yes('here', key))).toBe(4);
    expect(ledgers.set.levelOf(late)).toBe(0);
  });

  test('enrols no other one afterwards, also not on a machine that did not know of the removal', () => {
    const { ledgers, key } = required();
    const [second, third, fourth] = [passkey(), passkey(), passkey()];
    const kept = ledgers.enrol('here', second, { by: key });
    const knows = ledgers.ends();
    const unaware = ledgers.enrol('there', third, { by: key, knows });
    const seen = ledgers.ends('there');
    ledgers.change('here', 'removed', { credential: key.credential }, { by: second, knows: seen });
    ledgers.enrol('here', fourth, { by: key });
    expect(hashes(ledgers.set.now())).toEqual(hashes([kept]));
    expect(ledgers.set.levelOf(ledgers.yes('there', third))).toBe(0);
    expect(ledgers.set.levelOfChange(unaware)).toBe(4);
  });

  test('is removed by a passkey only, and only the one that is named', () => {
    const { ledgers, key, enrolled } = required();
    ledgers.change('here', 'removed', { credential: key.credential });
    ledgers.change('here', 'removed', { credential: 'another' }, { by: key });
    expect(hashes(ledgers.set.now())).toEqual(hashes([enrolled]));
  });
});

describe('a requirement that a passkey took back', () => {
  test('is over for what comes after, and what was forged meanwhile stays void', () => {
    const { ledgers, key } = required();
    const meanwhile = ledgers.yes('here');
    const released = ledgers.change('here', 'released', {}, { by: key });
    const after = ledgers.yes('here');
    const { set } = ledgers;
    expect([set.isRequired, set.recovery, set.isKnown]).toEqual([false, undefined, true]);
    expect([meanwhile, after].map((each) => set.levelOf(each))).toEqual([0, 3]);
    expect(set.levelOfChange(released)).toBe(4);
    ledgers.require('here', key);
    expect([ledgers.set.isRequired, ledgers.set.levelOf(ledgers.yes('here'))]).toEqual([true, 0]);
    expect(ledgers.set.levelOf(after)).toBe(3);
  });

  test('stays in force if the release is nobody’s, of a removed passkey, or of a writer who did not know of it', () => {
    const { ledgers, key } = required();
    const second = passkey();
    const seen = ledgers.ends().map(([name]): LedgerEnd => [name, 2, 'here 1']);
    ledgers.change('here', 'released', {});
    ledgers.change('here', 'released', {}, { by: key, knows: seen });
    expect(ledgers.set.isRequired).toBe(true);
    ledgers.enrol('here', second, { by: key });
    ledgers.change('here', 'removed', { credential: key.credential }, { by: second });
    const late = ledgers.change('here', 'released', {}, { by: key });
    expect([ledgers.set.isRequired, ledgers.set.levelOfChange(late)]).toEqual([true, 4]);
  });
});

describe('the recovery code', () => {
  const reset = (ledgers: Ledgers, machine = 'here', differs: Differs = {}) =>
    ledgers.change(machine, 'reset', { code: CODE }, differs);

  test('ends the requirement and every passkey, and the next first one names the reset', () => {
    const { ledgers, key } = required();
    const [signed, meanwhile] = [ledgers.yes('here', key), ledgers.yes('here')];
    expect(ledgers.set.allows(ledgers.planned('here', 'reset', { code: CODE }, {}))).toBe(true);
    const ended = reset(ledgers);
    const [late, plain] = [ledgers.yes('here', key), ledgers.yes('here')];
    const { set } = ledgers;
    expect([set.isRequired, set.now(), set.resets]).toEqual([false, [], [ended.hash]]);
    expect([signed, meanwhile, late, plain].map((each) => set.levelOf(each))).toEqual([4, 0, 3, 3]);
    expect(set.levelOfChange(ended)).toBe(3);

    const fresh = passkey();
    const what = { credential: fresh.credential, key: fresh.publicKey };
    expect(set.allows(ledgers.planned('here', 'enrolled', what, {}))).toBe(false);
    const enrolled = ledgers.enrol('here', fresh, { says: { after: [ended.hash] } });
    expect([hashes(ledgers.set.now()), ledgers.set.isContested]).toEqual([hashes([enrolled]), false]);
    ledgers.change('here', 'required', { recovery: 'another' }, { by: fresh });
    expect([ledgers.set.isRequired, ledgers.set.recovery]).toEqual([true, 'another']);
  });

  test.each<[string, Omit<PasskeyChange, 'ledgers'>]>([
    ['another code', { code: 'f'.repeat(32) }],
    ['an empty code', { code: '' }],
    ['no code', {}],
  ])('is needed: %s opens nothing', (_, what) => {
    const { ledgers, enrolled } = required();
    const planned = ledgers.planned('here', 'reset', what, {});
    expect(ledgers.set.allows(planned)).toBe(false);
    ledgers.write(planned);
    const { set } = ledgers;
    expect([set.isRequired, hashes(set.now()), set.resets]).toEqual([true, hashes([enrolled]), []]);
  });

  test('opens nothing for a writer who does not know of the requirement', () => {
    const { ledgers } = required();
    const forged = reset(ledgers, 'there', { knows: [] });
    expect([ledgers.set.isRequired, ledgers.set.resets, ledgers.set.levelOfChange(forged)]).toEqual([true, [], 0]);
  });

  test('lets one first passkey in, and no second that names the same reset', () => {
    const { ledgers } = required();
    const ended = reset(ledgers);
    const says = { after: [ended.hash] };
    const enrolled = ledgers.enrol('here', passkey(), { says });
    const thief = { credential: 'thief', key: passkey().publicKey };
    for (const machine of ['here', 'there'])
      expect(ledgers.set.allows(ledgers.planned(machine, 'enrolled', thief, { says }))).toBe(false);
    ledgers.change('here', 'enrolled', thief, { says });
    expect([hashes(ledgers.set.now()), ledgers.set.isContested]).toEqual([hashes([enrolled]), false]);
  });

  test('lets a first passkey in on a machine that wrote down what it knew after the reset', () => {
    const { ledgers, enrolled, requirement } = required();
    const ended = reset(ledgers);
    ledgers.change('there', 'known', {}, { says: { after: hashes([enrolled, requirement, ended]) } });
    const fresh = { credential: 'c', key: passkey().publicKey };
    const says = { after: [ended.hash] };
    expect(ledgers.set.allows(ledgers.planned('there', 'enrolled', fresh, { says }))).toBe(true);
    ledgers.change('there', 'known', {}, { says: { after: ['gone'] } });
    expect(ledgers.set.allows(ledgers.planned('there', 'enrolled', fresh, { says }))).toBe(false);
  });

  test('is used up by the reset that shows it to everybody', () => {
    const { ledgers } = required();
    const first = reset(ledgers);
    const fresh = passkey();
    const enrolled = ledgers.enrol('here', fresh, { says: { after: [first.hash] } });
    ledgers.require('here', fresh);
    for (const [machine, knows] of [
      ['here', []],
      ['here', undefined],
      ['there', undefined],
    ] as const) {
      const planned = ledgers.planned(machine, 'reset', { code: CODE }, knows === undefined ? {} : { knows });
      expect(ledgers.set.allows(planned)).toBe(false);
    }
    reset(ledgers);
    expect([ledgers.set.resets, ledgers.set.isRequired]).toEqual([[first.hash], true]);
    expect(hashes(ledgers.set.now())).toEqual(hashes([enrolled]));
  });

  test('is used up as well where only the enrolment after the reset is known', () => {
    const { ledgers } = required();
    const before = ledgers.ends();
    const first = reset(ledgers, 'there');
    const fresh = passkey();
    const enrolled = ledgers.enrol('elsewhere', fresh, { says: { after: [first.hash] } });
    const knows = [...before, ...ledgers.ends('here', 'there')];
    const second = ledgers.planned('here', 'reset', { code: CODE }, { knows });
    expect(ledgers.set.allows(second)).toBe(false);
    expect(hashes(ledgers.set.now())).toEqual(hashes([enrolled]));
    // A writer who knew of neither is not refused.
    expect(ledgers.set.allows(ledgers.planned('here', 'reset', { code: CODE }, { knows: before }))).toBe(true);
  });

  test('used by two who did not know of each other makes the passkeys after it doubtful', () => {
    const { ledgers } = required();
    const before = ledgers.ends();
    const one = reset(ledgers, 'there', { knows: before });
    const other = reset(ledgers, 'elsewhere', { knows: before });
    expect(new Set(ledgers.set.resets)).toEqual(new Set([one.hash, other.hash]));
    const [mine, theirs] = [passkey(), passkey()];
    const ends = (machine: string) => [...before, ...ledgers.ends('here', machine)];
    ledgers.enrol('there', mine, { knows: ends('elsewhere'), says: { after: [one.hash] } });
    expect(ledgers.set.isContested).toBe(false);
    ledgers.enrol('elsewhere', theirs, { knows: ends('there'), says: { after: [other.hash] } });
    expect([ledgers.set.isContested, ledgers.set.now()]).toEqual([true, []]);
  });

  test.each([
    ['a stranger', false, 4],
    ['a machine that is trusted', true, 0],
  ])('used again by %s who says nothing of the first use sets no forged yes free', (_, raises, level) => {
    const { ledgers, key } = required();
    const before = ledgers.ends();
    const [signed, forged] = [ledgers.yes('here', key), ledgers.yes('here')];
    const first = reset(ledgers);
    const plain = ledgers.yes('here');
    ledgers.trusts.set('there', { fingerprint: 'there', raises });
    const second = reset(ledgers, 'there', { knows: before });
    const { set } = ledgers;
    expect(set.resets).toEqual(hashes(raises ? [first, second] : [first]));
    expect([signed, forged, plain].map((each) => set.levelOf(each))).toEqual([level, 0, 3]);
  });

  test('lets no first passkey in once a passkey took the requirement back, whether the reset tells of that or not', () => {
    for (const isTold of [true, false]) {
      const { ledgers, key, enrolled } = required();
      const early = ledgers.ends();
      ledgers.change('here', 'released', {}, { by: key });
      const again = ledgers.change('here', 'required', { recovery: 'another' }, { by: key });
      const knows = isTold ? ledgers.ends() : early;
      const ended = reset(ledgers, 'there', { knows });
      const thief = passkey();
      ledgers.enrol('there', thief, { knows, says: { after: [ended.hash] } });
      const { set } = ledgers;
      expect([set.isRequired, set.now(), set.levelOf(ledgers.yes('there', thief))]).toEqual([true, [], 0]);
      expect([set.levelOfChange(enrolled), set.levelOfChange(again)]).toEqual([3, 4]);
    }
  });

  test('lets one in that was enrolled while another machine took the requirement back', () => {
    const { ledgers, key } = required();
    const early = ledgers.ends();
    const ended = reset(ledgers);
    const fresh = ledgers.enrol('here', passkey(), { says: { after: [ended.hash] } });
    ledgers.change('there', 'released', {}, { by: key, knows: early });
    expect([hashes(ledgers.set.now()), ledgers.set.isContested]).toEqual([hashes([fresh]), false]);
  });

  test('lets one in although a passkey that was removed took the requirement back', () => {
    const { ledgers, key } = required();
    const lost = passkey();
    ledgers.enrol('here', lost, { by: key });
    const early = ledgers.ends();
    ledgers.change('here', 'removed', { credential: lost.credential }, { by: key });
    ledgers.change('there', 'released', {}, { by: lost, knows: early });
    const ended = reset(ledgers);
    const fresh = ledgers.enrol('here', passkey(), { says: { after: [ended.hash] } });
    expect([hashes(ledgers.set.now()), ledgers.set.isContested]).toEqual([hashes([fresh]), false]);
  });

  test('is looked for once on every way back from a key that was enrolled again and again', () => {
    const ledgers = new Ledgers();
    const key = passkey();
    ledgers.trusts.set('there', { fingerprint: 'there', raises: false });
    const first = ledgers.enrol('there', key);
    for (let i = 0; i < 40; i++) ledgers.enrol('there', key, { by: key });
    ledgers.change('here', 'known', {}, { says: { after: [first.hash] }, knows: [] });
    expect(ledgers.set.now()).toEqual([]);
    ledgers.require('there', key);
    const ended = reset(ledgers, 'there');
    ledgers.change('here', 'known', {}, { says: { after: [ended.hash] }, knows: [] });
    expect([ledgers.set.now(), ledgers.set.isRequired]).toEqual([[], false]);
  });

  describe('of the first of two requirements, which lets another first passkey in unless a passkey took that one back', () => {
    /** `releases` writes there, before the second requirement here. Returns whether a first passkey is let in. */
    function isLetIn(releases: (it: ReturnType<typeof required>, second: SoftwareAuthenticator) => void): boolean {
      const it = required();
      const { ledgers, key } = it;
      const second = passkey();
      ledgers.enrol('here', second, { by: key });
      releases(it, second);
      ledgers.change('here', 'required', { recovery: 'another' }, { by: key });
      const ended = reset(ledgers);
      const fresh = ledgers.enrol('here', passkey(), { says: { after: [ended.hash] } });
      const now = hashes(ledgers.set.now());
      expect(ledgers.set.isRequired).toBe(true);
      return now.includes(fresh.hash);
    }

    test('nobody did', () => {
      expect(isLetIn(() => {})).toBe(true);
    });

    test('the first passkey did, or one that it had enrolled', () => {
      expect(isLetIn(({ ledgers, key }) => void ledgers.change('there', 'released', {}, { by: key }))).toBe(false);
      expect(isLetIn(({ ledgers }, second) => void ledgers.change('there', 'released', {}, { by: second }))).toBe(
        false,
      );
    });

    test('a passkey did that was removed, by a writer who knew of that or did not', () => {
      for (const isKnown of [true, false]) {
        const isIn = isLetIn(({ ledgers, key }, second) => {
          ledgers.change('there', 'released', {}, { by: second });
          const knows = isKnown ? ledgers.ends() : ledgers.ends('there');
          ledgers.change('here', 'removed', { credential: second.credential }, { by: key, knows });
        });
        expect(isIn).toBe(!isKnown);
      }
    });

    test('the first passkey did, while another one was removed', () => {
      const isIn = isLetIn(({ ledgers, key }, second) => {
        const knows = ledgers.ends();
        ledgers.change('there', 'released', {}, { by: key });
        ledgers.change('here', 'removed', { credential: second.credential }, { by: key, knows });
      });
      expect(isIn).toBe(false);
    });

    test('a passkey of another first one did', () => {
      const isIn = isLetIn(({ ledgers }) => {
        const decoy = passkey();
        ledgers.enrol('there', decoy, { knows: [] });
        ledgers.change('there', 'released', {}, { by: decoy });
      });
      expect(isIn).toBe(true);
    });

    test('a passkey did that somebody else enrolled once more', () => {
      const isIn = isLetIn(({ ledgers, key }, second) => {
        enrolledAgain(ledgers, key);
        ledgers.change('there', 'released', {}, { by: second });
      });
      expect(isIn).toBe(false);
    });
  });

  /** A machine that is not trusted enrols a passkey of this store under a first one of its own, and that is on record here. */
  function enrolledAgain(ledgers: Ledgers, key: SoftwareAuthenticator): void {
    const decoy = passkey();
    ledgers.trusts.set('elsewhere', { fingerprint: 'elsewhere', raises: false });
    const first = ledgers.enrol('elsewhere', decoy, { knows: [] });
    const again = ledgers.enrol('elsewhere', key, { by: decoy });
    ledgers.change('here', 'known', {}, { says: { after: hashes([first, again]) } });
  }

  test('is not needed where a passkey releases that somebody else enrolled once more, and what that signed counts', () => {
    const { ledgers, key } = required();
    enrolledAgain(ledgers, key);
    const second = passkey();
    ledgers.enrol('here', second, { by: key });
    const yes = ledgers.yes('here', second);
    ledgers.change('here', 'released', {}, { by: key });
    expect([ledgers.set.isContested, ledgers.set.isRequired, ledgers.set.levelOf(yes)]).toEqual([false, false, 4]);
  });

  describe('of another first passkey', () => {
    const THEIRS = 'f'.repeat(32);

    /** Another machine has a first passkey of its own, requires it, and resets with that code what is here too. */
    function resetElsewhere(raises: boolean, it = required()) {
      const { ledgers } = it;
      const decoy = passkey();
      ledgers.trusts.set('there', { fingerprint: 'there', raises });
      const enrolled = ledgers.enrol('there', decoy, { knows: [] });
      const what = { recovery: recoveryHash(THEIRS) };
      const requirement = ledgers.change('there', 'required', what, { by: decoy, knows: ledgers.ends('here') });
      const ended = ledgers.change('there', 'reset', { code: THEIRS });
      if (!raises)
        ledgers.change('here', 'known', {}, { says: { after: hashes([enrolled, requirement, ended]) }, knows: [] });
      return { ...it, ended };
    }

    test.each([true, false])('lets no other one in where one is required (trusted: %s)', (raises) => {
      for (const [machine, knows] of [
        ['here', undefined],
        ['here', []],
        ['there', []],
      ] as const) {
        const { ledgers, ended, requirement } = resetElsewhere(raises);
        const thief = passkey();
        const says = { after: [ended.hash] };
        ledgers.enrol(machine, thief, knows === undefined ? { says } : { says, knows });
        const yes = ledgers.yes('here', thief);
        const { set } = ledgers;
        expect([set.isRequired, set.now(), set.levelOf(yes)]).toEqual([true, [], 0]);
        // Over there nothing says that the writer knew of the passkey here.
        expect(set.isContested).toBe(raises && machine === 'there');
        expect(set.recovery).toBe(requirement.passkeys?.recovery);
      }
    });

    test.each([
      [
        'one of two requirements was taken back',
        ({ ledgers, key }) => {
          ledgers.change('here', 'released', {}, { by: key });
          ledgers.require('here', key);
        },
      ],
      [
        'a second passkey signed the requirement',
        ({ ledgers, key }) => {
          ledgers.change('here', 'released', {}, { by: key });
          const second = passkey();
          ledgers.enrol('here', second, { by: key });
          ledgers.require('here', second);
        },
      ],
    ] satisfies [string, (it: ReturnType<typeof required>) => void][])(
      'lets no other one in where %s',
      (_, happens) => {
        for (const machine of ['here', 'there']) {
          const it = required();
          happens(it);
          const { ledgers, ended } = resetElsewhere(true, it);
          const knows = machine === 'here' ? {} : { knows: [] };
          ledgers.enrol(machine, passkey(), { says: { after: [ended.hash] }, ...knows });
          expect([ledgers.set.isRequired, ledgers.set.now()], machine).toEqual([true, []]);
        }
      },
    );

    test('of two requirements here lets one in, and the other one stays in force', () => {
      const { ledgers, key } = required();
      const other = { recovery: recoveryHash(THEIRS) };
      ledgers.change('here', 'required', other, { by: key });
      expect(ledgers.set.codesInForce).toBe(2);
      const own = reset(ledgers);
      const fresh = ledgers.enrol('here', passkey(), { says: { after: [own.hash] } });
      const { set } = ledgers;
      expect([hashes(set.now()), set.isRequired, set.codesInForce]).toEqual([hashes([fresh]), true, 1]);
      expect(set.recovery).toBe(other.recovery);
    });

    test('lets one in once the code of the requirement here is used as well', () => {
      const { ledgers, ended } = resetElsewhere(true);
      const own = reset(ledgers);
      const fresh = ledgers.enrol('here', passkey(), { says: { after: hashes([ended, own]) } });
      expect([hashes(ledgers.set.now()), ledgers.set.isContested]).toEqual([hashes([fresh]), false]);
    });

    test('lets one in where nothing is required here, or a passkey took that back', () => {
      const { ledgers, key } = required();
      ledgers.change('here', 'released', {}, { by: key });
      const decoy = passkey();
      ledgers.enrol('there', decoy, { knows: [] });
      const what = { recovery: recoveryHash(THEIRS) };
      ledgers.change('there', 'required', what, { by: decoy, knows: ledgers.ends('here') });
      const ended = ledgers.change('there', 'reset', { code: THEIRS });
      const fresh = ledgers.enrol('there', passkey(), { says: { after: [ended.hash] } });
      expect(hashes(ledgers.set.now())).toEqual(hashes([fresh]));
    });
  });
});

describe('a machine’s record of what it knows', () => {
  test('names what it has seen of others, and not what its own ledger holds', () => {
    const { ledgers, key, enrolled, requirement } = required();
    expect(ledgers.set.unknownTo('here')).toEqual([]);
    expect(ledgers.set.unknownTo('there')).toEqual(hashes([enrolled, requirement]));
    ledgers.change('there', 'known', {}, { says: { after: [enrolled.hash] } });
    expect(ledgers.set.unknownTo('there')).toEqual(hashes([requirement]));
    // Nothing has to be known of a record, nor of a change that is not genuine.
    ledgers.change('here', 'required', {});
    ledgers.enrol('there', passkey(), { by: key });
    expect(ledgers.set.unknownTo('there')).toEqual(hashes([requirement]));
    expect(ledgers.set.unknownTo('here')).toEqual(['there 1']);
  });

  test('is made although another record of its machine names the change: only a record like this stays in force', () => {
    const { ledgers, requirement } = required();
    ledgers.change('there', 'removed', {}, { knows: [], says: { after: [requirement.hash] } });
    expect(ledgers.set.unknownTo('there')).toContain(requirement.hash);
  });

  test('of a change that is not genuine by what is left requires a passkey for all that comes after it', () => {
    const ledgers = new Ledgers();
    const key = passkey();
    ledgers.enrol('here', key);
    const requirement = ledgers.require('there', key, { knows: [['here', 2, 'cut off']] });
    expect(ledgers.set.isRequired).toBe(false);
    ledgers.change('here', 'known', {}, { says: { after: [requirement.hash] } });
    expect([ledgers.set.isRequired, ledgers.set.levelOf(ledgers.yes('here'))]).toEqual([true, 0]);
  });

  test('of a change that is here no more requires a passkey for all that comes after it', () => {
    const ledgers = new Ledgers();
    const before = ledgers.yes('here');
    const known = ledgers.change('here', 'known', {}, { says: { after: ['of a ledger that is gone'] } });
    const after = ledgers.yes('here');
    const { set } = ledgers;
    expect([set.isRequired, set.isKnown, set.recovery]).toEqual([true, false, undefined]);
    expect([set.levelOf(before), set.levelOf(after), set.levelOfChange(known)]).toEqual([3, 0, 0]);
    // It ends no first enrolment by itself, and allows none either.
    const what = { credential: 'c', key: passkey().publicKey };
    expect(set.allows(ledgers.planned('here', 'enrolled', what, {}))).toBe(false);
    expect(set.allows(known)).toBe(false);
  });

  test('requires nothing if all of it is here, or if its machine is not trusted', () => {
    const ledgers = new Ledgers();
    const enrolled = ledgers.enrol('here', passkey());
    ledgers.change('there', 'known', {}, { says: { after: [enrolled.hash] } });
    ledgers.trusts.set('stranger', { fingerprint: 'stranger', raises: false });
    ledgers.change('stranger', 'known', {}, { says: { after: ['nowhere'] } });
    expect(ledgers.set.isRequired).toBe(false);
    ledgers.change('there', 'known', {}, { says: { after: [enrolled.hash, 'nowhere'] } });
    expect(ledgers.set.isRequired).toBe(true);
  });

  describe('of a first passkey, whose machine is not trusted any more', () => {
    /** The desk enrolled a passkey, and this machine has on record what it names. */
    const joined = (names: (desk: Statement) => readonly string[] = ({ hash }) => [hash]) => {
      const ledgers = new Ledgers();
      ledgers.trusts.set('desk', { fingerprint: 'desk', raises: false });
      const desk = ledgers.enrol('desk', passkey());
      ledgers.change('here', 'known', {}, { knows: [], says: { after: names(desk) } });
      return { ledgers, desk };
    };

    test('lets no later first passkey of another machine count', () => {
      const { ledgers } = joined();
      expect(ledgers.set.isContested).toBe(false);
      ledgers.enrol('new', passkey(), { knows: [] });
      expect([ledgers.set.isContested, ledgers.set.now()]).toEqual([true, []]);
    });

    test('lets none count either where what it names is not here any more', () => {
      const { ledgers } = joined(() => ['nowhere']);
      ledgers.enrol('new', passkey(), { knows: [] });
      expect(ledgers.set.isContested).toBe(true);
    });

    test('says nothing against a passkey that it names too, by hash or by an end of its ledger', () => {
      const ledgers = new Ledgers();
      ledgers.trusts.set('desk', { fingerprint: 'desk', raises: false });
      const desk = ledgers.enrol('desk', passkey());
      const later = ledgers.enrol('new', passkey(), { knows: [] });
      const both = ledgers.planned('here', 'known', {}, { knows: [], says: { after: [desk.hash, later.hash] } });
      const byEnd = ledgers.planned('here', 'known', {}, { knows: ledgers.ends('desk'), says: { after: [desk.hash] } });
      for (const known of [both, byEnd]) {
        const set = new PasskeySet([...ledgers.written, known], ledgers.lookup);
        expect([set.isContested, hashes(set.now())]).toEqual([false, hashes([later])]);
      }
    });

    test('says nothing against a passkey that stands before it in its own ledger', () => {
      const ledgers = new Ledgers();
      ledgers.trusts.set('desk', { fingerprint: 'desk', raises: false });
      const desk = ledgers.enrol('desk', passkey());
      const own = ledgers.enrol('here', passkey(), { knows: [] });
      ledgers.change('here', 'known', {}, { knows: [], says: { after: [desk.hash] } });
      expect([ledgers.set.isContested, hashes(ledgers.set.now())]).toEqual([false, hashes([own])]);
    });
  });

  test('requires one also among the lines that are kept of a ledger that raises', () => {
    const ledgers = new Ledgers();
    ledgers.enrol('here', passkey());
    const kept: LedgerTrust = { fingerprint: 'here', raises: false };
    ledgers.change('here', 'known', {}, { says: { after: ['nowhere'], ledger: kept } });
    expect(ledgers.set.isRequired).toBe(true);
  });
});

describe('what a ledger required that will raise no more', () => {
  test('is its requirement, with the passkeys that the requirement goes back to', () => {
    const { ledgers, enrolled, requirement } = required();
    expect(ledgers.set.requiredBefore(ledgers.ends())).toEqual(hashes([enrolled, requirement]));
    // Another machine's passkey signed it: that one is named too, although it stands elsewhere.
    const joined = new Ledgers();
    const key = passkey();
    const first = joined.enrol('there', key);
    const own = joined.require('here', key);
    expect(joined.set.requiredBefore(joined.ends('there'))).toEqual(hashes([own, first]));
  });

  test('is nothing before the requirement, after its release, and of a ledger that is not here', () => {
    const { ledgers, key } = required();
    expect(ledgers.set.requiredBefore([['here', 2, 'here 1']])).toEqual([]);
    expect(ledgers.set.requiredBefore([['nowhere', 3, 'nowhere 2']])).toEqual([]);
    expect(ledgers.set.requiredBefore([])).toEqual([]);
    ledgers.change('here', 'released', {}, { by: key });
    expect(ledgers.set.requiredBefore(ledgers.ends())).toEqual([]);
  });

  test('leaves out what came later', () => {
    const { ledgers, key, enrolled, requirement } = required();
    const ends = ledgers.ends();
    ledgers.enrol('here', passkey(), { by: key });
    expect(ledgers.set.requiredBefore(ends)).toEqual(hashes([enrolled, requirement]));
  });

  test('is also what it has on record of another ledger', () => {
    const { ledgers, enrolled, requirement } = required();
    ledgers.change('there', 'known', {}, { says: { after: hashes([requirement]) } });
    expect(ledgers.set.requiredBefore(ledgers.ends('here'))).toEqual(hashes([requirement, enrolled]));
    const released = new Ledgers();
    const key = passkey();
    const first = released.enrol('here', key);
    released.change('there', 'known', {}, { says: { after: [first.hash] } });
    expect(released.set.requiredBefore(released.ends('here'))).toEqual([]);
  });

  test('is all that it names, where some of what it has on record is not here any more', () => {
    const ledgers = new Ledgers();
    const first = ledgers.enrol('here', passkey());
    ledgers.change('here', 'known', {}, { says: { after: ['of a ledger that is gone'] } });
    expect(ledgers.set.requiredBefore(ledgers.ends())).toEqual([first.hash, 'of a ledger that is gone']);
    // Another machine's record of the same kind is none of this ledger's.
    expect(ledgers.set.requiredBefore([['here', 1, first.hash]])).toEqual([]);
  });
});

describe('the ends that a reset names of ledgers that raise no more', () => {
  /** The desk enrolled and required a passkey, and this machine has that on record. Nobody trusts the desk any more. */
  function distrusted() {
    const { ledgers, key, enrolled, requirement } = required();
    const desk: LedgerTrust = { fingerprint: 'here', raises: false };
    const written = ledgers.written.map((each) => ({ ...each, ledger: desk }));
    ledgers.written.splice(0, written.length, ...written);
    ledgers.trusts.set('here', desk);
    ledgers.change('other', 'known', {}, { knows: [], says: { after: hashes([enrolled, requirement]) } });
    return { ledgers, key, requirement };
  }

  test('stand behind the last change that goes back to a passkey of the requirement', () => {
    const { ledgers, key, requirement } = distrusted();
    expect([ledgers.set.isRequired, ledgers.set.endsFor(CODE)]).toEqual([true, [['here', 3, requirement.hash]]]);
    ledgers.yes('here');
    const second = ledgers.enrol('here', passkey(), { by: key });
    ledgers.yes('here');
    expect(ledgers.set.endsFor(CODE)).toEqual([['here', 5, second.hash]]);
    // In whatever order the lines come.
    const reversed = new PasskeySet([...ledgers.written].reverse(), ledgers.lookup);
    expect(reversed.endsFor(CODE)).toEqual([['here', 5, second.hash]]);
  });

  test('are none with another code, in ledgers that raise, and of passkeys that nothing here goes back to', () => {
    const { ledgers } = distrusted();
    expect(ledgers.set.endsFor('f'.repeat(32))).toEqual([]);
    expect(required().ledgers.set.endsFor(CODE)).toEqual([]);
    ledgers.trusts.set('stranger', { fingerprint: 'stranger', raises: false });
    const theirs = ledgers.enrol('stranger', passkey(), { knows: [] });
    ledgers.change('other', 'known', {}, { knows: [], says: { after: [theirs.hash] } });
    expect(ledgers.set.endsFor(CODE).map(([name]) => name)).toEqual(['here']);
  });

  test('are one for each such ledger', () => {
    const { ledgers, key } = distrusted();
    ledgers.trusts.set('old', { fingerprint: 'old', raises: false });
    const again = ledgers.enrol('old', passkey(), { by: key });
    expect(new Set(ledgers.set.endsFor(CODE))).toEqual(
      new Set([
        ['here', 3, 'here 2'],
        ['old', 1, again.hash],
      ]),
    );
  });
});

test('a reader who presumes takes what an enrolled passkey may have signed for right, and nothing else', () => {
  const { ledgers, key } = required();
  const forged = { ...ledgers.yes('here', key), digest: 'another' };
  const [strange, unsigned] = [ledgers.yes('here', passkey()), ledgers.yes('here')];
  const levels = (presumes: boolean) => [forged, strange, unsigned].map((yes) => ledgers.set.levelOf(yes, presumes));
  expect([levels(false), levels(true)]).toEqual([
    [0, 0, 0],
    [3, 0, 0],
  ]);
});

test('only a person’s yes and a person’s change of the passkeys are judged by them; all else is of its own level', () => {
  const { ledgers, key, before, enrolled, requirement } = required();
  const [signed, bare] = [ledgers.yes('here', key), ledgers.yes('here')];
  const forged = ledgers.change('here', 'removed', { credential: key.credential });
  const agents = ledgers.yes('here', undefined, { actor: 'agent', level: 1 });
  const no = ledgers.yes('here', undefined, { action: 'quarantine', to: 'quarantined', level: 2 });
  const agentsChange = ledgers.change('here', 'removed', {}, { says: { actor: 'agent', level: 1 } });
  const all = [before, signed, bare, enrolled, requirement, forged, agents, no, agentsChange];
  expect(all.map(isJudged)).toEqual([true, true, true, true, true, true, false, false, false]);
  const { set } = ledgers;
  expect(all.map((each) => levelOf(each, set, false))).toEqual([3, 4, 0, 3, 4, 0, 1, 2, 1]);
  expect(all.map((each) => levelOf(each, set, true))).toEqual([3, 3, 0, 3, 4, 0, 1, 2, 1]);
});

test('an end that a ledger has is looked up once, because a stranger can write thousands', () => {
  const { ledgers, before } = required();
  let lookups = 0;
  const hasAt: PasskeyLookup['hasAt'] = (...asked) => {
    lookups += 1;
    return ledgers.lookup.hasAt(...asked);
  };
  const set = new PasskeySet(ledgers.written, { ...ledgers.lookup, hasAt });
  expect(set.levelOf(before)).toBe(3);
  const first = lookups;
  expect(set.levelOf(before)).toBe(3);
  expect([first > 0, lookups]).toEqual([true, first]);
});

test('the passkeys are outdated once a line arrives that a change named before it was here', () => {
  const ledgers = new Ledgers();
  const [key, second] = [passkey(), passkey()];
  ledgers.enrol('here', key);
  ledgers.enrol('here', second, { by: key });
  const requirement = ledgers.require('there', key, { knows: [['here', 3, 'here 2']] });
  const { set } = ledgers;
  expect([set.isRequired, set.isOutdated]).toEqual([false, false]);
  ledgers.yes('here');
  expect(set.isOutdated).toBe(true);
  // Also where somebody asks them once more.
  expect(set.allows(requirement)).toBe(true);
  expect(set.isOutdated).toBe(true);
  expect([ledgers.set.isRequired, ledgers.set.isOutdated]).toEqual([true, false]);
});

test('so they are where what is kept of that ledger stays without the line', () => {
  const ledgers = new Ledgers();
  const key = passkey();
  const [enrolled, yes] = [ledgers.enrol('here', key), ledgers.yes('here')];
  ledgers.require('there', key, { knows: [['here', 3, 'here 2']] });
  const kept: LedgerTrust = { fingerprint: 'here', raises: false };
  const hasAt: PasskeyLookup['hasAt'] = (ledger, ...end) => ledger !== kept && ledgers.lookup.hasAt(ledger, ...end);
  const copies = [enrolled, yes].map((each) => ({ ...each, ledger: kept }));
  const set = new PasskeySet([...ledgers.written, ...copies], { ...ledgers.lookup, hasAt });
  expect([set.levelOf(yes), set.levelOf({ ...yes, ledger: kept }), set.isOutdated]).toEqual([3, 3, false]);
  ledgers.yes('here');
  expect(set.isOutdated).toBe(true);
});

test('a credential that was enrolled with two keys signs with either', () => {
  const { ledgers, key } = required();
  ledgers.change('here', 'enrolled', { credential: key.credential, key: passkey().publicKey }, { by: key });
  expect(ledgers.set.levelOf(ledgers.yes('here', key))).toBe(4);
});

test('a requirement belongs to its own first passkey, although another one enrolled the same key before', () => {
  const ledgers = new Ledgers();
  const [key, thief] = [passkey(), passkey()];
  /** Another machine enrols a first passkey that is required and given up at once. */
  function decoy(code: string, after: readonly string[], knows: () => LedgerEnd[]): string {
    const own = passkey();
    ledgers.enrol('there', own, { says: { after }, knows: [] });
    ledgers.enrol('there', key, { by: own });
    ledgers.change('there', 'required', { recovery: recoveryHash(code) }, { by: own });
    return ledgers.change('there', 'reset', { code }, { knows: knows() }).hash;
  }
  const first = decoy('1', [], () => ledgers.ends());
  const enrolled = ledgers.enrol('here', key, { knows: [] });
  const requirement = ledgers.change('here', 'required', { recovery: recoveryHash(CODE) }, { by: key });
  const before = ledgers.set;
  const second = decoy('2', [first], () => ledgers.ends());
  ledgers.enrol('there', thief, { says: { after: [first, second] } });
  const { set } = ledgers;
  expect([set.now(), set.levelOf(ledgers.yes('there', thief))]).toEqual([[], 0]);
  expect([before.allows(requirement), hashes(before.now())]).toEqual([true, hashes([enrolled])]);
});

test('a signature counts only under the name of the passkey that gave it', () => {
  const { ledgers, key } = required();
  const planned = ledgers.planned('here', 'removed', { credential: key.credential }, { by: key });
  const renamed = { ...planned, assertion: planned.assertion && { ...planned.assertion, credential: 'other' } };
  expect([ledgers.set.allows(planned), ledgers.set.allows(renamed)]).toEqual([true, false]);
});
