import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fileWith } from '../../../src/core/checks/sample-file.ts';
import { planBackfill } from '../../../src/core/memory/backfill-plan.ts';
import { read, rewrite } from '../../../src/store/format/format.ts';

const NOW = Date.parse('2026-05-02T08:00:00Z');
const ORIGIN = { modified: Date.parse('2025-11-30T23:59:59.700Z'), machine: 'laptop', now: NOW, decided: false };
const BARE = { 'source-machine': null, 'created-at': null, 'trust-level': null, 'last-verified': null };

function plan(file: string, origin = ORIGIN) {
  const reading = read(Buffer.from(file));
  return planBackfill(reading.kind === 'document' ? reading.document : reading, origin);
}

const bare = (changes: Record<string, string | null> = {}) => fileWith({ ...BARE, ...changes });
const additions = (file: string) => {
  const planned = plan(file);
  if (planned.kind === 'skip') return planned.why;
  return [...(planned.proposed === 'inferred' ? planned.withoutYes : planned.withYes)];
};

describe('the vectors B01–B04 and B06', () => {
  test('B01: a project file that lacks all four keys gets four additions, and asks', () => {
    expect(plan(bare({ type: 'project' }))).toMatchObject({ kind: 'plan', proposed: 'ask' });
    expect(additions(bare({ type: 'project' }))).toEqual([
      ['source-machine', 'laptop'],
      ['created-at', '2025-11-30T23:59:59Z'],
      ['trust-level', 'verified'],
      ['last-verified', '2026-05-02'],
    ]);
  });

  test('B02: the second time there is nothing to fill in', () => {
    for (const type of ['user', 'feedback', 'project', 'reference']) {
      const planned = plan(bare({ type }));
      if (planned.kind !== 'plan') throw new Error('nothing was planned');
      const without = rewrite(Buffer.from(bare({ type })), planned.withoutYes).toString();
      expect(plan(without)).toEqual({ kind: 'skip', why: 'complete', error: false });
      const vouched = rewrite(Buffer.from(bare({ type })), planned.withYes).toString();
      expect(plan(vouched, { ...ORIGIN, decided: true })).toEqual({ kind: 'skip', why: 'decided', error: false });
    }
  });

  test('B03: a reference is inferred, without a date of verification', () => {
    expect(plan(bare({ type: 'reference' }))).toMatchObject({ proposed: 'inferred' });
    expect(additions(bare({ type: 'reference' })).at(-1)).toEqual(['trust-level', 'inferred']);
  });

  test.each([
    ['an unknown type', bare({ type: 'bogus' }), 'unknown-type'],
    ['no type', bare({ type: null }), 'unknown-type'],
    ['a type in capitals', bare({ type: 'User' }), 'unknown-type'],
    ['a list as its type', bare({ type: '[user]' }), 'unknown-type'],
    ['no closing delimiter', '---\nname: x\n', 'unreadable'],
    ['no frontmatter', 'a sentence', 'unreadable'],
    ['nothing in it', '', 'unreadable'],
    ['a tier nobody knows', bare({ 'trust-level': 'trusted' }), 'unknown-tier'],
  ])('B04: a file with %s is skipped as an error', (_, file, why) => {
    expect(plan(file)).toEqual({ kind: 'skip', why, error: true });
  });

  test.each([
    ['source-machine', 'elsewhere', ['created-at', 'trust-level', 'last-verified']],
    ['created-at', '2020-01-01T00:00:00Z', ['source-machine', 'trust-level', 'last-verified']],
    ['trust-level', 'verified', ['source-machine', 'created-at', 'last-verified']],
  ])('B06: %s is there: only the other three are added, in order', (key, value, others) => {
    const planned = plan(bare({ [key]: value }));
    if (planned.kind !== 'plan') throw new Error('nothing was planned');
    expect([...planned.withYes.keys()]).toEqual(others);
  });
});

test('nothing verifies without a yes: then every file is inferred and undated', () => {
  for (const type of ['user', 'feedback', 'project', 'reference']) {
    const planned = plan(bare({ type }));
    if (planned.kind !== 'plan') throw new Error('nothing was planned');
    expect(planned.withoutYes.get('trust-level')).toBe('inferred');
    expect(planned.withoutYes.has('last-verified')).toBe(false);
  }
});

test.each([
  ['user', 'verified'],
  ['feedback', 'verified'],
  ['project', 'ask'],
  ['reference', 'inferred'],
])('%s is proposed as %s', (type, proposed) => {
  expect(plan(bare({ type }))).toMatchObject({ proposed });
});

test.each([
  ['that says inferred stays so', { 'trust-level': 'inferred' }],
  ['made in the future is unclear', { 'created-at': '2031-01-01T00:00:00Z' }],
  ['with a date that is none is unclear', { 'created-at': 'yesterday' }],
  ['verified in the future is unclear', { 'trust-level': 'verified', 'last-verified': '2031-01-01' }],
  ['with a date of verification and no tier is unclear', { 'last-verified': '2026-01-01' }],
])('a user file %s: inferred', (_, changes) => {
  const planned = plan(bare(changes));
  expect(planned).toMatchObject({ kind: 'plan', proposed: 'inferred' });
  if (planned.kind === 'plan') expect(planned.withoutYes.has('last-verified')).toBe(false);
});

test('a file that says quarantined is left alone', () => {
  expect(plan(bare({ 'trust-level': 'quarantined' }))).toEqual({ kind: 'skip', why: 'quarantined', error: false });
});

test('a copied file with a mtime in the future is not made after now', () => {
  const planned = plan(bare(), { ...ORIGIN, modified: NOW + 86_400_000 });
  expect(planned.kind === 'plan' && planned.withYes.get('created-at')).toBe('2026-05-02T08:00:00Z');
});

test('a file that says verified and that nobody vouches for is asked about, and says inferred where nobody says yes', () => {
  const complete = fileWith({ 'trust-level': 'verified', 'last-verified': '2026-01-01' });
  const planned = plan(complete);
  expect(planned).toMatchObject({ kind: 'plan', proposed: 'verified' });
  if (planned.kind !== 'plan') throw new Error('nothing was planned');
  expect([...planned.withYes]).toEqual([['last-verified', '2026-05-02']]);
  expect([...planned.withoutYes]).toEqual([['trust-level', 'inferred']]);
});

test('a key with nothing behind it is filled in, one with a value never is, but for those that tell the tier', () => {
  const value = fc.constantFrom(
    null,
    '',
    '""',
    'here',
    '2020-01-01T00:00:00Z',
    '2020-01-01',
    'verified',
    'inferred',
    'x',
  );
  const files = fc.record({
    type: fc.constantFrom('user', 'feedback', 'project', 'reference'),
    'source-machine': value,
    'created-at': value,
    'trust-level': value,
    'last-verified': value,
  });
  fc.assert(
    fc.property(files, (fields) => {
      const file = fileWith(fields);
      const planned = plan(file);
      if (planned.kind === 'skip') return;
      for (const added of [planned.withYes, planned.withoutYes]) {
        for (const key of ['source-machine', 'created-at'] as const)
          expect(added.has(key)).toBe([null, '', '""'].includes(fields[key]));
        const before = read(Buffer.from(file));
        const after = read(rewrite(Buffer.from(file), added));
        if (before.kind !== 'document' || after.kind !== 'document') throw new Error('unreadable');
        expect(after.document.body).toBe(before.document.body);
        const order = ['source-machine', 'created-at', 'trust-level', 'last-verified'];
        expect([...added.keys()]).toEqual(order.filter((key) => added.has(key)));
        const tier = after.document.fields.get('trust-level');
        expect(tier).toBe(added === planned.withYes ? 'verified' : 'inferred');
        expect(planned.withoutYes.has('last-verified')).toBe(false);
      }
    }),
    { numRuns: 500 },
  );
});
