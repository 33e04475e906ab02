import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fileWith } from '../../../src/core/checks/sample-file.ts';
import type { Entry } from '../../../src/core/ledger/entry.ts';
import { witnessed } from '../../../src/core/trust/consent.ts';
import { Disk } from '../../../src/store/disk/disk.ts';
import { machineKey } from '../../../src/store/ledger/machine-key.ts';
import { openVault } from '../../../src/store/open-vault.ts';
import { insideOf } from '../../../src/store/vault/inside-of-vault.ts';
import type { Vault } from '../../../src/store/vault/vault.ts';
import { AGENT, DAY, newMemory, TestStore } from '../../../testkit/store.ts';

const BODY = 'The release is cut on Fridays and nobody is asked about it.';

async function twoMachines(): Promise<{ here: TestStore; there: TestStore }> {
  const here = await TestStore.open({ machine: { name: 'here', identity: 'machine-one' } });
  const there = await TestStore.open({ machine: { name: 'there', identity: 'machine-two' } });
  return { here, there };
}

const keyOf = (store: TestStore) => store.vault.self.fingerprint;

/** What a git pull brings of the ledgers: everybody's files, except that nobody else writes one's own. */
function pullLedgers(from: TestStore, to: TestStore): void {
  mkdirSync(to.places.ledger, { recursive: true });
  for (const name of readdirSync(from.places.ledger)) {
    if (name !== `${keyOf(to)}.jsonl`) copyFileSync(join(from.places.ledger, name), join(to.places.ledger, name));
  }
}

/** A whole pull: the memory files become what they are at the other machine, and the ledgers come along. */
function pull(from: TestStore, to: TestStore): void {
  for (const place of ['memories', 'quarantine'] as const) {
    for (const name of to.files(place)) rmSync(join(to.places[place], name));
    for (const name of from.files(place)) copyFileSync(join(from.places[place], name), join(to.places[place], name));
  }
  pullLedgers(from, to);
  to.now = Math.max(to.now, from.now);
}

function takeOut(store: TestStore, id: string): void {
  const text = store.text('quarantine', id).replace(/^quarantine.*\n/gm, '');
  store.write('memories', id, text.replace(/^trust-level: .*$/m, 'trust-level: verified'));
  rmSync(store.path('quarantine', id));
}

function distrust(here: TestStore, there: TestStore): void {
  insideOf(here.vault).ledgers.distrust(keyOf(there));
}

function ledgerHere(store: TestStore, of: TestStore): string {
  return join(store.places.ledger, `${keyOf(of)}.jsonl`);
}

// Trusting

test('an unknown machine’s verified memories are inferred', async () => {
  const { here, there } = await twoMachines();
  const id = await there.verified('the build');
  pull(there, here);
  expect(here.standing(id)).toBe('inferred:disputed');
  await here.reconcile();
  expect(here.standing(id)).toBe('inferred:disputed');
  expect(here.report(keyOf(there))).toMatchObject({ own: false, trusted: false, raises: false, trouble: undefined });
  await expect(here.decide('promote', id)).rejects.toMatchObject({ code: 'observation-running' });
  await expect(here.decide('reaffirm', id)).rejects.toMatchObject({ code: 'not-allowed' });
});

test('trusting a machine verifies exactly the texts it vouched for', async () => {
  const { here, there } = await twoMachines();
  const whole = await there.verified('the build');
  const edited = await there.verified('the release');
  const proposed = await there.propose('the test');
  const lowered = await there.verified('the door');
  await there.decide('demote', lowered);
  pull(there, here);
  here.edit(edited, (text) => text.replace('two cores', 'six cores'));
  here.write('memories', 'user_planted', fileWith({ 'trust-level': 'verified' }, BODY));
  here.edit(proposed, (text) => text.replace('trust-level: inferred', 'trust-level: verified'));
  await here.reconcile();
  here.trust(keyOf(there));
  expect(here.report(keyOf(there))).toMatchObject({ trusted: true, raises: true, trouble: undefined });
  expect(here.standing(whole)).toBe('verified:vouched');
  expect(here.standing(edited)).toBe('inferred:changed');
  expect(here.standing(proposed)).toBe('inferred:unproven');
  expect(here.standing('user_planted')).toBe('inferred:unproven');
  expect(here.standing(lowered)).toBe('quarantined:decided');
  await here.reopen();
  expect(here.standing(whole)).toBe('verified:vouched');
});

test('a receipt keeps the date the trusted machine gave it', async () => {
  const { here, there } = await twoMachines();
  const id = await there.verified('the build');
  const vouchedAt = there.now;
  there.pass(60);
  pull(there, here);
  here.trust(keyOf(there));
  const { standing } = here.load(id);
  expect(standing).toMatchObject({ tier: 'verified', receipt: { at: vouchedAt } });
  expect(here.now - vouchedAt).toBe(60 * DAY);
});

test('distrusting a machine lowers at once what only it vouched for', async () => {
  const { here, there } = await twoMachines();
  const theirs = await there.verified('the build');
  pull(there, here);
  here.trust(keyOf(there));
  const own = await here.verified('the release');
  expect(here.standing(theirs)).toBe('verified:vouched');
  distrust(here, there);
  expect(here.standing(theirs)).toBe('inferred:disputed');
  expect(here.standing(own)).toBe('verified:vouched');
  expect(here.report(keyOf(there))).toMatchObject({ trusted: false, raises: false });
});

test('a list of trusted machines from before a distrust does not bring it back', async () => {
  const { here, there } = await twoMachines();
  const id = await there.verified('the build');
  pull(there, here);
  here.trust(keyOf(there));
  const path = join(here.places.config, 'machines.json');
  const older = readFileSync(path);
  distrust(here, there);
  expect(here.tier(id)).toBe('inferred');
  writeFileSync(path, older);
  await here.reopen();
  expect(here.tier(id)).toBe('inferred');
});

test.each(['reordered', 'deleted'])(
  'an older list of trusted machines trusts nobody while this machine’s own ledger is %s',
  async (what) => {
    const { here, there } = await twoMachines();
    const id = await there.verified('the build');
    pull(there, here);
    here.trust(keyOf(there));
    const path = join(here.places.config, 'machines.json');
    const older = readFileSync(path);
    distrust(here, there);
    await here.reconcile();
    writeFileSync(path, older);
    if (what === 'reordered') here.writeLedger(here.ledgerLines().reverse());
    else for (const file of [here.ledgerPath, join(here.places.state, 'ledgers', `${keyOf(here)}.jsonl`)]) rmSync(file);
    await here.reopen();
    expect(here.report().trouble).toBeDefined();
    expect(here.tier(id)).toBe('inferred');
  },
);

test('trusting takes a yes for exactly that machine and the end of its ledger', async () => {
  const { here, there } = await twoMachines();
  const id = await there.verified('the build');
  pull(there, here);
  const { head } = here.report(keyOf(there));
  const right = {
    verb: 'trust-machine',
    id: keyOf(there),
    digest: head.hash,
    standing: 'untrusted',
    settles: [],
  } as const;
  for (const wrong of [{ id: keyOf(here) }, { digest: '0'.repeat(64) }, { verb: 'accept-ledger' as const }]) {
    const consent = witnessed('page', { ...right, ...wrong });
    expect(() => insideOf(here.vault).ledgers.trust(keyOf(there), 'there', consent)).toThrow();
  }
  expect(here.tier(id)).toBe('inferred');
  const consent = witnessed('page', right);
  insideOf(here.vault).ledgers.trust(keyOf(there), 'there', consent);
  expect(here.tier(id)).toBe('verified');
  expect(() => insideOf(here.vault).ledgers.trust(keyOf(there), 'there', consent)).toThrow();
});

test('a ledger swapped while the person is asked does not make another key trusted', async () => {
  const { here, there } = await twoMachines();
  const attacker = await TestStore.open({ machine: { name: 'attacker', identity: 'machine-three' } });
  await there.verified('the build');
  pull(there, here);
  const planted = await attacker.add('the attack');
  pullLedgers(attacker, here);
  copyFileSync(attacker.path('memories', planted), here.path('memories', planted));
  await here.reconcile();
  const { head } = here.report(keyOf(there));
  const consent = witnessed('page', {
    verb: 'trust-machine',
    id: keyOf(there),
    digest: head.hash,
    standing: 'untrusted',
    settles: [],
  });
  // The person reads the fingerprint; meanwhile something else is put under that name.
  writeFileSync(ledgerHere(here, there), readFileSync(attacker.ledgerPath));
  const trust = () => insideOf(here.vault).ledgers.trust(keyOf(there), 'there', consent);
  expect.soft(trust).toThrow();
  writeFileSync(ledgerHere(here, there), readFileSync(there.ledgerPath));
  expect.soft(here.tier(planted)).toBe('inferred');
  expect(here.report(keyOf(attacker))).toMatchObject({ trusted: false, raises: false });
});

test('a machine whose ledger is not whole cannot be trusted', async () => {
  const { here, there } = await twoMachines();
  const id = await there.verified('the build');
  pull(there, here);
  const lines = there.ledgerLines();
  writeFileSync(ledgerHere(here, there), `${lines[1]}\n${lines[0]}\n`);
  expect(() => here.trust(keyOf(there))).toThrow(/missing or not whole/);
  expect(here.tier(id)).toBe('inferred');
});

// Lowering and lifting

test('a trusted machine’s later demotion lowers here', async () => {
  const { here, there } = await twoMachines();
  const id = await there.verified('the build');
  pull(there, here);
  here.trust(keyOf(there));
  await here.reconcile();
  await there.decide('demote', id, 'wrong');
  pullLedgers(there, here);
  expect(here.standing(id)).toBe('quarantined:decided');
  const { notices } = await here.reconcile();
  expect(notices.map(({ kind, stem }) => `${kind} ${stem}`)).toContain(`quarantined ${id}`);
  expect(here.files('memories')).toEqual([]);
});

test('an untrusted machine’s demotion lowers what was verified here', async () => {
  const { here, there } = await twoMachines();
  const id = await here.verified('the build');
  pull(here, there);
  await there.decide('demote', id, 'wrong');
  pullLedgers(there, here);
  expect(here.standing(id)).toBe('quarantined:decided');
});

test('another machine’s restore of what was demoted here lifts it only once that machine is trusted', async () => {
  const { here, there } = await twoMachines();
  const id = await here.verified('the build');
  await here.decide('demote', id, 'wrong');
  pull(here, there);
  await there.decide('restore', id);
  expect(there.standing(id)).toBe('verified:vouched');
  pull(there, here);
  expect(here.standing(id)).toBe('quarantined:decided');
  await here.reconcile();
  // It is not served, and stays where the other machine put it, because sync would carry a move to where the restore counts.
  expect([here.standing(id), here.files('quarantine')]).toEqual(['quarantined:decided', []]);
  here.trust(keyOf(there));
  pull(there, here);
  expect(here.standing(id)).toBe('verified:vouched');
  distrust(here, there);
  expect(here.standing(id)).toBe('quarantined:decided');
});

test('a restore by a machine that did not know of a demotion does not lift it', async () => {
  const { here, there } = await twoMachines();
  const id = await here.verified('the build');
  pull(here, there);
  there.trust(keyOf(here));
  await there.decide('demote', id, 'wrong there');
  await there.decide('restore', id);
  await here.decide('demote', id, 'wrong here');
  pullLedgers(there, here);
  here.trust(keyOf(there));
  takeOut(here, id);
  expect(here.standing(id)).toBe('quarantined:decided');
});

test('of two decisions made without knowing of each other the lower one counts, on both machines', async () => {
  const { here, there } = await twoMachines();
  const id = await here.propose('the build');
  pull(here, there);
  await there.reconcile();
  pullLedgers(there, here);
  await here.reconcile();
  here.trust(keyOf(there));
  there.trust(keyOf(here));
  here.pass(8);
  there.pass(8);
  await here.decide('promote', id);
  await there.decide('demote', id, 'wrong');
  expect(here.standing(id)).toBe('verified:vouched');
  pullLedgers(there, here);
  pullLedgers(here, there);
  expect(here.standing(id)).toBe('quarantined:decided');
  expect(there.standing(id)).toBe('quarantined:decided');
  await here.reconcile();
  expect(here.files('memories')).toEqual([]);
  // A later yes that knew both decisions settles it everywhere.
  await here.decide('restore', id);
  expect(here.standing(id)).toBe('verified:vouched');
  pull(here, there);
  expect(there.standing(id)).toBe('verified:vouched');
  await there.reconcile();
  expect(there.standing(id)).toBe('verified:vouched');
});

test('of two promotions of different texts neither counts for the other', async () => {
  const { here, there } = await twoMachines();
  const id = await here.propose('the build');
  pull(here, there);
  there.edit(id, (text) => text.replace('two cores', 'six cores'));
  await there.reconcile();
  here.pass(8);
  there.pass(8);
  await here.decide('promote', id);
  await there.decide('promote', id);
  pullLedgers(there, here);
  here.trust(keyOf(there));
  expect(here.tier(id)).toBe('inferred');
  here.write('memories', id, there.text('memories', id));
  expect(here.tier(id)).toBe('inferred');
});

test('an untrusted machine says nothing about how long a text was observed', async () => {
  const { here, there } = await twoMachines();
  const id = await there.propose('the build');
  there.pass(30);
  pull(there, here);
  await here.reconcile();
  await expect(here.decide('promote', id)).rejects.toMatchObject({ code: 'observation-running' });
  here.pass(7);
  await here.decide('promote', id);
  expect(here.standing(id)).toBe('verified:vouched');
});

// A trusted machine's ledger in trouble

async function trusting() {
  const { here, there } = await twoMachines();
  const kept = await there.verified('the build');
  const lowered = await there.verified('the release');
  await there.decide('demote', lowered, 'wrong');
  pull(there, here);
  await here.reconcile();
  here.trust(keyOf(there));
  await here.reconcile();
  const own = await here.verified('the door');
  expect(here.standing(kept)).toBe('verified:vouched');
  return { here, there, kept, lowered, own };
}

test.each([
  ['is missing', 'missing', () => []],
  ['is shorter', 'shorter', (lines: string[]) => lines.slice(0, -1)],
  ['is emptied', 'missing', () => []],
  ['lost a line in the middle', 'broken', (lines: string[]) => lines.filter((_, i) => i !== 1)],
  [
    'was changed',
    'bad-signature',
    (lines: string[]) => [...lines.slice(0, -1), (lines.at(-1) ?? '').replace('wrong', 'right')],
  ],
] as const)('a trusted machine’s ledger that %s raises nothing and lifts nothing', async (what, trouble, change) => {
  const { here, there, kept, lowered, own } = await trusting();
  const path = ledgerHere(here, there);
  const lines = change(there.ledgerLines());
  if (what === 'is missing') rmSync(path);
  else writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  takeOut(here, lowered);
  await here.reopen();
  expect(here.tier(kept)).toBe('inferred');
  expect(here.standing(lowered)).toBe('quarantined:decided');
  expect(here.standing(own)).toBe('verified:vouched');
  const report = here.report(keyOf(there));
  expect(report).toMatchObject({ own: false, trusted: true, raises: false, trouble });
  expect(report.advice).toContain('Run surety doctor');
  await here.propose('this machine goes on');
  writeFileSync(path, readFileSync(there.ledgerPath));
  expect(here.standing(kept)).toBe('verified:vouched');
  expect(here.report(keyOf(there)).trouble).toBeUndefined();
});

test('a trusted machine whose ledger this one forgot raises nothing until a person accepts it', async () => {
  const { here, there, kept, lowered } = await trusting();
  here.vault.close();
  rmSync(here.places.state, { recursive: true });
  await here.reopen();
  expect(here.report(keyOf(there))).toMatchObject({ trouble: 'unremembered', raises: false });
  expect(here.tier(kept)).toBe('inferred');
  here.acceptLedger(keyOf(there));
  // Whom to trust stands in this machine’s own ledger, so that one has to be accepted too.
  expect(here.report().trouble).toBe('unremembered');
  expect(here.tier(kept)).toBe('inferred');
  here.acceptLedger();
  expect(here.standing(kept)).toBe('verified:vouched');
  expect(here.standing(lowered)).toBe('quarantined:decided');
});

test('a trusted machine’s demotion that was seen here once is not undone by cutting it off again', async () => {
  const { here, there, kept } = await trusting();
  const before = readFileSync(ledgerHere(here, there));
  await there.decide('demote', kept, 'wrong too');
  pullLedgers(there, here);
  expect(here.standing(kept)).toBe('quarantined:decided');
  await here.reconcile();
  writeFileSync(ledgerHere(here, there), before);
  takeOut(here, kept);
  await here.reopen();
  expect(here.standing(kept)).toBe('quarantined:decided');
  expect(here.report(keyOf(there)).trouble).toBe('shorter');
});

test('another machine’s pull that brings an older copy of this machine’s own ledger raises nothing', async () => {
  const { here, there } = await twoMachines();
  const id = await here.verified('the build');
  pull(here, there);
  await here.decide('demote', id, 'wrong');
  copyFileSync(join(there.places.ledger, `${keyOf(here)}.jsonl`), here.ledgerPath);
  takeOut(here, id);
  expect(here.standing(id)).toBe('quarantined:decided');
  expect(here.report()).toMatchObject({ own: true, trouble: 'shorter', raises: false });
});

test('each machine writes only its own ledger', async () => {
  const { here, there } = await twoMachines();
  const id = await there.verified('the build');
  pull(there, here);
  const theirs = readFileSync(ledgerHere(here, there));
  here.trust(keyOf(there));
  await here.decide('reaffirm', id);
  await here.decide('demote', id, 'wrong');
  await here.reconcile();
  expect(readFileSync(ledgerHere(here, there)).equals(theirs)).toBe(true);
  expect(existsSync(here.ledgerPath)).toBe(true);
  const machines = here.ledgerLines().map((line) => (JSON.parse(line) as Entry).machine);
  expect(new Set(machines)).toEqual(new Set(['here']));
});

// Another config folder on the same machine: another key, the same store and the same state

async function withOtherSettings(store: TestStore): Promise<Vault> {
  const places = { ...store.places, config: join(store.home, 'other-config') };
  const machine = { name: 'here', identity: 'machine-one' };
  // As a person has it made: by itself none is, where this machine had one.
  const disk = new Disk();
  disk.makeFolder(places.config);
  machineKey(places.config, disk, machine);
  const vault = await openVault(places, { machine, now: () => store.now, complain: () => undefined });
  onTestFinished(() => vault.close());
  return vault;
}

test('a process with another config folder takes nothing away from what is verified under this one', async () => {
  const store = await TestStore.open();
  const kept = await store.verified('the build');
  const other = await withOtherSettings(store);
  const { loaded } = await other.create('propose', newMemory('the other'), AGENT);
  expect(other.load(kept)?.standing.tier).toBe('inferred');
  await store.reopen();
  expect(store.trouble()).toBeUndefined();
  expect(store.standing(kept)).toBe('verified:vouched');
  const mine = await store.verified('mine');
  expect(store.tier(mine)).toBe('verified');
  // And the other way round: its own ledger is still remembered too.
  const again = await withOtherSettings(store);
  expect(again.load(loaded.id)?.standing.reason).toBe('proposed');
  expect(again.reports().every(({ trouble }) => trouble === undefined)).toBe(true);
});

test('what the other remembers of the ledgers hides nothing that is missing here', async () => {
  const store = await TestStore.open();
  const kept = await store.verified('the build');
  const lowered = await store.verified('the release');
  const other = await withOtherSettings(store);
  await other.create('propose', newMemory('the other'), AGENT);
  await store.decide('demote', lowered, 'no longer true');
  store.writeLedger(store.ledgerLines().slice(0, -1));
  await store.reopen();
  expect(store.trouble()).toBe('shorter');
  expect(store.tier(kept)).toBe('inferred');
});

test('a memory of the ledgers that was spoiled, made anew by a person, and put back spoils nothing', async () => {
  const store = await TestStore.open();
  const kept = await store.verified('the build');
  const path = join(store.places.state, 'heads.json');
  const genuine = readFileSync(path);
  writeFileSync(path, 'spoiled');
  await store.reopen();
  expect(store.trouble()).toBe('unremembered');
  accept(store);
  expect(store.tier(kept)).toBe('verified');
  await store.decide('reaffirm', kept);
  writeFileSync(path, genuine);
  store.writeLedger(store.ledgerLines().slice(0, -1));
  await store.reopen();
  expect(store.trouble()).toBe('shorter');
  accept(store);
  expect(store.trouble()).toBeUndefined();
});

function accept(store: TestStore): void {
  const { fingerprint, head, trouble } = store.report();
  const shown = {
    verb: 'accept-ledger',
    id: fingerprint,
    digest: head.hash,
    standing: trouble ?? '',
    settles: [],
  } as const;
  insideOf(store.vault).ledgers.accept(fingerprint, witnessed('terminal', shown));
}
