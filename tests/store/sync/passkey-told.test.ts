import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { statusOf } from '../../../src/actions/report/status.ts';
import { lastSync } from '../../../src/actions/sync/sync-notices.ts';
import { thisMachine } from '../../../src/store/places/host.ts';
import { SoftwareAuthenticator } from '../../../testkit/authenticator.ts';
import { bareRemote, Machine } from '../../../testkit/fleet.ts';
import { CODE, change, enrol, requirePasskey, reset } from '../../../testkit/passkeys.ts';
import { MAIN } from '../../../testkit/program.ts';
import { temporaryFolder } from '../../../testkit/store.ts';

/** Machines that trust each other, with a passkey that was enrolled at the desk. */
async function twoMachines() {
  const remote = bareRemote();
  const [desk, laptop] = [await Machine.open('desk', remote), await Machine.open('laptop', remote)];
  for (const each of [desk, laptop]) await each.store.add(`what ${each.name} has`);
  for (const each of [desk, laptop, desk]) await each.sync();
  desk.trust(laptop);
  laptop.trust(desk);
  const passkey = new SoftwareAuthenticator();
  await enrol(desk.store, passkey);
  return { remote, desk, laptop, passkey };
}

/** What a sync says about passkeys. */
const told = async (machine: Machine) =>
  (await machine.sync()).notices.filter(({ kind }) => kind === 'passkey').map(({ what }) => what);

test('a passkey that another machine requires, or no longer requires, is told once', async () => {
  const { desk, laptop, passkey } = await twoMachines();
  const required = () => [desk, laptop].map((each) => statusOf({ ...each.session, notices: [] }).passkeyRequired);
  const turns: [turn: () => Promise<void>, words: string, holds: boolean][] = [
    [() => requirePasskey(desk.store, passkey), 'needs a passkey for every yes from now on', true],
    [() => change(desk.store, 'released', {}, passkey), 'no longer needs a passkey for a yes', false],
    [() => requirePasskey(desk.store, passkey), 'needs a passkey for every yes from now on', true],
    [() => reset(desk.store, CODE), 'no longer needs a passkey for a yes', false],
  ];
  for (const [turn, words, holds] of turns) {
    await turn();
    // Who turned it knows it.
    expect(await told(desk)).toEqual([]);
    expect(await told(laptop)).toEqual([expect.stringContaining(words)]);
    expect(await told(laptop)).toEqual([]);
    expect(await told(desk)).toEqual([]);
    expect(required()).toEqual([holds, holds]);
  }
  expect(lastSync(laptop.session)?.notices.filter(({ kind }) => kind === 'passkey')).toHaveLength(1);
  expect(lastSync(desk.session)?.notices.filter(({ kind }) => kind === 'passkey')).toEqual([]);
});

test('a yes that was given here meanwhile without a passkey is named, because it counts for nothing', async () => {
  const { desk, laptop, passkey } = await twoMachines();
  await desk.sync();
  await requirePasskey(desk.store, passkey);
  await desk.sync();
  const id = await laptop.store.add('what was vouched for meanwhile');
  const [words = ''] = await told(laptop);
  expect(laptop.store.tier(id)).toBe('inferred');
  expect(words).toContain(`1 yes that you gave here counts for nothing now, because no passkey signed it: ${id}.`);
  expect(words).toContain('surety review --web asks again');
});

test('it is told where the push fails after it came in', async () => {
  const { remote, desk, laptop, passkey } = await twoMachines();
  await requirePasskey(desk.store, passkey);
  await desk.sync();
  await laptop.store.propose('something to send');
  const refusing = join(temporaryFolder(), 'nowhere.git');
  laptop.git('config', '--file', process.env.GIT_CONFIG_GLOBAL ?? '', `url.${refusing}.pushInsteadOf`, remote);
  const failed = await laptop.sync();
  laptop.git('config', '--file', process.env.GIT_CONFIG_GLOBAL ?? '', '--remove-section', `url.${refusing}`);
  expect(failed.code).toBe(6);
  const about = lastSync(laptop.session)?.notices.filter(({ kind }) => kind === 'passkey');
  expect(about).toEqual([expect.objectContaining({ about: 'this store' })]);
});

test('status has a line about it, as long as it holds', async () => {
  const { store } = await Machine.open('here', bareRemote(), { machine: thisMachine() });
  const { PATH = '' } = process.env;
  const status = () =>
    execFileSync(process.execPath, [MAIN, 'status'], { env: { PATH, HOME: store.home }, encoding: 'utf8' });
  const passkey = new SoftwareAuthenticator();
  await enrol(store, passkey);
  expect(status()).not.toContain('passkey');
  await requirePasskey(store, passkey);
  expect(status()).toMatch(/^passkey {5}required: nothing becomes verified in this store without one/m);
  await change(store, 'released', {}, passkey);
  expect(status()).not.toContain('passkey');
});
