import { generateKeyPairSync } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileWith } from '../../../src/core/checks/sample-file.ts';
import {
  EMPTY_HEAD,
  type Entry,
  type EntryDraft,
  fingerprintOf,
  hashOf,
  type Signer,
  signEntry,
} from '../../../src/core/ledger/entry.ts';
import { standingKey } from '../../../src/core/ledger/standing.ts';
import { isStale } from '../../../src/core/trust/clocks.ts';
import { type Shown, witnessed } from '../../../src/core/trust/consent.ts';
import { Disk } from '../../../src/store/disk/disk.ts';
import { recordUnrecorded, unrecordedLowerings } from '../../../src/store/maintenance/unrecorded-lowerings.ts';
import type { Reconciled } from '../../../src/store/reconcile/reconcile.ts';
import { insideOf } from '../../../src/store/vault/inside-of-vault.ts';
import type { Decision } from '../../../src/store/vault/vault.ts';
import { DAY, newMemory, TestStore, temporaryFolder, yes } from '../../../testkit/store.ts';

const BODY = 'The release is cut on Fridays and nobody is asked about it.';

/** What an agent with file tools types into a file. */
function says(tier: string): (text: string) => string {
  return (text) => text.replace(/^trust-level: .*$/m, `trust-level: ${tier}`);
}

/** Takes a file out of quarantine with file tools only. */
function moveBack(store: TestStore, id: string, change = (text: string) => text): void {
  store.write('memories', id, change(store.text('quarantine', id)));
  rmSync(store.path('quarantine', id));
}

const unmarked = (text: string) => says('verified')(text).replace(/^quarantine.*\n/gm, '');

function copyOfLedger(store: TestStore): string {
  return join(store.places.state, 'ledgers', `${store.vault.self.fingerprint}.jsonl`);
}

/** A backup of some folders or files; calling the result puts them back as they were. */
function backup(...paths: string[]): () => void {
  const kept = temporaryFolder();
  const there = paths.map((path) => existsSync(path));
  for (const [i, path] of paths.entries()) if (there[i]) cpSync(path, join(kept, String(i)), { recursive: true });
  return () => {
    for (const [i, path] of paths.entries()) {
      rmSync(path, { recursive: true, force: true });
      if (there[i]) cpSync(join(kept, String(i)), path, { recursive: true });
    }
  };
}

function kinds({ notices }: Reconciled): string[] {
  return notices.map((notice) => `${notice.kind} ${notice.stem}`);
}

/** A store with one memory that is verified and one that was verified and then demoted. */
async function storeWithBoth() {
  const store = await TestStore.open();
  const kept = await store.verified('the build');
  const lowered = await store.verified('the release');
  await store.decide('demote', lowered, 'no longer true');
  return { store, kept, lowered };
}

/** Nothing is verified, what was quarantined still is, and the operator is told what happened and what to do. */
async function expectNothingRaised(store: TestStore, kept: string, lowered: string, trouble: string): Promise<void> {
  for (const again of [false, true]) {
    if (again) await store.reopen();
    expect(store.tier(kept)).toBe('inferred');
    expect(store.tier(lowered)).toBe('quarantined');
    const report = store.report();
    expect(report).toMatchObject({ own: true, raises: false, trouble });
    expect(report.advice).toMatch(/raises nothing: .+\. Run surety doctor/);
  }
  await expect(store.propose('anything else')).rejects.toMatchObject({ code: 'ledger-trouble' });
}

const RECORD: EntryDraft = {
  by: { actor: 'operator', channel: 'page', level: 3, client: null },
  settings: { observationDays: 7, staleDays: 90, injection: 'hold', minimumAssurance: 1 },
  rules: 'structure-1 semantics-1',
  action: 'add',
  id: 'user_elsewhere',
  from: null,
  to: 'verified',
  digest: null,
  saying: null,
  reason: null,
  settled: [],
  replaces: null,
  after: [],
};

/** Somebody with a key of their own and write access to the store. */
class Stranger implements Signer {
  readonly machine = 'stranger';
  readonly privateKey;
  readonly publicKey: string;
  readonly lines: string[] = [];

  constructor() {
    const { privateKey } = generateKeyPairSync('ed25519');
    this.privateKey = privateKey;
    this.publicKey = privateKey.export({ format: 'jwk' }).x ?? '';
  }

  get fingerprint(): string {
    return fingerprintOf(this.publicKey);
  }

  say(changes: Partial<EntryDraft>, at: number): string {
    const last = this.lines.at(-1);
    const head = last === undefined ? EMPTY_HEAD : { count: this.lines.length, hash: hashOf(last) };
    const line = signEntry({ ...RECORD, ...changes }, head, 0, at, this, undefined);
    this.lines.push(line);
    return line;
  }

  plant(store: TestStore, name = this.fingerprint): void {
    writeFileSync(join(store.places.ledger, `${name}.jsonl`), this.lines.map((line) => `${line}\n`).join(''));
  }
}

// What a file says of itself

test.each([
  ['alone', says('verified')],
  [
    'with a date',
    (text: string) => says('verified')(text).replace(/^trust-level.*$/m, '$&\nlast-verified: 2026-02-28'),
  ],
])('verified typed into a proposal counts for nothing (%s)', async (_, typed) => {
  const store = await TestStore.open();
  const id = await store.propose('the build');
  store.edit(id, typed);
  expect(store.standing(id)).toBe('inferred:unproven');
  await store.reconcile();
  store.pass(6);
  await store.reopen();
  expect(store.standing(id)).toBe('inferred:unproven');
  await expect(store.decide('promote', id)).rejects.toMatchObject({ code: 'observation-running' });
  await expect(store.decide('reaffirm', id)).rejects.toMatchObject({ code: 'not-allowed' });
  expect(store.entries()).toHaveLength(1);
});

test('a whole new file that says verified is inferred and has the full observation ahead', async () => {
  const store = await TestStore.open();
  const text = fileWith({ 'trust-level': 'verified', 'last-verified': '2026-02-28' }, BODY);
  store.write('memories', 'user_planted', text);
  expect(store.standing('user_planted')).toBe('inferred:unproven');
  await expect(store.decide('promote', 'user_planted')).rejects.toMatchObject({ code: 'observation-running' });
  const { notices } = await store.reconcile();
  expect(notices).toMatchObject([{ kind: 'added', what: 'the file says verified, but no receipt vouches for it' }]);
  store.pass(6);
  await expect(store.decide('promote', 'user_planted')).rejects.toMatchObject({ code: 'observation-running' });
  expect(store.standing('user_planted')).toBe('inferred:unproven');
  expect(store.text('memories', 'user_planted')).toBe(text);
  store.pass(1);
  await store.decide('promote', 'user_planted');
  expect(store.standing('user_planted')).toBe('verified:vouched');
});

test.each([
  ['its body', (text: string) => text.replace('two cores', 'six cores')],
  ['its name', (text: string) => text.replace(/^name: .*$/m, 'name: Another')],
  ['its description', (text: string) => text.replace(/^description: .*$/m, 'description: Another')],
  ['its tags', (text: string) => text.replace(/^type: .*$/m, '$&\ntags: [urgent]')],
  ['its project', (text: string) => text.replace(/^type: .*$/m, '$&\nproject: another')],
  ['one space at its end', (text: string) => `${text} `],
])(
  'a verified memory is changed once %s is edited, and vouched for again once it is put back exactly',
  async (_, change) => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    await store.reconcile();
    const before = store.text('memories', id);
    store.edit(id, change);
    expect(store.standing(id)).toBe('inferred:changed');
    const { notices } = await store.reconcile();
    expect(notices).toMatchObject([{ kind: 'changed', what: 'the text changed since a person vouched for it' }]);
    store.pass(30);
    await expect(store.decide('promote', id)).rejects.toMatchObject({ code: 'not-allowed' });
    store.write('memories', id, before);
    expect(store.standing(id)).toBe('verified:vouched');
    await store.reconcile();
    await store.reopen();
    expect(store.standing(id)).toBe('verified:vouched');
  },
);

test('a changed memory gets back the text that was vouched for, and no other, without a new yes', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  const before = store.text('memories', id);
  const kept = join(store.places.state, 'vouched', store.load(id).digest ?? '');
  store.edit(id, (text) => text.replace('two cores', 'six cores'));
  const forged = backup(kept);
  writeFileSync(kept, store.text('memories', id));
  await expect(store.vault.putBack(store.load(id))).rejects.toMatchObject({ code: 'no-such-memory' });
  forged();
  await store.vault.putBack(store.load(id));
  expect(store.text('memories', id)).toBe(before);
  expect(store.standing(id)).toBe('verified:vouched');
});

test('a receipt alone does not verify a file that does not say so itself', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  store.edit(id, says('inferred'));
  expect(store.standing(id)).toBe('inferred:unfinished');
});

test('a body swapped on day eight waits its own week', async () => {
  const store = await TestStore.open();
  const id = await store.propose('the build');
  store.pass(8);
  store.edit(id, (text) => text.replace('two cores', 'six cores'));
  await expect(store.decide('promote', id)).rejects.toMatchObject({ code: 'observation-running' });
  await store.reconcile();
  store.pass(6);
  await expect(store.decide('promote', id)).rejects.toMatchObject({ code: 'observation-running' });
  store.pass(1);
  await store.decide('promote', id);
  expect(store.standing(id)).toBe('verified:vouched');
});

test.each([
  ['back-dated', '2020-01-01T00:00:00Z'],
  ['in the future', '2036-01-01T00:00:00Z'],
  ['missing', null],
])('a created-at that is %s changes nothing about the waiting', async (_, created) => {
  const store = await TestStore.open();
  store.write('memories', 'user_planted', fileWith({ 'created-at': created }, BODY));
  await store.reconcile();
  expect(store.standing('user_planted')).toBe('inferred:found');
  store.pass(6);
  await expect(store.decide('promote', 'user_planted')).rejects.toMatchObject({ code: 'observation-running' });
  store.pass(1);
  await store.decide('promote', 'user_planted');
  expect(store.standing('user_planted')).toBe('verified:vouched');
});

// Out of quarantine by hand

test.each([
  ['as it is', (text: string) => text],
  ['saying inferred', says('inferred')],
  ['saying verified', unmarked],
])('a quarantined file moved back by hand %s stays quarantined and is put away again', async (_, change) => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  await store.decide('demote', id, 'no longer true');
  const lines = store.ledgerLines();
  moveBack(store, id, change);
  expect(store.standing(id)).toBe('quarantined:decided');
  await expect(store.decide('promote', id)).rejects.toMatchObject({ code: 'not-allowed' });
  await expect(store.decide('reaffirm', id)).rejects.toMatchObject({ code: 'not-allowed' });
  const { notices } = await store.reconcile();
  expect(notices.filter((n) => n.kind === 'quarantined')).toMatchObject([
    { what: 'a recorded decision quarantines it' },
  ]);
  expect(store.files('memories')).toEqual([]);
  expect(store.files('quarantine')).toEqual([`${id}.md`]);
  expect(store.standing(id)).toBe('quarantined:decided');
  expect(store.ledgerLines()).toEqual(lines);
});

test('a file in quarantine is quarantined, whatever receipt it has', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  renameSync(store.path('memories', id), store.path('quarantine', id));
  expect(store.standing(id)).toBe('quarantined:folder');
  expect(kinds(await store.reconcile())).toContain(`quarantined ${id}`);
  renameSync(store.path('quarantine', id), store.path('memories', id));
  expect(store.standing(id)).toBe('quarantined:decided');
});

test('a file that says quarantined is, and taking the word back does not lift what was recorded', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  const before = store.text('memories', id);
  store.edit(id, says('quarantined'));
  expect(store.standing(id)).toBe('quarantined:claim');
  await store.reconcile();
  store.write('memories', id, before);
  rmSync(store.path('quarantine', id));
  expect(store.standing(id)).toBe('quarantined:decided');
});

const DISGUISES: readonly (readonly [string, (body: string) => string])[] = [
  ['unchanged', (body) => body],
  ['with zero-width characters', (body) => body.replaceAll(' ', '\u200B \u2060').replaceAll('e', 'e\uFEFF')],
  ['in other case', (body) => body.toUpperCase()],
  ['with other spacing', (body) => `\n\n${body.replaceAll(' ', ' \t\n ')}\n`],
  ['in full width', (body) => body.replaceAll('a', 'ａ')],
  ['with variation selectors and tags', (body) => body.replaceAll('o', 'o\uFE0E\u{E0041}')],
  // All of these are stripped before anything is served, so a model would read the very same words.
  ['with interlinear marks', (body) => body.replaceAll('e', 'e\uFFF9')],
  ['with noncharacters', (body) => body.replaceAll('e', 'e\uFDD0')],
  ['with control characters inside words', (body) => body.replaceAll('e', 'e\u0001')],
  ['with empty Braille cells', (body) => body.replaceAll('e', 'e\u2800')],
];

test.each(DISGUISES)('a copy of a quarantined text under another name is quarantined too (%s)', async (_, disguise) => {
  const store = await TestStore.open();
  const id = await store.verified('the release', { body: BODY });
  await store.decide('demote', id, 'no longer true');
  store.write('memories', 'reference_copy', fileWith({ type: 'reference', 'trust-level': 'verified' }, disguise(BODY)));
  expect(store.standing('reference_copy')).toBe('quarantined:same-text');
  expect(kinds(await store.reconcile())).toContain('quarantined reference_copy');
  expect(store.files('memories')).toEqual([]);
});

test.each(DISGUISES)('a quarantined text is not taken again as a proposal (%s)', async (_, disguise) => {
  const store = await TestStore.open();
  const id = await store.verified('the release', { body: BODY });
  await store.decide('demote', id, 'no longer true');
  const asked = store.propose('something else', { body: disguise(BODY), type: 'reference' });
  await expect(asked).rejects.toMatchObject({ code: 'was-quarantined' });
  expect(store.files('memories')).toEqual([]);
});

test('a copy of a text whose quarantined file was deleted or archived is quarantined too', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the release', { body: BODY });
  await store.decide('demote', id, 'no longer true');
  rmSync(store.path('quarantine', id));
  await store.reconcile();
  store.write('memories', 'reference_copy', fileWith({ type: 'reference' }, BODY));
  expect(store.standing('reference_copy')).toBe('quarantined:same-text');
});

test('a quarantined text edited in place stays quarantined', async () => {
  const { store, lowered } = await storeWithBoth();
  store.write('quarantine', lowered, unmarked(store.text('quarantine', lowered)).replace('two', 'six'));
  expect(store.standing(lowered)).toBe('quarantined:decided');
  await store.reconcile();
  await expect(store.decide('promote', lowered)).rejects.toMatchObject({ code: 'not-allowed' });
  expect(store.tier(lowered)).toBe('quarantined');
});

// The ledger

test('a demotion cut off the ledger’s end still counts, and nothing is raised by what is left', async () => {
  const { store, kept, lowered } = await storeWithBoth();
  const whole = store.ledgerLines();
  store.writeLedger(whole.slice(0, -1));
  moveBack(store, lowered, unmarked);
  await expectNothingRaised(store, kept, lowered, 'shorter');
  expect(store.standing(lowered)).toBe('quarantined:decided');
  await store.reconcile();
  expect(store.files('quarantine')).toEqual([`${lowered}.md`]);
  copyFileSync(copyOfLedger(store), store.ledgerPath);
  expect(store.ledgerLines()).toEqual(whole);
  expect(store.trouble()).toBeUndefined();
  expect(store.standing(kept)).toBe('verified:vouched');
  expect(store.standing(lowered)).toBe('quarantined:decided');
});

test('a proposal cut off the ledger’s end is missed too', async () => {
  const { store, kept, lowered } = await storeWithBoth();
  await store.propose('the last word');
  store.writeLedger(store.ledgerLines().slice(0, -1));
  await expectNothingRaised(store, kept, lowered, 'shorter');
});

test.each([
  ['in its reason', (line: string) => line.replace('no longer true', 'No longer true')],
  [
    'in its signature',
    (line: string) => line.replace(/"sig":"./, (start) => `${start.slice(0, -1)}${start.endsWith('_') ? '-' : '_'}`),
  ],
  ['in its tier', (line: string) => line.replace('"to":"quarantined"', '"to":"verified"')],
  ['in its id', (line: string) => line.replace('"id":"user_the_release"', '"id":"user_the_releasf"')],
  ['in its spelling', (line: string) => line.replace('"v":2', '"v": 2')],
])('a demotion changed %s still counts, and the ledger proves nothing more', async (_, change) => {
  for (const last of [true, false]) {
    const { store, kept, lowered } = await storeWithBoth();
    if (!last) await store.decide('reaffirm', kept);
    const lines = store.ledgerLines();
    const at = lines.findIndex((line) => line.includes('"action":"demote"'));
    const changed = lines.map((line, i) => (i === at ? change(line) : line));
    expect(changed).not.toEqual(lines);
    store.writeLedger(changed);
    moveBack(store, lowered, unmarked);
    await store.reopen();
    const { trouble } = store.report();
    expect(['broken', 'bad-signature']).toContain(trouble);
    await expectNothingRaised(store, kept, lowered, trouble ?? '');
  }
});

test('without its ledger the store proves nothing and quarantines what it did', async () => {
  const { store, kept, lowered } = await storeWithBoth();
  rmSync(store.ledgerPath);
  moveBack(store, lowered, unmarked);
  await expectNothingRaised(store, kept, lowered, 'missing');
});

test('with its ledger and the copy of it gone nothing is verified, and it is said', async () => {
  const { store, kept, lowered } = await storeWithBoth();
  rmSync(store.ledgerPath);
  rmSync(copyOfLedger(store));
  moveBack(store, lowered, unmarked);
  expect(store.tier(kept)).toBe('inferred');
  expect(store.tier(lowered)).not.toBe('verified');
  expect(store.report()).toMatchObject({ trouble: 'missing', raises: false });
  expect(store.report().advice).toContain('Run surety doctor');
});

test('a forked ledger lowers what either branch lowered, and raises nothing', async () => {
  const { store, kept, lowered } = await storeWithBoth();
  const third = await store.verified('the third');
  const fork = backup(store.home);
  // Here the third is demoted and the kept one reaffirmed …
  await store.decide('demote', third, 'wrong');
  await store.decide('reaffirm', kept);
  store.vault.close();
  const here = backup(store.home);
  // … and elsewhere, with the same key, the lowered one is restored and the kept one demoted.
  fork();
  await store.reopen();
  await store.decide('restore', lowered);
  await store.decide('demote', kept, 'stolen');
  const other = store.ledgerLines();
  store.vault.close();
  here();
  await store.reopen();
  store.writeLedger(other);
  moveBack(store, third, unmarked);
  expect(store.report()).toMatchObject({ trouble: 'forked', raises: false });
  expect(store.report().advice).toContain('differs from what this machine remembers');
  expect(store.tier(third)).toBe('quarantined');
  expect(store.tier(kept)).toBe('quarantined');
  moveBack(store, lowered, unmarked);
  expect(store.tier(lowered)).not.toBe('verified');
  await expect(store.propose('anything')).rejects.toMatchObject({ code: 'ledger-trouble' });
});

test('a ledger whose lines were reordered raises nothing', async () => {
  const { store, kept, lowered } = await storeWithBoth();
  const [first, second, ...rest] = store.ledgerLines();
  store.writeLedger([first ?? '', ...rest, second ?? '']);
  moveBack(store, lowered, unmarked);
  await store.reopen();
  await expectNothingRaised(store, kept, lowered, 'broken');
});

test('a demotion cut out of the ledger’s middle still counts', async () => {
  const { store, kept, lowered } = await storeWithBoth();
  await store.decide('reaffirm', kept);
  store.writeLedger(store.ledgerLines().filter((line) => !line.includes('"action":"demote"')));
  moveBack(store, lowered, unmarked);
  await expectNothingRaised(store, kept, lowered, 'broken');
});

test('a ledger rewritten in place, byte for byte as long as it was, is noticed by a server that runs', async () => {
  const { store, kept, lowered } = await storeWithBoth();
  store.writeLedger(store.ledgerLines().map((line) => line.replace('no longer true', 'No longer true')));
  expect(store.trouble()).toBe('bad-signature');
  expect(store.tier(kept)).toBe('inferred');
  expect(store.tier(lowered)).toBe('quarantined');
});

test('a ledger signed anew with another key under this machine’s name raises nothing', async () => {
  const { store, kept, lowered } = await storeWithBoth();
  const stranger = new Stranger();
  for (const line of store.ledgerLines()) {
    const { v, seq, at, machine, key, prev, ...draft } = JSON.parse(line) as Entry;
    if (draft.action !== 'demote') stranger.say({ ...draft, after: [] }, Date.parse(at));
  }
  stranger.plant(store, store.vault.self.fingerprint);
  moveBack(store, lowered, unmarked);
  await expectNothingRaised(store, kept, lowered, 'wrong-key');
});

function restoring(store: TestStore, id: string): string {
  const last = store.ledgerLines().at(-1) ?? '';
  const { digest, saying } = store.load(id);
  const head = { count: store.ledgerLines().length, hash: hashOf(last) };
  const draft: EntryDraft = {
    ...RECORD,
    action: 'restore',
    id,
    from: 'quarantined',
    digest,
    saying,
    after: [hashOf(last)],
  };
  return signEntry(draft, head, 0, store.now, new Stranger(), store.storeId);
}

test.each([
  ['without a signature', (line: string) => line.replace(/,"sig":"[^"]*"/, '')],
  ['with a stranger’s signature', (line: string) => line],
  [
    'with a signature copied from the line before',
    (line: string, last: string) => line.replace(/"sig":"[^"]*"/, /"sig":"[^"]*"/.exec(last)?.[0] ?? ''),
  ],
])('a restore appended to the ledger %s lifts nothing', async (_, sign) => {
  const { store, kept, lowered } = await storeWithBoth();
  const line = sign(restoring(store, lowered), store.ledgerLines().at(-1) ?? '');
  appendFileSync(store.ledgerPath, `${line}\n`);
  moveBack(store, lowered, unmarked);
  await expectNothingRaised(store, kept, lowered, 'bad-signature');
  expect(store.standing(lowered)).toBe('quarantined:decided');
});

test('a lowering counts while the ledger is in trouble, and still after it was mended', async () => {
  const { store, kept, lowered } = await storeWithBoth();
  const whole = readFileSync(store.ledgerPath, 'utf8');
  store.writeLedger(store.ledgerLines().slice(0, -1));
  await store.decide('demote', kept, 'also wrong');
  expect(store.standing(kept)).toBe('quarantined:decided');
  moveBack(store, kept, unmarked);
  writeFileSync(store.ledgerPath, whole);
  expect(store.trouble()).toBeUndefined();
  expect(store.standing(kept)).toBe('quarantined:decided');
  await store.reconcile();
  const recorded = store.ledgerLines().map((line) => JSON.parse(line));
  expect(recorded.at(-1)).toMatchObject({ action: 'demote', id: kept, reason: 'also wrong', by: { channel: 'page' } });
  expect(store.standing(kept)).toBe('quarantined:decided');
  expect(store.standing(lowered)).toBe('quarantined:decided');
});

test('lowerings that were set aside are recorded after all that they came after, so that the ledger alone says the same', async () => {
  const { store, kept } = await storeWithBoth();
  const whole = readFileSync(store.ledgerPath, 'utf8');
  store.writeLedger([...store.ledgerLines().slice(0, -1), 'spoiled']);
  await store.decide('demote', kept, 'wrong');
  // Another text under the same id, which is put away as well.
  store.write('memories', kept, fileWith({}, 'Another text altogether, under an id that is quarantined.'));
  await store.reconcile();
  writeFileSync(store.ledgerPath, whole);
  await store.propose('what makes this machine write');
  const entries = store.ledgerLines().map((line) => ({ hash: hashOf(line), ...(JSON.parse(line) as Entry) }));
  const decisions = entries.filter(({ id, to }) => id === kept && to !== null);
  const named = new Set(decisions.flatMap(({ after }) => after));
  expect(decisions.filter(({ hash }) => !named.has(hash)).map(({ to }) => to)).toEqual(['quarantined']);
});

test('a lowering made while ledger and copy were gone counts after the ledger came from a backup', async () => {
  const { store, kept, lowered } = await storeWithBoth();
  const older = backup(store.ledgerPath);
  rmSync(store.ledgerPath);
  rmSync(copyOfLedger(store));
  const { recorded } = await store.decide('demote', kept, 'also wrong');
  expect(recorded).toBe(true);
  older();
  await store.reopen();
  await store.reconcile();
  moveBack(store, kept, unmarked);
  expect(store.tier(kept)).toBe('quarantined');
  expect(store.tier(lowered)).toBe('quarantined');
});

test('a line somebody else put among the lowerings set aside is never signed by this machine', async () => {
  const { store, lowered } = await storeWithBoth();
  store.write('memories', 'user_planted', fileWith({ 'trust-level': 'verified' }, BODY));
  await store.reconcile();
  const { digest, saying } = store.load('user_planted');
  const stranger = new Stranger();
  stranger.say({ id: 'user_planted', digest, saying }, store.now);
  const about = store.load(lowered);
  stranger.say({ action: 'restore', id: lowered, from: 'quarantined', digest: about.digest }, store.now);
  const { fingerprint } = store.vault.self;
  for (const tag of ['lowered', 'was-1', 'recorded-1']) {
    const text = stranger.lines.map((line) => `${line}\n`).join('');
    writeFileSync(join(store.places.state, 'ledgers', `${fingerprint}.${tag}.jsonl`), text);
  }
  moveBack(store, lowered, unmarked);
  for (let i = 0; i < 3; i++) {
    await store.reconcile();
    await store.propose(`something that makes this machine write ${i}`).catch(() => undefined);
    await store.reopen();
  }
  expect.soft(store.tier('user_planted')).toBe('inferred');
  expect.soft(store.tier(lowered)).toBe('quarantined');
  const signed = store.ledgerLines().map((line) => JSON.parse(line) as Entry);
  expect(signed.filter((entry) => entry.id === 'user_planted' && entry.to === 'verified')).toEqual([]);
});

test.each<[string, object]>([
  ['texts that are no list', { texts: 5 }],
  ['a digest before that is no text', { was: 5 }],
  ['another id that is no text', { action: 'store', from: null, to: null, alias: 5 }],
])('a stranger’s line with %s keeps no store from being read', async (_, changes) => {
  const { store, kept, lowered } = await storeWithBoth();
  const stranger = new Stranger();
  stranger.say(changes as Partial<EntryDraft>, store.now);
  stranger.plant(store);
  await store.reopen();
  await store.reconcile();
  expect([store.tier(kept), store.tier(lowered)]).toEqual(['verified', 'quarantined']);
});

test('another store’s ledger put among the lines set aside proves nothing here', async () => {
  const store = await TestStore.open();
  await store.propose('anything');
  const other = await TestStore.open({ home: store.home, root: join(store.home, 'elsewhere') });
  const vouched = await other.add('the build');
  const proposed = await other.propose('the release');
  store.pass(30);
  for (const id of [vouched, proposed]) store.write('memories', id, other.text('memories', id));
  const { fingerprint } = store.vault.self;
  copyFileSync(other.ledgerPath, join(store.places.state, 'ledgers', `${fingerprint}.was-1.jsonl`));
  await store.reopen();
  await store.reconcile();
  expect.soft(store.tier(vouched)).toBe('inferred');
  await expect(store.decide('promote', proposed)).rejects.toMatchObject({ code: 'observation-running' });
});

test('accepting a ledger that was cut lifts no quarantine: each needs a yes of its own', async () => {
  const { store, kept, lowered } = await storeWithBoth();
  store.writeLedger(store.ledgerLines().slice(0, -1));
  moveBack(store, lowered, unmarked);
  store.acceptLedger();
  expect(store.trouble()).toBeUndefined();
  expect(store.standing(kept)).toBe('verified:vouched');
  expect(store.tier(lowered)).toBe('quarantined');
});

test('a ledger can be accepted a second time at the same length', async () => {
  const { store, kept } = await storeWithBoth();
  const cut = store.ledgerLines().slice(0, -1);
  store.writeLedger(cut);
  store.acceptLedger();
  await store.decide('reaffirm', kept);
  store.writeLedger(cut);
  expect(store.trouble()).toBe('shorter');
  store.acceptLedger();
  expect(store.trouble()).toBeUndefined();
});

test('accepting a ledger takes a yes for exactly its end and its trouble', async () => {
  const { store, kept } = await storeWithBoth();
  const seen = store.report();
  store.writeLedger(store.ledgerLines().slice(0, -1));
  const { head, trouble, fingerprint } = store.report();
  const right: Shown = {
    verb: 'accept-ledger',
    id: fingerprint,
    digest: head.hash,
    standing: trouble ?? '',
    settles: [],
  };
  for (const wrong of [{ digest: seen.head.hash }, { standing: 'missing' }, { id: 'f'.repeat(64) }]) {
    const consent = witnessed('page', { ...right, ...wrong });
    expect(() => insideOf(store.vault).ledgers.accept(fingerprint, consent)).toThrow();
  }
  expect(store.trouble()).toBe('shorter');
  expect(store.tier(kept)).toBe('inferred');
});

test('a torn last line after a crash is dropped quietly, and the next entry is whole', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  const before = store.ledgerLines();
  appendFileSync(store.ledgerPath, (before.at(-1) ?? '').slice(0, 200));
  await store.reopen();
  expect(store.trouble()).toBeUndefined();
  expect(store.standing(id)).toBe('verified:vouched');
  await store.propose('the next');
  expect(store.ledgerLines().slice(0, -1)).toEqual(before);
  expect(JSON.parse(store.ledgerLines().at(-1) ?? '')).toMatchObject({ id: 'user_the_next', seq: before.length });
  await store.reopen();
  expect(store.trouble()).toBeUndefined();
  expect(store.complaints).toEqual([]);
});

// Strangers

test('an unknown machine’s ledger verifies nothing', async () => {
  const store = await TestStore.open();
  store.write('memories', 'user_planted', fileWith({ 'trust-level': 'verified' }, BODY));
  const { digest, saying } = store.load('user_planted');
  const stranger = new Stranger();
  stranger.say({ id: 'user_planted', digest, saying }, store.now - 30 * DAY);
  stranger.plant(store);
  expect(store.standing('user_planted')).toBe('inferred:disputed');
  await store.reconcile();
  expect(store.report(stranger.fingerprint)).toMatchObject({ trusted: false, raises: false, trouble: undefined });
  await expect(store.decide('promote', 'user_planted')).rejects.toMatchObject({ code: 'observation-running' });
  expect(store.tier('user_planted')).toBe('inferred');
});

test('an unknown machine’s demotion lowers, and its restore lifts only its own', async () => {
  const { store, kept, lowered } = await storeWithBoth();
  const stranger = new Stranger();
  const { digest, saying } = store.load(kept);
  const lowering = stranger.say({ action: 'demote', id: kept, from: 'verified', to: 'quarantined', digest, saying }, 0);
  const after = store.vault.evidence.heads(lowered).map((head) => head.hash);
  const about = store.load(lowered);
  const restore = { action: 'restore', from: 'quarantined', to: 'verified' } as const;
  stranger.say({ ...restore, id: lowered, digest: about.digest, after }, store.now);
  stranger.plant(store);
  moveBack(store, lowered, unmarked);
  expect(store.standing(kept)).toBe('quarantined:decided');
  expect(store.standing(lowered)).toBe('quarantined:decided');
  stranger.say({ ...restore, id: kept, digest, after: [hashOf(lowering)] }, store.now);
  stranger.plant(store);
  expect(store.standing(kept)).toBe('inferred:disputed');
  expect(store.standing(lowered)).toBe('quarantined:decided');
});

test('a machine that repeats another’s demotion in its own ledger cannot take it back', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  const forger = new Stranger();
  forger.say({}, store.now);
  forger.plant(store);
  await store.propose('something that makes the pass write');
  store.write('memories', 'user_found', fileWith({}, BODY));
  await store.reconcile();
  // Another machine demotes it, knowing the receipt made here.
  const honest = new Stranger();
  const { digest, saying } = store.load(id);
  const after = store.vault.evidence.heads(id).map((head) => head.hash);
  const demotion = honest.say({ action: 'demote', id, from: 'verified', to: 'quarantined', digest, saying, after }, 0);
  honest.plant(store);
  expect(store.standing(id)).toBe('quarantined:decided');
  // The forger writes the same line into its ledger, as if it were its own word, and withdraws it.
  forger.lines.push(demotion);
  forger.say({ id, digest, saying, after: [hashOf(demotion)] }, store.now);
  forger.plant(store);
  expect(store.standing(id)).toBe('quarantined:decided');
  await store.reopen();
  expect(store.standing(id)).toBe('quarantined:decided');
  expect(store.report(forger.fingerprint).trouble).toBe('broken');
});

test('a machine that repeats this one’s demotion in its own ledger cannot take it back', async () => {
  const store = await TestStore.open();
  // A store that another machine began: its ledger is remembered before this machine has written anything.
  const forger = new Stranger();
  forger.say({ action: 'demote', id: 'user_theirs', from: 'inferred', to: 'quarantined' }, store.now);
  forger.plant(store);
  store.write('quarantine', 'user_theirs', fileWith({}, BODY));
  await store.reconcile();
  const id = await store.verified('the build');
  await store.decide('demote', id, 'no longer true');
  const demotion = store.ledgerLines().at(-1) ?? '';
  const { digest, saying } = store.load(id);
  forger.lines.push(demotion);
  forger.say({ id, digest, saying, after: [hashOf(demotion)] }, store.now);
  forger.plant(store);
  moveBack(store, id, unmarked);
  expect(store.standing(id)).toBe('quarantined:decided');
  await store.reopen();
  expect(store.standing(id)).toBe('quarantined:decided');
});

test('a copy of this machine’s ledger under another name takes nothing from it', async () => {
  const { store, kept, lowered } = await storeWithBoth();
  for (const name of ['0'.repeat(64), 'f'.repeat(64)]) {
    writeFileSync(join(store.places.ledger, `${name}.jsonl`), readFileSync(store.ledgerPath));
  }
  await store.reopen();
  expect(store.standing(kept)).toBe('verified:vouched');
  expect(store.standing(lowered)).toBe('quarantined:decided');
  expect(store.report('0'.repeat(64)).trouble).toBe('wrong-key');
});

test('a list of trusted machines edited by hand trusts nobody', async () => {
  const store = await TestStore.open();
  store.write('memories', 'user_planted', fileWith({ 'trust-level': 'verified' }, BODY));
  const { digest, saying } = store.load('user_planted');
  const stranger = new Stranger();
  stranger.say({ id: 'user_planted', digest, saying }, store.now);
  stranger.plant(store);
  const machine = { name: 'friend', publicKey: stranger.publicKey, trustedAt: '', channel: 'page', level: 3 };
  const machines = join(store.places.config, 'machines.json');
  const payload = JSON.stringify({ machines: [machine] });
  await store.propose('something that makes this machine sign');
  const heads = JSON.parse(readFileSync(join(store.places.state, 'heads.json'), 'utf8'));
  for (const forged of [
    { machines: [machine] },
    { payload, signature: '' },
    { payload, signature: heads.signature },
    { payload, signature: 'A'.repeat(86) },
  ]) {
    writeFileSync(machines, JSON.stringify(forged));
    await store.reopen();
    expect(store.tier('user_planted')).toBe('inferred');
    expect(store.report(stranger.fingerprint).trusted).toBe(false);
  }
});

// Copies, backups and lost folders

test('a key copied to another machine does not sign there; the store is looked at, all inferred', async () => {
  const { store, kept, lowered } = await storeWithBoth();
  store.vault.close();
  const home = temporaryFolder();
  cpSync(store.home, home, { recursive: true });
  const elsewhere = await TestStore.open({ home, machine: { name: 'there', identity: 'machine-two' } });
  expect(elsewhere.tier(kept)).toBe('inferred');
  expect(elsewhere.tier(lowered)).toBe('quarantined');
  await expect(elsewhere.propose('anything')).rejects.toMatchObject({ code: 'key-unusable' });
  await expect(elsewhere.propose('anything')).rejects.toThrow(/run surety doctor .* put the key aside/);
});

test('a store copied to a home with another key has nothing verified, and what was quarantined still is', async () => {
  const { store, kept, lowered } = await storeWithBoth();
  const home = temporaryFolder();
  cpSync(store.places.root, join(home, '.surety'), { recursive: true });
  const copy = await TestStore.open({ home, machine: { name: 'there', identity: 'machine-two' } });
  expect(copy.standing(kept)).toBe('inferred:disputed');
  moveBack(copy, lowered, unmarked);
  expect(copy.standing(lowered)).toBe('quarantined:decided');
  expect(copy.report(store.vault.self.fingerprint)).toMatchObject({ own: false, trusted: false, raises: false });
});

test('after the state folder is lost nothing is raised until a person accepts the ledger', async () => {
  const { store, kept, lowered } = await storeWithBoth();
  store.vault.close();
  rmSync(store.places.state, { recursive: true });
  await store.reopen();
  moveBack(store, lowered, unmarked);
  await expectNothingRaised(store, kept, lowered, 'unremembered');
  store.write('memories', 'user_new', store.text('memories', kept).replace('two cores', 'four cores'));
  const { notices } = await store.reconcile();
  expect(notices.filter((n) => n.kind === 'ledger')[0]?.what).toContain('no memory of this ledger');
  expect(store.trouble()).toBe('unremembered');
  store.acceptLedger();
  expect(store.trouble()).toBeUndefined();
  expect(store.standing(kept)).toBe('verified:vouched');
  expect(store.standing(lowered)).toBe('quarantined:decided');
  await store.reopen();
  expect(store.standing(kept)).toBe('verified:vouched');
});

test('what is remembered of the ledgers counts for nothing once it is edited', async () => {
  const { store, kept, lowered } = await storeWithBoth();
  const path = join(store.places.state, 'heads.json');
  const { payload, signature } = JSON.parse(readFileSync(path, 'utf8'));
  const count = store.ledgerLines().length;
  const shorter = payload.replace(`"count":${count}`, `"count":${count - 1}`);
  expect(shorter).not.toBe(payload);
  for (const text of [JSON.stringify({ payload: shorter, signature }), '{}', '', 'not json']) {
    writeFileSync(path, text);
    await expectNothingRaised(store, kept, lowered, 'unremembered');
  }
});

test('an older memory of the ledgers does not hide that the ledger was cut', async () => {
  const store = await TestStore.open();
  const kept = await store.verified('the build');
  const lowered = await store.verified('the release');
  const older = backup(join(store.places.state, 'heads.json'));
  await store.decide('demote', lowered, 'no longer true');
  older();
  store.writeLedger(store.ledgerLines().slice(0, -1));
  moveBack(store, lowered, unmarked);
  await expectNothingRaised(store, kept, lowered, 'shorter');
});

test('what is remembered of another store’s ledgers does not count in this one', async () => {
  const { store, kept, lowered } = await storeWithBoth();
  // Anyone may start a store: its first proposal makes this machine sign that a ledger of no entries is remembered.
  const other = await TestStore.open({ home: store.home, root: join(store.home, 'elsewhere') });
  await other.propose('anything');
  copyFileSync(join(other.places.state, 'heads.json'), join(store.places.state, 'heads.json'));
  const cut = store.ledgerLines().slice(0, -1);
  store.writeLedger(cut);
  writeFileSync(copyOfLedger(store), readFileSync(store.ledgerPath));
  moveBack(store, lowered, unmarked);
  await store.reopen();
  expect(store.tier(lowered)).not.toBe('verified');
  expect(store.tier(kept)).not.toBe('verified');
  expect(store.report().raises).toBe(false);
});

test('an older backup of memories and ledger put over the store brings nothing back', async () => {
  const store = await TestStore.open();
  const kept = await store.verified('the build');
  const lowered = await store.verified('the release');
  const older = backup(store.places.memories, store.places.quarantine, store.places.ledger);
  await store.decide('demote', lowered, 'no longer true');
  older();
  expect(store.files('memories')).toContain(`${lowered}.md`);
  await expectNothingRaised(store, kept, lowered, 'shorter');
});

test('an older backup of the whole home is the older store again: this is not detectable', async () => {
  const store = await TestStore.open();
  const kept = await store.verified('the build');
  const lowered = await store.verified('the release');
  const older = backup(store.places.root, store.places.state);
  await store.decide('demote', lowered, 'no longer true');
  store.vault.close();
  older();
  await store.reopen();
  expect(store.trouble()).toBeUndefined();
  expect(store.standing(kept)).toBe('verified:vouched');
  expect(store.standing(lowered)).toBe('verified:vouched');
});

// Clocks

test('a clock set back before promoting does not end the observation', async () => {
  const store = await TestStore.open();
  const id = await store.propose('the build');
  store.pass(-30);
  await expect(store.decide('promote', id)).rejects.toMatchObject({ code: 'clock-jump' });
  store.pass(36);
  await expect(store.decide('promote', id)).rejects.toMatchObject({ code: 'observation-running' });
  expect(store.tier(id)).toBe('inferred');
});

test('a clock set back after promoting makes the receipt due, and no entry is dated before the last', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  const { standing } = store.load(id);
  if (standing.tier !== 'verified') throw new Error('not verified');
  expect(isStale(standing.receipt.at, store.now, 90)).toBe(false);
  store.pass(-30);
  expect(store.standing(id)).toBe('verified:vouched');
  expect(isStale(standing.receipt.at, store.now, 90)).toBe(true);
  const other = await store.propose('the release');
  const times = store.ledgerLines().map((line) => (JSON.parse(line) as Entry).at);
  expect(times).toEqual([...times].sort());
  // Its time is ahead of now, so what the clock said counts: the observation is as long as ever.
  store.pass(6);
  await expect(store.decide('promote', other)).rejects.toMatchObject({ code: 'observation-running' });
  store.pass(1);
  await store.decide('promote', other);
});

test('a clock that was far ahead and is corrected leaves receipts due and shortens no observation', async () => {
  const store = await TestStore.open();
  store.pass(3650);
  const ahead = await store.propose('seen ahead');
  const promoted = await store.verified('promoted ahead');
  store.pass(-3657);
  const { standing } = store.load(promoted);
  if (standing.tier !== 'verified') throw new Error('not verified');
  expect(isStale(standing.receipt.at, store.now, 90)).toBe(true);
  const later = await store.propose('seen after the correction');
  store.pass(6);
  await expect(store.decide('promote', ahead)).rejects.toMatchObject({ code: 'clock-jump' });
  await expect(store.decide('promote', later)).rejects.toMatchObject({ code: 'observation-running' });
  store.pass(1);
  await expect(store.decide('promote', ahead)).rejects.toMatchObject({ code: 'clock-jump' });
  await store.decide('promote', later);
  expect([store.tier(ahead), store.tier(later)]).toEqual(['inferred', 'verified']);
});

// A full disk

class FullDisk extends Disk {
  full = false;

  protected override write(fd: number, bytes: Buffer | string): void {
    if (this.full) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    super.write(fd, bytes);
  }
}

class ReadOnlyDisk extends FullDisk {
  protected override rename(from: string, to: string): void {
    if (this.full) throw Object.assign(new Error('read-only file system'), { code: 'EROFS' });
    super.rename(from, to);
  }
}

test('a demotion on a read-only disk changes nothing, and says nothing else', async () => {
  const disk = new ReadOnlyDisk();
  const store = await TestStore.open({ disk });
  const id = await store.verified('the build');
  disk.full = true;
  await expect(store.decide('demote', id)).rejects.toThrow('EROFS');
  expect(store.complaints).toEqual([]);
  expect(store.tier(id)).toBe('verified');
});

test('a demotion on a full disk moves the file now and is recorded when there is room', async () => {
  const disk = new FullDisk();
  const store = await TestStore.open({ disk });
  const id = await store.verified('the build');
  const lines = store.ledgerLines();
  disk.full = true;
  const { recorded, loaded } = await store.decide('demote', id, 'no longer true');
  expect(recorded).toBe(false);
  expect(standingKey(loaded.standing)).toBe('quarantined:folder');
  expect(store.files('memories')).toEqual([]);
  expect(store.tier(id)).toBe('quarantined');
  expect(store.ledgerLines()).toEqual(lines);
  expect(store.complaints.join('\n')).toContain('the ledger could not record it yet');
  disk.full = false;
  await store.reconcile();
  const late = store.ledgerLines().slice(lines.length);
  expect(late.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ id, action: 'demote', to: 'quarantined', reason: 'no longer true' }),
  ]);
  expect(store.standing(id)).toBe('quarantined:decided');
  moveBack(store, id, unmarked);
  expect(store.standing(id)).toBe('quarantined:decided');
});

test('a demotion that waits for room is not recorded after a person restored the memory in another process', async () => {
  const disk = new FullDisk();
  const store = await TestStore.open({ disk });
  const id = await store.verified('the build');
  disk.full = true;
  await store.decide('demote', id, 'no longer true');
  const other = await TestStore.open({ home: store.home });
  other.now = store.now;
  await other.reconcile();
  await other.decide('restore', id);
  const lines = other.ledgerLines();
  disk.full = false;
  await recordUnrecorded(store.vault);
  expect(unrecordedLowerings(store.vault)).toEqual([]);
  expect(store.ledgerLines()).toEqual(lines);
  expect(store.standing(id)).toBe(other.standing(id));
  expect(store.tier(id)).toBe('verified');
  expect(store.complaints.join('\n')).toContain('a person decided since');
});

test('a quarantine by a check that waits for room is no decision of a person', async () => {
  const disk = new FullDisk();
  const store = await TestStore.open({ disk });
  const id = await store.propose('the build');
  disk.full = true;
  await store.vault.exclusively(() => store.vault.quarantine(store.load(id), 'a check failed'));
  expect(unrecordedLowerings(store.vault)).toEqual([]);
  disk.full = false;
  await store.reconcile();
  expect(store.standing(id)).toBe('quarantined:decided');
});

test('a promotion, a restore and a proposal on a full disk change nothing and say so', async () => {
  const disk = new FullDisk();
  const store = await TestStore.open({ disk });
  const id = await store.propose('the build');
  const lowered = await store.verified('the release');
  await store.decide('demote', lowered);
  const before = [store.ledgerLines(), store.files('memories'), store.text('memories', id)];
  disk.full = true;
  await expect(store.decide('promote', id)).rejects.toMatchObject({ code: 'disk-failed' });
  await expect(store.decide('restore', lowered)).rejects.toMatchObject({ code: 'disk-failed' });
  await expect(store.propose('another')).rejects.toMatchObject({ code: 'disk-failed' });
  expect([store.ledgerLines(), store.files('memories'), store.text('memories', id)]).toEqual(before);
  expect(store.tier(id)).toBe('inferred');
  expect(store.tier(lowered)).toBe('quarantined');
});

// Ids

test.each([
  ['was quarantined', () => undefined],
  ['was quarantined and its file deleted', (store: TestStore, id: string) => rmSync(store.path('quarantine', id))],
  [
    'was archived',
    (store: TestStore, id: string) => {
      mkdirSync(join(store.places.archive, '2026-03'), { recursive: true });
      renameSync(store.path('quarantine', id), join(store.places.archive, '2026-03', `${id}.md`));
    },
  ],
])('an id is not given to another text after its memory %s', async (_, away) => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  await store.decide('demote', id);
  away(store, id);
  await store.reconcile();
  const other = await store.propose('the build', { body: BODY });
  expect(other).toBe(`${id}_2`);
  expect(store.standing(other)).toBe('inferred:proposed');
  store.write('memories', id, fileWith({ 'trust-level': 'verified' }, `${BODY} Really.`));
  expect(store.standing(id)).toBe('quarantined:decided');
});

test('an id is not given out while only a file in the archive has it', async () => {
  const store = await TestStore.open();
  mkdirSync(join(store.places.archive, '2025-11'), { recursive: true });
  writeFileSync(join(store.places.archive, '2025-11', 'user_the_build.md'), fileWith({}));
  expect(await store.propose('the build')).toBe('user_the_build_2');
});

test('an id is not given to another text after its verified file was deleted', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  rmSync(store.path('memories', id));
  await store.reconcile();
  expect(await store.propose('the build', { body: BODY })).toBe(`${id}_2`);
  store.write('memories', id, fileWith({ 'trust-level': 'verified' }, `${BODY} Really.`));
  expect(store.standing(id)).toBe('inferred:changed');
});

// A person's yes

const WRONG: readonly (readonly [string, Partial<Shown>, string])[] = [
  ['another text', { digest: '0'.repeat(64) }, 'changed-meanwhile'],
  ['no text', { digest: null }, 'changed-meanwhile'],
  ['another memory', { id: 'user_another' }, 'consent-mismatch'],
  ['another change', { verb: 'reaffirm' }, 'consent-mismatch'],
  ['another standing', { standing: 'inferred:found' }, 'changed-meanwhile'],
];

test.each(WRONG)('a yes given for %s does not count', async (_, wrong, code) => {
  const store = await TestStore.open();
  const id = await store.propose('the build');
  store.pass(7);
  const seen = store.load(id);
  const before = [store.ledgerLines(), store.text('memories', id)];
  const consent = witnessed('page', { ...yes('promote', seen).shown, ...wrong });
  await expect(store.vault.decide('promote', seen, consent)).rejects.toMatchObject({ code });
  expect([store.ledgerLines(), store.text('memories', id)]).toEqual(before);
  expect(store.standing(id)).toBe('inferred:proposed');
});

test('one yes counts once', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  const consent = yes('reaffirm', store.load(id));
  await store.vault.decide('reaffirm', store.load(id), consent);
  const lines = store.ledgerLines();
  const again = store.vault.decide('reaffirm', store.load(id), consent);
  await expect(again).rejects.toMatchObject({ code: 'consent-spent' });
  expect(store.ledgerLines()).toEqual(lines);
});

test('a text that changed while the person was asked is not what was agreed to', async () => {
  const store = await TestStore.open();
  const id = await store.propose('the build');
  store.pass(7);
  const seen = store.load(id);
  const consent = yes('promote', seen);
  store.edit(id, (text) => text.replace('two cores', 'six cores'));
  await expect(store.vault.decide('promote', seen, consent)).rejects.toMatchObject({ code: 'changed-meanwhile' });
  await expect(store.vault.decide('promote', store.load(id), consent)).rejects.toBeDefined();
  expect(store.tier(id)).toBe('inferred');
  expect(store.entries()).toHaveLength(1);
});

test('a yes for a new memory counts for exactly the text and id that were shown', async () => {
  const store = await TestStore.open();
  const asked = { ...newMemory('the build'), id: store.vault.freeId('user', 'the build') };
  const digest = await store.digestOfBirth(asked);
  const right: Shown = { verb: 'add', id: asked.id, digest, standing: 'new', settles: [] };
  for (const wrong of [{ digest: '0'.repeat(64) }, { id: 'user_b' }, { verb: 'adopt' as const }, { standing: 'old' }]) {
    const consent = witnessed('page', { ...right, ...wrong });
    await expect(store.vault.create('add', asked, consent)).rejects.toBeDefined();
  }
  expect(store.files('memories')).toEqual([]);
  expect(store.ledgerLines()).toEqual([]);
  const consent = witnessed('page', right);
  await store.vault.create('add', asked, consent);
  const second = { ...asked, id: store.vault.freeId('user', 'the build') };
  await expect(store.vault.create('add', second, consent)).rejects.toMatchObject({ code: 'consent-spent' });
});

test.each(['promote', 'adopt', 'restore', 'reaffirm'] as const)(
  '%s cannot be done without a person',
  async (verb: Decision) => {
    const { store, kept, lowered } = await storeWithBoth();
    const id = await store.propose('the third');
    store.pass(30);
    const seen = store.load({ promote: id, adopt: id, restore: lowered, reaffirm: kept, demote: kept }[verb]);
    const claimed = { shown: yes(verb, seen).shown, channel: 'page', level: 3, spend: () => undefined };
    const lines = store.ledgerLines();
    const made = JSON.parse(JSON.stringify(yes(verb, seen)));
    await expect(store.vault.decide(verb, seen, made)).rejects.toBeDefined();
    expect(store.ledgerLines()).toEqual(lines);
    expect(() => Object.assign(yes(verb, seen), claimed)).toThrow(TypeError);
  },
);
