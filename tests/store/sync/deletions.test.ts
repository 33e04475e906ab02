import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { shownForErasing } from '../../../src/actions/review/shown.ts';
import { lastSync } from '../../../src/actions/sync/sync-notices.ts';
import { erase, toErase } from '../../../src/actions/upkeep/erase.ts';
import { isStillErased } from '../../../src/core/ledger/erased.ts';
import type { MemoryId } from '../../../src/core/memory/ids.ts';
import { witnessed } from '../../../src/core/trust/consent.ts';
import { bareRemote, git, Intruder, Machine } from '../../../testkit/fleet.ts';

const DAY = 86_400_000;

/** Machines that all have the same twelve memories. */
async function fleet<N extends string>(...names: N[]) {
  const remote = bareRemote();
  const machines = {} as Record<N, Machine>;
  for (const name of names) machines[name] = await Machine.open(name, remote);
  const all = Object.values<Machine>(machines);
  for (let i = 10; i < 22; i++) await all[0]?.store.propose(`thing number ${i}`);
  for (const machine of [...all, ...all]) await machine.sync();
  return { remote, ...machines };
}

/** Takes seven files out of the folder, as a person does by hand. */
function takeOut({ store }: Machine): void {
  for (const name of readdirSync(store.places.memories).sort().slice(0, 7)) rmSync(join(store.places.memories, name));
}

const inRemote = (remote: string) =>
  git(remote, 'ls-tree', '-r', '--name-only', 'main')
    .split('\n')
    .filter((path) => path.startsWith('memories/')).length;

const deletions = (machine: Machine) =>
  lastSync(machine.session)?.notices.filter(({ kind }) => kind === 'deletions').length;

test('after the guard spoke, the advised command takes the deletions that were made here', async () => {
  const { remote, desk } = await fleet('desk');
  takeOut(desk);
  const spared = await desk.sync();
  expect(spared.code).toBe(2);
  expect(spared.said).toContain('Many memories were taken out at once; they stay.');
  expect(spared.said).not.toContain('came in');
  const [notice] = spared.notices;
  expect(notice).toMatchObject({ kind: 'deletions', about: '7 memories' });
  expect(notice?.what).toContain('were taken out here at once, so sync put them back: ');
  expect(notice?.what).toMatch(/thing_number_10, .*thing_number_14 and 2 more\. .*run surety sync --take-deletions/);
  expect(desk.names()).toHaveLength(12);

  expect((await desk.sync()).code).toBe(0);
  expect(deletions(desk)).toBe(1);
  expect((await desk.sync({ takeDeletions: true, dry: true })).code).toBe(0);
  expect(desk.names()).toHaveLength(12);
  const taken = await desk.sync({ takeDeletions: true });
  expect(taken.code).toBe(0);
  expect(taken.said).toContain(
    '7 memories taken out. The ledger still has 7 memories that are gone. surety review asks',
  );
  expect(desk.names()).toHaveLength(5);
  expect(inRemote(remote)).toBe(5);
  expect(deletions(desk)).toBe(0);
  expect(desk.status()).toBe('');
});

test('deletions taken on one machine are taken on each other one by one command, and do not come back', async () => {
  const { remote, desk, lap, tab } = await fleet('desk', 'lap', 'tab');
  takeOut(desk);
  await desk.sync({ takeDeletions: true });
  expect(inRemote(remote)).toBe(5);
  for (const machine of [lap, tab]) {
    const spared = await machine.sync();
    expect(spared).toMatchObject({ code: 2, notices: [{ kind: 'deletions', about: '7 memories' }] });
    expect(spared.notices[0]?.what).toContain(
      'were taken out elsewhere at once, so they stay here and in the remote: ',
    );
    // The guard gives them back to the remote, and so to the machines that had taken them out.
    expect(inRemote(remote)).toBe(12);
    for (const other of [desk, ...(machine === tab ? [lap] : [])]) {
      expect((await other.sync()).code).toBe(0);
      expect(other.names()).toHaveLength(12);
    }
    expect((await machine.sync({ takeDeletions: true })).code).toBe(0);
    expect(machine.names()).toHaveLength(5);
    expect(deletions(machine)).toBe(0);
    expect(inRemote(remote)).toBe(5);
    // Whoever took exactly these out before is not asked again.
    for (const other of [desk, ...(machine === tab ? [lap] : [])]) {
      expect((await other.sync()).code).toBe(0);
      expect(other.names()).toHaveLength(5);
    }
    expect(inRemote(remote)).toBe(5);
  }
});

test('what was changed since it was spared, or spared too long ago or by a clock that was ahead, is not taken out', async () => {
  const { desk } = await fleet('desk');
  takeOut(desk);
  await desk.sync();
  const [kept = ''] = readdirSync(desk.store.places.memories).sort();
  desk.store.edit(kept.replace('.md', ''), (text) => text.replace('inferred', 'inferred\nasked-as: [what else]'));
  await desk.sync({ takeDeletions: true });
  expect(desk.names()).toContain(`memories/${kept}`);
  expect(desk.names()).toHaveLength(6);

  const { desk: late } = await fleet('desk');
  takeOut(late);
  await late.sync();
  late.store.now += 3 * DAY;
  await late.sync({ takeDeletions: true });
  expect(late.names()).toHaveLength(12);

  const { desk: ahead } = await fleet('desk');
  ahead.store.now += 365 * DAY;
  takeOut(ahead);
  await ahead.sync();
  ahead.store.now -= 300 * DAY;
  await ahead.sync({ takeDeletions: true });
  expect(ahead.names()).toHaveLength(12);
});

test('a word about files that are missing now takes nothing that was spared before', async () => {
  const { remote, desk } = await fleet('desk');
  takeOut(desk);
  await desk.sync();
  const last = readdirSync(desk.store.places.memories).sort().at(-1) ?? '';
  rmSync(join(desk.store.places.memories, last));
  await desk.sync({ takeDeletions: true });
  expect(desk.names()).toHaveLength(11);
  expect(inRemote(remote)).toBe(11);
});

test('what a person took out and wrote again is guarded again, and so is everything else', async () => {
  const { remote, desk, lap } = await fleet('desk', 'lap');
  const before = Object.entries(desk.files()).filter(([path]) => path.startsWith('memories/'));
  takeOut(desk);
  await desk.sync({ takeDeletions: true });
  await lap.sync();
  await desk.sync();
  expect(desk.names()).toHaveLength(12);
  // Here the seven are known to be unwanted, and the five others are not.
  const intruder = new Intruder(remote);
  rmSync(join(intruder.folder, 'memories'), { recursive: true });
  intruder.push();
  expect(await desk.sync()).toMatchObject({ code: 2, notices: [{ kind: 'deletions', about: '5 memories' }] });
  expect(desk.names()).toHaveLength(5);

  for (const [path, text] of before) desk.store.write('memories', path.slice('memories/'.length, -3), text);
  await desk.sync();
  const again = new Intruder(remote);
  rmSync(join(again.folder, 'memories'), { recursive: true });
  again.push();
  expect(await desk.sync()).toMatchObject({ code: 2, notices: [{ kind: 'deletions', about: '12 memories' }] });
  expect(desk.names()).toHaveLength(12);
});

test('the guard speaks, and remembers, where the remote is out of reach', async () => {
  const { desk } = await fleet('desk');
  desk.git('remote', 'set-url', 'origin', join(desk.remote, 'nowhere'));
  takeOut(desk);
  const failed = await desk.sync();
  expect(failed.code).toBe(6);
  expect(desk.names()).toHaveLength(12);
  expect(failed.notices).toMatchObject([{ kind: 'remote' }, { kind: 'deletions', about: '7 memories' }]);
  expect(deletions(desk)).toBe(1);
  desk.git('remote', 'set-url', 'origin', desk.remote);
  await desk.sync({ takeDeletions: true });
  expect(desk.names()).toHaveLength(5);
});

test('a memory that was taken out is neither sent nor received', async () => {
  const { desk, lap } = await fleet('desk', 'lap');
  const [name = ''] = readdirSync(desk.store.places.memories);
  rmSync(join(desk.store.places.memories, name));
  const would = await desk.sync({ dry: true });
  expect(would).toMatchObject({ sent: 0, removed: 1 });
  expect(would.said).toContain('0 memories would be sent, 0 memories received, 1 memory taken out.');
  for (const each of [desk, lap]) {
    const outcome = await each.sync();
    expect(outcome).toMatchObject({ code: 0, sent: 0, received: 0, removed: 1 });
    expect(outcome.said).toContain(
      '0 memories received, 1 memory taken out. The ledger still has 1 memory that is gone.',
    );
  }
  // What goes into quarantine is still there.
  const [id = ''] = readdirSync(desk.store.places.memories).map((file) => file.slice(0, -3));
  await desk.store.decide('demote', id, 'it is wrong');
  expect(await desk.sync()).toMatchObject({ sent: 1, removed: 0 });
  expect(await lap.sync()).toMatchObject({ received: 1, removed: 0 });
});

/** Erases seven memories, each with a yes of its own. */
async function eraseSeven({ session, store }: Machine): Promise<MemoryId[]> {
  const ids = store
    .files('memories')
    .slice(0, 7)
    .map((name) => basename(name, '.md') as MemoryId);
  for (const id of ids) {
    const found = toErase(session, id);
    await erase(session, found, witnessed('terminal', shownForErasing(found)));
  }
  return ids;
}

test('memories that a person erased one by one are not put back, and go on a machine that trusts this one', async () => {
  const { remote, desk, lap } = await fleet('desk', 'lap');
  lap.trust(desk);
  const ids = await eraseSeven(desk);
  expect(await desk.sync()).toMatchObject({ code: 0, notices: [] });
  expect(desk.names()).toHaveLength(5);
  expect(inRemote(remote)).toBe(5);
  expect((await lap.sync()).notices.filter(({ kind }) => kind === 'deletions')).toEqual([]);
  expect(lap.names()).toHaveLength(5);
  // A file that comes back and is restored is a memory like any other: the guard spares it.
  for (const id of ids) {
    desk.store.write('quarantine', id, desk.git('show', `HEAD~1:memories/${id}.md`));
    await desk.store.reconcile();
    await desk.store.decide('restore', id);
  }
  await desk.sync();
  for (const id of ids) rmSync(desk.store.path('memories', id));
  expect(await desk.sync()).toMatchObject({ code: 2, notices: [{ kind: 'deletions', about: '7 memories' }] });
});

test('an erased memory does not come back where its last text had stayed on this machine', async () => {
  const { desk } = await fleet('desk');
  const id = basename(desk.store.files('memories')[0] ?? '', '.md') as MemoryId;
  desk.store.edit(id, (text) => `${text}The host is 10.20.30.40.\n`);
  expect((await desk.sync()).code).toBe(1);
  const found = toErase(desk.session, id);
  await erase(desk.session, found, witnessed('terminal', shownForErasing(found)));
  await desk.sync();
  expect(desk.names()).toHaveLength(11);
});

test('an erasure is recorded here also where an untrusted machine has erased the memory before', async () => {
  const { desk, lap } = await fleet('desk', 'lap');
  const ids = await eraseSeven(lap);
  await lap.sync();
  await desk.sync();
  for (const id of ids) {
    const found = toErase(desk.session, id);
    await erase(desk.session, found, witnessed('terminal', shownForErasing(found)));
    expect(isStillErased(id, desk.store.vault.evidence)).toBe(true);
  }
});
