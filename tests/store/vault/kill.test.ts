import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  examine,
  type Facts,
  isConsecutive,
  LATER,
  ledgerEntries,
  NAMES,
  openAt,
  perform,
  troubleOf,
} from '../../../testkit/child.ts';
import { Child, endChildren, inTurns } from '../../../testkit/child-process.ts';
import { FaultyDisk } from '../../../testkit/faults.ts';
import { expectSound, ScenarioStores } from '../../../testkit/scenario-stores.ts';

let stores: ScenarioStores;
beforeAll(async () => {
  stores = await ScenarioStores.prepare();
});
afterEach(endChildren);
afterAll(() => stores.remove());

describe('a process that dies at any step leaves what was or what was asked for', () => {
  test.each(NAMES)('%s, as a disk that takes nothing more', async (name) => {
    for (const moment of stores.moments(name)) {
      const home = stores.copyOf(name);
      const disk = new FaultyDisk();
      disk.arm({ ...moment, how: 'die' });
      const outcome = await perform(name, home, disk).then(
        () => 'done',
        (error: unknown) => error,
      );
      expect(disk.struck, stores.label(name, moment)).toBe(true);
      // A lowering swallows what it can; every other one must not say that it is done.
      if (moment.moment !== 'after' && outcome !== 'done') expect(outcome).toBeInstanceOf(Error);
      const facts = await examine(name, home);
      expectSound(name, facts, outcome === 'done', stores.label(name, moment));
      fs.rmSync(home, { recursive: true, force: true });
    }
  });

  describe('with SIGKILL', () => {
    let leftovers = 0;
    // It lives to its end: what V8 compiled for it is kept for the others.
    beforeAll(async () => {
      const name = 'first open and proposal';
      expect(await new Child({ do: 'perform', name, home: stores.copyOf(name) }).all()).toEqual(['done']);
    });
    afterAll(() => {
      process.stderr.write(`kill: ${leftovers} temporary files left, all harmless\n`);
      expect(leftovers).toBeGreaterThan(0);
    });

    test.each(NAMES)('%s', async (name) => {
      // A sync changes nothing another process could see: dying before it is dying after the step before it.
      const moments = stores
        .moments(name)
        .filter(({ at, moment }) => moment !== 'before' || !/^sync/.test(stores.steps(name)[at - 1] ?? ''));
      const deaths = moments.map((moment) => ({ moment, home: stores.copyOf(name) }));
      await inTurns(deaths, 3, async ({ moment, home }) => {
        const child = new Child({ do: 'perform', name, home, fault: { ...moment, how: 'kill' } });
        expect(await child.ended, stores.label(name, moment) + child.stderr).toBe('SIGKILL');
        expect(child.said, stores.label(name, moment)).toEqual([]);
      });
      const fresh = new Child({ do: 'examine', stores: deaths.map(({ home }) => ({ name, home })) });
      const facts = await fresh.all<Facts>();
      expect(facts).toHaveLength(deaths.length);
      for (const [n, { moment }] of deaths.entries()) {
        const found = facts[n] as Facts;
        leftovers += found.temporary;
        expectSound(name, found, false, stores.label(name, moment));
      }
    });
  });

  test('an operation that was not interrupted is acknowledged and is what was asked for', async () => {
    for (const name of NAMES) {
      const home = stores.copyOf(name);
      await perform(name, home, new FaultyDisk());
      expectSound(name, await examine(name, home), true, name);
    }
  });
});

describe('killed at a random moment, over and over, no acknowledged change is lost', () => {
  test('twelve times in one store', async () => {
    const home = join(stores.folder, 'random');
    const vault = await openAt(home, LATER);
    const acknowledged = new Map<string, string>();
    for (let round = 0; round < 12; round++) {
      const child = new Child({ do: 'mixed', home, label: `round ${round}` });
      // Somewhere in what follows one more word than last time.
      await child.word(1 + round);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 15));
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
