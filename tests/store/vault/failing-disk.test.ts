import * as fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Refusal } from '../../../src/core/refusal.ts';
import {
  examine,
  type Facts,
  NAMES,
  perform,
  SCENARIOS,
  type Scenario,
  type ScenarioName,
} from '../../../testkit/child.ts';
import { Died, type Errno, EVERYTHING, type Fault, FaultyDisk, NEEDS_ROOM } from '../../../testkit/faults.ts';
import { expectSound, ScenarioStores } from '../../../testkit/scenario-stores.ts';

const ERRNOS: readonly Errno[] = ['ENOSPC', 'EIO', 'EROFS'];
let stores: ScenarioStores;
beforeAll(async () => {
  stores = await ScenarioStores.prepare();
});
afterAll(() => stores.remove());

/** Who is told that nothing was changed finds no decision more than before, and who is told otherwise finds one. */
function expectTold(
  name: ScenarioName,
  { decisions, standing }: Facts,
  { code, message }: Refusal,
  where: string,
): void {
  const before = stores.decisions(name);
  const { before: tier, asked }: Scenario = SCENARIOS[name];
  if (tier === 'absent') {
    expect(standing === 'absent', `${standing} ${where}`).toBe(code !== 'unfinished');
    return;
  }
  if (asked !== 'verified' || name === 'put back') return;
  expect(decisions, `decisions ${where}`).toBe(code === 'unfinished' ? before + 1 : before);
  if (code === 'unfinished') expect(message, where).toContain(`it is ${standing.split(':')[0]} for now`);
}

describe('a disk that fails', () => {
  interface Failing extends Fault {
    readonly how: Errno;
  }
  const once = (name: ScenarioName): Failing[] =>
    stores
      .moments(name)
      .flatMap(({ at }) => [
        ...ERRNOS.map((how) => ({ at, moment: 'before' as const, how })),
        { at, moment: 'after' as const, how: 'EIO' as const },
        ...(stores.steps(name)[at - 1] === 'write' ? [{ at, moment: 'torn' as const, how: 'ENOSPC' as const }] : []),
      ]);
  const lasting = (name: ScenarioName): Failing[] =>
    stores.moments(name).flatMap(({ at }) => [
      { at, moment: 'before', how: 'ENOSPC', lasting: NEEDS_ROOM },
      { at, moment: 'before', how: 'EROFS', lasting: EVERYTHING },
    ]);

  async function fail(
    name: ScenarioName,
    fault: Failing,
  ): Promise<{ home: string; disk: FaultyDisk; error?: unknown }> {
    const home = stores.copyOf(name);
    const disk = new FaultyDisk();
    disk.arm(fault);
    try {
      await perform(name, home, disk);
      return { home, disk };
    } catch (error) {
      return { home, disk, error };
    }
  }

  const label = (name: ScenarioName, { at, moment, how, lasting: on }: Failing) =>
    `${stores.label(name, { at, moment })} ${how}${on ? ' for good' : ''}`;

  test.each(NAMES)('%s: it is refused in words or it is complete, and can be asked for again', async (name) => {
    const lowering: boolean = SCENARIOS[name].asked === 'quarantined';
    const faults = [...once(name), ...lasting(name)];
    const unique = [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()];
    for (const fault of unique) {
      const { home, disk, error } = await fail(name, fault);
      const where = label(name, fault);
      expect(disk.struck, where).toBe(true);
      expect(error, where).not.toBeInstanceOf(Died);
      if (error !== undefined) {
        expect(error, where).toBeInstanceOf(Refusal);
        expect(['disk-failed', 'root-unusable', 'unfinished'], where).toContain((error as Refusal).code);
      }
      const facts = await examine(name, home);
      expectSound(name, facts, error === undefined, where);
      if (error !== undefined) expectTold(name, facts, error as Refusal, where);
      if (lowering && error !== undefined && !facts.standing.startsWith('quarantined')) {
        // Only where even the move was impossible may a lowering be refused.
        expect(disk.failed === 'rename' || fault.lasting === EVERYTHING, where).toBe(true);
      }
      fs.rmSync(home, { recursive: true, force: true });
    }
  });

  test.each(['demote verified', 'demote inferred'] as const)('%s: a full disk still quarantines', async (name) => {
    for (let at = 1; at <= stores.steps(name).length; at++) {
      const fault: Failing = { at, moment: 'before', how: 'ENOSPC', lasting: NEEDS_ROOM };
      const { home, disk, error } = await fail(name, fault);
      const where = label(name, fault);
      const facts = await examine(name, home);
      if (disk.failed === 'rename') continue;
      expect(error, where).toBeUndefined();
      expect(facts.standing, where).toMatch(/^quarantined:/);
      expect(facts.reconciled, `recorded by reconcile ${where}`).toBe('quarantined:decided');
    }
  });
});
