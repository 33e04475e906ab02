import { expect, test } from 'vitest';
import { passkeysNow } from '../../src/store/maintenance/passkeys.ts';
import { SoftwareAuthenticator } from '../../testkit/authenticator.ts';
import { bareRemote, Machine } from '../../testkit/fleet.ts';
import { CODE, decideSigned, enrol, requirePasskey, reset } from '../../testkit/passkeys.ts';

// Each machine of a store enrolled a first passkey before they knew of each other.

async function twoMachines() {
  const remote = bareRemote();
  const [desk, laptop] = [await Machine.open('desk', remote), await Machine.open('laptop', remote)];
  const [atDesk, atLaptop] = [new SoftwareAuthenticator(), new SoftwareAuthenticator()];
  const id = await desk.store.propose('the build');
  await laptop.store.propose('the door');
  for (const { store } of [desk, laptop]) store.pass(8);
  await enrol(desk.store, atDesk);
  await enrol(laptop.store, atLaptop);
  await decideSigned(desk.store, 'promote', id, atDesk);
  for (const each of [desk, laptop, desk]) await each.sync();
  return { desk, laptop, atDesk, atLaptop, id };
}

function counting({ store: { vault } }: Machine) {
  const { isContested, isRequired, passkeys } = passkeysNow(vault);
  return { isContested, isRequired, passkeys: passkeys.map(({ credential }) => credential) };
}

function levelOf({ store }: Machine, id: string) {
  const { standing } = store.load(id);
  return standing.tier === 'verified' ? standing.receipt.level : undefined;
}

test('one machine gives its passkey up with a code before they trust each other, and the other’s counts on both', async () => {
  const { desk, laptop, atDesk, atLaptop, id } = await twoMachines();
  await requirePasskey(desk.store, atDesk);
  await reset(desk.store, CODE);
  for (const each of [desk, laptop]) await each.sync();
  desk.trust(laptop);
  laptop.trust(desk);
  const one = { isContested: false, isRequired: false, passkeys: [atLaptop.credential] };
  expect([desk, laptop].map(counting)).toEqual([one, one]);
  // What the passkey signed before it was given up stays signed.
  expect([levelOf(desk, id), levelOf(laptop, id)]).toEqual([4, 4]);
  const second = new SoftwareAuthenticator();
  await enrol(desk.store, second, atLaptop);
  for (const each of [desk, laptop]) await each.sync();
  expect(counting(laptop).passkeys).toEqual([atLaptop.credential, second.credential]);
});

test('machines that trust each other already: one distrusts the other, gives its passkey up, and trusts it again', async () => {
  const { desk, laptop, atDesk, atLaptop, id } = await twoMachines();
  desk.trust(laptop);
  laptop.trust(desk);
  for (const each of [desk, laptop, desk]) await each.sync();
  const none = { isContested: true, isRequired: false, passkeys: [] };
  expect([desk, laptop].map(counting)).toEqual([none, none]);
  await desk.store.vault.distrust(laptop.fingerprint);
  expect(counting(desk)).toMatchObject({ isContested: false, passkeys: [atDesk.credential] });
  await requirePasskey(desk.store, atDesk);
  await reset(desk.store, CODE);
  for (const each of [desk, laptop]) await each.sync();
  desk.trust(laptop);
  const one = { isContested: false, isRequired: false, passkeys: [atLaptop.credential] };
  expect([desk, laptop].map(counting)).toEqual([one, one]);
  expect([levelOf(desk, id), levelOf(laptop, id)]).toEqual([4, 4]);
});

test('where one of them required its passkey, the recovery code ends both, and one is enrolled anew', async () => {
  const { desk, laptop, atDesk } = await twoMachines();
  await requirePasskey(desk.store, atDesk);
  desk.trust(laptop);
  laptop.trust(desk);
  for (const each of [desk, laptop, desk]) await each.sync();
  expect(counting(desk)).toEqual({ isContested: true, isRequired: true, passkeys: [] });
  await reset(desk.store, CODE);
  const fresh = new SoftwareAuthenticator();
  await enrol(desk.store, fresh);
  for (const each of [desk, laptop]) await each.sync();
  const one = { isContested: false, isRequired: false, passkeys: [fresh.credential] };
  expect([desk, laptop].map(counting)).toEqual([one, one]);
});
