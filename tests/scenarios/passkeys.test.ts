import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sessionContext } from '../../src/actions/agent/session-context.ts';
import { onScreen, shownFor } from '../../src/actions/review/shown.ts';
import { EMPTY_HEAD, type Entry, hashOf, signEntry } from '../../src/core/ledger/entry.ts';
import { Statements } from '../../src/core/ledger/packed-statements.ts';
import { replay } from '../../src/core/ledger/replay.ts';
import type { Statement } from '../../src/core/ledger/statement.ts';
import { sha256 } from '../../src/core/memory/memory.ts';
import { challengeOfYes, type SignedYes } from '../../src/core/passkeys/challenge.ts';
import { PASSKEYS, recoveryHash } from '../../src/core/passkeys/change.ts';
import { witnessed } from '../../src/core/trust/consent.ts';
import { Disk } from '../../src/store/disk/disk.ts';
import { cacheSecrets, ParseCache } from '../../src/store/index/parse-cache.ts';
import { type CachedLedger, LedgerCache } from '../../src/store/ledger/ledger-cache.ts';
import { passkeyQuestionFor, passkeysNow } from '../../src/store/maintenance/passkeys.ts';
import { BlobCache, type KnownBlob } from '../../src/store/sync/blob-cache.ts';
import { rowOf } from '../../src/store/vault/index-row.ts';
import { insideOf } from '../../src/store/vault/inside-of-vault.ts';
import { ledgerDraft } from '../../src/store/vault/ledger-entries.ts';
import { type Mistakes, SoftwareAuthenticator } from '../../testkit/authenticator.ts';
import { bareRemote, Machine } from '../../testkit/fleet.ts';
import {
  answered,
  CODE,
  change,
  decideSigned,
  enrol,
  forge,
  forgeReceipt,
  markVerified,
  offered,
  requirePasskey,
  reset,
} from '../../testkit/passkeys.ts';
import { TestStore, temporaryFolder } from '../../testkit/store.ts';
import { readFolder, readStoreId } from '../../torture/checker/file.ts';
import { readKept } from '../../torture/checker/kept.ts';
import { readLedgers } from '../../torture/checker/ledger.ts';
import { Evidence, tierOf } from '../../torture/checker/standing.ts';

/** A store where a passkey is required, with a memory that may be promoted and one that was verified before. */
async function required() {
  const store = await TestStore.open();
  const before = await store.verified('the editor');
  const id = await store.propose('the build');
  const other = await store.propose('the release');
  store.pass(7);
  const passkey = new SoftwareAuthenticator();
  await enrol(store, passkey);
  await requirePasskey(store, passkey);
  return { store, passkey, before, id, other };
}

const levelOf = ({ vault }: TestStore, id: string) =>
  insideOf(vault)
    .ledgers.evidence.heads(id)
    .map((s) => s.level);

/** The tier by the torture's checker, which is written from the documents and shares no code with the store. */
function checked({ places, vault }: TestStore, id: string): string {
  const ledgers = readLedgers(places.root);
  const evidence = new Evidence(ledgers, readKept(places.state, ledgers), {
    own: vault.self.fingerprint,
    store: readStoreId(places.root),
  });
  const found = (['memories', 'quarantine'] as const).flatMap((place) => readFolder(places.root, place).found);
  const one = found.find((each) => each.id === id);
  return one === undefined ? 'missing' : tierOf(one, evidence);
}

describe('a person with a passkey', () => {
  test('a yes that the passkey signed is of level 4, in this process and in the next', async () => {
    const store = await TestStore.open();
    const id = await store.propose('the build');
    store.pass(7);
    const passkey = new SoftwareAuthenticator('EdDSA');
    await enrol(store, passkey);
    await decideSigned(store, 'promote', id, passkey);
    for (const _ of ['this process', 'the next']) {
      expect([store.standing(id), levelOf(store, id)]).toEqual(['verified:vouched', [4]]);
      await store.reopen();
    }
    expect(store.entries().at(-1)).toMatchObject({ by: { level: 4 }, assertion: { credential: passkey.credential } });
  });

  test('promotes, demotes, restores and reaffirms where a passkey is required', async () => {
    const { store, passkey, before, id } = await required();
    expect(store.tier(before)).toBe('verified');
    await expect(store.decide('promote', id)).rejects.toMatchObject({ code: 'assurance-too-low' });
    expect(store.tier(id)).toBe('inferred');
    await decideSigned(store, 'promote', id, passkey);
    // A lowering needs no passkey.
    await store.decide('demote', id);
    expect(store.tier(id)).toBe('quarantined');
    await expect(store.decide('restore', id)).rejects.toMatchObject({ code: 'assurance-too-low' });
    await decideSigned(store, 'restore', id, passkey);
    await decideSigned(store, 'reaffirm', id, passkey);
    expect([store.tier(id), levelOf(store, id)]).toEqual(['verified', [4]]);
    await store.reopen();
    expect([store.tier(id), store.tier(before)]).toEqual(['verified', 'verified']);
    expect([checked(store, id), checked(store, before)]).toEqual(['verified', 'verified']);
  });

  test('enrols a second one with the first, and removes the one that is lost', async () => {
    const { store, passkey, id, other } = await required();
    const second = new SoftwareAuthenticator('RS256');
    await expect(change(store, 'removed', { credential: passkey.credential }, passkey)).rejects.toMatchObject({
      code: 'not-allowed',
    });
    await enrol(store, second, passkey);
    await decideSigned(store, 'promote', id, passkey);
    await change(store, 'removed', { credential: passkey.credential }, second);
    expect(passkeysNow(store.vault).passkeys.map(({ credential }) => credential)).toEqual([second.credential]);
    // What the lost one signed before stays; it signs nothing more.
    expect(store.tier(id)).toBe('verified');
    await expect(decideSigned(store, 'promote', other, passkey)).rejects.toMatchObject({ code: 'changed-meanwhile' });
    await decideSigned(store, 'promote', other, second);
    expect([store.tier(other), checked(store, other), checked(store, id)]).toEqual([
      'verified',
      'verified',
      'verified',
    ]);
  });

  test('takes the requirement back with a passkey, and what was forged meanwhile stays void', async () => {
    const { store, passkey, id, other } = await required();
    forgeReceipt(store, other);
    await change(store, 'released', {}, passkey);
    expect(passkeysNow(store.vault)).toMatchObject({ isRequired: false, isKnown: true });
    await store.decide('promote', id);
    expect([store.tier(id), store.tier(other)]).toEqual(['verified', 'inferred']);
    expect([checked(store, id), checked(store, other)]).toEqual(['verified', 'inferred']);
  });

  test('who lost every passkey goes on with the recovery code, enrols a new one and requires it', async () => {
    const { store, id, other } = await required();
    await expect(reset(store, 'f'.repeat(32))).rejects.toMatchObject({ code: 'invalid-input' });
    expect(passkeysNow(store.vault).isRequired).toBe(true);
    await reset(store, CODE);
    expect(passkeysNow(store.vault)).toMatchObject({ isRequired: false, passkeys: [] });
    await store.decide('promote', id);
    const fresh = new SoftwareAuthenticator();
    await enrol(store, fresh);
    await change(store, 'required', { recovery: 'a'.repeat(64) }, fresh);
    await decideSigned(store, 'promote', other, fresh);
    expect([store.tier(id), store.tier(other)]).toEqual(['verified', 'verified']);
    expect([checked(store, id), checked(store, other)]).toEqual(['verified', 'verified']);
    // The code was used up, and is in the ledger for everybody to read.
    await expect(reset(store, CODE)).rejects.toMatchObject({ code: 'invalid-input' });
    forge(store, { action: 'reset', id: PASSKEYS, passkeys: { code: CODE, ledgers: endsOf(store) } });
    expect(passkeysNow(store.vault)).toMatchObject({ isRequired: true, isContested: false });
    expect(passkeysNow(store.vault).passkeys).toHaveLength(1);
  });

  test('has used the recovery code up: what was forged before stays void, whoever uses it again', async () => {
    const { store, passkey, id, other } = await required();
    const ledgers = endsOf(store);
    await decideSigned(store, 'promote', id, passkey);
    forgeReceipt(store, other);
    await reset(store, CODE);
    const stranger = await TestStore.open({ machine: { name: 'stranger', identity: 'stranger' } });
    forge(stranger, { action: 'reset', id: PASSKEYS, passkeys: { code: CODE, ledgers } });
    cpSync(stranger.places.ledger, store.places.ledger, { recursive: true });
    await store.reopen();
    const tiers = () => [id, other].map((each) => [store.tier(each), checked(store, each)]);
    expect([tiers(), levelOf(store, id)]).toEqual([
      [
        ['verified', 'verified'],
        ['inferred', 'inferred'],
      ],
      [4],
    ]);
    store.trust(stranger.vault.self.fingerprint);
    expect(tiers()[1]).toEqual(['inferred', 'inferred']);
  });

  test('is asked again where the day, or anything else about the memory, changed in between', async () => {
    const { store, passkey, id } = await required();
    const assertion = answered(passkey, passkeyQuestionFor(store.vault, offered(store, 'promote', id)));
    store.pass(1);
    const seen = store.load(id);
    const consent = witnessed('page', shownFor('promote', onScreen(seen, { vouching: true })), { assertion });
    await expect(store.vault.decide('promote', seen, consent)).rejects.toMatchObject({ code: 'changed-meanwhile' });
    expect(store.tier(id)).toBe('inferred');
  });
});

const endsOf = ({ vault }: TestStore) => insideOf(vault).ledgers.nextPlace().ends;

type Case = Awaited<ReturnType<typeof required>>;

/** Signs a yes that differs from the entry in something. */
function signedFor({ store, passkey, id }: Case, differs: Partial<SignedYes>) {
  const { vault } = store;
  const { ledger, store: storeId = '', at } = insideOf(vault).ledgers.nextPlace();
  const after = insideOf(vault)
    .ledgers.evidence.heads(id)
    .map(({ hash }) => hash);
  const day = new Date(at).toISOString().slice(0, 10);
  const place = { store: storeId, ledger: ledger.fingerprint, after, day, nonce: 'bm9uY2U' };
  const yes: SignedYes = { ...offered(store, 'promote', id), was: null, ...place };
  return passkey.sign(challengeOfYes({ ...yes, ...differs }), yes.nonce);
}

/** A receipt as the person's own would be, but for the assertion. */
const withMistakes = (mistakes: Mistakes) => (it: Case) => {
  const question = passkeyQuestionFor(it.store.vault, offered(it.store, 'promote', it.id));
  forgeReceipt(it.store, it.id, { assertion: answered(it.passkey, question, mistakes) });
};

const withSigned = (differs: Partial<SignedYes>) => (it: Case) =>
  forgeReceipt(it.store, it.id, { assertion: signedFor(it, differs) });

/** The thief's own passkey, enrolled by what the thief has. */
function enrolForged({ store }: Case, thief: SoftwareAuthenticator, signed: boolean): void {
  const passkeys = { credential: thief.credential, key: thief.publicKey, name: 'mine', ledgers: endsOf(store) };
  const assertion = signed ? thief.sign('c2lnbmVk', 'bm9uY2U') : undefined;
  forge(store, { action: 'enrolled', id: PASSKEYS, passkeys, ...(assertion && { assertion }) });
}

function promoteBy(it: Case, thief: SoftwareAuthenticator): void {
  const question = passkeyQuestionFor(it.store.vault, offered(it.store, 'promote', it.id));
  forgeReceipt(it.store, it.id, { assertion: answered(thief, question) });
}

const ATTACKS: Readonly<Record<string, (it: Case) => unknown>> = {
  'a receipt signed by the machine, without assertion': ({ store, id }) => forgeReceipt(store, id),
  'an assertion of another text': withSigned({ digest: 'd'.repeat(64) }),
  'an assertion of another memory': withSigned({ id: 'user_other' }),
  'an assertion of another store': withSigned({ store: 'e'.repeat(32) }),
  'an assertion for another ledger': withSigned({ ledger: 'e'.repeat(64) }),
  'an assertion of another decision': withSigned({ verb: 'adopt' }),
  'an assertion of another day': withSigned({ day: '2026-01-01' }),
  'an assertion with another nonce': withSigned({ nonce: 'b3RoZXI' }),
  'an assertion that settles no finding, for one that does': withSigned({ settled: ['injection/role'] }),
  'an assertion from before something else was decided': withSigned({ after: [] }),
  'one with presence and no verification of the user': withMistakes({ flags: 1 }),
  'one with verification and no presence of the user': withMistakes({ flags: 4 }),
  'one that another program on localhost asked for': withMistakes({
    origin: 'http://localhost:4711',
    rpId: 'localhost',
  }),
  'one of the right name from the wrong origin': withMistakes({ origin: 'http://[::1]:4711' }),
  'one of the right origin for the wrong name': withMistakes({ rpId: 'localhost' }),
  'one of a page inside another page': withMistakes({ crossOrigin: true }),
  'one with the answer to an enrolment': withMistakes({ type: 'webauthn.create' }),
  'the passkey’s assertion of another memory, replayed': async ({ store, passkey, id, other }) => {
    await decideSigned(store, 'promote', other, passkey);
    const { assertion } = store.entries().at(-1) ?? {};
    if (assertion) forgeReceipt(store, id, { assertion });
  },
  'an old assertion replayed after a demotion, word for word': async ({ store, passkey, id }) => {
    await decideSigned(store, 'promote', id, passkey);
    const { v: _, seq, at, clock, machine, key, store: __, prev, ...yes } = store.entries().at(-1) as Entry;
    await store.decide('demote', id);
    forge(store, yes);
    if (yes.assertion) forgeReceipt(store, id, { assertion: yes.assertion });
    const text = store.text('quarantine', id).replace(/^quarantin.*\n/gm, '');
    store.write('memories', id, text.replace(/^trust-level: .*$/m, 'trust-level: verified'));
    rmSync(store.path('quarantine', id));
  },
  'a second first passkey': (it) => {
    const thief = new SoftwareAuthenticator();
    enrolForged(it, thief, false);
    promoteBy(it, thief);
  },
  'a passkey that only itself signed for': (it) => {
    const thief = new SoftwareAuthenticator();
    enrolForged(it, thief, true);
    promoteBy(it, thief);
  },
  'the enrolled passkey’s id with another key': (it) => {
    const thief = new SoftwareAuthenticator();
    Object.assign(thief, { credential: it.passkey.credential });
    enrolForged(it, thief, false);
    promoteBy(it, thief);
  },
  'a first passkey that claims to know of no ledger': (it) => {
    const thief = new SoftwareAuthenticator();
    const passkeys = { credential: thief.credential, key: thief.publicKey, name: 'mine', ledgers: [] };
    forge(it.store, { action: 'enrolled', id: PASSKEYS, passkeys });
    promoteBy(it, thief);
  },
  'a release without assertion': ({ store, id }) => {
    forge(store, { action: 'released', id: PASSKEYS, passkeys: { ledgers: endsOf(store) } });
    forgeReceipt(store, id);
  },
  'an old release replayed after the next requirement': async ({ store, passkey, id }) => {
    await change(store, 'released', {}, passkey);
    const { passkeys, assertion, after } = store.entries().at(-1) ?? {};
    await requirePasskey(store, passkey);
    forge(store, { action: 'released', id: PASSKEYS, passkeys, assertion, after } as never);
    forgeReceipt(store, id);
  },
  'a reset without the code': ({ store, id }) => {
    for (const code of ['', 'f'.repeat(32)])
      forge(store, { action: 'reset', id: PASSKEYS, passkeys: { code, ledgers: endsOf(store) } });
    forgeReceipt(store, id);
  },
  'the config lowered': ({ store, id }) => {
    writeFileSync(join(store.places.config, 'config.json'), '{"minimumAssurance":1,"observationDays":0}');
    forgeReceipt(store, id);
  },
  'a receipt dated before the requirement': ({ store, id }) => {
    store.pass(-30);
    forgeReceipt(store, id);
    store.pass(30);
  },
  'a requirement that was signed for a text': ({ store, id }) => {
    forge(store, { action: 'removed', id: PASSKEYS, passkeys: { credential: 'x', ledgers: [] } });
    forgeReceipt(store, id);
  },
};

/** What is quarantined is not served. */
const servedTier = (tier: string) => (tier === 'quarantined' ? undefined : tier);

describe('with the machine’s key, a shell and all files, nothing becomes verified by', () => {
  test.each(Object.keys(ATTACKS))('%s', async (name) => {
    const it = await required();
    await ATTACKS[name]?.(it);
    for (const _ of ['this process', 'the next one']) {
      expect(it.store.tier(it.id)).not.toBe('verified');
      // A session's start chooses before it verifies.
      const told = new Map(sessionContext(it.store.vault).given.map(({ facts }) => [`${facts.id}`, facts.tier]));
      expect([told.get(it.before), told.get(it.id)]).toEqual(['verified', servedTier(it.store.tier(it.id))]);
      expect([it.id, it.before, it.other].map((id) => checked(it.store, id))).toEqual(
        [it.id, it.before, it.other].map((id) => it.store.tier(id)),
      );
      expect(it.store.tier(it.before)).toBe('verified');
      expect(passkeysNow(it.store.vault).isRequired).toBe(true);
      await it.store.reconcile();
      await it.store.reopen();
    }
    // The person's own passkey still works.
    if (it.store.tier(it.id) === 'inferred' && it.store.standing(it.other) === 'inferred:proposed') {
      await decideSigned(it.store, 'promote', it.other, it.passkey);
      expect([it.store.tier(it.other), checked(it.store, it.other)]).toEqual(['verified', 'verified']);
    }
  });
});

async function twoMachines() {
  const it = await required();
  const there = await TestStore.open({ machine: { name: 'there', identity: 'machine-two' } });
  there.now = it.store.now;
  return { ...it, there };
}

function pull(from: TestStore, to: TestStore): void {
  for (const name of readdirSync(from.places.memories))
    copyFileSync(join(from.places.memories, name), join(to.places.memories, name));
  mkdirSync(to.places.ledger, { recursive: true });
  for (const name of readdirSync(from.places.ledger))
    if (!name.startsWith(to.vault.self.fingerprint))
      copyFileSync(join(from.places.ledger, name), join(to.places.ledger, name));
  to.now = Math.max(to.now, from.now);
}

/** The machines trust each other and have everything of each other. */
async function inSync({ store, there }: { readonly store: TestStore; readonly there: TestStore }): Promise<void> {
  await there.propose('a thing of the other machine');
  pull(store, there);
  await there.reconcile();
  there.trust(store.vault.self.fingerprint, 'here');
  await there.reconcile();
  pull(there, store);
  store.trust(there.vault.self.fingerprint);
  await store.reconcile();
  pull(store, there);
  await there.reconcile();
}

describe('on another machine', () => {
  test('assertions are verified there, and the requirement holds there', async () => {
    const it = await twoMachines();
    const { store, there, id, other, passkey, before } = it;
    await inSync(it);
    await decideSigned(store, 'promote', id, passkey);
    pull(store, there);
    await there.reconcile();
    expect([there.tier(id), levelOf(there, id), there.tier(before)]).toEqual(['verified', [4], 'verified']);
    await expect(there.decide('promote', other)).rejects.toMatchObject({ code: 'assurance-too-low' });
    await decideSigned(there, 'promote', other, passkey);
    pull(there, store);
    await store.reconcile();
    expect(store.tier(other)).toBe('verified');
  });

  test('a receipt of a trusted machine without an assertion counts nowhere, however it is dated', async () => {
    const it = await twoMachines();
    const { store, there, id } = it;
    await inSync(it);
    there.now -= 40 * 86_400_000;
    forgeReceipt(there, id);
    pull(there, store);
    await store.reconcile();
    expect([there.tier(id), store.tier(id)]).toEqual(['inferred', 'inferred']);
  });

  test('a fresh key with a ledger from before the requirement counts for nothing once it is trusted', async () => {
    const { store } = await required();
    const fresh = await TestStore.open({ machine: { name: 'fresh', identity: 'machine-three' } });
    fresh.now -= 100 * 86_400_000;
    const planted = await fresh.verified('the door');
    // Where no passkey is required, it counts.
    const free = await TestStore.open();
    await free.verified('the editor');
    for (const each of [store, free]) {
      pull(fresh, each);
      await each.reconcile();
      each.trust(fresh.vault.self.fingerprint, 'fresh');
      await each.reconcile();
    }
    expect([store.tier(planted), free.tier(planted)]).toEqual(['inferred', 'verified']);
  });

  test('a passkey that another trusted machine enrols as its first does not count, nor does it end the requirement', async () => {
    const it = await twoMachines();
    const { store, there, id } = it;
    const thief = new SoftwareAuthenticator();
    await there.propose('a thing of the other machine');
    await enrol(there, thief);
    pull(there, store);
    await store.reconcile();
    store.trust(there.vault.self.fingerprint);
    await store.reconcile();
    expect(passkeysNow(store.vault).isRequired).toBe(true);
    const passkeys = { ledgers: endsOf(there) };
    forge(there, { action: 'released', id: PASSKEYS, passkeys });
    forgeReceipt(store, id, { assertion: signedFor({ ...it, passkey: thief } as Case, {}) });
    expect(store.tier(id)).toBe('inferred');
  });

  test('a machine whose word is taken away, or whose ledger is, takes no requirement with it', async () => {
    const it = await twoMachines();
    const { store, there, id } = it;
    await inSync(it);
    forgeReceipt(there, id);
    insideOf(there.vault).ledgers.distrust(store.vault.self.fingerprint);
    expect([passkeysNow(there.vault).isRequired, there.tier(id)]).toEqual([true, 'inferred']);
    for (const name of readdirSync(there.places.ledger))
      if (name.startsWith(store.vault.self.fingerprint)) rmSync(join(there.places.ledger, name));
    for (const name of readdirSync(join(there.places.state, 'ledgers')))
      if (name.startsWith(store.vault.self.fingerprint)) rmSync(join(there.places.state, 'ledgers', name));
    await there.reopen();
    expect([passkeysNow(there.vault).isRequired, there.tier(id)]).toEqual([true, 'inferred']);
  });

  test('a ledger that was rolled back with all that this machine remembers is refused where another machine has it', async () => {
    const it = await twoMachines();
    const { store, there, id } = it;
    await inSync(it);
    // Everything of this machine as it was before the requirement: ledger, memory of heads, copies.
    const cut = store.ledgerLines().findIndex((line) => line.includes('"action":"enrolled"'));
    const lines = store.ledgerLines().slice(0, cut);
    for (const path of store.ledgerPaths()) rmSync(path);
    store.writeLedger(lines);
    rmSync(join(store.places.state, 'heads.json'));
    rmSync(join(store.places.state, 'ledgers'), { recursive: true });
    await store.reopen();
    while (store.trouble() !== undefined) store.acceptLedger();
    forgeReceipt(store, id);
    expect(store.tier(id)).toBe('verified');
    // The lone machine does not notice. The other one does, and so does this one once the remote's ledger comes back.
    pull(store, there);
    await there.reconcile();
    expect(there.report(store.vault.self.fingerprint)).toMatchObject({ raises: false });
    expect(there.tier(id)).toBe('inferred');
  });
});

// A first passkey of a machine that nobody knows, required there, is let go with a code that the thief has.
test.each(['is named in this machine’s ledger', 'is trusted here'])(
  'a reset that a stranger’s own code opened lets no other first passkey in, where the stranger %s',
  async (way) => {
    const it = await required();
    const { store, id, other } = it;
    const stranger = await TestStore.open({ machine: { name: 'stranger', identity: 'stranger' } });
    const [decoy, thief] = [new SoftwareAuthenticator(), new SoftwareAuthenticator()];
    await enrol(stranger, decoy);
    const code = 'f'.repeat(32);
    await change(stranger, 'required', { recovery: recoveryHash(code) }, decoy);
    const ledgers = [...endsOf(stranger), ...endsOf(store)];
    forge(stranger, { action: 'reset', id: PASSKEYS, passkeys: { code, ledgers } });
    cpSync(stranger.places.ledger, store.places.ledger, { recursive: true });
    const named = stranger.ledgerLines().map(hashOf);
    if (way.startsWith('is named')) {
      forge(store, { action: 'known', id: PASSKEYS, passkeys: { ledgers: [] }, after: named.slice(-3) });
    } else {
      await store.reopen();
      store.trust(stranger.vault.self.fingerprint);
    }
    const { credential, publicKey: key } = thief;
    const passkeys = { credential, key, name: 'mine', ledgers: endsOf(store) };
    forge(store, { action: 'enrolled', id: PASSKEYS, passkeys, after: named.slice(-1) });
    forgeReceipt(store, id, { assertion: signedFor({ ...it, passkey: thief }, {}) });
    for (const _ of ['this process', 'the next one']) {
      expect([passkeysNow(store.vault).isRequired, store.tier(id), checked(store, id)]).toEqual([
        true,
        'inferred',
        'inferred',
      ]);
      await store.reopen();
    }
    // The person has the code of this store, and enrols another passkey.
    if (way.startsWith('is trusted')) await store.vault.distrust(stranger.vault.self.fingerprint);
    await reset(store, CODE);
    const fresh = new SoftwareAuthenticator();
    await enrol(store, fresh);
    await decideSigned(store, 'promote', other, fresh);
    expect([store.tier(id), levelOf(store, other)]).toEqual(['inferred', [4]]);
  },
);

test.each(['knows of the release', 'says nothing of the release'])(
  'the code of a requirement that was taken back lets no other first passkey in, where the reset %s',
  async (way) => {
    const store = await TestStore.open();
    const id = await store.propose('the build');
    const other = await store.propose('the release');
    store.pass(7);
    const [passkey, thief] = [new SoftwareAuthenticator(), new SoftwareAuthenticator()];
    await enrol(store, passkey);
    await requirePasskey(store, passkey);
    await store.propose('the door');
    const early = endsOf(store);
    // The first code was seen by others, so the person has another one made.
    await change(store, 'released', {}, passkey);
    const second = 'e'.repeat(32);
    await change(store, 'required', { recovery: recoveryHash(second) }, passkey);
    const ledgers = way === 'knows of the release' ? endsOf(store) : early;
    forge(store, { action: 'reset', id: PASSKEYS, passkeys: { code: CODE, ledgers } });
    const after = store.ledgerLines().slice(-1).map(hashOf);
    const { credential, publicKey: key } = thief;
    forge(store, {
      action: 'enrolled',
      id: PASSKEYS,
      passkeys: { credential, key, name: 'mine', ledgers: endsOf(store) },
      after,
    });
    forgeReceipt(store, id, { assertion: signedFor({ store, passkey: thief, id } as Case, {}) });
    for (const _ of ['this process', 'the next one']) {
      expect([passkeysNow(store.vault).isRequired, store.tier(id), checked(store, id)]).toEqual([
        true,
        'inferred',
        'inferred',
      ]);
      await store.reopen();
    }
    // The person has the code of the requirement in force, and enrols another passkey.
    await reset(store, second);
    const fresh = new SoftwareAuthenticator();
    await enrol(store, fresh);
    await decideSigned(store, 'promote', other, fresh);
    expect([store.tier(id), levelOf(store, other), checked(store, other)]).toEqual(['inferred', [4], 'verified']);
  },
);

test('a machine that was trusted and distrusted at once takes no requirement with it', async () => {
  const { store, there } = await twoMachines();
  const id = await there.propose('a thing of the other machine');
  pull(store, there);
  await there.reconcile();
  there.trust(store.vault.self.fingerprint, 'here');
  await there.vault.distrust(store.vault.self.fingerprint);
  there.pass(8);
  expect(passkeysNow(there.vault).isRequired).toBe(true);
  await expect(there.decide('promote', id)).rejects.toThrow('only with a passkey. Answer on a page');
  forgeReceipt(there, id);
  await there.reopen();
  expect([there.tier(id), checked(there, id)]).toEqual(['inferred', 'inferred']);
});

/** What a thief can do besides, who has put everything on a machine back as it was. */
const BESIDES: Record<string, (machine: Machine, repository: string, lines: readonly string[]) => void> = {
  'with its repository': () => {},
  'and committed by hand': (machine, repository) => {
    putRepository(machine, repository);
    machine.git('commit', '--quiet', '--all', '--message', 'as it was');
  },
  'with an empty file where a sync keeps these lines': (machine, _, lines) => writeFileSync(keptAt(machine, lines), ''),
  'with a folder where a sync keeps these lines': (machine, _, lines) => mkdirSync(keptAt(machine, lines)),
  'with a forged note of what was sent': (machine, repository) => {
    putRepository(machine, repository);
    const { places, vault } = machine.store;
    const sent = machine
      .git('ls-tree', '-r', 'HEAD')
      .split('\n')
      .flatMap((line): [string, KnownBlob][] => {
        const [, , oid = '', path = ''] = line.split(/[ \t]/);
        const stamp = new Disk().stamp(join(places.root, path));
        return stamp === undefined ? [] : [[path, { stamp, oid }]];
      });
    new BlobCache(insideOf(vault), 'sha1').write(new Map(sent), Number.MAX_SAFE_INTEGER);
  },
};

function keptAt({ fingerprint, store: { places } }: Machine, lines: readonly string[]): string {
  const tag = `was-${sha256(lines.map((line) => `${line}\n`).join('')).slice(0, 12)}`;
  return join(places.state, 'ledgers', `${fingerprint}.${tag}.jsonl`);
}

function putRepository({ root }: Machine, repository: string) {
  rmSync(join(root, '.git'), { recursive: true });
  cpSync(repository, join(root, '.git'), { recursive: true });
}

test.each(Object.entries(BESIDES))(
  'a lone machine that was rolled back %s learns of the requirement from its remote',
  async (_, doBesides) => {
    const machine = await Machine.open('desk', bareRemote());
    const { store } = machine;
    const id = await store.propose('the build');
    store.pass(7);
    await machine.sync();
    const before = join(temporaryFolder(), 'before');
    cpSync(store.home, before, { recursive: true });
    const passkey = new SoftwareAuthenticator();
    await enrol(store, passkey);
    await requirePasskey(store, passkey);
    await machine.sync();
    const lines = store.ledgerLines();
    const repository = join(temporaryFolder(), 'git');
    cpSync(join(machine.root, '.git'), repository, { recursive: true });
    // The thief puts everything on this machine back as it was, the repository too.
    store.vault.close();
    rmSync(store.home, { recursive: true });
    cpSync(before, store.home, { recursive: true });
    await store.reopen();
    forgeReceipt(store, id);
    expect([passkeysNow(store.vault).isRequired, store.tier(id)]).toEqual([false, 'verified']);
    doBesides(machine, repository, lines);
    expect((await machine.sync()).notices.map(({ what }) => what).join()).toContain('two continuations');
    for (const _ of ['this process', 'the next one']) {
      expect([passkeysNow(store.vault).isRequired, store.tier(id), checked(store, id)]).toEqual([
        true,
        'inferred',
        'inferred',
      ]);
      await machine.sync();
      await store.reopen();
    }
    // The person puts the ledger back, which the repository still has.
    store.writeLedger(lines);
    store.acceptLedger();
    expect([passkeysNow(store.vault).passkeys.length, store.tier(id)]).toEqual([1, 'inferred']);
    await machine.sync();
    await decideSigned(store, 'promote', id, passkey);
    expect([store.tier(id), levelOf(store, id)]).toEqual(['verified', [4]]);
  },
);

/** A store with enough lines for the cache, and a memory that may be promoted. */
async function large() {
  const store = await TestStore.open();
  const id = await store.propose('the build');
  await Promise.all(Array.from({ length: 600 }, (_, i) => store.propose(`a thing with number ${i}`)));
  store.pass(7);
  return { store, id, passkey: new SoftwareAuthenticator() };
}

/** The thief seals rows of their own for exactly the lines that the ledger has now. */
function forgeCache(
  { places, vault }: TestStore,
  lines: readonly string[],
  change: (s: Statement) => Statement,
  head: Partial<CachedLedger> = {},
) {
  const { key } = insideOf(vault);
  const trust = { fingerprint: key.fingerprint, raises: true };
  const all = new Statements(trust);
  const read = replay(all, lines);
  const rows = new Statements(trust);
  for (let row = 0; row < all.rows; row++) rows.add(change(all.at(row)));
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  new LedgerCache(places.cache, new Disk(), key).keep(key.fingerprint, {
    size: bytes.length,
    sum: createHash('sha256').update(bytes).digest('hex'),
    end: read.end,
    machine: 'here',
    publicKey: key.publicKey,
    statements: rows.packed(),
    ...head,
  });
}

const packedOf = ({ places, vault }: TestStore) => join(places.cache, 'ledgers', `${vault.self.fingerprint}.packed`);

describe('a cached ledger that was forged with the machine’s key is not used where a passkey is required', () => {
  test('although it has the very bytes of the ledger, and no requirement', async () => {
    const { store, id, passkey } = await large();
    await enrol(store, passkey);
    await requirePasskey(store, passkey);
    forgeReceipt(store, id);
    store.vault.close();
    forgeCache(store, store.ledgerLines(), ({ passkeys, ...statement }) => {
      return { ...statement, passkeys: null, action: passkeys === null ? statement.action : 'seen' };
    });
    await store.reopen();
    expect([passkeysNow(store.vault).isRequired, store.tier(id)]).toEqual([true, 'inferred']);
    // Nor is another one made in its place, or read in vain by the next process.
    expect(existsSync(packedOf(store))).toBe(false);
  });

  test.each(['many', -1])('although it was made of “%s” bytes, so that none of them would be read', async (size) => {
    const { store, id, passkey } = await large();
    await enrol(store, passkey);
    await requirePasskey(store, passkey);
    forgeReceipt(store, id);
    store.vault.close();
    const change = ({ passkeys, ...statement }: Statement) => {
      return { ...statement, passkeys: null, action: passkeys === null ? statement.action : 'seen' };
    };
    // The sum of no bytes.
    const sum = createHash('sha256').digest('hex');
    forgeCache(store, store.ledgerLines(), change, { size: size as number, sum });
    await store.reopen();
    expect([passkeysNow(store.vault).isRequired, store.tier(id)]).toEqual([true, 'inferred']);
  });

  test('although it ends before the requirement, and has a receipt among what is older', async () => {
    const { store, id, passkey } = await large();
    await enrol(store, passkey);
    await requirePasskey(store, passkey);
    markVerified(store, id);
    const { digest, saying } = store.load(id);
    const lines = store.ledgerLines();
    store.vault.close();
    forgeCache(store, lines.slice(0, -1), (statement) => {
      const yes = { action: 'promote', actor: 'operator', level: 3, from: 'inferred', to: 'verified' } as const;
      return statement.id === id ? { ...statement, ...yes, digest, saying } : statement;
    });
    await store.reopen();
    expect([passkeysNow(store.vault).isRequired, store.standing(id)]).toEqual([true, 'inferred:unproven']);
  });

  test('although only the lines have the requirement that were cut from the ledger and are kept', async () => {
    const { store, id } = await required();
    const lines = store.ledgerLines();
    store.writeLedger(
      lines.slice(
        0,
        lines.findIndex((line) => line.includes('"action":"required"')),
      ),
    );
    expect(store.tier(id)).toBe('inferred');
    store.acceptLedger();
    markVerified(store, id);
    const { digest, saying } = store.load(id);
    store.vault.close();
    forgeCache(store, store.ledgerLines(), (statement) => {
      const yes = { action: 'promote', actor: 'operator', level: 3, from: 'inferred', to: 'verified' } as const;
      return statement.id === id ? { ...statement, ...yes, digest, saying } : statement;
    });
    await store.reopen();
    expect([passkeysNow(store.vault).isRequired, store.standing(id)]).toEqual([true, 'inferred:unproven']);
  });

  test('although only another machine’s ledger has the requirement yet', async () => {
    const { store, id, passkey } = await large();
    await enrol(store, passkey);
    const there = await TestStore.open({ machine: { name: 'there', identity: 'machine-two' } });
    there.now = store.now;
    await inSync({ store, there });
    await requirePasskey(there, passkey);
    markVerified(store, id);
    const { digest, saying } = store.load(id);
    store.vault.close();
    forgeCache(store, store.ledgerLines(), ({ passkeys, ...statement }) => {
      const yes = { action: 'promote', actor: 'operator', level: 3, from: 'inferred', to: 'verified' } as const;
      const mine = statement.id === id ? { ...yes, digest, saying } : {};
      return { ...statement, passkeys: null, action: passkeys === null ? statement.action : 'seen', ...mine };
    });
    pull(there, store);
    markVerified(store, id);
    await store.reopen();
    expect([passkeysNow(store.vault).isRequired, store.standing(id)]).toEqual([true, 'inferred:unproven']);
  });
});

test('a session’s start verifies all that it gives, also behind a memory that it has no room for', async () => {
  const store = await TestStore.open();
  const [id, other] = [await store.propose('the build'), await store.propose('the release')];
  const long = await store.propose('the history', { body: 'The history of the project is long. '.repeat(80) });
  store.pass(7);
  const passkey = new SoftwareAuthenticator();
  await enrol(store, passkey);
  await requirePasskey(store, passkey);
  await decideSigned(store, 'promote', other, passkey);
  // The thief repeats the assertion for another text.
  const { assertion } = insideOf(store.vault).ledgers.evidence.heads(other)[0] as Statement;
  forgeReceipt(store, id, assertion === null ? {} : { assertion });
  store.pass(1);
  await decideSigned(store, 'promote', long, passkey);
  await store.reconcile();
  const { given, left } = sessionContext(store.vault, { atMost: 2_000 });
  expect(given.map(({ facts }) => [`${facts.id}`, facts.tier])).toEqual([
    [id, 'inferred'],
    [other, 'verified'],
  ]);
  expect(left.budget).toBe(1);
});

test('a reading that was forged with the machine’s key makes no other text verified', async () => {
  const { store, before } = await required();
  const { digest, saying } = store.load(before);
  const inside = insideOf(store.vault);
  store.edit(before, (text) => text.replace('two cores', 'four cores'));
  await store.reconcile();
  expect(store.standing(before)).toBe('inferred:changed');
  // The thief seals, for the bytes of the changed file, that it has the digest that a person vouched for.
  const seen = store.load(before);
  const parseCache = new ParseCache(cacheSecrets(inside.key, inside.rules, store.vault.settings));
  const reading = parseCache.seal(before, seen.bytes, { ...seen, digest, saying });
  const row = rowOf({ ...seen, digest, saying }, inside.rules, parseCache);
  inside.index.put([{ ...row, reading }]);
  for (const _ of ['this process', 'the next one']) {
    expect(store.standing(before)).toBe('inferred:changed');
    expect(sessionContext(store.vault).given.filter(({ facts }) => facts.tier === 'verified')).toEqual([]);
    expect(store.vault.newestVerified()).toEqual([]);
    await store.reopen();
  }
});

/** Tells which memories were read. */
class ReadFiles extends Disk {
  readonly readIds: string[] = [];

  override read(path: string, atMost: number): ReturnType<Disk['read']> {
    if (path.endsWith('.md')) this.readIds.push(basename(path, '.md'));
    return super.read(path, atMost);
  }
}

test('a list of the newest verified memories reads those alone, also where all were verified in the same second', async () => {
  const { store, passkey } = await required();
  const ids = await Promise.all(['one', 'two', 'three', 'four', 'five'].map((word) => store.propose(`thing ${word}`)));
  store.pass(7);
  for (const id of ids) await decideSigned(store, 'promote', id, passkey);
  const disk = new ReadFiles();
  await store.reopen({ disk });
  disk.readIds.length = 0;
  const first = ids.toSorted().slice(0, 2);
  expect(store.vault.newestVerified(2).map(({ id }) => id)).toEqual(first);
  expect([...new Set(disk.readIds)]).toEqual(first);
  expect(store.vault.newestVerified()).toHaveLength(6);
});

// What the requirement named as older is still told by the lines that this machine keeps.
test.each(['enrolled', 'required'])(
  'a ledger cut before “%s”, and accepted as it is, ends no requirement',
  async (action) => {
    const { store, id, before } = await required();
    const lines = store.ledgerLines();
    store.writeLedger(
      lines.slice(
        0,
        lines.findIndex((line) => line.includes(`"action":"${action}"`)),
      ),
    );
    expect(store.tier(id)).toBe('inferred');
    store.acceptLedger();
    forgeReceipt(store, id);
    for (const _ of ['this process', 'the next one']) {
      expect([store.tier(id), checked(store, id), store.tier(before)]).toEqual(['inferred', 'inferred', 'verified']);
      await store.reopen();
    }
  },
);

test('a ledger cut between the passkey and its requirement, and accepted as it is, ends no requirement', async () => {
  const store = await TestStore.open();
  const id = await store.propose('the build');
  store.pass(7);
  const passkey = new SoftwareAuthenticator();
  await enrol(store, passkey);
  await store.propose('a thing between them');
  await requirePasskey(store, passkey);
  const lines = store.ledgerLines();
  store.writeLedger(lines.slice(0, lines.findIndex((line) => line.includes('"action":"enrolled"')) + 1));
  expect(store.tier(id)).toBe('inferred');
  store.acceptLedger();
  forgeReceipt(store, id);
  for (const _ of ['this process', 'the next one']) {
    expect([passkeysNow(store.vault).isRequired, store.tier(id), checked(store, id)]).toEqual([
      true,
      'inferred',
      'inferred',
    ]);
    await store.reopen();
  }
});

test('a line put among those that this machine keeps makes no passkey of its ledger void', async () => {
  const { store, id } = await required();
  const inside = insideOf(store.vault);
  const by = { actor: 'operator', channel: 'page', level: 3, client: null } as const;
  const draft = { ...ledgerDraft(inside, 'removed', PASSKEYS, by), passkeys: { ledgers: [] } };
  const line = signEntry(draft, EMPTY_HEAD, 0, store.now, inside.key, inside.ledgers.identity.id);
  const kept = join(store.places.state, 'ledgers', `${inside.key.fingerprint}.was-aaaaaaaaaaaa.jsonl`);
  writeFileSync(kept, `${line}\n`);
  await store.reopen();
  forgeReceipt(store, id);
  await store.reopen();
  expect([passkeysNow(store.vault).isRequired, store.tier(id), checked(store, id)]).toEqual([
    true,
    'inferred',
    'inferred',
  ]);
});

test('a file marked by hand stays what it is', async () => {
  const { store, id } = await required();
  markVerified(store, id);
  expect(store.standing(id)).toBe('inferred:unproven');
});
