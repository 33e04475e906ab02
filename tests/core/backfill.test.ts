import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backfillExitCode, planBackfill } from '../../src/core/backfill.ts';
import { fileWith } from '../../src/core/checks/evidence.ts';
import { read, rewrite } from '../../src/store/format.ts';

const NOW = Date.parse('2026-05-02T08:00:00Z');
const ORIGIN = { modified: Date.parse('2025-11-30T23:59:59.700Z'), machine: 'laptop', now: NOW };
const BARE = { 'source-machine': null, 'created-at': null, 'trust-level': null, 'last-verified': null };

function plan(file: string, origin = ORIGIN) {
  const reading = read(Buffer.from(file));
  return planBackfill(reading.kind === 'document' ? reading.document : reading, origin);
}

const bare = (changes: Record<string, string | null> = {}) => fileWith({ ...BARE, ...changes });
const additions = (file: string) => {
  const planned = plan(file);
  return planned.kind === 'plan' ? [...planned.additions] : planned.why;
};

describe('the vectors B01–B06', () => {
  test('B01: a project file that lacks all four keys gets four additions, and asks', () => {
    expect(plan(bare({ type: 'project' }))).toMatchObject({ kind: 'plan', proposed: 'ask' });
    expect(additions(bare({ type: 'project' }))).toEqual([
      ['source-machine', 'laptop'],
      ['created-at', '2025-11-30T23:59:59Z'],
      ['trust-level', 'verified'],
      ['last-verified', '2026-05-02'],
    ]);
  });

  test('B02: what was filled in is complete the second time', () => {
    for (const type of ['user', 'feedback', 'project', 'reference']) {
      const planned = plan(bare({ type }));
      if (planned.kind !== 'plan') throw new Error('nothing was planned');
      for (const added of [planned.additions, planned.withoutYes]) {
        const filled = rewrite(Buffer.from(bare({ type })), added);
        expect(plan(filled.toString())).toEqual({ kind: 'skip', why: 'complete', error: false });
      }
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
    const planned = plan(file);
    expect(planned).toEqual({ kind: 'skip', why, error: true });
    expect(backfillExitCode([plan(bare()), planned])).toBe(1);
  });

  test('B05: a bad or an empty folder ends with 2, a wrong command line with 64, all else with 0 or 1', () => {
    expect(backfillExitCode('bad-folder')).toBe(2);
    expect(backfillExitCode([])).toBe(2);
    expect(backfillExitCode('usage')).toBe(64);
    expect(backfillExitCode([plan(bare()), plan(fileWith({ type: 'reference' }))])).toBe(0);
    expect(backfillExitCode([plan('')])).toBe(1);
  });

  test.each([
    ['source-machine', 'elsewhere', ['created-at', 'trust-level', 'last-verified']],
    ['created-at', '2020-01-01T00:00:00Z', ['source-machine', 'trust-level', 'last-verified']],
    ['trust-level', 'verified', ['source-machine', 'created-at', 'last-verified']],
  ])('B06: %s is there: only the other three are added, in order', (key, value, others) => {
    const planned = plan(bare({ [key]: value }));
    if (planned.kind !== 'plan') throw new Error('nothing was planned');
    expect([...planned.additions.keys()]).toEqual(others);
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
  if (planned.kind === 'plan') expect(planned.additions.has('last-verified')).toBe(false);
});

test('a file that says quarantined is left alone', () => {
  expect(plan(bare({ 'trust-level': 'quarantined' }))).toEqual({ kind: 'skip', why: 'quarantined', error: false });
});

test('a copied file with a mtime in the future is not made after now', () => {
  const planned = plan(bare(), { ...ORIGIN, modified: NOW + 86_400_000 });
  expect(planned.kind === 'plan' && planned.additions.get('created-at')).toBe('2026-05-02T08:00:00Z');
});

test('a key with nothing behind it is filled in, one with a value never is', () => {
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
      for (const added of [planned.additions, planned.withoutYes]) {
        for (const key of added.keys()) expect([null, '', '""']).toContain(fields[key as keyof typeof fields]);
        const before = read(Buffer.from(file));
        const after = read(rewrite(Buffer.from(file), added));
        if (before.kind !== 'document' || after.kind !== 'document') throw new Error('unreadable');
        expect(after.document.body).toBe(before.document.body);
        const order = ['source-machine', 'created-at', 'trust-level', 'last-verified'];
        expect([...added.keys()]).toEqual(order.filter((key) => added.has(key)));
        const tier = after.document.fields.get('trust-level');
        expect(tier).toMatch(/^(verified|inferred)$/);
        if (added.has('last-verified')) expect(tier).toBe('verified');
      }
    }),
    { numRuns: 500 },
  );
});
