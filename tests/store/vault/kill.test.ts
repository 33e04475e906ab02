import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Refusal } from '../../../src/core/refusal.ts';
import {
  examine,
  type Facts,
  isConsecutive,
  LATER,
  ledgerEntries,
  NAMES,
  openAt,
  perform,
  prepare,
  SCENARIOS,
  type Scenario,
  type ScenarioName,
  troubleOf,
} from '../../../testkit/child.ts';
import { Child, endChildren, inTurns } from '../../../testkit/child-process.ts';
import {
  copyHome,
  Died,
  type Errno,
  EVERYTHING,
  type Fault,
  FaultyDisk,
  NEEDS_ROOM,
  type Step,
} from '../../../testkit/faults.ts';

const ERRNOS: readonly Errno[] = ['ENOSPC', 'EIO', 'EROFS'];
let folder: string;
let copies = 0;
const steps = new Map<ScenarioName, readonly Step[]>();
const decisionsBefore = new Map<ScenarioName, number>();

beforeAll(async () => {
  folder = fs.mkdtempSync(join(tmpdir(), 'surety-kill-'));
  for (const name of NAMES) {
    await prepare(name, base(name));
    const disk = new FaultyDisk();
    await perform(name, copyOf(name), disk);
    steps.set(name, [...disk.steps]);
    if (!isFresh(name)) decisionsBefore.set(name, (await examine(name, copyOf(name))).decisions);
  }
});
afterEach(endChildren);
afterAll(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

const isFresh = (name: ScenarioName) => (SCENARIOS[name] as Scenario).fresh === true;
const base = (name: ScenarioName) => join(folder, 'base', name.replaceAll(' ', '-'));

function copyOf(name: ScenarioName): string {
  const home = join(folder, String(copies++));
  if (fs.existsSync(base(name))) copyHome(base(name), home);
  else fs.mkdirSync(home);
  return home;
}

/** Every moment at which a process can die: before each step, halfway through each write, and after the last. */
function moments(name: ScenarioName): Pick<Fault, 'at' | 'moment'>[] {
  const all = steps.get(name) ?? [];
  return [
    ...all.flatMap((step, n) => [
      { at: n + 1, moment: 'before' as const },
      ...(step === 'write' ? [{ at: n + 1, moment: 'torn' as const }] : []),
    ]),
    { at: all.length, moment: 'after' as const },
  ];
}

/** What must hold in a store where `name` was interrupted, whatever the moment. */
function expectSound(name: ScenarioName, facts: Facts, acknowledged: boolean, where: string): void {
  const scenario: Scenario = SCENARIOS[name];
  const tier = facts.standing.split(':')[0] ?? '';
  const allowed: string[] = acknowledged
    ? [scenario.asked]
    : [scenario.before, scenario.asked, ...(scenario.between ?? [])];
  expect(allowed, `standing ${where}`).toContain(tier);
  if (tier === 'verified') {
    expect(facts.decision, `the evidence ${where}`).toMatchObject({ to: 'verified', actor: 'operator', level: 3 });
  }
  if (facts.decision?.to === 'quarantined') expect(tier, `a recorded quarantine ${where}`).toBe('quarantined');
  expect(facts, where).toMatchObject({
    trouble: null,
    troubleAfter: null,
    consecutive: true,
    unreadable: [],
    unseen: [],
    bystander: scenario.fresh ? 'absent' : 'verified:vouched',
  });
  expect(allowed, `standing after reconcile ${where}`).toContain(facts.reconciled.split(':')[0]);
  expect(facts.notices, where).not.toContain('not-an-id');
  expect(facts.notices, where).not.toContain('refused');
  expect(facts.repeated.split(':')[0], `repeated ${where}`).toBe(scenario.asked);
}

/** Who is told that nothing was changed finds no decision more than before, and who is told otherwise finds one. */
function expectTold(
  name: ScenarioName,
  { decisions, standing }: Facts,
  { code, message }: Refusal,
  where: string,
): void {
  const before = decisionsBefore.get(name) ?? 0;
  const { before: tier, asked }: Scenario = SCENARIOS[name];
  if (tier === 'absent') {
    expect(standing === 'absent', `${standing} ${where}`).toBe(code !== 'unfinished');
    return;
  }
  if (asked !== 'verified' || name === 'put back') return;
  expect(decisions, `decisions ${where}`).toBe(code === 'unfinished' ? before + 1 : before);
  if (code === 'unfinished') expect(message, where).toContain(`it is ${standing.split(':')[0]} for now`);
}

const told = (name: string, { at, moment }: Pick<Fault, 'at' | 'moment'>) =>
  `${name}, ${moment} step ${at} (${steps.get(name as ScenarioName)?.[at - 1]})`;

describe('a process that dies at any step leaves what was or what was asked for', () => {
  test.each(NAMES)('%s, as a disk that takes nothing more', { timeout: 180_000 }, async (name) => {
    for (const moment of moments(name)) {
      const home = copyOf(name);
      const disk = new FaultyDisk();
      disk.arm({ ...moment, how: 'die' });
      const outcome = await perform(name, home, disk).then(
        () => 'done',
        (error: unknown) => error,
      );
      expect(disk.struck, told(name, moment)).toBe(true);
      // A lowering swallows what it can; every other one must not say that it is done.
      if (moment.moment !== 'after' && outcome !== 'done') expect(outcome).toBeInstanceOf(Error);
      const facts = await examine(name, home);
      expectSound(name, facts, outcome === 'done', told(name, moment));
      fs.rmSync(home, { recursive: true, force: true });
    }
  });

  test('all of them, with SIGKILL', { timeout: 300_000 }, async () => {
    // A sync changes nothing another process could see: dying before it is dying after the step before it.
    const changes = (name: ScenarioName) =>
      moments(name).filter(({ at, moment }) => moment !== 'before' || !/^sync/.test(steps.get(name)?.[at - 1] ?? ''));
    const deaths = NAMES.flatMap((name) => changes(name).map((moment) => ({ name, moment, home: copyOf(name) })));
    // One that lives to its end: what it compiled is kept for the others.
    const whole = new Child({
      do: 'perform',
      name: 'first open and proposal',
      home: copyOf('first open and proposal'),
    });
    expect(await whole.all()).toEqual(['done']);
    const begun = performance.now();
    await inTurns(deaths, 3, async ({ name, moment, home }) => {
      const child = new Child({ do: 'perform', name, home, fault: { ...moment, how: 'kill' } });
      expect(await child.ended, told(name, moment) + child.stderr).toBe('SIGKILL');
      expect(child.said, told(name, moment)).toEqual([]);
    });
    const killed = performance.now();
    const halves = [deaths.filter((_, n) => n % 2 === 0), deaths.filter((_, n) => n % 2 === 1)];
    let leftovers = 0;
    await Promise.all(
      halves.map(async (half) => {
        const fresh = new Child({ do: 'examine', stores: half.map(({ name, home }) => ({ name, home })) });
        const facts = await fresh.all<Facts>();
        expect(facts).toHaveLength(half.length);
        for (const [n, { name, moment }] of half.entries()) {
          const found = facts[n] as Facts;
          leftovers += found.temporary;
          expectSound(name, found, false, told(name, moment));
        }
      }),
    );
    const counts = NAMES.map((name) => `${name} ${changes(name).length}/${moments(name).length}`).join(', ');
    process.stderr.write(
      `kill: ${deaths.length} SIGKILLs (${counts}) in ${Math.round(killed - begun)} ms, ` +
        `looked at in ${Math.round(performance.now() - killed)} ms; ${leftovers} temporary files left, all harmless\n`,
    );
    expect(leftovers).toBeGreaterThan(0);
  });

  test('an operation that was not interrupted is acknowledged and is what was asked for', async () => {
    for (const name of NAMES) {
      const home = copyOf(name);
      await perform(name, home, new FaultyDisk());
      expectSound(name, await examine(name, home), true, name);
    }
  });
});

describe('killed at a random moment, over and over, no acknowledged change is lost', () => {
  test('twelve times in one store', { timeout: 180_000 }, async () => {
    const home = join(folder, 'random');
    const vault = await openAt(home, LATER);
    const acknowledged = new Map<string, string>();
    for (let round = 0; round < 12; round++) {
      const child = new Child({ do: 'mixed', home, label: `round ${round}` });
      await child.word(1);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
      child.kill();
      expect(await child.ended).toBe('SIGKILL');
      const words = child.said.slice(1) as { id: string; tier: string }[];
      for (const { id, tier } of words) acknowledged.set(id, tier);
      // The change after the last word may have happened, or not: nobody was told.
      const last = words.at(-1)?.id;
      expect(troubleOf(vault)).toBeNull();
      for (const [id, tier] of acknowledged) {
        const now = vault.load(id);
        expect(now?.memory, id).toBeDefined();
        if (id === last) expect([tier, 'quarantined', 'verified'], id).toContain(now?.standing.tier);
        else expect(now?.standing.tier, id).toBe(tier);
        acknowledged.set(id, now?.standing.tier ?? 'lost');
      }
      passTime(vault.places.guard);
    }
    const entries = ledgerEntries(vault);
    expect(isConsecutive(entries)).toBe(true);
    expect(acknowledged.size).toBeGreaterThan(12);
    process.stderr.write(`kill: 12 kills at random among ${entries.length} changes\n`);
    vault.close();
  });
});

/** The ticket a dead process left is taken over after seconds; this is those seconds. */
function passTime(guard: string): void {
  const before = new Date(Date.now() - 60_000);
  if (fs.existsSync(join(guard, 'queue'))) fs.utimesSync(join(guard, 'queue'), before, before);
}

describe('a disk that fails', () => {
  interface Failing extends Fault {
    readonly how: Errno;
  }
  const once = (name: ScenarioName): Failing[] =>
    moments(name).flatMap(({ at }) => [
      ...ERRNOS.map((how) => ({ at, moment: 'before' as const, how })),
      { at, moment: 'after' as const, how: 'EIO' as const },
      ...(steps.get(name)?.[at - 1] === 'write' ? [{ at, moment: 'torn' as const, how: 'ENOSPC' as const }] : []),
    ]);
  const lasting = (name: ScenarioName): Failing[] =>
    moments(name).flatMap(({ at }) => [
      { at, moment: 'before', how: 'ENOSPC', lasting: NEEDS_ROOM },
      { at, moment: 'before', how: 'EROFS', lasting: EVERYTHING },
    ]);

  async function fail(
    name: ScenarioName,
    fault: Failing,
  ): Promise<{ home: string; disk: FaultyDisk; error?: unknown }> {
    const home = copyOf(name);
    const disk = new FaultyDisk();
    disk.arm(fault);
    try {
      await perform(name, home, disk);
      return { home, disk };
    } catch (error) {
      return { home, disk, error };
    }
  }

  const label = (name: string, { at, moment, how, lasting: on }: Failing) =>
    `${told(name, { at, moment })} ${how}${on ? ' for good' : ''}`;

  test.each(NAMES)(
    '%s: it is refused in words or it is complete, and can be asked for again',
    { timeout: 180_000 },
    async (name) => {
      const lowering: boolean = SCENARIOS[name].asked === 'quarantined';
      const faults = [...once(name), ...lasting(name)];
      const unique = [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()];
      for (const fault of unique) {
        const { home, disk, error } = await fail(name, fault);
        const where = label(name, fault);
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
    },
  );

  test.each(['demote verified', 'demote inferred'] as const)('%s: a full disk still quarantines', async (name) => {
    for (let at = 1; at <= (steps.get(name)?.length ?? 0); at++) {
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
