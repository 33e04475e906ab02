import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { examine, type Facts, NAMES, perform, prepare, SCENARIOS, type Scenario, type ScenarioName } from './child.ts';
import { copyHome, type Fault, FaultyDisk, type Step } from './faults.ts';

type Moment = Pick<Fault, 'at' | 'moment'>;

const isFresh = (name: ScenarioName) => (SCENARIOS[name] as Scenario).fresh === true;

/** For each scenario a store as it is before, the steps that it takes there, and as many copies as a test interrupts. */
export class ScenarioStores {
  readonly folder = fs.mkdtempSync(join(tmpdir(), 'surety-kill-'));
  readonly #steps = new Map<ScenarioName, readonly Step[]>();
  readonly #decisions = new Map<ScenarioName, number>();
  #copies = 0;

  static async prepare(): Promise<ScenarioStores> {
    const stores = new ScenarioStores();
    for (const name of NAMES) {
      await prepare(name, stores.#base(name));
      const disk = new FaultyDisk();
      await perform(name, stores.copyOf(name), disk);
      stores.#steps.set(name, [...disk.steps]);
      if (!isFresh(name)) stores.#decisions.set(name, (await examine(name, stores.copyOf(name))).decisions);
    }
    return stores;
  }

  remove(): void {
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  #base(name: ScenarioName): string {
    return join(this.folder, 'base', name.replaceAll(' ', '-'));
  }

  copyOf(name: ScenarioName): string {
    const home = join(this.folder, String(this.#copies++));
    if (fs.existsSync(this.#base(name))) copyHome(this.#base(name), home);
    else fs.mkdirSync(home);
    return home;
  }

  steps(name: ScenarioName): readonly Step[] {
    return this.#steps.get(name) ?? [];
  }

  /** How many decisions on its memory the ledger has before. */
  decisions(name: ScenarioName): number {
    return this.#decisions.get(name) ?? 0;
  }

  /** Every moment at which a process can die: before each step, halfway through each write, and after the last. */
  moments(name: ScenarioName): Moment[] {
    const all = this.steps(name);
    return [
      ...all.flatMap((step, n) => [
        { at: n + 1, moment: 'before' as const },
        ...(step === 'write' ? [{ at: n + 1, moment: 'torn' as const }] : []),
      ]),
      { at: all.length, moment: 'after' as const },
    ];
  }

  label(name: ScenarioName, { at, moment }: Moment): string {
    return `${name}, ${moment} step ${at} (${this.steps(name)[at - 1]})`;
  }
}

/** What must hold in a store where `name` was interrupted, whatever the moment. */
export function expectSound(name: ScenarioName, facts: Facts, acknowledged: boolean, where: string): void {
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
