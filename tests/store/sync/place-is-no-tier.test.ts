import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { search } from '../../../src/actions/agent/search.ts';
import { reviewQueue } from '../../../src/actions/review-queue.ts';
import { CHECKS } from '../../../src/core/checks/all.ts';
import type { Check } from '../../../src/core/checks/inspect.ts';
import { bareRemote, git, Intruder, Machine, PreparedPair, TOKEN } from '../../../testkit/fleet.ts';

const ID = 'user_the_staging_database';
const SAYS = 'The staging database listens on port 5433.';
const IN_USE = [`memories/${ID}.md`];
const AWAY = [`quarantine/${ID}.md`];

/** Remembered at the desk, demoted at the laptop, which trusts the desk, and restored at the desk. */
const prepared = new PreparedPair(async (desk, laptop) => {
  await desk.store.add('the staging database', { body: SAYS });
  await desk.sync();
  await laptop.sync();
  laptop.trust(desk);
  await laptop.store.decide('demote', ID, 'the port has changed');
  await laptop.sync();
  await desk.sync();
  expect(desk.names()).toEqual(AWAY);
  await desk.store.decide('restore', ID);
  await desk.sync();
  await laptop.sync();
});

async function restored() {
  const { remote, a: desk, b: laptop } = await prepared.restore();
  expectVerified(desk, laptop);
  return { remote, desk, laptop };
}

function expectVerified(...machines: readonly Machine[]): void {
  for (const { store } of machines) expect(store.standing(ID)).toBe('verified:vouched');
  for (const machine of machines) expect(machine.names()).toEqual(IN_USE);
}

const hitsAt = async ({ store }: Machine) => {
  await store.reconcile();
  return (await search(store.vault, { query: 'staging database', limit: 5 })).hits.length;
};
const inRemote = (remote: string) => git(remote, 'ls-tree', '-r', '--name-only', 'main').split('\n');
const quarantinesBy = ({ store }: Machine) => store.entries().filter(({ action }) => action === 'quarantine');

test('a machine that only joins serves what another one restored as quarantined, and moves it nowhere', async () => {
  const { remote, desk, laptop } = await restored();
  const server = await Machine.open('server', remote);
  expect(await server.sync()).toMatchObject({ code: 0, sent: 0 });
  for (const machine of [desk, laptop, server, desk]) await machine.sync();
  expectVerified(desk, laptop);
  expect(inRemote(remote)).toContain(`memories/${ID}.md`);
  expect([desk, laptop, server].flatMap(quarantinesBy)).toEqual([]);
  expect(reviewQueue(desk.session).waiting).toEqual([]);

  expect(server.store.standing(ID)).toBe('quarantined:decided');
  expect(await hitsAt(server)).toBe(0);
  // Once the desk's word counts there, nothing stands in its way any more.
  server.trust(desk);
  expect(server.store.standing(ID)).toBe('verified:vouched');
  expect(await hitsAt(server)).toBe(1);
});

test('a person at the machine that joined can restore it where it lies', async () => {
  const { remote, desk, laptop } = await restored();
  const server = await Machine.open('server', remote);
  await server.sync();
  await server.store.decide('restore', ID);
  for (const machine of [server, desk, laptop, server]) await machine.sync();
  expect(server.store.standing(ID)).toBe('verified:vouched');
  for (const { store } of [desk, laptop]) expect(store.standing(ID)).toBe('inferred:disputed');
});

test('a machine whose own ledger is in trouble moves nothing that it restored itself', async () => {
  const { desk, laptop } = await restored();
  desk.trust(laptop);
  desk.store.vault.close();
  rmSync(desk.store.places.state, { recursive: true });
  await desk.store.reopen();
  expect(desk.store.trouble()).toBe('unremembered');
  for (const machine of [desk, laptop, desk]) await machine.sync();
  expect(desk.store.tier(ID)).toBe('quarantined');
  expect(desk.names()).toEqual(IN_USE);
  expectVerified(laptop);
  desk.store.acceptLedger();
  expectVerified(desk);
});

test('a text that a machine vouches for is not put away elsewhere because a quarantined one says the same', async () => {
  const remote = bareRemote();
  const [desk, laptop] = [await Machine.open('desk', remote), await Machine.open('laptop', remote)];
  const one = await desk.store.add('the port', { body: SAYS });
  const other = await desk.store.add('the staging port', { body: SAYS });
  expect(other).not.toBe(one);
  await desk.store.decide('demote', one, 'twice');
  await desk.sync();
  await laptop.sync();
  expect(laptop.store.standing(other)).toBe('quarantined:same-text');
  for (const machine of [laptop, desk]) await machine.sync();
  expect(desk.store.standing(other)).toBe('verified:vouched');
});

/** As a version did it that moved what it did not trust. */
function movedAway(remote: string, change = (text: string) => text): void {
  const old = new Intruder(remote);
  const file = join(old.folder, 'memories', `${ID}.md`);
  old.write(`quarantine/${ID}.md`, change(readFileSync(file, 'utf8')));
  rmSync(file);
  old.push();
}

test('a file that another machine’s folder alone puts away is put back, however often, and nothing is signed', async () => {
  const { remote, desk, laptop } = await restored();
  for (let times = 0; times < 2; times++) {
    movedAway(remote);
    for (const machine of [desk, laptop]) expect(await machine.sync()).toMatchObject({ code: 0, received: 0 });
    expectVerified(desk, laptop);
    expect(inRemote(remote)).toContain(`memories/${ID}.md`);
    expect(inRemote(remote)).not.toContain(`quarantine/${ID}.md`);
  }
  expect([desk, laptop].flatMap(quarantinesBy)).toEqual([]);
  expect([desk.status(), laptop.status()]).toEqual(['', '']);
});

test('so is one of which this machine missed the restoring, and one whose text was changed on the way', async () => {
  const { remote, desk, laptop } = await restored();
  await laptop.store.decide('demote', ID, 'once more');
  for (const machine of [laptop, desk]) await machine.sync();
  await desk.store.decide('restore', ID);
  await desk.sync();
  movedAway(remote);
  await laptop.sync();
  expectVerified(laptop);

  movedAway(remote, (text) => text.replace('5433', '6544'));
  for (const machine of [desk, laptop]) await machine.sync();
  for (const { store } of [desk, laptop]) {
    expect(store.standing(ID)).toBe('verified:vouched');
    expect(store.text('memories', ID)).toContain('5433');
    expect(store.text('quarantine', ID)).toContain('6544');
  }
  expect([desk, laptop].flatMap(quarantinesBy)).toEqual([]);
});

test('a person’s demotion on a trusted machine, and on one that is not, still puts it away everywhere', async () => {
  for (const isTrusted of [true, false]) {
    const { remote, desk, laptop } = await restored();
    if (isTrusted) desk.trust(laptop);
    const server = await Machine.open('server', remote);
    await server.sync();
    await laptop.store.decide('demote', ID, 'it is wrong');
    for (const machine of [laptop, desk, server, desk, laptop]) await machine.sync();
    for (const machine of [laptop, desk, server]) {
      expect(machine.store.standing(ID)).toBe('quarantined:decided');
      expect(machine.names()).toEqual(AWAY);
    }
  }
});

test('a file that a person moves into quarantine here is quarantined everywhere, on record', async () => {
  const { desk, laptop } = await restored();
  renameSync(desk.store.path('memories', ID), desk.store.path('quarantine', ID));
  for (const machine of [desk, laptop, desk]) await machine.sync();
  for (const machine of [desk, laptop]) {
    expect(machine.store.standing(ID)).toBe('quarantined:decided');
    expect(machine.names()).toEqual(AWAY);
  }
  expect(quarantinesBy(desk)).toHaveLength(1);
});

test('a machine that is not trusted lifts no quarantine by restoring, wherever the file lies then', async () => {
  const { remote, desk, laptop } = await restored();
  await desk.store.decide('demote', ID, 'it is wrong');
  for (const machine of [desk, laptop]) await machine.sync();
  const stranger = await Machine.open('stranger', remote);
  await stranger.sync();
  await stranger.store.decide('restore', ID);
  for (const machine of [stranger, desk, laptop, stranger, desk]) await machine.sync();
  expect(stranger.store.standing(ID)).toBe('verified:vouched');
  for (const machine of [desk, laptop]) {
    expect(machine.store.standing(ID)).toBe('quarantined:decided');
    expect(await hitsAt(machine)).toBe(0);
  }
});

const NO_PORTS: Check = {
  name: 'ports',
  evidence: [],
  *run({ document }) {
    if (!document?.body.includes('5433')) return;
    yield { class: 'format', rule: 'port-named', severity: 'block', field: 'body', line: 1, message: 'No ports.' };
  },
};

test('a text that a check blocks here is not put back, and no secret comes into memories/ or leaves', async () => {
  const { remote, desk, laptop } = await restored();
  movedAway(remote, (text) => text.replace('5433', `5433 with ${TOKEN}`));
  await laptop.sync();
  expect(laptop.store.text('memories', ID)).not.toContain(TOKEN);
  expect(laptop.store.standing(ID)).toBe('verified:vouched');

  movedAway(remote);
  await desk.store.reopen({ checks: [...CHECKS, NO_PORTS] });
  await desk.sync();
  expect(desk.store.files('memories')).toEqual([]);
  expect(desk.store.tier(ID)).toBe('quarantined');
  for (const path of inRemote(remote).filter((each) => each.startsWith('memories/')))
    expect(git(remote, 'show', `main:${path}`)).not.toContain(TOKEN);
});
