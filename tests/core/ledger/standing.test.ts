import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Evidence } from '../../../src/core/ledger/evidence.ts';
import { headsOf, vouches } from '../../../src/core/ledger/heads.ts';
import { Statements } from '../../../src/core/ledger/packed-statements.ts';
import {
  type FileFacts,
  isContested,
  isHalfReworded,
  isLiftedElsewhere,
  isSurelyAlive,
  liftedBy,
  type Place,
  REASONS,
  standingKey,
  standingOf,
  startOf,
  whyStanding,
} from '../../../src/core/ledger/standing.ts';
import type { LedgerTrust, Statement } from '../../../src/core/ledger/statement.ts';
import { TIERS, type Tier } from '../../../src/core/trust/tiers.ts';

const HERE: LedgerTrust = { fingerprint: 'here', raises: true };
const FRIEND: LedgerTrust = { fingerprint: 'friend', raises: true };
const STRANGER: LedgerTrust = { fingerprint: 'stranger', raises: false };

const ID = 'user_build';
let count = 0;

/** A promotion of `ID` with digest `d`; every test changes what it is about. */
function says(ledger: LedgerTrust, changes: Partial<Statement> = {}): Statement {
  const to = changes.to === undefined ? 'verified' : changes.to;
  const made = {
    verified: { action: 'promote', from: 'inferred', actor: 'operator', level: 3 },
    quarantined: { action: 'quarantine', from: 'inferred', actor: 'check', level: 0 },
    inferred: { action: 'propose', from: null, actor: 'agent', level: 0 },
    record: { action: 'seen', from: null, actor: 'check', level: 0 },
  } as const;
  return {
    ledger,
    hash: `hash-${count++}`,
    authentic: true,
    line: 0,
    at: 1_000_000,
    clock: changes.at ?? 1_000_000,
    store: null,
    id: ID,
    to,
    rules: 'r',
    digest: 'd',
    saying: 's',
    was: null,
    settled: [],
    replaces: null,
    after: [],
    passkeys: null,
    assertion: null,
    ...made[to ?? 'record'],
    ...changes,
  };
}

function evidenceOf(...statements: readonly Statement[]): Evidence {
  return evidenceOfAt(Number.POSITIVE_INFINITY, ...statements);
}

function evidenceOfAt(now: number, ...statements: readonly Statement[]): Evidence {
  const evidence = new Evidence(() => now);
  const ledgers = new Map<LedgerTrust, Statements>();
  for (const statement of statements) {
    const ledger = ledgers.get(statement.ledger) ?? new Statements(statement.ledger);
    ledgers.set(statement.ledger, ledger);
    ledger.add(statement);
    evidence.take(ledger);
  }
  return evidence;
}

function standing(statements: readonly Statement[], file: Partial<FileFacts> = {}): string {
  const facts: FileFacts = { id: ID, place: 'memories', claim: 'verified', digest: 'd', saying: 's', ...file };
  return standingKey(standingOf(facts, evidenceOf(...statements)));
}

const naming = (...statements: readonly Statement[]) => ({ after: statements.map(({ hash }) => hash) });
const RANK: Record<Tier, number> = { quarantined: 0, inferred: 1, verified: 2 };
const rank = (key: string) => RANK[key.split(':')[0] as Tier];

describe('what a file earns with the ledgers', () => {
  const receipt = says(HERE);
  const quarantine = says(HERE, { to: 'quarantined' });
  const proposal = says(HERE, { to: 'inferred' });
  const lifted = says(HERE, { action: 'restore', from: 'quarantined', ...naming(quarantine) });
  const otherText = says(HERE, { digest: 'other', saying: 'other' });

  test.each<[string, readonly Statement[], Partial<FileFacts>, string]>([
    ['no ledger has heard of it', [], { claim: undefined }, 'inferred:found'],
    ['it only says verified', [], {}, 'inferred:unproven'],
    ['it was proposed', [proposal], { claim: 'inferred' }, 'inferred:proposed'],
    ['it was proposed and typed verified', [proposal], {}, 'inferred:unproven'],
    ['a person vouched for exactly it', [receipt], {}, 'verified:vouched'],
    ['a receipt follows the proposal', [proposal, says(HERE, naming(proposal))], {}, 'verified:vouched'],
    ['it was vouched for, but the proposal was never superseded', [proposal, receipt], {}, 'inferred:disputed'],
    ['the file does not say what the receipt does', [receipt], { claim: 'inferred' }, 'inferred:unfinished'],
    ['the file says nothing of its tier', [receipt], { claim: undefined }, 'inferred:unfinished'],
    ['the text changed', [receipt], { digest: 'new', saying: 'new' }, 'inferred:changed'],
    ['there is no memory in it any more', [receipt], { digest: null, saying: null }, 'inferred:changed'],
    ['it lies in quarantine', [receipt], { place: 'quarantine' }, 'quarantined:folder'],
    ['it lies in the archive', [receipt], { place: 'archive' }, 'quarantined:folder'],
    ['it says quarantined', [receipt], { claim: 'quarantined' }, 'quarantined:claim'],
    ['it was quarantined', [quarantine], {}, 'quarantined:decided'],
    [
      'it was quarantined, and its text is another now',
      [quarantine],
      { digest: 'x', saying: 'x' },
      'quarantined:decided',
    ],
    [
      'it was quarantined after it was vouched for',
      [receipt, says(HERE, { to: 'quarantined', ...naming(receipt) })],
      {},
      'quarantined:decided',
    ],
    ['it was restored', [quarantine, lifted], {}, 'verified:vouched'],
    ['it was restored with another text', [quarantine, { ...lifted, digest: 'x' }], {}, 'inferred:changed'],
    [
      'it was restored, but not after this quarantine',
      [quarantine, { ...lifted, after: [] }],
      {},
      'quarantined:decided',
    ],
    [
      'another memory with the same words is quarantined',
      [says(HERE, { id: 'user_other', to: 'quarantined' })],
      {},
      'quarantined:same-text',
    ],
    [
      'there is no memory in it, and another memory is quarantined',
      [says(HERE, { id: 'user_other', to: 'quarantined' })],
      { digest: null, saying: null },
      'inferred:unproven',
    ],
    [
      'the same words are quarantined elsewhere, and a person vouched for this',
      [receipt, says(HERE, { id: 'user_other', to: 'quarantined' })],
      {},
      'verified:vouched',
    ],
    ['two receipts vouch for it', [receipt, says(FRIEND)], {}, 'verified:vouched'],
    ['two receipts vouch for two texts', [receipt, says(FRIEND, { digest: 'x' })], {}, 'inferred:changed'],
    ['seen entries came after its receipt', [receipt, says(HERE, { to: null, digest: 'x' })], {}, 'verified:vouched'],
    [
      'it was reaffirmed with this text',
      [otherText, says(HERE, { action: 'reaffirm', from: 'verified', ...naming(otherText) })],
      {},
      'verified:vouched',
    ],
  ])('%s', (_, statements, file, expected) => {
    expect(standing(statements, file)).toBe(expected);
  });

  test('its date is that of the oldest receipt in force', () => {
    const facts: FileFacts = { id: ID, place: 'memories', claim: 'verified', digest: 'd', saying: 's' };
    for (const [here, friend] of [
      [5_000, 3_000],
      [3_000, 5_000],
    ] as const) {
      const evidence = evidenceOf(says(HERE, { at: here }), says(FRIEND, { at: friend }));
      expect(standingOf(facts, evidence)).toMatchObject({ receipt: { at: 3_000 } });
    }
  });

  test('a changed memory can be reaffirmed or demoted, and not promoted as if it were new', () => {
    const facts: FileFacts = { id: ID, place: 'memories', claim: 'verified', digest: 'x', saying: 'x' };
    const changed = standingOf(facts, evidenceOf(receipt));
    expect(startOf(changed, 'promote')).toBe('verified');
    expect(startOf(changed, 'reaffirm')).toBe('verified');
    expect(startOf(changed, 'quarantine')).toBe('inferred');
    const proposed = standingOf({ ...facts, claim: 'inferred' }, evidenceOf(proposal));
    expect(startOf(proposed, 'promote')).toBe('inferred');
  });

  test('two texts that people vouched for are contested, and a third one that nobody vouched for is only changed', () => {
    const facts: FileFacts = { id: ID, place: 'memories', claim: 'verified', digest: 'd', saying: 's' };
    const two = evidenceOf(receipt, says(FRIEND, { digest: 'x' }));
    const words = 'people vouched for this text and for another one';
    const told = (digest: string, evidence: Evidence) => {
      const earned = standingOf({ ...facts, digest }, evidence);
      return [isContested(earned), whyStanding(earned)];
    };
    expect(told('d', two)).toEqual([true, words]);
    expect(told('x', two)).toEqual([true, words]);
    expect(told('third', two)).toEqual([false, REASONS.changed]);
    expect(told('d', evidenceOf(receipt))).toEqual([false, REASONS.vouched]);
  });

  test('each reason has words of its own', () => {
    const words = Object.values(REASONS);
    expect(words).toHaveLength(11);
    expect(words.filter((each) => each.trim() === '')).toEqual([]);
    expect(new Set(words).size).toBe(words.length);
  });
});

describe('a memory that a person reworded', () => {
  const reworded = says(HERE, { action: 'adopt', digest: 'new', saying: 'new', was: 'd' });
  const facts: FileFacts = { id: ID, place: 'memories', claim: 'inferred', digest: 'd', saying: 's' };

  test('is unfinished while its file has the words before', () => {
    const unfinished = standingOf(facts, evidenceOf(reworded));
    expect(unfinished).toMatchObject({ tier: 'inferred', reason: 'unfinished', receipt: { was: 'd', digest: 'new' } });
    expect(isHalfReworded(unfinished, 'd')).toBe(true);
    expect(isHalfReworded(unfinished, 'new')).toBe(false);
    expect(isHalfReworded(unfinished, null)).toBe(false);
  });

  test('is not half reworded where the yes is for the words in the file', () => {
    const unfinished = standingOf(facts, evidenceOf(says(HERE)));
    expect(standingKey(unfinished)).toBe('inferred:unfinished');
    expect(isHalfReworded(unfinished, 'd')).toBe(false);
    expect(isHalfReworded(unfinished, null)).toBe(false);
    const changed = standingOf({ ...facts, claim: 'verified' }, evidenceOf(reworded));
    expect(isHalfReworded(changed, 'd')).toBe(false);
    expect(isHalfReworded({ tier: 'inferred', reason: 'proposed' }, 'd')).toBe(false);
  });

  test.each<[string, readonly Statement[], Partial<FileFacts>, string]>([
    ['has the words before and says verified', [reworded], { claim: 'verified' }, 'inferred:changed'],
    ['has words that nobody saw', [reworded], { digest: 'x', saying: 'x' }, 'inferred:changed'],
    ['has no memory in it', [reworded], { digest: null, saying: null }, 'inferred:changed'],
    ['has no memory in it, and no word was changed', [says(HERE)], { digest: null, saying: null }, 'inferred:changed'],
    ['was vouched for with other words elsewhere', [reworded, says(FRIEND, { digest: 'x' })], {}, 'inferred:changed'],
    ['has the new words', [reworded], { claim: 'verified', digest: 'new', saying: 'new' }, 'verified:vouched'],
  ])('%s', (_, statements, file, expected) => {
    expect(standingKey(standingOf({ ...facts, ...file }, evidenceOf(...statements)))).toBe(expected);
  });

  test('a receipt without a text vouches for nothing', () => {
    const empty = says(HERE, { digest: null, saying: null });
    const file: Partial<FileFacts> = { digest: null, saying: null };
    expect(standing([empty], file)).not.toBe('verified:vouched');
  });
});

describe('two machines', () => {
  test('what one quarantined while the other promoted is quarantined, whoever was later by the clock', () => {
    const proposal = says(HERE, { to: 'inferred' });
    for (const [early, late] of [
      [1, 2],
      [2, 1],
    ]) {
      const promoted = says(HERE, { at: early as number, ...naming(proposal) });
      const lowered = says(FRIEND, { at: late as number, to: 'quarantined', ...naming(proposal) });
      expect(standing([proposal, promoted, lowered])).toBe('quarantined:decided');
      expect(standing([lowered, promoted, proposal])).toBe('quarantined:decided');
    }
  });

  test('a trusted machine that knew of a quarantine can lift it; one that did not know of it cannot', () => {
    const lowered = says(HERE, { to: 'quarantined' });
    const knew = says(FRIEND, { action: 'restore', from: 'quarantined', ...naming(lowered) });
    expect(standing([lowered, knew])).toBe('verified:vouched');
    expect(standing([lowered, { ...knew, after: ['something else'] }])).toBe('quarantined:decided');
  });

  test('both lowered it: lifting one of the two lifts nothing', () => {
    const [one, other] = [says(HERE, { to: 'quarantined' }), says(FRIEND, { to: 'quarantined' })];
    const lifted = says(HERE, { action: 'restore', from: 'quarantined', ...naming(one) });
    expect(standing([one, other, lifted])).toBe('quarantined:decided');
    const both = says(HERE, { action: 'restore', from: 'quarantined', ...naming(one, other) });
    expect(standing([one, other, both])).toBe('verified:vouched');
  });
});

describe('a machine that is not trusted, or whose ledger is damaged', () => {
  test('verifies nothing', () => {
    expect(standing([says(STRANGER)])).toBe('inferred:disputed');
    expect(standing([says(HERE, { authentic: false })])).toBe('inferred:disputed');
  });

  test('lowers', () => {
    expect(standing([says(HERE), says(STRANGER, { to: 'quarantined' })])).toBe('quarantined:decided');
    expect(standing([says(HERE), says(HERE, { to: 'quarantined', authentic: false })])).toBe('quarantined:decided');
  });

  test('lifts nobody else’s quarantine, and can take back its own', () => {
    const [ours, theirs] = [says(HERE, { to: 'quarantined' }), says(STRANGER, { to: 'quarantined' })];
    const lifts = (quarantine: Statement) =>
      says(STRANGER, { action: 'restore', from: 'quarantined', ...naming(quarantine) });
    expect(standing([ours, lifts(ours)])).toBe('quarantined:decided');
    expect(standing([theirs, lifts(theirs)])).toBe('inferred:disputed');
  });

  test('its line put into a whole ledger’s file lifts nothing either', () => {
    const ours = says(HERE, { to: 'quarantined' });
    const slipped = says(HERE, { action: 'restore', from: 'quarantined', authentic: false, ...naming(ours) });
    expect(standing([ours, slipped])).toBe('quarantined:decided');
  });

  test('lifts no quarantine by copying the line into its own ledger first', () => {
    const ours = says(HERE, { to: 'quarantined' });
    const copy: Statement = { ...ours, ledger: STRANGER, authentic: false };
    const lifted = says(STRANGER, { action: 'restore', from: 'quarantined', ...naming(ours) });
    expect(standing([ours, copy, lifted])).toBe('quarantined:decided');
    // Read first, the stranger's copy must not pass for the line itself.
    expect(standing([copy, lifted, ours])).toBe('quarantined:decided');
  });

  test('takes back no line of another damaged ledger by copying it, though nobody signed it', () => {
    const damaged: LedgerTrust = { fingerprint: 'damaged', raises: false };
    const unsigned = says(damaged, { to: 'quarantined', authentic: false });
    const copy: Statement = { ...unsigned, ledger: STRANGER };
    const lifted = says(STRANGER, { action: 'restore', from: 'quarantined', ...naming(unsigned) });
    expect(standing([unsigned, copy, lifted])).toBe('quarantined:decided');
    expect(standing([copy, lifted, unsigned])).toBe('quarantined:decided');
  });

  test('cannot take a receipt away by copying its line', () => {
    const ours = says(HERE);
    const copy: Statement = { ...ours, ledger: STRANGER, authentic: false };
    expect(vouches(ours)).toBe(true);
    expect(evidenceOf(copy, ours).heads(ID).some(vouches)).toBe(true);
  });

  test('says nothing about how long a text was observed', () => {
    expect(evidenceOf(says(STRANGER, { at: 1 })).firstSeen(ID, 'd')).toBeUndefined();
    expect(evidenceOf(says(STRANGER, { at: 1 }), says(HERE, { at: 9 })).firstSeen(ID, 'd')).toBe(9);
  });

  test('settles no suspicion', () => {
    expect([...evidenceOf(says(STRANGER, { settled: ['rule'] })).settled(ID, 'd')]).toEqual([]);
    expect([...evidenceOf(says(HERE, { settled: ['rule'] })).settled(ID, 'd')]).toEqual(['rule']);
    expect([...evidenceOf(says(HERE, { settled: ['rule'] })).settled(ID, 'other')]).toEqual([]);
  });
});

describe('a quarantine that a word would lift which does not count here', () => {
  const lowered = says(HERE, { to: 'quarantined' });
  const other = says(HERE, { to: 'quarantined', id: 'user_other' });
  const lifts = (ledger: LedgerTrust, quarantine: Statement, changes: Partial<Statement> = {}) =>
    says(ledger, { action: 'restore', from: 'quarantined', id: quarantine.id, ...naming(quarantine), ...changes });
  const takenBack = (restore: Statement) => {
    const demotion = { action: 'demote', from: 'verified', to: 'quarantined', actor: 'operator', level: 3 } as const;
    return [restore, says(restore.ledger, { ...demotion, ...naming(restore) })];
  };

  test.each<[string, readonly Statement[], Partial<FileFacts>, boolean]>([
    ['nobody restored it', [lowered], {}, false],
    ['a machine that is not trusted restored it', [lowered, lifts(STRANGER, lowered)], {}, true],
    ['a passkey is missing from the restore', [lowered, lifts(HERE, lowered, { level: 0 })], {}, true],
    ['the restore did not know of it', [lowered, lifts(STRANGER, lowered, { after: [] })], {}, false],
    ['nobody signed the restore', [lowered, lifts(STRANGER, lowered, { authentic: false })], {}, false],
    ['an agent restored it', [lowered, lifts(STRANGER, lowered, { actor: 'agent' })], {}, false],
    ['its file is in quarantine', [lowered, lifts(STRANGER, lowered)], { place: 'quarantine' }, false],
    ['another memory with its words is quarantined', [other], {}, false],
    ['the other memory was restored by such a machine', [other, lifts(STRANGER, other)], {}, true],
    ['such a machine vouches for this text', [other, says(STRANGER)], {}, true],
  ])('%s', (_, statements, file, isLifted) => {
    const facts: FileFacts = { id: ID, place: 'memories', claim: 'verified', digest: 'd', saying: 's', ...file };
    const evidence = evidenceOf(...statements);
    expect([standingOf(facts, evidence).tier, isLiftedElsewhere(facts, evidence)]).toEqual(['quarantined', isLifted]);
  });

  test.each<[string, readonly Statement[], readonly string[]]>([
    ['the machine that restored it', [says(FRIEND), lowered, lifts(STRANGER, lowered)], ['stranger']],
    ['this machine, where a passkey is missing', [lowered, lifts(HERE, lowered, { level: 0 })], ['here']],
    ['the machine that restored the other memory', [other, lifts(STRANGER, other)], ['stranger']],
    ['the machine that vouches for this text', [other, says(STRANGER)], ['stranger']],
    ['nobody whose key did not sign it', [other, says(STRANGER, { authentic: false })], []],
    ['nobody who took their word back', [lowered, ...takenBack(lifts(STRANGER, lowered))], []],
  ])('is named with %s', (_, statements, by) => {
    const facts: FileFacts = { id: ID, place: 'memories', claim: 'verified', digest: 'd', saying: 's' };
    const evidence = evidenceOf(...statements);
    const standing = standingOf(facts, evidence);
    expect('decision' in standing && [...liftedBy(ID, standing.decision, evidence)]).toEqual(by);
  });
});

describe('in its own store', () => {
  const scoped = (unnamed: number, ...ids: string[]): LedgerTrust => ({
    fingerprint: 'here',
    raises: true,
    scope: { ids: new Set(ids), unnamed },
  });

  test.each<[string, LedgerTrust, Partial<Statement>, string]>([
    ['a receipt of this store counts', scoped(0, 'a'), { store: 'a' }, 'verified:vouched'],
    ['one of a store that is the same one counts', scoped(0, 'b', 'a'), { store: 'a' }, 'verified:vouched'],
    ['one of another store does not', scoped(0, 'b'), { store: 'a' }, 'inferred:disputed'],
    ['an older one counts as far as it was here before', scoped(1, 'b'), { store: null }, 'verified:vouched'],
    ['an older one behind that does not', scoped(1, 'b'), { store: null, line: 1 }, 'inferred:disputed'],
    [
      'a quarantine counts wherever it was decided',
      scoped(0, 'b'),
      { to: 'quarantined', store: 'a' },
      'quarantined:decided',
    ],
  ])('%s', (_, ledger, changes, expected) => {
    expect(standing([says(ledger, changes)])).toBe(expected);
  });

  test('what another store saw began no observation here, and lifts no quarantine of another machine', () => {
    const ledger = scoped(0, 'b');
    expect(evidenceOf(says(ledger, { store: 'a', to: null })).firstSeen(ID, 'd')).toBeUndefined();
    expect(evidenceOf(says(ledger, { store: 'b', to: null })).firstSeen(ID, 'd')).toBeDefined();
    const lowered = says(STRANGER, { to: 'quarantined' });
    const lift = { action: 'restore', from: 'quarantined', ...naming(lowered) } as const;
    expect(standing([lowered, says(ledger, { ...lift, store: 'a' })])).toBe('quarantined:decided');
    expect(standing([lowered, says(ledger, { ...lift, store: 'b' })])).toBe('verified:vouched');
  });
});

describe('the time of an entry', () => {
  const DAY = 86_400_000;
  const AHEAD = 36_500 * DAY;
  const read = (now: number, ...some: Statement[]) => evidenceOfAt(now, ...some);

  test('is its own, unless that is ahead of now: then what the clock said counts', () => {
    const sight = says(HERE, { to: null, at: AHEAD, clock: 5 * DAY });
    expect(read(9 * DAY, sight).firstSeen(ID, 'd')).toBe(5 * DAY);
    expect(read(9 * DAY, sight).of(ID)[0]?.at).toBe(5 * DAY);
    expect(read(AHEAD, sight).firstSeen(ID, 'd')).toBe(AHEAD);
  });

  test('is that of the earliest sight, so a second one mends a first that is ahead for good', () => {
    const wrong = says(HERE, { to: null, at: AHEAD, clock: AHEAD });
    const mending = says(HERE, { to: null, at: AHEAD, clock: 6 * DAY });
    expect(read(9 * DAY, wrong).firstSeen(ID, 'd')).toBe(AHEAD);
    expect(read(9 * DAY, wrong, mending).firstSeen(ID, 'd')).toBe(6 * DAY);
  });
});

describe('a receipt', () => {
  test.each<[string, Partial<Statement>]>([
    ['by an agent', { actor: 'agent' }],
    ['by a check', { actor: 'check' }],
    ['with no person asked', { level: 0 }],
    ['without a text', { digest: null }],
    ['for a transition that does not exist', { action: 'promote', from: 'quarantined' }],
    ['for a verb that does not exist', { action: 'trust', from: 'inferred' }],
    ['by a verb that never verifies', { action: 'propose', from: null }],
    ['that its key did not sign', { authentic: false }],
    ['from a machine that is not trusted', { ledger: STRANGER }],
  ])('%s vouches for nothing', (_, change) => {
    const statement = says(HERE, change);
    expect(vouches(statement)).toBe(false);
    expect(rank(standing([statement]))).toBeLessThan(RANK.verified);
  });

  test.each<[string, Partial<Statement>]>([
    ['claims quarantined → inferred', { action: 'demote', from: 'quarantined', to: 'inferred' }],
    ['is a proposal', { to: 'inferred' }],
    ['is a restore that no person was asked for', { action: 'restore', from: 'quarantined', level: 0 }],
    ['is a restore by an agent', { action: 'restore', from: 'quarantined', actor: 'agent' }],
  ])('a line that %s lifts no quarantine, even in a ledger that counts', (_, change) => {
    const lowered = says(HERE, { to: 'quarantined' });
    expect(rank(standing([lowered, says(HERE, { ...change, ...naming(lowered) })]))).toBe(RANK.quarantined);
  });
});

/** Histories of two memories by three machines; `after` names any of the statements before. */
const histories = (ledgers: readonly LedgerTrust[]) =>
  fc
    .array(
      fc.record({
        ledger: fc.constantFrom(...ledgers),
        id: fc.constantFrom(ID, ID, 'user_other'),
        to: fc.constantFrom<Tier | null>(...TIERS, null),
        restore: fc.boolean(),
        digest: fc.constantFrom('d', 'd', 'x', null),
        was: fc.constantFrom(null, null, 'd', 'x'),
        saying: fc.constantFrom('s', 't', null),
        authentic: fc.constantFrom(true, true, true, false),
        at: fc.nat(9),
        after: fc.array(fc.nat(12), { maxLength: 3 }),
      }),
      { maxLength: 10 },
    )
    .map((plans) => {
      const made: Statement[] = [];
      for (const { restore, after: names, ...plan } of plans) {
        const lift = restore && plan.to === 'verified' ? { action: 'restore', from: 'quarantined' as const } : {};
        const known = names.map((i) => made[i]?.hash).filter((hash) => hash !== undefined);
        // A ledger that raises is whole, so its key signed every line; only in others can there be lines nobody signed.
        const authentic = plan.authentic || plan.ledger.raises;
        made.push(says(plan.ledger, { ...plan, ...lift, authentic, after: known }));
      }
      return made;
    });

const files = fc.record({
  place: fc.constantFrom<Place>('memories', 'memories', 'quarantine', 'archive'),
  claim: fc.constantFrom<Tier | undefined>('verified', 'verified', 'inferred', 'quarantined', undefined),
  digest: fc.constantFrom('d', 'x', null),
  saying: fc.constantFrom('s', null),
});

describe('for any history', () => {
  test('what an untrusted ledger adds never raises anything, wherever it is read', () => {
    fc.assert(
      fc.property(histories([HERE, FRIEND, STRANGER]), files, fc.boolean(), fc.nat(), (all, file, first, pick) => {
        const trusted = all.filter(({ ledger }) => ledger !== STRANGER);
        const strange = all.filter(({ ledger }) => ledger === STRANGER);
        // It may also hold copies of lines it has read elsewhere.
        const copied = trusted[pick % Math.max(1, trusted.length)];
        if (copied) strange.push({ ...copied, ledger: STRANGER, authentic: false });
        const together = first ? [...strange, ...trusted] : [...trusted, ...strange];
        expect(rank(standing(together, file))).toBeLessThanOrEqual(rank(standing(trusted, file)));
      }),
      { numRuns: 2000 },
    );
  });

  test('distrusting a machine never raises anything of whoever it did not restore', () => {
    fc.assert(
      fc.property(histories([HERE]), histories([FRIEND]), files, (ours, theirs, file) => {
        // Without a word about each other's decisions, all that distrust can do is lower.
        const doubted: LedgerTrust = { fingerprint: 'friend', raises: false };
        const before = [...ours, ...theirs];
        const now = [...ours, ...theirs.map((s) => ({ ...s, ledger: doubted }))];
        expect(rank(standing(now, file))).toBeLessThanOrEqual(rank(standing(before, file)));
      }),
      { numRuns: 1000 },
    );
  });

  test('a ledger that turns out damaged raises nothing', () => {
    fc.assert(
      fc.property(histories([HERE, FRIEND]), files, (all, file) => {
        const damaged: LedgerTrust = { fingerprint: 'friend', raises: false };
        const now = all.map((s) => (s.ledger === FRIEND ? { ...s, ledger: damaged, authentic: s.authentic } : s));
        if (rank(standing(now, file)) === RANK.verified) {
          // Still verified: then by this machine's own receipt, which it would be by itself.
          expect(now.filter((s) => s.ledger === HERE && s.id === ID).some(vouches)).toBe(true);
        }
        expect(rank(standing(now, file))).toBeLessThanOrEqual(Math.max(rank(standing(all, file)), RANK.inferred));
      }),
      { numRuns: 1000 },
    );
  });

  test('verified means: the file is in its place, says so, and every decision in force is a receipt for its text', () => {
    fc.assert(
      fc.property(histories([HERE, FRIEND, STRANGER]), files, (all, file) => {
        const earned = standing(all, file) === 'verified:vouched';
        const heads = headsOf(all.filter(({ id }) => id === ID));
        const proven = heads.length > 0 && heads.every((head) => vouches(head) && head.digest === file.digest);
        expect(earned).toBe(proven && file.claim === 'verified' && file.place === 'memories' && file.digest !== null);
      }),
      { numRuns: 1000 },
    );
  });

  test.each<[string, readonly Statement[], Partial<FileFacts>, boolean]>([
    ['a file that nothing was said of', [], {}, true],
    ['a file that a person vouched for', [says(HERE)], {}, true],
    ['a file whose words are not known', [says(HERE, { to: 'quarantined', id: 'user_other' })], { saying: null }, true],
    ['a file in the archive', [], { place: 'archive' }, false],
    ['a file that says quarantined', [], { claim: 'quarantined' }, false],
    ['a file that was quarantined', [says(HERE, { to: 'quarantined' })], {}, false],
    ['a file with the words of a quarantined one', [says(HERE, { to: 'quarantined', id: 'user_other' })], {}, false],
    [
      'a file with other words than a quarantined one',
      [says(HERE, { to: 'quarantined', id: 'user_other' })],
      { saying: 't' },
      true,
    ],
  ])('%s is surely alive, or may not be', (_, statements, file, isSure) => {
    const facts: FileFacts = { id: ID, place: 'memories', claim: 'verified', digest: 'd', saying: 's', ...file };
    expect(isSurelyAlive(facts, evidenceOf(...statements))).toBe(isSure);
  });

  test('what is surely alive is neither quarantined nor half reworded', () => {
    let [tried, alive] = [0, 0];
    fc.assert(
      fc.property(histories([HERE, FRIEND, STRANGER]), files, (all, file) => {
        tried += 1;
        const evidence = evidenceOf(...all);
        const facts = { id: ID, ...file };
        if (!isSurelyAlive(facts, evidence)) return;
        alive += 1;
        const earned = standingOf(facts, evidence);
        expect([earned.tier === 'quarantined', isHalfReworded(earned, file.digest)]).toEqual([false, false]);
      }),
      { numRuns: 2000 },
    );
    // A share, because runs with changed sources have fewer cases.
    expect(alive / tried).toBeGreaterThan(0.05);
  });

  test('a quarantine stays until something that counts names it', () => {
    fc.assert(
      fc.property(histories([HERE, FRIEND, STRANGER]), files, (all, file) => {
        for (const lowered of all.filter(({ id, to }) => id === ID && to === 'quarantined')) {
          const lifted = all.some(
            (s) =>
              s.id === ID &&
              s.authentic &&
              s.after.includes(lowered.hash) &&
              (s.ledger.raises || s.ledger === lowered.ledger),
          );
          if (!lifted) expect(rank(standing(all, file))).toBe(RANK.quarantined);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('the order in which lines are read does not matter', () => {
    const shuffled = histories([HERE, FRIEND, STRANGER]).chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }), files),
    );
    fc.assert(
      fc.property(shuffled, ([all, other, file]) => {
        expect(rank(standing(other, file))).toBe(rank(standing(all, file)));
      }),
      { numRuns: 1000 },
    );
  });

  test('reading a line twice changes nothing', () => {
    fc.assert(
      fc.property(histories([HERE, STRANGER]), files, (all, file) => {
        expect(standing([...all, ...all.map((s) => ({ ...s }))], file)).toBe(standing(all, file));
      }),
    );
  });

  test('typing a higher tier into a file, or moving it, never helps more than being vouched for', () => {
    fc.assert(
      fc.property(histories([HERE, STRANGER]), files, (all, file) => {
        const receipts = all.filter((s) => s.id === ID && vouches(s));
        const best = Math.max(...TIERS.map((claim) => rank(standing(all, { ...file, claim, place: 'memories' }))));
        if (receipts.length === 0) expect(best).toBeLessThan(RANK.verified);
      }),
    );
  });
});
