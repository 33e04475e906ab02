import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { whyNoPasskeyCounts } from '../../src/actions/review/first-passkey.ts';
import { hashOf } from '../../src/core/ledger/entry.ts';
import { challengeOfChange } from '../../src/core/passkeys/challenge.ts';
import { PASSKEYS, recoveryHash } from '../../src/core/passkeys/change.ts';
import { dateOf } from '../../src/core/trust/clocks.ts';
import { Disk } from '../../src/store/disk/disk.ts';
import { RememberedHeads } from '../../src/store/ledger/remembered-heads.ts';
import { passkeysNow } from '../../src/store/maintenance/passkeys.ts';
import { insideOf } from '../../src/store/vault/inside-of-vault.ts';
import { SoftwareAuthenticator } from '../../testkit/authenticator.ts';
import { Machine, PreparedPair } from '../../testkit/fleet.ts';
import {
  CODE,
  change,
  decideSigned,
  enrol,
  forge,
  forgeReceipt,
  requirePasskey,
  reset,
} from '../../testkit/passkeys.ts';
import { readFolder, readStoreId } from '../../torture/checker/file.ts';
import { readKept } from '../../torture/checker/kept.ts';
import { readLedgers } from '../../torture/checker/ledger.ts';
import { Evidence, tierOf } from '../../torture/checker/standing.ts';

// The desk has the passkey and requires it. The laptop joined and trusts the desk. There a thief has the machine's key, a
// shell and all files, and can answer at a terminal.

const passkeyOfDesk = new SoftwareAuthenticator();

/** The id of a memory that the laptop proposed. */
const prepared = new PreparedPair(async (desk, laptop) => {
  await desk.store.propose('the build');
  const id = await laptop.store.propose('the door');
  await enrol(desk.store, passkeyOfDesk);
  await requirePasskey(desk.store, passkeyOfDesk);
  await desk.store.propose('the release');
  for (const each of [desk, laptop]) await each.sync();
  laptop.trust(desk);
  for (const each of [laptop, desk, laptop]) await each.sync();
  return id;
});

async function joined() {
  const { remote, a: desk, b: laptop, made: id } = await prepared.restore();
  expect(passkeysNow(laptop.store.vault)).toMatchObject({ isContested: false, isRequired: true });
  return { remote, desk, laptop, id };
}

/** The tier by the torture's checker, which is written from the documents and shares no code with the store. */
function checked({ store: { places, vault } }: Machine, id: string): string {
  const ledgers = readLedgers(places.root);
  const kept = readKept(places.state, ledgers);
  const evidence = new Evidence(ledgers, kept, { own: vault.self.fingerprint, store: readStoreId(places.root) });
  const one = readFolder(places.root, 'memories').found.find((each) => each.id === id);
  return one === undefined ? 'missing' : tierOf(one, evidence);
}

/** Every file that the laptop has of the desk's ledger. */
function ledgerOfDesk({ desk, laptop }: { readonly desk: Machine; readonly laptop: Machine }, andCopies = true) {
  const { ledger, state } = laptop.store.places;
  const folders = andCopies ? [ledger, join(state, 'ledgers')] : [ledger];
  return folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.startsWith(desk.fingerprint))
      .map((name) => join(folder, name)),
  );
}

function cutAfter(path: string, action: string): void {
  const lines = readFileSync(path, 'utf8').split('\n');
  const last = lines.findIndex((line) => line.includes(`"action":"${action}"`));
  writeFileSync(
    path,
    lines
      .slice(0, last + 1)
      .map((line) => `${line}\n`)
      .join(''),
  );
}

test('the recovery code ends the requirement also where the desk is not trusted any more', async () => {
  const { desk, laptop, id } = await joined();
  const { store } = laptop;
  await store.vault.distrust(desk.fingerprint);
  expect(passkeysNow(store.vault)).toMatchObject({ isRequired: true, passkeys: [] });
  await reset(store, CODE);
  expect(passkeysNow(store.vault).isRequired).toBe(false);
  store.pass(20);
  await store.decide('promote', id);
  expect([store.tier(id), checked(laptop, id)]).toEqual(['verified', 'verified']);
});

test('a person who distrusts the machine of a release is told why a passkey is required again', async () => {
  const { desk, laptop } = await joined();
  const { vault } = laptop.store;
  await change(desk.store, 'released', {}, passkeyOfDesk);
  for (const each of [desk, laptop]) await each.sync();
  expect(passkeysNow(vault).isRequired).toBe(false);
  await vault.distrust(desk.fingerprint);
  expect(whyNoPasskeyCounts(vault)).toMatch(/That was released with .* surety machines trust makes that ledger count/);
  laptop.trust(desk);
  expect([whyNoPasskeyCounts(vault), passkeysNow(vault).isRequired]).toEqual([undefined, false]);
});

test('a person is not told to trust a machine again whose ledger was cut', async () => {
  const { desk, laptop } = await joined();
  const path = ledgerOfDesk({ desk, laptop }, false).sort().at(-1) ?? '';
  writeFileSync(path, readFileSync(path, 'utf8').replace(/[^\n]*\n$/, ''));
  await laptop.store.reopen();
  expect(laptop.store.vault.reports()).toContainEqual(expect.objectContaining({ trusted: true, trouble: 'shorter' }));
  expect(whyNoPasskeyCounts(laptop.store.vault)).toContain('put that ledger back first');
});

test('the recovery code ends it also where only the copy is left of the ledger that requires it', async () => {
  const it = await joined();
  const { store } = it.laptop;
  await store.vault.distrust(it.desk.fingerprint);
  for (const path of ledgerOfDesk(it, false)) rmSync(path);
  await store.reopen();
  expect(passkeysNow(store.vault)).toMatchObject({ isRequired: true, passkeys: [] });
  await reset(store, CODE);
  expect(passkeysNow(store.vault).isRequired).toBe(false);
});

test('a passkey that the desk’s key adds after it was distrusted is not made to count by a later reset', async () => {
  const { desk, laptop, id } = await joined();
  const { store } = laptop;
  await store.vault.distrust(desk.fingerprint);
  await reset(store, CODE);
  const mine = new SoftwareAuthenticator();
  await enrol(store, mine);
  const later = 'c2'.repeat(16);
  await change(store, 'required', { recovery: recoveryHash(later) }, mine);
  // Who has the desk's key, and no passkey of the person, enrols one after the reset that everybody sees, and requires it.
  const thief = new SoftwareAuthenticator();
  const { ledgers } = insideOf(desk.store.vault);
  const passkeys = { credential: thief.credential, key: thief.publicKey, name: 'x', ledgers: [] };
  const after = insideOf(store.vault).ledgers.evidence.passkeySet().resets;
  forge(desk.store, { action: 'enrolled', id: PASSKEYS, passkeys, after });
  const { store: storeId = '', at, ends } = ledgers.nextPlace();
  const required = { recovery: recoveryHash('theirs'), ledgers: ends };
  const place = { store: storeId, ledger: desk.fingerprint, after: [], day: dateOf(at), nonce: 'bm9uY2U' };
  const assertion = thief.sign(challengeOfChange({ ...place, action: 'required', change: required }), place.nonce);
  forge(desk.store, { action: 'required', id: PASSKEYS, passkeys: required, after: [], assertion });
  for (const each of [desk, laptop]) await each.sync();
  await reset(store, later);
  await store.reconcile();
  expect(passkeysNow(store.vault).isRequired).toBe(false);
  await enrol(store, new SoftwareAuthenticator());
  store.pass(20);
  await store.decide('promote', id);
  expect([store.tier(id), checked(laptop, id)]).toEqual(['verified', 'verified']);
});

describe('the requirement stays where the thief', () => {
  test('takes the desk’s word away and cuts what the laptop has of its ledger', async () => {
    const it = await joined();
    await it.laptop.store.vault.distrust(it.desk.fingerprint);
    for (const path of ledgerOfDesk(it)) cutAfter(path, 'required');
    await expectForgedInVain(it);
  });

  test.each(['before its place', 'at its place'])(
    'cuts what the laptop has of the desk’s ledger, and keeps the line that requires among others %s',
    async (where) => {
      const it = await joined();
      const { store } = it.laptop;
      const lines = it.desk.store.ledgerLines();
      const [enrolled, requires] = ['enrolled', 'required'].map((action) =>
        lines.findIndex((line) => line.includes(`"action":"${action}"`)),
      ) as [number, number];
      for (const path of ledgerOfDesk(it)) cutAfter(path, 'enrolled');
      const head = { count: enrolled + 1, hash: hashOf(lines[enrolled] ?? '') };
      new RememberedHeads(store.places, new Disk(), insideOf(store.vault).key).remember([[it.desk.fingerprint, head]]);
      const [line, first] = [lines[requires] ?? '', lines[0] ?? ''];
      const kept = where === 'before its place' ? [line] : [...Array.from({ length: requires }, () => first), line];
      const aside = join(store.places.state, 'ledgers', `${it.desk.fingerprint}.was-aaaaaaaaaaaa.jsonl`);
      writeFileSync(aside, kept.map((each) => `${each}\n`).join(''));
      await expectForgedInVain(it);
    },
  );

  test('cuts the laptop’s own ledger before it trusted the desk, and accepts what is left', async () => {
    const it = await joined();
    const { store } = it.laptop;
    const lines = store.ledgerLines();
    for (const path of store.ledgerPaths()) rmSync(path);
    store.writeLedger(
      lines.slice(
        0,
        lines.findIndex((line) => line.includes('"action":"trusted"')),
      ),
    );
    await store.reopen();
    expect(store.trouble()).toBe('shorter');
    store.acceptLedger();
    await expectForgedInVain(it);
  });
});

async function expectForgedInVain({ laptop, id }: { readonly laptop: Machine; readonly id: string }): Promise<void> {
  const { store } = laptop;
  await store.reopen();
  expect(store.trouble()).toBeUndefined();
  store.pass(8);
  forgeReceipt(store, id);
  await store.reopen();
  expect([passkeysNow(store.vault).isRequired, store.tier(id), checked(laptop, id)]).toEqual([
    true,
    'inferred',
    'inferred',
  ]);
}

/** The thief's own machine, with a first passkey of its own, is trusted at the laptop. */
async function withOwnPasskey() {
  const it = await joined();
  const own = await Machine.open('own', it.remote);
  const passkey = new SoftwareAuthenticator();
  const lie = await own.store.propose('the lie');
  await enrol(own.store, passkey);
  for (const { store } of [own, it.laptop]) store.pass(8);
  await decideSigned(own.store, 'promote', lie, passkey);
  for (const each of [own, it.laptop]) await each.sync();
  it.laptop.trust(own);
  return { ...it, own, lie };
}

type Thief = Awaited<ReturnType<typeof withOwnPasskey>>;

const WAYS: Readonly<Record<string, (it: Thief) => void | Promise<void>>> = {
  'takes the desk’s word away': ({ desk, laptop }) => laptop.store.vault.distrust(desk.fingerprint),
  'removes the desk’s ledger': (it) => {
    for (const path of ledgerOfDesk(it, false)) rmSync(path);
  },
  'removes it with its copy': (it) => {
    for (const path of ledgerOfDesk(it)) rmSync(path);
  },
  'takes the desk’s word away and cuts what is left of its ledger': async (it) => {
    await it.laptop.store.vault.distrust(it.desk.fingerprint);
    for (const path of ledgerOfDesk(it)) cutAfter(path, 'enrolled');
  },
};

describe('a first passkey of the thief’s own machine signs nothing where the thief', () => {
  test.each(Object.keys(WAYS))('%s', async (way) => {
    const it = await withOwnPasskey();
    await WAYS[way]?.(it);
    const { store } = it.laptop;
    await store.reopen();
    expect(passkeysNow(store.vault)).toMatchObject({ isContested: true, isRequired: true, passkeys: [] });
    expect([store.tier(it.lie), checked(it.laptop, it.lie)]).toEqual(['inferred', 'inferred']);
  });

  test('and once that machine is distrusted, the desk’s counts again', async () => {
    const { laptop, own } = await withOwnPasskey();
    await laptop.store.vault.distrust(own.fingerprint);
    const { isContested, passkeys } = passkeysNow(laptop.store.vault);
    expect([isContested, passkeys.length]).toEqual([false, 1]);
  });
});
