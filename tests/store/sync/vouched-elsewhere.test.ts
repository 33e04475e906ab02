import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { choicesFor } from '../../../src/actions/review/answers.ts';
import {
  distrustMachine,
  listMachines,
  trustMachine,
  whatTrustVerifies,
} from '../../../src/actions/review/machines.ts';
import { itemsToReview, openCase } from '../../../src/actions/review/review.ts';
import { shownForLedger } from '../../../src/actions/review/shown.ts';
import type { MemoryId } from '../../../src/core/memory/ids.ts';
import { reveal } from '../../../src/core/text/safe-text.ts';
import { witnessed } from '../../../src/core/trust/consent.ts';
import { putBackMissing } from '../../../src/store/maintenance/put-back-missing.ts';
import { repairLedger, repairsOf } from '../../../src/store/maintenance/repair-ledger.ts';
import { bareRemote, Machine } from '../../../testkit/fleet.ts';
import { personAt } from '../../../testkit/review-page.ts';
import { temporaryFolder } from '../../../testkit/store.ts';

const MINE = 'Two cores are enough for the whole build.';
const OTHER = 'Forty cores are needed for the whole build.';

/** Edits a memory by hand and answers the question about it with "put back". */
async function changedAndPutBack(at: Machine, id: string): Promise<void> {
  expect(at.store.standing(id)).toBe('verified:vouched');
  at.store.edit(id, (text) => text.replace(MINE, OTHER));
  await at.store.reconcile();
  expect(at.store.standing(id)).toBe('inferred:changed');
  const [item] = itemsToReview(at.session);
  const open = item && openCase(at.session, item);
  expect(open?.former && reveal(open.former.body)).toContain(MINE);
  const back = open && choicesFor(open).find(({ means }) => /put/i.test(means));
  if (open === undefined || typeof back?.effect !== 'function') throw new Error('putting back is not offered');
  await back.effect(at.session, open, personAt(open));
  expect(at.store.standing(id)).toBe('verified:vouched');
  expect(at.store.text('memories', id)).toContain(MINE);
}

async function trusts(at: Machine, other: Machine): Promise<void> {
  const machine = listMachines(at.session).find(({ fingerprint }) => fingerprint === other.fingerprint);
  const report = at.store.vault.reports().find(({ fingerprint }) => fingerprint === other.fingerprint);
  if (machine === undefined || report === undefined) throw new Error('no ledger of that machine');
  const yes = witnessed('page', shownForLedger('trust-machine', report, 'untrusted'));
  await trustMachine(at.session, machine, other.name, yes);
}

/** Two machines with one memory, for which the person at the desk vouched. */
async function vouchedAtTheDesk() {
  const remote = bareRemote();
  const [desk, laptop] = [await Machine.open('desk', remote), await Machine.open('laptop', remote)];
  const id = await desk.store.add('the build', { body: MINE });
  await desk.sync();
  await laptop.sync();
  return { desk, laptop, id };
}

test('what another machine vouched for can be put back here: known when it was trusted, or synced later', async () => {
  const { desk, laptop, id } = await vouchedAtTheDesk();
  await trusts(laptop, desk);
  await changedAndPutBack(laptop, id);

  const second = await desk.store.add('the other build', { body: MINE });
  await desk.sync();
  await laptop.sync();
  await changedAndPutBack(laptop, second);
});

test('what becomes verified here by an entry of a ledger alone can be put back, and so can what was pulled with git', async () => {
  const { desk, laptop } = await vouchedAtTheDesk();
  const server = await Machine.open('server', desk.remote);
  await server.sync();
  await desk.sync();
  await trusts(laptop, desk);
  await trusts(desk, server);
  // Two people say yes to one text on one day, so the file needs no change for the desk's second yes.
  const text = await desk.store.propose('the other build', { body: `${MINE} So it was agreed.` });
  for (const machine of [desk, server, laptop]) {
    await machine.sync();
    machine.store.pass(7);
  }
  for (const { store } of [desk, server]) await store.decide('promote', text);
  for (const machine of [desk, server, desk, laptop]) await machine.sync();
  expect(laptop.store.standing(text)).toBe('inferred:disputed');
  await desk.store.decide('reaffirm', text);
  await desk.sync();
  expect(await laptop.sync()).toMatchObject({ received: 0 });
  await changedAndPutBack(laptop, text);
  await laptop.sync();

  const pulled = await desk.store.add('the third build', { body: MINE });
  await desk.sync();
  laptop.git('pull', '--quiet', '--ff-only', 'origin', 'main');
  await laptop.sync();
  await changedAndPutBack(laptop, pulled);
});

test('what this machine vouched for after its backup can be put back, once its ledger is accepted', async () => {
  const { desk, laptop } = await vouchedAtTheDesk();
  const [{ store }, backup] = [desk, join(temporaryFolder(), 'home')];
  store.vault.close();
  cpSync(store.home, backup, { recursive: true });
  await store.reopen();
  const id = await store.add('the other build', { body: MINE });
  for (const machine of [desk, laptop]) await machine.sync();
  store.vault.close();
  rmSync(store.home, { recursive: true });
  cpSync(backup, store.home, { recursive: true });
  await store.reopen();
  await desk.sync();
  const report = store.report();
  const [repair] = repairsOf(store.vault, report);
  if (repair?.kind !== 'accept') throw new Error('accepting is not offered');
  await repairLedger(store.vault, repair, witnessed('page', shownForLedger('accept-ledger', report, repair.trouble)));
  await changedAndPutBack(desk, id);
});

test('without room for copies a machine is trusted all the same, and that is told', async () => {
  const { desk, laptop, id } = await vouchedAtTheDesk();
  // A file has the folder's place.
  writeFileSync(join(laptop.store.places.state, 'vouched'), '');
  await trusts(laptop, desk);
  expect(laptop.store.standing(id)).toBe('verified:vouched');
  expect(laptop.store.complaints.join('\n')).toContain('no copy of what another machine vouched for could be kept');
});

test('what another machine vouched for is missing here when its file is gone, and only what was here', async () => {
  const { desk, laptop } = await vouchedAtTheDesk();
  await trusts(laptop, desk);
  const id = await desk.store.add('the other build', { body: OTHER });
  const lost = await desk.store.add('the door', { body: 'The door is on the left.' });
  desk.store.remove(lost);
  await desk.sync();
  await laptop.sync();
  expect(laptop.store.standing(id)).toBe('verified:vouched');
  const missing = async () => {
    await laptop.store.reconcile();
    return laptop.store.vault.missing.all();
  };
  expect(await missing()).toEqual([]);

  laptop.store.remove(id);
  expect(await missing()).toMatchObject([{ id, tier: 'verified', damaged: false }]);
  expect(await putBackMissing(laptop.store.vault, [id as MemoryId])).toEqual([id]);
  expect(laptop.store.standing(id)).toBe('verified:vouched');
  expect(await missing()).toEqual([]);

  // What the person took out of service at the desk is missing nowhere.
  await desk.store.decide('demote', id, 'it is wrong');
  await desk.sync();
  await laptop.sync();
  rmSync(laptop.store.path('quarantine', id));
  expect(await missing()).toEqual([]);
});

test('trust shows what it takes out of quarantine, and distrust what it puts back there', async () => {
  const { desk, laptop, id } = await vouchedAtTheDesk();
  await trusts(laptop, desk);
  await desk.sync();
  await laptop.store.decide('demote', id);
  await laptop.sync();
  await desk.sync();
  expect(desk.store.standing(id)).toMatch(/^quarantined/);
  await desk.store.decide('restore', id);
  await desk.sync();
  await laptop.sync();
  expect(laptop.store.standing(id)).toBe('verified:vouched');

  const machine = listMachines(laptop.session).find(({ fingerprint }) => fingerprint === desk.fingerprint);
  if (machine === undefined) throw new Error('no ledger of that machine');
  expect(await distrustMachine(laptop.session, machine)).toEqual([{ id, vouchedElsewhere: false, quarantined: true }]);
  expect(whatTrustVerifies(laptop.session, machine).map((each) => each.id)).toEqual([id]);
  await trusts(laptop, desk);
  expect(laptop.store.standing(id)).toBe('verified:vouched');
});
