import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { search } from '../../../src/actions/agent/search.ts';
import { statusOf } from '../../../src/actions/report/status.ts';
import { shownForErasing } from '../../../src/actions/review/shown.ts';
import { lastSync, syncNews } from '../../../src/actions/sync/sync-notices.ts';
import { STORE_PROBLEMS } from '../../../src/actions/upkeep/doctor-store.ts';
import { erase, toErase } from '../../../src/actions/upkeep/erase.ts';
import { problemsOf } from '../../../src/actions/upkeep/problem.ts';
import type { MemoryId } from '../../../src/core/memory/ids.ts';
import { witnessed } from '../../../src/core/trust/consent.ts';
import { bareRemote, Machine, PreparedPair } from '../../../testkit/fleet.ts';

const SAYS = 'The staging database listens on port 5433.';

/** Demoted at the desk, and restored at the laptop, which the desk does not trust. */
const prepared = new PreparedPair(async (desk, laptop) => {
  const id = await desk.store.add('the staging database', { body: SAYS });
  await desk.store.decide('demote', id, 'the port has changed');
  for (const machine of [desk, laptop]) await machine.sync();
  await laptop.store.decide('restore', id);
  await laptop.sync();
  return id;
});

async function erased({ session }: Machine, id: string): Promise<void> {
  const found = toErase(session, id as MemoryId);
  await erase(session, found, witnessed('page', shownForErasing(found)));
}

const lookAt = ({ session }: Machine) => ({ ...session, notices: [] });
const found = (machine: Machine) =>
  problemsOf(STORE_PROBLEMS, lookAt(machine)).filter(({ code }) => code === 'restored-elsewhere');
const told = ({ session }: Machine) => lastSync(session)?.notices.filter(({ kind }) => kind === 'restored') ?? [];
const notServed = (machine: Machine) => statusOf(lookAt(machine)).notServed;
const named = ({ name, fingerprint }: Machine) => `${name} (${fingerprint.slice(0, 16)})`;

test('what a machine that is not trusted restored is named with that machine, and raised nowhere', async () => {
  const { a: desk, b: laptop, made: id } = await prepared.restore();
  const { code, notices } = await desk.sync();
  expect(code).toBe(0);
  expect(notices.filter(({ kind }) => kind === 'restored')).toMatchObject([
    {
      about: id,
      what: `is in memories/ and served nowhere: it is quarantined here, and the word of ${named(laptop)} for it does not count here; surety show ${id} tells more, surety machines trust lets a machine’s word count, and surety restore ${id} takes it out of quarantine here`,
    },
  ]);
  expect(desk.names()).toEqual([`memories/${id}.md`]);
  expect(told(desk)).toHaveLength(1);
  expect(notServed(desk)).toBe(1);
  expect(found(desk)).toMatchObject([
    { severity: 'note', about: [`${id}, vouched for by ${named(laptop)}`], repairs: [] },
  ]);
  // A model is told which memory, and no name that a machine gave itself.
  const { news } = syncNews(desk.session);
  expect(news.find(({ kind }) => `${kind}` === 'restored')?.about?.toString()).toBe(id);
  expect(JSON.stringify(news)).not.toContain('laptop');

  expect(desk.store.standing(id)).toBe('quarantined:decided');
  expect((await search(desk.store.vault, { query: 'staging database', limit: 5 })).hits).toEqual([]);
  expect(desk.store.entries().filter(({ action }) => action === 'restore')).toEqual([]);
  // The sync that brought it says it; the doctor says it until it is settled.
  expect((await desk.sync()).notices).toEqual([]);
  expect(found(desk)).toHaveLength(1);
});

test('nothing is said any more once the machine is trusted, or a person restores or erases the memory here', async () => {
  const settle: ((desk: Machine, laptop: Machine, id: string) => unknown)[] = [
    (desk, laptop) => desk.trust(laptop),
    (desk, _laptop, id) => desk.store.decide('restore', id),
    (desk, _laptop, id) => erased(desk, id),
  ];
  for (const each of settle) {
    const { a: desk, b: laptop, made: id } = await prepared.restore();
    await desk.sync();
    expect(told(desk)).toHaveLength(1);
    await each(desk, laptop, id);
    await desk.store.reconcile();
    expect([told(desk), found(desk), notServed(desk)]).toEqual([[], [], 0]);
  }
});

test('of a machine that joins and trusts nobody, the machine that restored is named, and not the one that demoted', async () => {
  const { remote, b: laptop, made: id } = await prepared.restore();
  const server = await Machine.open('server', remote);
  const { notices } = await server.sync();
  expect(notices.filter(({ kind }) => kind === 'restored').map(({ about }) => about)).toEqual([id]);
  expect(found(server)).toMatchObject([{ about: [`${id}, vouched for by ${named(laptop)}`] }]);
});

test('a text that says what a quarantined memory says is named with the machine that vouches for it', async () => {
  const remote = bareRemote();
  const [desk, laptop] = [await Machine.open('desk', remote), await Machine.open('laptop', remote)];
  const one = await desk.store.add('the port', { body: SAYS });
  const other = await desk.store.add('the staging port', { body: SAYS });
  await desk.store.decide('demote', one, 'twice');
  await desk.sync();
  await laptop.sync();
  expect(laptop.store.standing(other)).toBe('quarantined:same-text');
  expect(found(laptop)).toMatchObject([{ about: [`${other}, vouched for by ${named(desk)}`] }]);
});

test('while this machine’s own ledger is in trouble, that is said, and not what it restored itself', async () => {
  const { b: laptop } = await prepared.restore();
  laptop.store.vault.close();
  rmSync(laptop.store.places.state, { recursive: true });
  await laptop.store.reopen();
  await laptop.store.reconcile();
  expect(laptop.store.trouble()).toBe('unremembered');
  expect([found(laptop), notServed(laptop)]).toEqual([[], 0]);
});
