import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../../../src/core/refusal.ts';
import { reconcile } from '../../../src/store/reconcile/reconcile.ts';
import type { Vault } from '../../../src/store/vault/vault.ts';
import { indexed, LATER, ledgerEntries, openAt, stems, troubleOf } from '../../../testkit/child.ts';
import { EVERYTHING, type Fault, FaultyDisk, NEEDS_ROOM, type Step } from '../../../testkit/faults.ts';
import { newMemory, propose } from '../../../testkit/sample.ts';
import { AGENT, temporaryFolder } from '../../../testkit/store.ts';

async function opened(home = temporaryFolder()) {
  const disk = new FaultyDisk();
  const vault = await openAt(home, LATER, { disk });
  // Made by the first: what is counted below is what one more costs.
  if (stems(vault, 'memories').length === 0) await propose(vault, 'the first of all');
  disk.arm();
  return { home, disk, vault };
}

const THREE = ['one', 'two', 'three'];

/** All at once: the ids of those that were acknowledged, undefined for those that were refused. */
async function together(vault: Vault, about = THREE): Promise<(string | undefined)[]> {
  const said = await Promise.allSettled(about.map((each) => propose(vault, each)));
  for (const each of said) if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(Refusal);
  return said.map((each) => (each.status === 'fulfilled' ? each.value : undefined));
}

const count = (steps: readonly Step[], kind: Step) => steps.filter((step) => step === kind).length;

describe('proposals that wait at the same time', () => {
  test('wait for the folder and for the ledger once, and each for its own file', async () => {
    const { vault, disk } = await opened();
    await propose(vault, 'alone');
    expect([count(disk.steps, 'sync'), count(disk.steps, 'syncFolder')]).toEqual([2, 1]);
    disk.arm();
    await together(vault);
    expect([count(disk.steps, 'sync'), count(disk.steps, 'syncFolder')]).toEqual([4, 1]);
    // No receipt is written before the last file is durable.
    expect(disk.steps.lastIndexOf('rename')).toBeLessThan(disk.steps.indexOf('syncFolder'));
    expect(disk.steps.indexOf('syncFolder')).toBeLessThan(disk.steps.lastIndexOf('write'));
  });

  test('and say the same are one memory, and of one name are told apart', async () => {
    const { vault } = await opened();
    const said = await Promise.all([
      vault.create('propose', newMemory('same'), AGENT),
      vault.create('propose', newMemory('same'), AGENT),
      vault.create('propose', newMemory('same', { body: 'Something else altogether, under the same name.' }), AGENT),
      vault.create('propose', newMemory('same', { body: 'And once more something else under that name.' }), AGENT),
    ]);
    const [first, again, second, third] = said.map(({ kind, loaded }) => ({ kind, id: loaded.id }));
    expect(again).toEqual({ kind: 'existing', id: first?.id });
    expect([second?.id, third?.id]).toEqual([`${first?.id}_2`, `${first?.id}_3`]);
    expect(ledgerEntries(vault).map((entry) => entry.id)).toEqual([
      'user_the_first_of_all',
      first?.id,
      second?.id,
      third?.id,
    ]);
  });

  test('and are many leave others their turn, in the order they came', async () => {
    const { vault } = await opened();
    const about = Array.from({ length: 50 }, (_, n) => `number ${n}`);
    const ids = await together(vault, about);
    expect(
      ledgerEntries(vault)
        .slice(1)
        .map((entry) => entry.id),
    ).toEqual(ids);
    expect(indexed(vault, 'memories')).toEqual([...ids, 'user_the_first_of_all'].sort());
  });

  test('one of which finds a file under its name: the others are stored all the same', async () => {
    const { vault, disk } = await opened();
    const path = join(vault.places.memories, 'user_two.md');
    const create = disk.create.bind(disk);
    // Somebody writes it just after it was looked for.
    disk.create = (to, bytes) => {
      if (to === path) fs.writeFileSync(to, 'theirs', { flag: 'a' });
      create(to, bytes);
    };
    const ids = await together(vault);
    expect(ids).toEqual(['user_one', undefined, 'user_three']);
    expect(fs.readFileSync(path, 'utf8')).toMatch(/^theirs/);
    expect(
      ledgerEntries(vault)
        .slice(1)
        .map((entry) => entry.id),
    ).toEqual(['user_one', 'user_three']);
  });
});

describe('three that wait together, and at each step', () => {
  test.each<[string, Pick<Fault, 'how' | 'lasting'>]>([
    ['the process dies', { how: 'die' }],
    ['the disk is full', { how: 'ENOSPC', lasting: NEEDS_ROOM }],
    ['the disk fails once', { how: 'EIO' }],
    ['the disk becomes read-only', { how: 'EROFS', lasting: EVERYTHING }],
  ])('%s: what was acknowledged is there, the ledger is whole, nothing is half there', async (_what, fault) => {
    const counted = await opened();
    await together(counted.vault);
    const steps = [...counted.disk.steps];
    for (const [at, step] of steps.entries()) {
      for (const moment of step === 'write' ? (['before', 'torn'] as const) : (['before'] as const)) {
        const { home, vault, disk } = await opened();
        disk.arm({ at: at + 1, moment, ...fault });
        const said = await Promise.allSettled(THREE.map((each) => propose(vault, each)));
        const acknowledged = said.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
        disk.arm();
        vault.close();
        const after = await openAt(home, LATER);
        await reconcile(after);
        const where = `${step} ${at + 1}, ${moment}`;
        expect(troubleOf(after), where).toBeNull();
        expect(stems(after, 'memories'), where).toEqual(expect.arrayContaining(acknowledged));
        const entered = ledgerEntries(after).map((entry) => entry.id);
        expect(entered, where).toEqual(expect.arrayContaining(acknowledged));
        for (const id of stems(after, 'memories')) expect(entered, `${id}, ${where}`).toContain(id);
        if (fault.how !== 'die' && !fault.lasting?.includes('unlink')) {
          expect(stems(after, 'memories').sort(), where).toEqual(['user_the_first_of_all', ...acknowledged].sort());
        }
        after.close();
      }
    }
  });
});
