import { copyFileSync, cpSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { passkeysNow } from '../../src/store/maintenance/passkeys.ts';
import { takeOver } from '../../src/store/open-vault.ts';
import { thisMachine } from '../../src/store/places/host.ts';
import { SoftwareAuthenticator } from '../../testkit/authenticator.ts';
import { contentsOf } from '../../testkit/contents.ts';
import { CODE, change, decideSigned, enrol, requirePasskey, reset } from '../../testkit/passkeys.ts';
import { piped } from '../../testkit/piped.ts';
import { runHook } from '../../testkit/run-hook.ts';
import { TestStore } from '../../testkit/store.ts';
import { storeTenDaysAgo, TestTerminal, terminalTest } from '../../testkit/terminal.ts';

async function storeWithOne(): Promise<{ store: TestStore; id: string; key: string }> {
  const store = await storeTenDaysAgo();
  const id = await store.add('good rule');
  await store.reconcile();
  store.vault.close();
  return { store, id, key: join(store.places.config, 'key.json') };
}

const HAD_ONE = 'is gone, and this machine had one';

test.each([
  ['the key', (store: TestStore) => rmSync(join(store.places.config, 'key.json')), HAD_ONE],
  ['the config folder', (store: TestStore) => rmSync(store.places.config, { recursive: true }), HAD_ONE],
  [
    'config and state',
    (store: TestStore) => {
      rmSync(store.places.config, { recursive: true });
      rmSync(store.places.state, { recursive: true });
    },
    'is missing, and a machine of this name wrote to the store',
  ],
])('%s lost: the store is looked at and searched, nothing is written, and it says what to do', async (_, lose, why) => {
  const { store, id, key } = await storeWithOne();
  const { home } = store;
  lose(store);

  const search = await piped(home, ['search', 'good rule', '--json']);
  expect(JSON.parse(search.out).hits).toMatchObject([{ id, tier: 'inferred' }]);
  expect(search.err).toContain(`key.json" ${why}. No new one was made`);
  const status = JSON.parse((await piped(home, ['status', '--json'])).out);
  expect(status.memories).toMatchObject({ verified: 0, inferred: 1 });
  expect(status.key.trouble).toContain('Put the old key back from a backup');
  const doctor = await piped(home, ['doctor', '--json']);
  expect(doctor.code).toBe(3);
  expect(JSON.parse(doctor.out).findings[0]).toMatchObject({
    code: 'key-missing',
    about: [store.places.config, `${id} (was verified)`],
    repairs: ['make-key'],
  });
  const { answer } = await runHook(home, 'session-start', { hook_event_name: 'SessionStart', source: 'startup' });
  expect(answer?.systemMessage).toContain(why);

  // Opened to write, as a server does: refused in words, and nothing changes.
  await store.reopen();
  const before = contentsOf(store.places.root);
  await expect(store.propose('anything')).rejects.toMatchObject({ code: 'key-unusable' });
  await expect(store.decide('promote', id)).rejects.toMatchObject({ code: 'key-unusable' });
  await store.reconcile();
  expect(contentsOf(store.places.root)).toEqual(before);
  const init = await piped(home, ['init']);
  expect({ code: init.code, err: init.err }).toEqual({ code: 1, err: expect.stringContaining('No new one was made') });
  expect(existsSync(key)).toBe(false);
});

terminalTest('without the key nobody is asked in vain, and the key is named as the reason', async () => {
  const { store, id, key } = await storeWithOne();
  rmSync(key);
  for (const args of [['remember', 'We deploy on weekdays.'], ['remember'], ['add'], ['promote', id], ['adopt', id]]) {
    const { code, shown } = await new TestTerminal(store.home, args).end();
    expect({ args, code }).toEqual({ args, code: 1 });
    // Once: as the notice when the store is opened, and not again as the reason.
    expect(shown.replace(/\s+/g, ' ').split(HAD_ONE)).toHaveLength(2);
    expect(shown).not.toMatch(/\[y\]|what to remember|type:|observation period/);
  }
});

terminalTest('without the key a memory is put away all the same, and it says what that is worth', async () => {
  const { store, id, key } = await storeWithOne();
  rmSync(key);
  const terminal = new TestTerminal(store.home, ['demote', id]);
  await terminal.answer('y');
  const { code, shown } = await terminal.end();
  expect(code).toBe(0);
  expect(shown.replace(/\s+/g, ' ')).toContain('it is recorded as soon as the ledger can take it');
});

test('the old key put back makes everything what it was', async () => {
  const { store, id, key } = await storeWithOne();
  renameSync(key, `${key}.away`);
  await store.reopen();
  expect(store.tier(id)).toBe('inferred');
  renameSync(`${key}.away`, key);
  await store.reopen();
  expect(store.standing(id)).toBe('verified:vouched');
});

terminalTest('a person takes over with a new key: shown what was verified, and nothing is verified by it', async () => {
  const { store, id, key } = await storeWithOne();
  rmSync(key);
  const terminal = new TestTerminal(store.home, ['doctor']);
  const asked = await terminal.answer('y');
  expect(asked).toContain(`${id} (was verified)`);
  expect(asked).toContain('Make a new key, which verifies none of these memories?');
  await terminal.answer('q').catch(() => undefined);
  await terminal.end();
  expect(existsSync(key)).toBe(true);
  await store.reopen();
  expect(store.vault.keyTrouble).toBeUndefined();
  expect(store.tier(id)).toBe('inferred');
  expect(await store.propose('something new')).toBe('user_something_new');
});

/** A store where a passkey is required, after its key was lost and a person had `surety doctor` make a new one. */
async function storeThatRequires(passkey: SoftwareAuthenticator) {
  const store = await storeTenDaysAgo();
  const id = await store.propose('the build');
  await enrol(store, passkey);
  await requirePasskey(store, passkey);
  const old = store.vault.self.fingerprint;
  await store.reconcile();
  store.vault.close();
  rmSync(join(store.places.config, 'key.json'));
  const terminal = new TestTerminal(store.home, ['doctor']);
  await terminal.answer('y');
  await terminal.end();
  expect(terminal.screen).toContain('A passkey is required, and none counts here.');
  await store.reopen();
  await store.reconcile();
  // The new key's week begins when it first sees the text.
  store.pass(20);
  return { store, id, old };
}

terminalTest('a passkey that was required is required with the new key, and counts with the old ledger', async () => {
  const passkey = new SoftwareAuthenticator();
  const { store, id, old } = await storeThatRequires(passkey);
  for (const _ of ['this process', 'the next one']) {
    const { isRequired, passkeys } = passkeysNow(store.vault);
    expect([isRequired, passkeys.length]).toEqual([true, 0]);
    await expect(store.decide('promote', id)).rejects.toMatchObject({ code: 'assurance-too-low' });
    await store.reopen();
  }
  const WAY_OUT = 'surety machines trust makes that ledger and its passkeys count';
  expect(JSON.parse((await piped(store.home, ['status', '--json'])).out).passkeysContested).toContain(WAY_OUT);
  expect(JSON.parse((await piped(store.home, ['doctor', '--json'])).out).findings).toContainEqual(
    expect.objectContaining({ code: 'passkeys-missing', advice: expect.stringContaining(WAY_OUT) }),
  );
  expect((await piped(store.home, ['passkey', 'list'])).err).toContain(WAY_OUT);
  store.trust(old, 'old');
  for (const _ of ['this process', 'the next one']) {
    const { isRequired, passkeys } = passkeysNow(store.vault);
    expect([isRequired, passkeys.length, store.tier(id)]).toEqual([true, 1, 'inferred']);
    await store.reopen();
  }
  await decideSigned(store, 'promote', id, passkey);
  expect(store.tier(id)).toBe('verified');
});

terminalTest('the recovery code ends the requirement with the new key too', async () => {
  const { store, id } = await storeThatRequires(new SoftwareAuthenticator());
  await expect(reset(store, 'wrong')).rejects.toThrow();
  await reset(store, CODE);
  expect(passkeysNow(store.vault).isRequired).toBe(false);
  await store.decide('promote', id);
  expect(store.tier(id)).toBe('verified');
  await enrol(store, new SoftwareAuthenticator());
  expect(passkeysNow(store.vault).passkeys).toHaveLength(1);
});

/** The key is gone, and a person makes a new one. */
async function loseKey(store: TestStore): Promise<void> {
  await store.reconcile();
  store.vault.close();
  rmSync(join(store.places.config, 'key.json'));
  await takeOver(store.places);
  await store.reopen();
  await store.reconcile();
}

terminalTest(
  'where no passkey counts, every command that asks for a yes says so, and none sends to the page',
  async () => {
    const store = await storeTenDaysAgo();
    store.pass(-10);
    const id = await store.propose('the build');
    const passkey = new SoftwareAuthenticator();
    await enrol(store, passkey);
    await requirePasskey(store, passkey);
    await loseKey(store);
    for (const args of [
      ['remember', 'I prefer tabs.'],
      ['adopt', id],
      ['promote', id],
    ]) {
      const { code, shown } = await new TestTerminal(store.home, args).end();
      const said = shown.replaceAll(/\s+/g, ' ');
      expect(code).toBe(1);
      expect(said).toContain('surety machines trust makes that ledger and its passkeys count; or surety passkey reset');
      expect(said).not.toMatch(/the page|surety open|--web/);
    }
    await store.reopen();
    expect([store.tier(id), store.tier('user_i_prefer_tabs')]).toEqual(['inferred', 'inferred']);
  },
);

test('a passkey stays required where the old ledger was removed with the key, because a copy of it is kept', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('the build');
  const passkey = new SoftwareAuthenticator();
  await enrol(store, passkey);
  await requirePasskey(store, passkey);
  await store.reconcile();
  store.vault.close();
  rmSync(join(store.places.config, 'key.json'));
  rmSync(store.places.ledger, { recursive: true });
  await takeOver(store.places);
  await store.reopen();
  expect(passkeysNow(store.vault)).toMatchObject({ isRequired: true, passkeys: [] });
  await store.reconcile();
  store.pass(20);
  await expect(store.decide('promote', id)).rejects.toMatchObject({ code: 'assurance-too-low' });
});

test('a passkey stays required that another machine required, which the lost ledger knew', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('the build');
  await store.reconcile();
  cpSync(store.places.root, join(store.home, 'there', '.surety'), { recursive: true });
  const there = await TestStore.open({ home: join(store.home, 'there'), machine: { name: 'there', identity: 'two' } });
  const passkey = new SoftwareAuthenticator();
  await enrol(there, passkey);
  await requirePasskey(there, passkey);
  for (const path of there.ledgerPaths()) copyFileSync(path, join(store.places.ledger, basename(path)));
  store.trust(there.vault.self.fingerprint);
  await loseKey(store);
  store.pass(20);
  expect(passkeysNow(store.vault)).toMatchObject({ isRequired: true, passkeys: [] });
  await expect(store.decide('promote', id)).rejects.toMatchObject({ code: 'assurance-too-low' });
});

test('a requirement that was taken back before the key was lost does not come back', async () => {
  const store = await storeTenDaysAgo();
  const passkey = new SoftwareAuthenticator();
  await enrol(store, passkey);
  await requirePasskey(store, passkey);
  await change(store, 'released', {}, passkey);
  await loseKey(store);
  await enrol(store, new SoftwareAuthenticator());
  for (const _ of ['this process', 'the next one']) {
    await store.reconcile();
    expect(passkeysNow(store.vault)).toMatchObject({ isRequired: false, passkeys: [{ name: 'a key' }] });
    await store.reopen();
  }
});

test('a passkey that was enrolled and not required hinders no other one after the key was lost', async () => {
  const store = await storeTenDaysAgo();
  await enrol(store, new SoftwareAuthenticator());
  await loseKey(store);
  await enrol(store, new SoftwareAuthenticator());
  expect(passkeysNow(store.vault)).toMatchObject({ isContested: false, passkeys: [{ name: 'a key' }] });
});

test('what somebody adds with the lost key requires nothing here', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('the build');
  await store.reconcile();
  const old = store.vault.self.fingerprint;
  store.vault.close();
  const copy = join(store.home, 'copy');
  const kept = ['.surety', '.config', '.local'].filter((name) => existsSync(join(store.home, name)));
  for (const name of kept) cpSync(join(store.home, name), join(copy, name), { recursive: true });
  rmSync(join(store.places.config, 'key.json'));
  await takeOver(store.places);
  await store.reopen();
  await store.reconcile();
  store.pass(20);
  await store.decide('promote', id);

  const thief = await TestStore.open({ home: copy, machine: thisMachine() });
  expect(thief.vault.self.fingerprint).toBe(old);
  thief.acceptLedger();
  const passkey = new SoftwareAuthenticator();
  await enrol(thief, passkey);
  await requirePasskey(thief, passkey);
  for (const path of thief.ledgerPaths()) copyFileSync(path, join(store.places.ledger, basename(path)));
  await store.reconcile();
  expect([passkeysNow(store.vault).isRequired, store.tier(id)]).toEqual([false, 'verified']);
  await enrol(store, new SoftwareAuthenticator());
});

terminalTest('surety init asks too, and a no makes nothing', async () => {
  const { store, key } = await storeWithOne();
  rmSync(key);
  const terminal = new TestTerminal(store.home, ['init']);
  expect(await terminal.answer('n')).toContain('Give the old key up and make a new one?');
  expect((await terminal.end()).code).toBe(1);
  expect(existsSync(key)).toBe(false);
});

test('a rebuilt container with another machine id looks and searches, all inferred, and says what to do', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  const again = await TestStore.open({ home: store.home, machine: { name: 'rebuilt', identity: 'another' } });
  await again.reconcile();
  expect(again.tier(id)).toBe('inferred');
  expect(again.vault.keyTrouble?.message).toContain('In a container, give it the machine id or the host name');
  await expect(again.propose('anything')).rejects.toMatchObject({ code: 'key-unusable' });
  // A lowering waits for nothing: the file is moved, and recorded when there is a key again.
  expect((await again.decide('demote', id)).recorded).toBe(false);
  expect(readdirSync(again.places.quarantine)).toEqual([`${id}.md`]);
});

test('a machine that never had a key gets one, also for a store that others wrote', async () => {
  const store = await TestStore.open({ machine: { name: 'there', identity: 'machine-two' } });
  await store.propose('from there');
  store.vault.close();
  rmSync(store.places.config, { recursive: true });
  rmSync(store.places.state, { recursive: true });
  const here = await TestStore.open({ home: store.home });
  expect(here.vault.keyTrouble).toBeUndefined();
});
