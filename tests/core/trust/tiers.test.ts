import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../../../src/core/refusal.ts';
import {
  ACTORS,
  type ActorKind,
  couldHappen,
  judge,
  NEEDS,
  type Need,
  needsMet,
  TIERS,
  type Tier,
  TRANSITIONS,
  type Transition,
  type Verb,
} from '../../../src/core/trust/tiers.ts';

const ROWS: readonly Transition[] = TRANSITIONS;
const VERBS = [...new Set(ROWS.map((row) => row.verb))] as Verb[];
const ALL_NEEDS = Object.keys(NEEDS) as Need[];

function line({ verb, from, to, who, needs, sets, removes, moves, retired }: Transition): string {
  return [
    `${verb}: ${from ?? '∅'} → ${to} by ${who}`,
    `needs ${needs.join(', ')}`,
    `sets ${sets.join(', ') || 'nothing'}`,
    ...(removes ? [`removes ${removes.join(', ')}`] : []),
    ...(moves ? [`moves ${moves}`] : []),
    ...(retired ? ['read, never written'] : []),
  ].join(' · ');
}

describe('the table', () => {
  test('has exactly these transitions; a change of trust is a change of this test', () => {
    expect(ROWS.map(line).join('\n')).toMatchInlineSnapshot(`
      "propose: ∅ → inferred by agent · needs checks · sets trust-level, created-at
      import: ∅ → inferred by import · needs checks · sets trust-level, created-at
      add: ∅ → verified by operator · needs checks, consent · sets trust-level, created-at, last-verified
      adopt: ∅ → verified by operator · needs checks, consent · sets trust-level, created-at, last-verified · read, never written
      rewrite: ∅ → verified by operator · needs checks, consent · sets trust-level, created-at, last-verified
      import: ∅ → verified by operator · needs checks, consent · sets trust-level, created-at, last-verified
      backfill: ∅ → verified by operator · needs checks, consent · sets trust-level, created-at, last-verified
      promote: inferred → verified by operator · needs observation, checks, consent · sets trust-level, last-verified
      adopt: inferred → verified by operator · needs checks, consent · sets trust-level, last-verified
      demote: inferred → quarantined by operator · needs consent · sets trust-level, last-verified, quarantined-at, quarantine-reason, quarantined-by · moves into quarantine
      demote: verified → quarantined by operator · needs consent · sets trust-level, last-verified, quarantined-at, quarantine-reason, quarantined-by · moves into quarantine
      quarantine: inferred → quarantined by check · needs failure · sets nothing · moves into quarantine
      quarantine: verified → quarantined by check · needs failure · sets nothing · moves into quarantine
      restore: quarantined → verified by operator · needs checks, consent · sets trust-level, last-verified · removes quarantined-at, quarantine-reason, quarantined-by · moves out of quarantine
      reaffirm: verified → verified by operator · needs checks, consent · sets trust-level, last-verified"
    `);
  });

  test('has no row that raises without a person', () => {
    for (const row of ROWS.filter(({ to }) => to === 'verified')) {
      expect(row.who).toBe('operator');
      expect(row.needs).toContain('consent');
      expect(row.needs).toContain('checks');
    }
  });

  test('has no row into inferred from anything that exists', () => {
    expect(ROWS.filter(({ to, from }) => to === 'inferred' && from !== null)).toEqual([]);
  });

  test('has only one way out of quarantine', () => {
    expect(ROWS.filter(({ from }) => from === 'quarantined').map(({ verb }) => verb)).toEqual(['restore']);
  });

  test('judge allows exactly the rows whose needs are met, for every verb, tier, actor and set of needs', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<Verb>(...VERBS),
        fc.constantFrom<Tier | null>(null, ...TIERS),
        fc.constantFrom<ActorKind>(...ACTORS),
        fc.subarray(ALL_NEEDS),
        (verb, from, who, needs) => {
          const met = new Set(needs);
          const row = ROWS.find((r) => r.verb === verb && r.from === from && r.who === who);
          const allowed = row !== undefined && !row.retired && row.needs.every((need) => met.has(need));
          if (allowed) expect(judge({ verb, from, who, met })).toBe(row);
          else expect(() => judge({ verb, from, who, met })).toThrow(Refusal);
        },
      ),
      // 12 verbs × 4 tiers × 4 actors × 16 sets of needs: enough runs to cover nearly all of them.
      { numRuns: 5_000 },
    );
  });

  test('no two rows match one case', () => {
    const cases = ROWS.map(({ verb, from, who }) => `${verb} ${from} ${who}`);
    expect(new Set(cases).size).toBe(cases.length);
  });

  test('a ledger line that no row could have made proves nothing', () => {
    for (const verb of [...VERBS, 'seen', 'constructor']) {
      for (const from of [null, ...TIERS]) {
        for (const to of TIERS) {
          for (const who of ACTORS) {
            const row = ROWS.some((r) => r.verb === verb && r.from === from && r.to === to && r.who === who);
            expect(couldHappen(verb, from, to, who)).toBe(row);
          }
        }
      }
    }
  });

  test('a person is asked last in every row', () => {
    for (const { needs } of ROWS) expect([-1, needs.length - 1]).toContain(needs.indexOf('consent'));
  });

  test('a need is met only if it was found to hold', () => {
    expect(needsMet({ checks: true, observation: false, consent: true })).toEqual(new Set(['checks', 'consent']));
  });

  test('a refusal says what is missing, or where the change starts from', () => {
    const refusal = (verb: Verb, from: Tier | null, who: ActorKind, ...met: Need[]) => {
      try {
        judge({ verb, from, who, met: new Set(met) });
      } catch (error) {
        if (error instanceof Refusal) return `${error.code}: ${error.message}`;
      }
      return 'allowed';
    };
    const person =
      'needs-person: Only a person can decide this; ask for it and let the operator answer, or run surety review.';
    expect(refusal('propose', null, 'agent')).toBe(
      'checks-failed: A check blocks this memory; see its findings, correct the text and try again.',
    );
    expect(refusal('promote', 'inferred', 'operator', 'checks', 'consent')).toBe(
      'observation-running: The observation period of this text is not over. Until then only adopt makes it count: a person takes the text as their own words.',
    );
    expect(refusal('promote', 'inferred', 'operator', 'observation', 'checks')).toBe(person);
    expect(refusal('quarantine', 'verified', 'check')).toBe('not-allowed: A check may quarantine only what failed it.');
    // Somebody else asks for what a person may do from there: it is not the tier that stands in the way.
    for (const who of ['agent', 'import', 'check'] as const) {
      expect(refusal('promote', 'inferred', who, ...ALL_NEEDS)).toBe(person);
      expect(refusal('restore', 'quarantined', who, ...ALL_NEEDS)).toBe(person);
    }
    expect(refusal('promote', 'quarantined', 'agent', ...ALL_NEEDS)).toBe(
      'not-allowed: This memory is in quarantine; restore takes it out. Nothing was changed.',
    );
    expect(refusal('promote', 'verified', 'operator', ...ALL_NEEDS)).toBe(
      'not-allowed: This memory is verified already; reaffirm vouches for it again. Nothing was changed.',
    );
    expect(refusal('reaffirm', 'inferred', 'operator', ...ALL_NEEDS)).toBe(
      'not-allowed: This memory is not verified yet; promote makes it verified. Nothing was changed.',
    );
    expect(refusal('demote', 'quarantined', 'operator', ...ALL_NEEDS)).toBe(
      'not-allowed: This memory is in quarantine already. Nothing was changed.',
    );
    for (const from of ['inferred', 'verified'] as const) {
      expect(refusal('restore', from, 'operator', ...ALL_NEEDS)).toBe(
        'not-allowed: This memory is not in quarantine, so there is nothing to restore. Nothing was changed.',
      );
    }
    expect(refusal('demote', null, 'operator', ...ALL_NEEDS)).toBe(
      'not-allowed: demote starts from inferred or verified; this memory is new. Nothing was changed.',
    );
    // Earlier versions wrote it.
    expect(refusal('adopt', null, 'operator', ...ALL_NEEDS)).toBe(
      'not-allowed: adopt starts from inferred; this memory is new. Nothing was changed.',
    );
    expect(refusal('propose', 'verified', 'agent', ...ALL_NEEDS)).toBe(
      'not-allowed: propose starts from new; this memory is verified. Nothing was changed.',
    );
    expect(refusal('quarantine', 'inferred', 'operator', ...ALL_NEEDS)).toBe(
      'not-allowed: quarantine starts from inferred or verified; this memory is inferred. Nothing was changed.',
    );
    for (const who of ['operator', 'import', 'check'] as const) {
      expect(refusal('propose', null, who, ...ALL_NEEDS)).toBe(
        'not-allowed: propose starts from new; this memory is new. Nothing was changed.',
      );
    }
  });

  test('a person is asked last: what the rules refuse costs no yes', () => {
    const none = new Set<Need>();
    expect(() => judge({ verb: 'promote', from: 'inferred', who: 'operator', met: none })).toThrow('observation');
    expect(() =>
      judge({ verb: 'promote', from: 'inferred', who: 'operator', met: new Set<Need>(['observation']) }),
    ).toThrow('check');
    expect(() =>
      judge({ verb: 'promote', from: 'inferred', who: 'operator', met: new Set<Need>(['observation', 'checks']) }),
    ).toThrow('Only a person');
  });
});
