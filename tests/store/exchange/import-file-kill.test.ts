import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { standingKey } from '../../../src/core/ledger/standing.ts';
import { witnessed } from '../../../src/core/trust/consent.ts';
import { confirmFound, fillIn } from '../../../src/store/exchange/backfill-file.ts';
import { type ImportedFile, importFile, planImport } from '../../../src/store/exchange/import-file.ts';
import { finishPromotion } from '../../../src/store/maintenance/finish-promotion.ts';
import { copyHome, type Fault, FaultyDisk, MACHINE } from '../../../testkit/faults.ts';
import { TestStore } from '../../../testkit/store.ts';

const IMPORT = { actor: 'import', client: null } as const;
const file = (about: string) =>
  `---\nname: ${about}\ndescription: d\ntype: user\n---\nWhat an older collection had about ${about}, as it was.\n`;
const ARRIVALS: readonly ImportedFile[] = ['one', 'two'].map((about) => ({
  bytes: Buffer.from(file(about)),
  stem: `user_${about}`,
  modified: 0,
  project: undefined,
}));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'surety-intake-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

/** What is done to a store with two found files. */
const WORK: Record<string, (store: TestStore) => Promise<void>> = {
  'import as inferred': async ({ vault }) => {
    for (const arrival of ARRIVALS) await importFile(vault, arrival, IMPORT);
  },
  'import with a yes': async ({ vault }) => {
    for (const arrival of ARRIVALS) {
      const meeting = planImport(vault, arrival, 'verified');
      if (meeting.kind !== 'new') continue;
      const { id, digest } = meeting.newFile;
      await importFile(vault, arrival, witnessed('page', { verb: 'import', id, digest, standing: 'new', settles: [] }));
    }
  },
  'backfill with a yes': async (store) => {
    for (const id of ['user_found_one', 'user_found_two']) {
      const seen = store.load(id);
      if (seen.standing.tier === 'verified') continue;
      const shown = {
        verb: 'backfill',
        id,
        digest: seen.digest,
        standing: standingKey(seen.standing),
        settles: [],
      } as const;
      // What a kill left between its receipt and its file needs no second yes.
      if (seen.standing.reason === 'unfinished') await finishPromotion(store.vault, seen);
      else await confirmFound(store.vault, seen, witnessed('page', shown));
    }
  },
  'backfill as inferred': async (store) => {
    for (const id of ['user_found_one', 'user_found_two']) {
      const seen = store.load(id);
      if (seen.subject.claims.tier === undefined) await fillIn(store.vault, seen);
    }
  },
};

for (const [what, work] of Object.entries(WORK)) {
  test(`${what}: dead at any moment, and done again: every text is there once, and none above the evidence`, async () => {
    const base = join(folder, what.replaceAll(' ', '-'));
    const prepared = await TestStore.open({ home: base, machine: MACHINE });
    for (const about of ['found_one', 'found_two']) prepared.write('memories', `user_${about}`, file(about));
    await prepared.reconcile();
    prepared.vault.close();
    const counted = await at(base, work);
    const steps = [...counted.disk.steps];
    const moments: Fault[] = steps.flatMap((step, i) => [
      { at: i + 1, moment: 'before', how: 'die' },
      ...(step === 'write' ? [{ at: i + 1, moment: 'torn', how: 'die' } as const] : []),
    ]);
    expect(moments.length).toBeGreaterThan(8);
    for (const fault of moments) {
      const { store, disk, acknowledged } = await at(base, work, fault);
      expect(disk.struck).toBe(true);
      const [before, tiers] = [store.files('memories').filter((name) => !name.startsWith('.')), tiersIn(store)];
      for (const tier of tiers) expect(['inferred', 'verified']).toContain(tier);
      if (!what.endsWith('a yes')) expect(tiers).not.toContain('verified');
      await store.reconcile();
      if (acknowledged) expect(tiersIn(store)).toEqual(tiers);
      expect(store.trouble()).toBeUndefined();
      await work(store);
      await work(store);
      const after = store.files('memories').filter((name) => !name.startsWith('.'));
      expect(after).toEqual(counted.store.files('memories'));
      for (const name of before) expect(after).toContain(name);
      if (what === 'backfill with a yes') expect(tiersIn(store)).toEqual(['verified', 'verified']);
      if (what.startsWith('import')) expect(tiersIn(store)).toHaveLength(4);
    }
  });
}

let copies = 0;

/** The work in a copy of the base, on a disk that dies where it is told; then a new process on what is left. */
async function at(base: string, work: (store: TestStore) => Promise<void>, fault?: Fault) {
  const home = join(folder, String(copies++));
  mkdirSync(home);
  copyHome(base, home);
  const disk = new FaultyDisk();
  const store = await TestStore.open({ home, machine: MACHINE, disk });
  disk.arm(fault);
  const acknowledged = await work(store).then(
    () => true,
    () => false,
  );
  if (fault !== undefined) await store.reopen({ disk: undefined as never });
  return { store, disk, acknowledged };
}

function tiersIn(store: TestStore): string[] {
  return store.files('memories').flatMap((name) => (name.startsWith('.') ? [] : [store.tier(name.slice(0, -3))]));
}
