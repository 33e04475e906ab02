import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Evidence } from '../../../src/core/ledger/evidence.ts';
import { keyOf } from '../../../src/core/ledger/hash-index.ts';
import { headsOf } from '../../../src/core/ledger/heads.ts';
import { Statements } from '../../../src/core/ledger/packed-statements.ts';
import type { LedgerTrust, Statement } from '../../../src/core/ledger/statement.ts';
import { sha256 } from '../../../src/core/memory/memory.ts';
import { challengeOfChange, challengeOfYes } from '../../../src/core/passkeys/challenge.ts';
import { PASSKEYS } from '../../../src/core/passkeys/change.ts';
import { ACTORS, TIERS } from '../../../src/core/trust/tiers.ts';
import { SoftwareAuthenticator } from '../../../testkit/authenticator.ts';

const SHA = fc.array(fc.nat(255), { minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const TEXT = fc.oneof(
  SHA,
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', '\ud800', 'F'.repeat(64), 'x'.repeat(251), 'x'.repeat(252), 'ж'.repeat(300)),
);
/** So late that nothing is ahead of it. */
const ALWAYS = () => Number.POSITIVE_INFINITY;
const TIER = fc.constantFrom(...TIERS, null);

const statement: fc.Arbitrary<Omit<Statement, 'ledger'>> = fc.record({
  hash: TEXT,
  authentic: fc.boolean(),
  line: fc.constant(0),
  at: fc.double({ noNaN: true }),
  clock: fc.double({ noNaN: true }),
  store: fc.constantFrom(null, 'a'.repeat(32), 'b'.repeat(32)),
  action: fc.constantFrom('propose', 'seen', 'something new'),
  actor: fc.constantFrom(...ACTORS),
  level: fc.constantFrom(0, 1, 3, 2.5, -1),
  channel: fc.constantFrom('page', 'tool', undefined),
  id: TEXT,
  from: TIER,
  to: TIER,
  rules: TEXT,
  digest: fc.option(TEXT),
  saying: fc.option(TEXT),
  was: fc.option(TEXT),
  settled: fc.array(TEXT, { maxLength: 3 }),
  replaces: fc.option(TEXT),
  after: fc.oneof(fc.array(SHA, { maxLength: 3 }), fc.constant(Array.from({ length: 300 }, () => 'a'.repeat(64)))),
  passkeys: fc.option(fc.constant({ credential: 'one', ledgers: [['a'.repeat(64), 3, 'b'.repeat(64)]] as const })),
  assertion: fc.option(
    fc.constant({ credential: 'a', authenticatorData: 'b', clientDataJSON: 'c', signature: 'd', nonce: 'e' }),
  ),
});

const HERE: LedgerTrust = { fingerprint: 'here', raises: true };
const THERE: LedgerTrust = { fingerprint: 'there', raises: true };
const STRANGER: LedgerTrust = { fingerprint: 'stranger', raises: false };
const ID = 'user_build';
const of =
  (fingerprint: string) =>
  (ledger: LedgerTrust): boolean =>
    ledger.fingerprint === fingerprint;
let count = 0;

/** A promotion of `ID` by a person; each test changes what it is about. */
function says(ledger: LedgerTrust, changes: Partial<Statement> = {}): Statement {
  const hash = sha256(`line ${count++}`);
  const at = changes.at ?? 1_000;
  return {
    ...{ ledger, hash, authentic: true, line: 0, at, clock: at, store: null },
    ...{ action: 'promote', actor: 'operator', level: 3, id: ID, from: 'inferred', to: 'verified', rules: 'r' },
    ...{ digest: 'd', saying: 's', was: null, settled: [], replaces: null, after: [], passkeys: null, assertion: null },
    ...changes,
  } as Statement;
}
const no = (ledger: LedgerTrust, changes: Partial<Statement> = {}) =>
  says(ledger, { action: 'declined', from: null, to: null, ...changes });
const quarantine = (ledger: LedgerTrust, changes: Partial<Statement> = {}) =>
  says(ledger, { action: 'quarantine', actor: 'check', level: 0, to: 'quarantined', ...changes });

/** The ledgers of these statements, each in its order, with the numbers of their entries. */
function ledgersOf(statements: readonly Statement[]): Map<LedgerTrust, Statements> {
  const ledgers = new Map<LedgerTrust, Statements>();
  for (const each of statements) {
    const ledger = ledgers.get(each.ledger) ?? new Statements(each.ledger);
    ledgers.set(each.ledger, ledger);
    ledger.add({ ...each, line: ledger.rows });
  }
  return ledgers;
}

function evidenceOf(statements: readonly Statement[], now = Number.POSITIVE_INFINITY): Evidence {
  const evidence = new Evidence(() => now);
  for (const ledger of ledgersOf(statements).values()) evidence.take(ledger);
  return evidence;
}

test('what was taken in since is told by its ids, each once, and taking it again adds nothing', () => {
  const evidence = new Evidence(ALWAYS);
  const ledger = new Statements(HERE);
  for (const id of ['a', 'b']) ledger.add(says(HERE, { id }));
  evidence.take(ledger);
  evidence.take(ledger);
  expect([evidence.taken, evidence.idsAfter(0), evidence.idsAfter(2)]).toEqual([2, ['a', 'b'], []]);
  for (const id of ['c', 'd', 'c']) ledger.add(says(HERE, { id }));
  evidence.take(ledger);
  expect([evidence.taken, evidence.idsAfter(2), evidence.idsAfter(1)]).toEqual([5, ['c', 'd'], ['b', 'c', 'd']]);
  expect(['a', 'd', 'e'].map((id) => evidence.knows(id))).toEqual([true, true, false]);
});

test('lines whose hashes begin alike are two, and an entry can state two texts of one memory', () => {
  const [one, other] = ['0', '1'].map((rest) => says(HERE, { hash: `abcdef01${rest.repeat(56)}` })) as [
    Statement,
    Statement,
  ];
  expect(evidenceOf([one, other]).of(ID)).toHaveLength(2);
  expect(evidenceOf([one, { ...one, digest: 'x' }]).of(ID)).toHaveLength(2);
  expect(evidenceOf([one, one]).of(ID)).toHaveLength(1);
});

test('memories whose ids have the same key are told apart', () => {
  const [one, other] = ['liquid', 'costarring'];
  expect(keyOf(one)).toBe(keyOf(other));
  // An entry about many memories has one hash for all of them.
  const said = no(HERE, { id: one });
  const evidence = evidenceOf([said, { ...said, id: other, action: 'seen' }]);
  expect([one, other].map((id) => evidence.of(id).map(({ action }) => action))).toEqual([['declined'], ['seen']]);
  expect([one, other].map((id) => evidence.declinedAt(id, 'd'))).toEqual([1_000, undefined]);
});

test('a line that nobody signed counts once for its ledger, as the ledger that raises has it', () => {
  const raising: LedgerTrust = { fingerprint: 'kept', raises: true };
  const kept = says({ fingerprint: 'kept', raises: false }, { authentic: false });
  const evidence = evidenceOf([kept, { ...kept, ledger: raising }]);
  expect(evidence.of(ID).map(({ ledger }) => ledger)).toEqual([raising]);
  expect(evidenceOf([{ ...kept, ledger: raising }, kept]).of(ID)).toHaveLength(1);
});

test('hundreds of statements in several ledgers are all found', () => {
  const ids = Array.from({ length: 300 }, (_, number) => `user_${number}`);
  const evidence = evidenceOf(ids.map((id, number) => says(number % 3 === 0 ? HERE : THERE, { id, at: number })));
  for (const [number, id] of ids.entries())
    expect(evidence.of(id)).toMatchObject([{ id, at: number, ledger: number % 3 === 0 ? HERE : THERE }]);
});

test('without any statement there is nothing to tell', () => {
  const evidence = new Evidence(ALWAYS);
  evidence.take(new Statements(HERE));
  expect([[...evidence.everVerified()], evidence.rewordedAs('s'), evidence.idsBesides(of('here'), new Set())]).toEqual([
    [],
    undefined,
    [],
  ]);
  expect([...new Evidence(ALWAYS).everVerified()]).toEqual([]);
});

test.each<[string, readonly Statement[], number | undefined]>([
  ['by a ledger that counts', [says(HERE, { at: 5 })], 5],
  ['at the earliest time, whichever ledger has it', [says(HERE, { at: 5 }), says(THERE, { at: 3 }), says(HERE)], 3],
  ['not by a machine that is not trusted', [says(STRANGER, { at: 1 }), says(HERE, { at: 5 })], 5],
  ['by none, if no ledger that counts did', [says(STRANGER, { at: 1 })], undefined],
  ['not when another text was', [says(HERE, { at: 1, digest: 'x' }), says(HERE, { at: 5 })], 5],
  ['not when another memory was', [says(HERE, { at: 1, id: 'user_other' }), says(HERE, { at: 5 })], 5],
  ['by the clock, where the time is ahead', [says(HERE, { at: 900, clock: 50 })], 50],
])('a text was first seen %s', (_, statements, at) => {
  expect(evidenceOf(statements, 100).firstSeen(ID, 'd')).toBe(at);
});

test('a text whose digest this machine wrote with its key is known by its plain digest, and no other text is', () => {
  const evidence = new Evidence(ALWAYS, (digest) => digest.toUpperCase());
  for (const ledger of ledgersOf([
    says(HERE, { at: 5, digest: 'D', to: null }),
    no(HERE, { at: 7, digest: 'D' }),
  ]).values())
    evidence.take(ledger);
  expect([evidence.firstSeen(ID, 'd'), evidence.declinedAt(ID, 'd')]).toEqual([5, 7]);
  expect([evidence.firstSeen(ID, 'x'), evidence.declinedAt(ID, 'x')]).toEqual([undefined, undefined]);
  expect(evidence.declinedAt(ID, null)).toBeUndefined();
});

test.each<[string, readonly Statement[], string | null, boolean]>([
  ['a quarantine', [quarantine(HERE)], 'd', true],
  ['a quarantine by a machine that is not trusted', [quarantine(STRANGER)], 'd', true],
  ['a quarantine of another text', [quarantine(HERE, { digest: 'x' })], 'd', true],
  ['a quarantine, where the text cannot be read', [quarantine(HERE)], null, true],
  ['a quarantine of another memory', [quarantine(HERE, { id: 'user_other' })], 'd', false],
  ['other words in its place', [says(HERE, { action: 'adopt', was: 'd', digest: 'new' })], 'd', true],
  ['other words in the place of another text', [says(HERE, { action: 'adopt', was: 'x' })], 'd', false],
  ['a record that names the text', [no(HERE, { was: 'd' })], 'd', false],
  ['a yes', [says(HERE)], 'd', false],
  ['a yes, where the text cannot be read', [says(HERE)], null, false],
  ['nothing', [], 'd', false],
])('%s may have lowered a memory, or surely has not', (_, statements, digest, isPossible) => {
  expect(evidenceOf(statements).mayBeLowered(ID, digest)).toBe(isPossible);
});

test('an id that was asked about before it was named is known once it is', () => {
  const evidence = new Evidence(ALWAYS);
  expect(evidence.knows(ID)).toBe(false);
  const ledger = new Statements(HERE);
  ledger.add(says(HERE));
  evidence.take(ledger);
  expect([evidence.knows(ID), evidence.of(ID).length, evidence.of('user_other')]).toEqual([true, 1, []]);
});

test('the ids of a ledger are its own, without those that are not asked for', () => {
  const named = (ledger: LedgerTrust, ...ids: readonly string[]) => ids.map((id) => says(ledger, { id }));
  const evidence = evidenceOf([...named(HERE, 'a', 'b', 'a', 'c'), ...named(THERE, 'd')]);
  expect(evidence.idsBesides(of('here'), new Set([keyOf('b')]))).toEqual(['a', 'c']);
  expect(evidence.idsBesides(of('there'), new Set())).toEqual(['d']);
  expect(evidence.idsBesides(of('elsewhere'), new Set())).toEqual([]);
});

describe('a person’s no', () => {
  test.each<[string, readonly Statement[], number | undefined]>([
    ['to this text counts', [no(HERE, { at: 5 })], 5],
    ['counts from a machine that is not trusted, because it only lowers', [no(STRANGER, { at: 5 })], 5],
    ['to another text does not', [no(HERE, { digest: 'x' })], undefined],
    ['about another memory does not', [no(HERE, { id: 'user_other' })], undefined],
    ['that an agent wrote is none', [no(HERE, { actor: 'agent' })], undefined],
    ['stays behind an earlier yes', [says(HERE), no(HERE, { at: 5 })], 5],
    ['is over once a person vouched for the text', [no(HERE, { at: 5 }), says(HERE, { at: 4 })], undefined],
    ['is not over by a yes to another text', [no(HERE, { at: 5 }), says(HERE, { digest: 'x' })], 5],
    ['is not over by a yes that does not count', [no(HERE, { at: 5 }), says(STRANGER, { at: 9 })], 5],
    ['is not over by a quarantine', [no(HERE, { at: 5 }), quarantine(HERE, { at: 9 })], 5],
    [
      'is not over when the person demotes the memory',
      [no(HERE, { at: 5 }), quarantine(HERE, { at: 9, action: 'demote', actor: 'operator', level: 3 })],
      5,
    ],
    ['is over by a later yes of another machine', [no(HERE, { at: 5 }), says(THERE, { at: 5 })], undefined],
    ['is not over by an earlier yes of another machine', [no(HERE, { at: 5 }), says(THERE, { at: 4 })], 5],
    ['counts again after the yes', [no(HERE, { at: 5 }), says(HERE), no(HERE, { at: 8 })], 8],
  ])('%s', (_, statements, at) => {
    expect(evidenceOf(statements).declinedAt(ID, 'd')).toBe(at);
  });

  test('to a text that cannot be read ends with the next quarantine, and not with a yes', () => {
    const unread = { digest: null, saying: null };
    const said = [no(HERE, { ...unread, at: 5 }), says(HERE, { ...unread, at: 9 })];
    expect(evidenceOf(said).declinedAt(ID, null)).toBe(5);
    expect(evidenceOf([...said, quarantine(HERE, { ...unread, at: 9 })]).declinedAt(ID, null)).toBeUndefined();
    expect(evidenceOf([no(HERE)]).declinedAt(ID, null)).toBeUndefined();
  });

  test('is known by the memories it is about, each once, the last no first', () => {
    const said = [no(HERE, { id: 'b' }), says(HERE, { id: 'c' }), no(HERE, { id: 'a' }), no(HERE, { id: 'b' })];
    const evidence = evidenceOf(said);
    expect(evidence.declinedIds()).toEqual(['b', 'a']);
    expect(['a', 'b', 'c'].map((id) => evidence.mayBeDeclined(id))).toEqual([true, true, false]);
    const last = no(HERE, { id: 'b' });
    const copied = evidenceOf([{ ...last, ledger: STRANGER, authentic: false }, no(HERE, { id: 'a' }), last]);
    expect(copied.declinedIds()).toEqual(['b', 'a']);
    const none = evidenceOf([says(HERE)]);
    expect([none.declinedIds(), none.mayBeDeclined(ID)]).toEqual([[], false]);
  });

  test('of a stranger comes after all that count here, because only the first ones are asked for', () => {
    const said = [no(HERE, { id: 'a' }), no(STRANGER, { id: 'b' }), no(HERE, { id: 'c' }), no(STRANGER, { id: 'a' })];
    expect(evidenceOf(said).declinedIds()).toEqual(['c', 'a', 'b']);
  });

  test('that is repeated in another ledger is told once, as its author’s', () => {
    const said = no(HERE);
    const copy = { ...said, ledger: STRANGER, authentic: false };
    const evidence = evidenceOf([copy, said]);
    expect([evidence.declinedIds(), evidence.of(ID).map(({ ledger }) => ledger)]).toEqual([[ID], [HERE]]);
  });
});

test('whether anything was ever verified is known from the entry on that says so, whoever wrote it', () => {
  const evidence = new Evidence(ALWAYS);
  const ledger = new Statements(STRANGER);
  const taken = (statement: Statement) => {
    ledger.add(statement);
    evidence.take(ledger);
    return evidence.namesVerified;
  };
  expect([evidence.namesVerified, taken(no(STRANGER)), taken(quarantine(STRANGER))]).toEqual([false, false, false]);
  expect([taken(says(STRANGER)), taken(no(STRANGER))]).toEqual([true, true]);
});

test('memories that were verified in the same second are told by id, whichever came first', () => {
  const said = [says(HERE, { id: 'c' }), says(HERE, { id: 'a' }), says(STRANGER, { id: 'b' })];
  expect([...evidenceOf(said).everVerified()].map(({ id }) => id)).toEqual(['a', 'b', 'c']);
});

test('memories that were ever verified are told once each, the latest first, by a time that is not ahead', () => {
  const said = [
    says(HERE, { id: 'a', at: 10 }),
    says(HERE, { id: 'b', at: 30 }),
    says(STRANGER, { id: 'c', at: 20 }),
    says(HERE, { id: 'a', at: 25 }),
    quarantine(HERE, { id: 'd', at: 40 }),
    no(HERE, { id: 'e', at: 50 }),
    says(HERE, { id: 'f', at: 900, clock: 5 }),
  ];
  const copy = { ...says(HERE, { id: 'g', at: 1 }), authentic: false };
  const told = [...evidenceOf([...said, copy, { ...copy, authentic: true }], 100).everVerified()];
  expect(told).toEqual([
    { id: 'b', at: 30 },
    { id: 'a', at: 25 },
    { id: 'c', at: 20 },
    { id: 'f', at: 5 },
    { id: 'g', at: 1 },
  ]);
});

test('a saying is quarantined as long as the decision on its memory is in force', () => {
  const lowered = quarantine(HERE, { id: 'user_other' });
  expect(evidenceOf([lowered]).quarantinedSaying('s')?.hash).toBe(lowered.hash);
  expect(evidenceOf([lowered]).quarantinedSaying('t')).toBeUndefined();
  expect(evidenceOf([quarantine(HERE, { saying: null })]).quarantinedSaying('s')).toBeUndefined();
  expect(evidenceOf([says(HERE)]).quarantinedSaying('s')).toBeUndefined();
  const restored = says(HERE, { id: 'user_other', action: 'restore', from: 'quarantined', after: [lowered.hash] });
  expect(evidenceOf([lowered, restored]).quarantinedSaying('s')).toBeUndefined();
  const another = quarantine(HERE, { id: 'user_third' });
  expect(evidenceOf([lowered, restored, another]).quarantinedSaying('s')?.id).toBe('user_third');
  // A yes that does not take the quarantine back leaves it in force.
  expect(evidenceOf([lowered, says(HERE, { id: 'user_other' })]).quarantinedSaying('s')?.hash).toBe(lowered.hash);
  // A copy that its author's own line replaced is not asked.
  const copy = { ...lowered, ledger: STRANGER, authentic: false };
  expect(evidenceOf([copy, lowered]).quarantinedSaying('s')?.ledger).toBe(HERE);
});

describe('what a reworded memory said before', () => {
  const proposal = says(HERE, { action: 'propose', actor: 'agent', level: 0, from: null, to: 'inferred' });
  const adoption = says(HERE, { action: 'adopt', digest: 'new', saying: 'new', was: 'd', after: [proposal.hash] });

  test('leads to the memory, whichever ledger is read first', () => {
    expect(evidenceOf([proposal, adoption]).rewordedAs('s')).toBe(ID);
    const evidence = evidenceOf([adoption]);
    expect([evidence.rewordedAs('s'), evidence.rewordedAs('new')]).toEqual([undefined, undefined]);
    const [later] = ledgersOf([{ ...proposal, ledger: THERE }]).values();
    if (later) evidence.take(later);
    expect([evidence.rewordedAs('s'), evidence.rewordedAs('s'), evidence.rewordedAs('new')]).toEqual([
      ID,
      ID,
      undefined,
    ]);
  });

  test.each<[string, readonly Statement[]]>([
    ['an adoption that does not count', [proposal, { ...adoption, ledger: STRANGER }]],
    ['one that reworded nothing', [proposal, { ...adoption, was: null }]],
    ['one whose own text is not on record', [proposal, { ...adoption, digest: null }]],
    ['a promotion', [proposal, { ...adoption, action: 'promote' }]],
    ['words of another memory', [{ ...proposal, id: 'user_other' }, adoption]],
    ['a text whose words are not on record', [{ ...proposal, saying: null }, adoption]],
    ['another text', [{ ...proposal, digest: 'x' }, adoption]],
  ])('leads nowhere by %s', (_, statements) => {
    expect(evidenceOf(statements).rewordedAs('s')).toBeUndefined();
  });

  test('leads to the memory where an earlier record of the text has no words, and where another memory was vouched for', () => {
    const seen = says(HERE, { action: 'seen', actor: 'check', level: 0, from: null, to: null, saying: null });
    expect(evidenceOf([seen, proposal, adoption]).rewordedAs('s')).toBe(ID);
    expect(evidenceOf([says(HERE, { id: 'user_other' }), proposal, adoption]).rewordedAs('s')).toBe(ID);
  });

  test('leads to the memory where the words arrive last, after the question and after news of another memory', () => {
    const evidence = evidenceOf([adoption]);
    expect(evidence.rewordedAs('s')).toBeUndefined();
    for (const news of [says(STRANGER, { id: 'user_other', saying: 'x' }), { ...proposal, ledger: THERE }]) {
      for (const ledger of ledgersOf([news]).values()) evidence.take(ledger);
      expect(evidence.rewordedAs('s')).toBe(news.id === ID ? ID : undefined);
    }
  });

  test('is what the first record of the text says, and not what a later one leaves out or says otherwise', () => {
    const later = (saying: string | null) => says(STRANGER, { action: 'seen', from: null, to: null, saying });
    const evidence = evidenceOf([proposal, adoption, later(null), later('x')]);
    expect([evidence.rewordedAs('s'), evidence.rewordedAs('x')]).toEqual([ID, undefined]);
  });

  test('is not what a record without a text says, where an adoption reworded nothing', () => {
    const forged = says(STRANGER, { action: 'seen', from: null, to: null, digest: null });
    expect(evidenceOf([forged, { ...adoption, was: null }]).rewordedAs('s')).toBeUndefined();
  });

  test('leads to the adoption that counts, where another one reworded the same words', () => {
    const elsewhere = { ...adoption, ledger: STRANGER, hash: sha256('elsewhere'), id: 'user_other' };
    const said = [{ ...proposal, id: 'user_other', hash: sha256('other') }, elsewhere, proposal, adoption];
    expect(evidenceOf(said).rewordedAs('s')).toBe(ID);
  });
});

describe('with a passkey on record', () => {
  const enrolled = (ledger: LedgerTrust, changes: Partial<Statement> = {}) =>
    says(ledger, {
      ...{ action: 'enrolled', id: PASSKEYS, from: null, to: null, digest: null, saying: null },
      passkeys: { credential: 'c', key: 'k', ledgers: [] },
      ...changes,
    });

  test('the passkeys are read once, and again when a ledger of theirs raises no more', () => {
    const ledger: LedgerTrust = { fingerprint: 'here', raises: true };
    const evidence = evidenceOf([enrolled(ledger)]);
    const set = evidence.passkeys();
    expect([set?.isKnown, evidence.passkeys() === set]).toEqual([true, true]);
    ledger.raises = false;
    expect([evidence.passkeys() === set, evidence.passkeys()?.isKnown]).toEqual([false, false]);
    ledger.raises = true;
    expect(evidence.passkeys()?.isKnown).toBe(true);
  });

  test('they are read again when the store gets the id under which one was on record', () => {
    const scoped = (...ids: readonly string[]) => ({ ids: new Set(ids), unnamed: 0 });
    const ledger: LedgerTrust = { fingerprint: 'scoped', raises: true, scope: scoped('a') };
    const lost = { action: 'known', after: ['of a ledger that is gone'], passkeys: { ledgers: [] } };
    const evidence = evidenceOf([says(ledger, { store: 'a' }), enrolled(ledger, { ...lost, store: 'b' })]);
    expect(evidence.passkeys()?.isRequired).toBe(false);
    ledger.scope = scoped('a', 'b');
    expect(evidence.passkeys()?.isRequired).toBe(true);
  });

  test('they are read again when another change is taken in, and when more entries without a store count', () => {
    const lost = { action: 'known', after: ['of a ledger that is gone'], passkeys: { ledgers: [] } };
    const evidence = evidenceOf([enrolled(HERE)]);
    expect(evidence.passkeys()?.isRequired).toBe(false);
    const [later] = ledgersOf([enrolled(THERE, lost)]).values();
    if (later) evidence.take(later);
    expect(evidence.passkeys()?.isRequired).toBe(true);

    const ledger: LedgerTrust = { fingerprint: 'scoped', raises: true, scope: { ids: new Set(['a']), unnamed: 0 } };
    const unnamed = evidenceOf([enrolled(ledger, lost)]);
    expect(unnamed.passkeys()?.isRequired).toBe(false);
    ledger.scope = { ids: new Set(['a']), unnamed: 1 };
    expect(unnamed.passkeys()?.isRequired).toBe(true);
  });

  test('one that was enrolled behind other entries is found', () => {
    expect(evidenceOf([says(HERE), enrolled(HERE)]).passkeys()?.isKnown).toBe(true);
  });

  test('the lines that are kept of a ledger count as long as one of its name raises', () => {
    const kept = enrolled({ fingerprint: 'here', raises: false });
    const known = (...others: readonly Statement[]) => evidenceOf([kept, ...others]).passkeys()?.isKnown;
    expect([known(says(HERE)), known(says(THERE)), known(), known(says(THERE), says(HERE))]).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  test('there are none where no entry is about any, and an empty set where one is asked for', () => {
    const evidence = evidenceOf([says(HERE)]);
    expect([evidence.passkeys(), evidence.passkeySet().isKnown]).toEqual([undefined, false]);
  });

  test('an enrolment that is not genuine is of level 0, and other statements keep theirs', () => {
    const forged = enrolled(HERE, { actor: 'operator', assertion: null });
    const evidence = evidenceOf([
      enrolled(HERE, { level: 2 }),
      forged,
      says(HERE, { at: 7 }),
      says(HERE, { id: 'by an agent', actor: 'agent', level: 1 }),
      quarantine(HERE, { id: 'lowered', actor: 'operator', level: 2 }),
    ]);
    expect(evidence.of(PASSKEYS).map(({ level }) => level)).toEqual([2, 0]);
    const levels = [ID, 'by an agent', 'lowered'].map((id) => evidence.of(id)[0]?.level);
    expect(levels).toEqual([3, 1, 2]);
  });

  test('a yes that would need one counts for nothing, and its time is still that of the clock where it is ahead', () => {
    const known = enrolled(HERE, {
      action: 'known',
      after: ['of a ledger that is gone'],
      passkeys: { ledgers: [] },
      actor: 'check',
    });
    const evidence = evidenceOf([known, says(HERE, { at: 900, clock: 5 })], 100);
    expect(evidence.of(ID)).toMatchObject([{ level: 0, at: 5 }]);
    expect(evidence.heads(ID)[0]?.level).toBe(0);
    expect(evidence.settled(ID, 'd').size).toBe(0);
    const byAgent = evidenceOf([known, says(HERE, { actor: 'agent', level: 1 })]);
    expect(byAgent.of(ID)[0]?.level).toBe(1);
    const ahead = evidenceOf([known, says(HERE, { actor: 'agent', level: 1, at: 900, clock: 5 })], 100);
    expect(ahead.of(ID)).toMatchObject([{ level: 1, at: 5 }]);
  });

  describe('a yes that it signed', () => {
    const AT = Date.parse('2026-03-01T12:00:00Z');
    const STORE = 'ab'.repeat(16);
    const key = new SoftwareAuthenticator('EdDSA');
    const passkeys = { credential: key.credential, key: key.publicKey, ledgers: [] };
    const signed = (changes: Partial<Statement> = {}): Statement => {
      const yes = says(HERE, { store: STORE, at: AT, level: 3, settled: ['r'], ...changes });
      const { action, id, was, digest, from, settled, replaces, after } = yes;
      const place = { store: STORE, ledger: 'here', after, day: '2026-03-01', nonce: 'bm9uY2U' };
      const challenge = challengeOfYes({ ...place, verb: action, id, was, digest, from, settled, replaces });
      return { ...yes, assertion: key.sign(challenge, 'bm9uY2U') };
    };
    const level = (evidence: Evidence) => evidence.of(ID)[0]?.level;
    const first = enrolled(HERE, { store: STORE, passkeys });

    test('needs one as soon as the lines are here that the requirement names as older', () => {
      const later = says(HERE, { store: STORE });
      const change = { recovery: 'r', ledgers: [['here', 2, later.hash]] } as const;
      const place = { store: STORE, ledger: 'there', after: [], day: '2026-03-01', nonce: 'bm9uY2U' };
      const assertion = key.sign(challengeOfChange({ ...place, action: 'required', change }), 'bm9uY2U');
      const required = enrolled(THERE, { action: 'required', store: STORE, at: AT, passkeys: change, assertion });
      const [here, there] = [new Statements(HERE), new Statements(THERE)];
      const evidence = new Evidence(ALWAYS);
      here.add(first);
      there.add(required);
      for (const ledger of [here, there]) evidence.take(ledger);
      const before = evidence.passkeys();
      expect(before?.isRequired).toBe(false);
      here.add({ ...later, line: 1 });
      evidence.take(here);
      // Somebody who still has the passkeys from before asks them.
      expect(before?.allows({ ...required, action: 'released' })).toBe(false);
      const set = evidence.passkeys();
      expect(set?.isRequired).toBe(true);
      here.add(says(HERE, { store: STORE, line: 2 }));
      evidence.take(here);
      expect(evidence.passkeys()).toBe(set);
    });

    test('is of level 4, also where its time is ahead of the clock, which is told instead', () => {
      expect(level(evidenceOf([first, signed()]))).toBe(4);
      const ahead = evidenceOf([first, signed({ clock: 5 })], 100);
      expect(ahead.of(ID)).toMatchObject([{ level: 4, at: 5 }]);
    });

    test('is taken for right without verifying it while that is presumed, and only then', () => {
      const forged = { ...signed({ level: 1 }), settled: ['r', 'more'] };
      const evidence = evidenceOf([first, forged]);
      expect(level(evidence)).toBe(1);
      expect(evidence.presuming(() => level(evidence))).toBe(3);
      expect(evidence.presuming(() => evidence.presuming(() => 1) + Number(level(evidence)))).toBe(4);
      expect(level(evidence)).toBe(1);
      const failing = () =>
        evidence.presuming(() => {
          throw new Error('in the work');
        });
      expect(failing).toThrow('in the work');
      expect(level(evidence)).toBe(1);
    });
  });

  test('a reader who presumes takes an assertion for right, is never told level 4, and changes nothing for anybody else', () => {
    const lost = {
      action: 'known',
      after: ['of a ledger that is gone'],
      passkeys: { ledgers: [] },
      actor: 'check',
    } as const;
    const assertion = { credential: 'c', authenticatorData: '', clientDataJSON: '', signature: '', nonce: '' };
    const of = (credential: string) => {
      const yes = says(HERE, { store: 's', level: 1, assertion: { ...assertion, credential } });
      return evidenceOf([enrolled(HERE), enrolled(HERE, lost), yes]);
    };
    const [evidence, others] = [of('c'), of('not enrolled')];
    const before = evidence.of(ID)[0];
    expect(evidence.presuming(() => [evidence.of(ID)[0]?.level, before?.level])).toEqual([3, 0]);
    expect([before?.level, evidence.of(ID)[0]?.level]).toEqual([0, 0]);
    expect(others.presuming(() => others.of(ID)[0]?.level)).toBe(0);
  });

  test('a change that its author’s own line replaced is not asked twice', () => {
    const said = enrolled(HERE);
    const copy = { ...said, ledger: STRANGER, authentic: false };
    const evidence = evidenceOf([copy, said]);
    expect([evidence.passkeys()?.isKnown, evidence.passkeys()?.isContested]).toEqual([true, false]);
    expect(evidence.passkeys()?.unknownTo('here')).toEqual([]);
    const kept = { ...said, ledger: { fingerprint: 'here', raises: false } };
    expect(evidenceOf([kept, said]).passkeys()).toMatchObject({ isKnown: true, isContested: false });
  });

  test('what a change says of the ends of ledgers is held against the ledgers themselves', () => {
    const first = enrolled(HERE);
    const second = (hash: string) =>
      enrolled(THERE, { passkeys: { credential: 'x', key: 'k', ledgers: [['here', 1, hash]] } });
    expect(evidenceOf([first, second(first.hash)]).passkeys()?.isContested).toBe(false);
    expect(evidenceOf([first, second('another')]).passkeys()?.isContested).toBe(true);
    // The hash is that of the first line, but of another ledger.
    const other = says(THERE);
    expect(evidenceOf([first, other, second(other.hash)]).passkeys()?.isContested).toBe(true);
  });
});

describe('the decisions in force', () => {
  const naming = (...statements: readonly Statement[]) => ({ after: statements.map(({ hash }) => hash) });
  const heads = (...statements: readonly Statement[]) => headsOf(statements).map(({ hash }) => hash);
  const proposal = says(HERE, { action: 'propose', actor: 'agent', level: 0, from: null, to: 'inferred' });

  test('are those that no lawful later one names, and no records', () => {
    const yes = says(HERE, naming(proposal));
    expect(heads(proposal, yes)).toEqual([yes.hash]);
    expect(heads(proposal)).toEqual([proposal.hash]);
    const typed = says(HERE, { ...naming(proposal), level: 1 });
    expect(heads(proposal, typed)).toEqual([typed.hash]);
    expect(heads(no(HERE))).toEqual([]);
    const unlawful = says(HERE, { ...naming(proposal), level: 0 });
    expect(heads(proposal, unlawful)).toEqual([proposal.hash, unlawful.hash]);
    const unsigned = says(HERE, { ...naming(proposal), authentic: false });
    expect(heads(proposal, unsigned)).toEqual([proposal.hash, unsigned.hash]);
  });

  test('are not taken back by a machine that does not count, unless they are its own', () => {
    const strange = { ...proposal, ledger: STRANGER };
    const yes = says(STRANGER, naming(proposal));
    expect(heads(proposal, yes)).toEqual([proposal.hash, yes.hash]);
    expect(heads(strange, yes)).toEqual([yes.hash]);
  });

  test('a quarantine stays until a restore names it; another quarantine may take its place', () => {
    const lowered = quarantine(HERE);
    const [again, yes] = [quarantine(HERE, naming(lowered)), says(HERE, naming(lowered))];
    const restored = says(HERE, { action: 'restore', from: 'quarantined', ...naming(lowered) });
    expect(heads(lowered, yes)).toEqual([lowered.hash, yes.hash]);
    expect(heads(lowered, restored)).toEqual([restored.hash]);
    expect(heads(lowered, again)).toEqual([again.hash]);
  });
});

test('a statement comes out of a packed ledger as it went in', () => {
  const ledger: LedgerTrust = { fingerprint: 'here', raises: true };
  fc.assert(
    fc.property(fc.array(statement, { maxLength: 20 }), (some) => {
      const packed = new Statements(ledger);
      for (const [line, each] of some.entries()) packed.add({ ...each, line });
      expect([packed.count, packed.rows]).toEqual([some.length, some.length]);
      for (const [row, each] of some.entries()) {
        expect(packed.at(row)).toEqual({ ...each, line: row, ledger });
        expect([packed.idAt(row), packed.rowHashAt(row), packed.hashAt(row)]).toEqual([each.id, each.hash, each.hash]);
        expect([packed.idKeyAt(row), packed.hashKeyAt(row)]).toEqual([keyOf(each.id), keyOf(each.hash) & 0x7fff_ffff]);
      }
    }),
  );
});

test('a packed ledger that was kept elsewhere states the same, and goes on where it ended', () => {
  const ledger: LedgerTrust = { fingerprint: 'here', raises: true };
  const long = statement.map((each) => ({ ...each, id: 'x'.repeat(300_000), after: [] }));
  const some = fc.array(fc.oneof({ weight: 20, arbitrary: statement }, long), { maxLength: 20 });
  fc.assert(
    fc.property(some, some, some, (first, second, third) => {
      let packed = new Statements(ledger);
      for (const more of [first, second, third]) {
        for (const each of more) packed.add({ ...each, line: packed.count });
        const { commons, rows, idKeys, hashKeys, chunks } = packed.packed();
        const told = JSON.parse(JSON.stringify(commons)) as typeof commons;
        packed = Statements.unpacked(ledger, {
          commons: told,
          rows: rows.slice(),
          idKeys: idKeys.slice(),
          hashKeys: hashKeys.slice(),
          chunks: chunks.map((chunk) => Buffer.from(chunk)),
        });
      }
      const all = [...first, ...second, ...third];
      expect(packed.count).toBe(all.length);
      for (const [row, each] of all.entries()) expect(packed.at(row)).toEqual({ ...each, line: row, ledger });
    }),
  );
});

test('entries are counted apart from rows, of which an entry about many memories has many', () => {
  const [one] = fc.sample(statement, { numRuns: 1, seed: 3 });
  if (one === undefined) throw new Error('there is one');
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 30 }), (sizes) => {
      const packed = new Statements({ fingerprint: 'here', raises: true });
      for (const [line, size] of sizes.entries())
        for (let i = 0; i < size; i++) packed.add({ ...one, line, hash: `hash ${line}`, id: `${line} ${i}` });
      expect([packed.count, packed.rows]).toEqual([sizes.length, sizes.reduce((sum, size) => sum + size, 0)]);
      for (const line of sizes.keys()) expect(packed.hashAt(line)).toBe(`hash ${line}`);
      for (const line of [-1, sizes.length]) expect(packed.hashAt(line)).toBeUndefined();
      const evidence = new Evidence(ALWAYS);
      evidence.take(packed);
      for (const [line, size] of sizes.entries())
        for (let i = 0; i < size; i++) expect(evidence.of(`${line} ${i}`)).toHaveLength(1);
    }),
  );
});

test('rows larger than a chunk, and those behind them, keep their place', () => {
  const [one] = fc.sample(statement, { numRuns: 1, seed: 1 });
  if (one === undefined) throw new Error('there is one');
  const packed = new Statements({ fingerprint: 'here', raises: true });
  const ids = [
    'a',
    'b'.repeat(300_000),
    'c',
    'д'.repeat(200_000),
    'e',
    ...Array.from({ length: 5_000 }, (_, i) => `f${i}`),
  ];
  for (const id of ids) packed.add({ ...one, id, after: [] });
  expect(ids.every((id, row) => packed.idAt(row) === id && packed.at(row).id === id)).toBe(true);
});

/** The rule as it is written down in the docs, over a plain list: a line counts once, as its author's. */
function plainly(statements: readonly Statement[]): Statement[] {
  let kept: Statement[] = [];
  for (const s of statements) {
    const same = kept.filter(({ hash }) => hash === s.hash);
    const original = same.find(({ authentic }) => authentic);
    const known = s.authentic ? original : same.find(({ ledger }) => ledger.fingerprint === s.ledger.fingerprint);
    if (original !== undefined && !s.authentic) continue;
    if (known !== undefined && (known.ledger.raises || !s.ledger.raises)) continue;
    kept = [...kept.filter((other) => other !== known && !(s.authentic && same.includes(other))), s];
  }
  return kept;
}

test('evidence answers as a plain list of statements would, however lines are repeated among ledgers', () => {
  const trusts: LedgerTrust[] = [
    { fingerprint: 'here', raises: true },
    { fingerprint: 'here', raises: false },
    { fingerprint: 'friend', raises: true },
    { fingerprint: 'stranger', raises: false },
  ];
  const line = fc.record({ trust: fc.nat(trusts.length - 1), hash: fc.nat(4), authentic: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 30 }),
      fc.array(statement, { minLength: 1, maxLength: 1 }),
      (lines, [one]) => {
        if (one === undefined) return;
        const packs = trusts.map((trust) => new Statements(trust));
        const evidence = new Evidence(ALWAYS);
        const taken: Statement[] = [];
        for (const { trust, hash, authentic } of lines) {
          // The hash is that of the line, so lines with the same one say the same.
          const said = { ...one, hash: `hash ${hash}`, id: `id ${hash % 3}`, authentic };
          const [ledger, pack] = [trusts[trust], packs[trust]];
          if (ledger === undefined || pack === undefined) continue;
          pack.add(said);
          evidence.take(pack);
          taken.push({ ...said, ledger });
        }
        const expected = plainly(taken);
        for (const id of ['id 0', 'id 1', 'id 2']) {
          expect(evidence.of(id)).toEqual(expected.filter((s) => s.id === id));
          expect(evidence.knows(id)).toBe(expected.some((s) => s.id === id));
        }
      },
    ),
  );
});

test('twenty thousand lines on one id are taken in one by one, not each against all others', () => {
  const [one] = fc.sample(statement, { numRuns: 1, seed: 2 });
  if (one === undefined) throw new Error('there is one');
  const pack = new Statements({ fingerprint: 'here', raises: true });
  const evidence = new Evidence(ALWAYS);
  for (let at = 0; at < 20_000; at++) {
    pack.add({ ...one, id: 'user_one', hash: sha256(String(at)), after: [], to: 'inferred', at });
    evidence.take(pack);
  }
  expect(evidence.of('user_one')).toHaveLength(20_000);
  expect(evidence.firstSeen('user_one', String(one.digest))).toBe(one.digest === null ? undefined : 0);
});

describe('a stranger’s ledger of ten thousand lines is gone through once a question, not once a line', () => {
  const MANY = 10_000;
  const lines = (make: (at: number) => readonly Statement[]) =>
    Array.from({ length: MANY }, (_, at) => make(at)).flat();

  test('with quarantines of one text, each taken back', () => {
    const statements = lines(() => {
      const lowered = quarantine(STRANGER, { id: 'user_other' });
      return [
        lowered,
        says(STRANGER, { id: 'user_other', action: 'restore', from: 'quarantined', after: [lowered.hash] }),
      ];
    });
    expect(evidenceOf(statements).quarantinedSaying('s')).toBeUndefined();
  });

  test('with adoptions of words that nobody knows', () => {
    const evidence = evidenceOf(lines((at) => [says(STRANGER, { action: 'adopt', was: `unknown ${at}` })]));
    for (let asked = 0; asked < 20; asked++) {
      const [news] = ledgersOf([says(HERE, { id: `user_new_${asked}` })]).values();
      if (news) evidence.take(news);
      expect(evidence.rewordedAs('s')).toBeUndefined();
    }
  });

  test('with passkeys that nobody enrolled', () => {
    const about = {
      action: 'enrolled',
      id: PASSKEYS,
      from: null,
      to: null,
      passkeys: { credential: 'one', ledgers: [] },
    } as const;
    const evidence = evidenceOf([...lines(() => [says(STRANGER, about)]), says(HERE)]);
    for (let asked = 0; asked < 1_000; asked++)
      expect(evidence.heads(asked % 2 === 0 ? ID : 'user_other').length).toBeLessThan(2);
  });
});

test('a saying that this machine wrote keyed, for a text that may hold a secret, is found by its words', () => {
  const asked: string[] = [];
  const keyed = (text: string) => {
    asked.push(text);
    return `keyed ${text}`;
  };
  const evidenceWith = (statements: readonly Statement[]) => {
    const evidence = new Evidence(ALWAYS, keyed);
    for (const ledger of ledgersOf(statements).values()) evidence.take(ledger);
    return evidence;
  };
  const secret = quarantine(HERE, { id: 'user_secret', digest: null, saying: 'keyed s' });
  const plain = quarantine(HERE, { id: 'user_plain', saying: 't' });
  const erased = says(HERE, { action: 'erased', from: null, to: null, digest: null });
  const evidence = evidenceWith([secret, plain, erased]);
  expect(['s', 't', 'u'].map((saying) => evidence.quarantinedSaying(saying)?.id)).toEqual([
    'user_secret',
    'user_plain',
    undefined,
  ]);
  expect(asked).toEqual(['s', 't', 'u']);
  // Keying takes time, and every memory is asked about: it is left where nothing was written so.
  expect(evidenceWith([plain, erased]).quarantinedSaying('t')?.id).toBe('user_plain');
  expect(asked).toHaveLength(3);
});

test('sayings that have the same key are told apart', () => {
  const [one, other] = ['liquid', 'costarring'];
  expect(keyOf(one)).toBe(keyOf(other));
  const evidence = evidenceOf([quarantine(HERE, { saying: one })]);
  expect([one, other].map((saying) => evidence.quarantinedSaying(saying)?.id)).toEqual([ID, undefined]);
});

test('an erasure counts as the machine that counts here signed it', () => {
  const erased = says(HERE, { action: 'erased', from: null, to: null, digest: null });
  expect(evidenceOf([erased]).isErased(ID)).toBe(true);
  expect(evidenceOf([says(HERE)]).isErased(ID)).toBe(false);
  expect(evidenceOf([{ ...erased, authentic: false }]).isErased(ID)).toBe(false);
  expect(evidenceOf([{ ...erased, ledger: STRANGER }]).isErased(ID)).toBe(false);
  expect(evidenceOf([erased]).isErased('user_other')).toBe(false);
});
