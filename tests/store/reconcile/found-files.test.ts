import { existsSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CHECKS } from '../../../src/core/checks/all.ts';
import type { Check } from '../../../src/core/checks/inspect.ts';
import { fileWith } from '../../../src/core/checks/sample-file.ts';
import type { Finding } from '../../../src/core/finding.ts';
import type { Entry } from '../../../src/core/ledger/entry.ts';
import { standingKey } from '../../../src/core/ledger/standing.ts';
import { Disk } from '../../../src/store/disk/disk.ts';
import { noticeLine, type Reconciled } from '../../../src/store/reconcile/reconcile.ts';
import { TestStore, yes } from '../../../testkit/store.ts';

const body = (about: string | number) => `What was found here is about ${about}, and it is long enough.`;
const found = (about: string | number) => fileWith({}, body(about));
const BROKEN = '---\nname: [unclosed\n---\nThis file has no frontmatter that could be read.\n';

function kinds({ notices }: Reconciled): string[] {
  return notices.map(({ kind, place, stem }) => `${kind} ${place}/${stem}`);
}

function actions(store: TestStore, id: string): string[] {
  return entries(store)
    .filter((entry) => entry.id === id)
    .map((entry) => entry.action);
}

function entries(store: TestStore): Entry[] {
  return store.entries();
}

function fill(store: TestStore, good: number, bad: number): void {
  for (let i = 0; i < good; i++) store.write('memories', `user_good_${i}`, found(`good ${i}`));
  for (let i = 0; i < bad; i++) store.write('memories', `user_bad_${i}`, `${BROKEN}${i}\n`);
}

const bad = (store: TestStore, place: 'memories' | 'quarantine') =>
  store.files(place).filter((name) => name.startsWith('user_bad'));

/** A rule of a later version: it blocks what it is told to, or throws. */
function rule(version: number, blocks: (text: string) => boolean, severity: Finding['severity'] = 'block'): Check {
  return {
    name: `colour-${version}`,
    evidence: [],
    *run({ document }) {
      if (document === undefined || !blocks(document.body)) return;
      yield { class: 'format', rule: 'colour-named', severity, field: 'body', line: 1, message: 'No colours, please.' };
    },
  };
}

const throwing: Check = {
  name: 'fragile',
  evidence: [],
  run() {
    throw new Error('a bug in the check');
  },
};

// Noticing

test('a file that was added is noticed and its text is written down as seen, once', async () => {
  const store = await TestStore.open();
  store.write('memories', 'user_found', found('one'));
  expect(kinds(await store.reconcile())).toEqual(['added memories/user_found']);
  expect(store.standing('user_found')).toBe('inferred:found');
  for (let i = 0; i < 3; i++) expect(kinds(await store.reconcile())).toEqual([]);
  await store.reopen();
  rmSync(store.places.cache, { recursive: true });
  await store.reopen();
  await store.reconcile();
  expect(actions(store, 'user_found')).toEqual(['seen']);
});

test('what a check blocks is said in the check’s own words, and written down by the rule’s name', async () => {
  const store = await TestStore.open();
  const key = ['AKIA', 'Q7ZR4MNP2XWV5TYL'].join('');
  store.write('memories', 'user_key', fileWith({}, `${body('a key')} The key is ${key}.`));
  store.write('memories', 'user_nofm', 'There is no frontmatter at all in this file.');
  store.write('memories', 'user_short', fileWith({ name: 'x' }, body('a name')));
  const lines = (await store.reconcile()).notices.map(noticeLine).sort();
  expect(lines).toEqual([
    expect.stringMatching(/^surety: user_key is in quarantine: it holds a secret\. This looks like an? .*\.$/),
    expect.stringMatching(/^surety: user_nofm is in quarantine: Missing opening frontmatter .*\.$/),
    expect.stringMatching(/^surety: user_short is in quarantine: name length invalid: \d+ to \d+ characters\.$/),
  ]);
  expect(lines.join()).not.toContain(key);
  expect(entries(store).map(({ reason }) => reason)).toEqual(
    expect.arrayContaining(['structure: unreadable', 'format: length']),
  );
});

test('while the ledger is in trouble no look reads unchanged files again, and what waits is written down once it is settled', async () => {
  const store = await TestStore.open();
  store.write('memories', 'user_found', found('one'));
  await store.reconcile();
  store.vault.close();
  rmSync(join(store.places.state, 'heads.json'));
  const read: string[] = [];
  class Watched extends Disk {
    override read(path: string, most: number) {
      if (path.endsWith('.md')) read.push(path);
      return super.read(path, most);
    }
  }
  await store.reopen({ disk: new Watched() });
  expect(store.report().trouble).toBe('unremembered');
  store.write('memories', 'user_other', found('two'));
  await store.reconcile();
  read.length = 0;
  await store.reconcile();
  expect(read).toEqual([]);
  store.acceptLedger();
  await store.reconcile();
  expect(actions(store, 'user_other')).toEqual(['seen']);
});

test('a file that was edited is noticed, and each text of it is seen once', async () => {
  const store = await TestStore.open();
  store.write('memories', 'user_found', found('one'));
  await store.reconcile();
  store.write('memories', 'user_found', found('another'));
  expect(kinds(await store.reconcile())).toEqual(['changed memories/user_found']);
  store.write('memories', 'user_found', found('one'));
  expect(kinds(await store.reconcile())).toEqual(['changed memories/user_found']);
  expect(actions(store, 'user_found')).toEqual(['seen', 'seen']);
});

test('a file whose owned keys alone were edited is not another text', async () => {
  const store = await TestStore.open();
  const id = await store.propose('the build');
  await store.reconcile();
  store.edit(id, (text) => text.replace(/^created-at: .*$/m, 'created-at: 2020-01-01T00:00:00Z'));
  expect(kinds(await store.reconcile())).toEqual([]);
  expect(actions(store, id)).toEqual(['propose']);
});

test('a file that was renamed is another memory: gone under the old name, new under the other', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  await store.reconcile();
  renameSync(store.path('memories', id), store.path('memories', 'user_renamed'));
  expect(kinds(await store.reconcile())).toEqual(['added memories/user_renamed', `removed memories/${id}`]);
  expect(store.standing('user_renamed')).toBe('inferred:unproven');
  await expect(store.decide('promote', 'user_renamed')).rejects.toMatchObject({ code: 'observation-running' });
});

test('a file moved into quarantine by hand is quarantined from then on', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  await store.reconcile();
  renameSync(store.path('memories', id), store.path('quarantine', id));
  const notices = kinds(await store.reconcile());
  expect(notices).toContain(`removed memories/${id}`);
  expect(notices).toContain(`quarantined quarantine/${id}`);
  expect(actions(store, id).at(-1)).toBe('quarantine');
  expect(kinds(await store.reconcile())).toEqual([]);
});

test('a file that was removed is noticed, and what was decided about it stays', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  await store.reconcile();
  const text = store.text('memories', id);
  rmSync(store.path('memories', id));
  expect(kinds(await store.reconcile())).toEqual([`removed memories/${id}`]);
  expect(kinds(await store.reconcile())).toEqual([]);
  store.write('memories', id, text);
  expect(store.standing(id)).toBe('verified:vouched');
});

test('what another process did to a file shows in the very next load, before any pass', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  const other = await TestStore.open({ home: store.home });
  other.now = store.now;
  await other.decide('demote', id, 'wrong');
  expect(store.standing(id)).toBe('quarantined:decided');
  await other.decide('restore', id);
  expect(store.standing(id)).toBe('verified:vouched');
});

// Bad files

test('one unreadable file is quarantined and the twenty good ones around it are seen', async () => {
  const store = await TestStore.open();
  fill(store, 20, 1);
  const result = await store.reconcile();
  expect(result.files).toBe(21);
  expect(result.notices.filter((n) => n.kind === 'added')).toHaveLength(20);
  expect(kinds(result)).toContain('quarantined memories/user_bad_0');
  expect(store.files('memories')).toHaveLength(20);
  for (let i = 0; i < 20; i++) {
    expect(store.standing(`user_good_${i}`)).toBe('inferred:found');
    expect(actions(store, `user_good_${i}`)).toEqual(['seen']);
  }
});

const UNREADABLE: readonly (readonly [string, Buffer])[] = [
  ['broken frontmatter', Buffer.from(BROKEN)],
  ['no frontmatter', Buffer.from('Just some words that somebody saved here.\n')],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x0a])],
  ['nothing in it', Buffer.alloc(0)],
  ['code for frontmatter', Buffer.from('---js\n{ name: process.exit(1) }\n---\nbody\n')],
  ['more than 64 KiB', Buffer.from(found('x'.repeat(70_000)))],
  ['far more than 64 KiB', Buffer.alloc(3_000_000, 'y')],
  ['line endings of all kinds', Buffer.from('---\r\nname: a\rb\n---\r\n\r\n\rshort')],
];

test.each(UNREADABLE)('a file with %s is quarantined byte for byte, and the ledger says why', async (_, bytes) => {
  const store = await TestStore.open();
  store.write('memories', 'user_bad', bytes);
  expect(store.load('user_bad').withheld).toBe(true);
  expect(kinds(await store.reconcile())).toEqual(['quarantined memories/user_bad']);
  expect(existsSync(store.path('memories', 'user_bad'))).toBe(false);
  expect(readFileSync(store.path('quarantine', 'user_bad')).equals(bytes)).toBe(true);
  const entry = entries(store).at(-1);
  expect(entry).toMatchObject({ action: 'quarantine', id: 'user_bad', from: 'inferred', to: 'quarantined' });
  expect(entry).toMatchObject({ by: { actor: 'check', channel: 'reconcile', level: 0 }, machine: 'here' });
  expect(entry?.reason).toMatch(/^(structure|format): /);
  expect(store.standing('user_bad')).toBe('quarantined:decided');
  await expect(store.decide('restore', 'user_bad')).rejects.toMatchObject({ code: 'checks-failed' });
  expect(kinds(await store.reconcile())).toEqual([]);
});

test('an unreadable file that was quarantined and made readable by hand is still quarantined', async () => {
  const store = await TestStore.open();
  store.write('memories', 'user_bad', BROKEN);
  await store.reconcile();
  rmSync(store.path('quarantine', 'user_bad'));
  store.write('memories', 'user_bad', fileWith({ 'trust-level': 'verified' }, body('it')));
  expect(store.standing('user_bad')).toBe('quarantined:decided');
  await store.reconcile();
  expect(store.files('memories')).toEqual([]);
});

test('a verified memory whose file was damaged is not served and not decided on, until its text is back', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  const before = store.text('memories', id);
  store.write('memories', id, BROKEN);
  await store.reconcile();
  expect(store.load(id).withheld).toBe(true);
  expect(store.tier(id)).toBe('inferred');
  store.write('memories', id, before);
  expect(store.standing(id)).toBe('verified:vouched');
});

test('a file that cannot be moved is reported and stops none of the others', async () => {
  class Stuck extends Disk {
    protected override rename(from: string, to: string): void {
      if (from.endsWith('user_bad_0.md')) throw Object.assign(new Error('immutable'), { code: 'EPERM' });
      super.rename(from, to);
    }
  }
  const store = await TestStore.open({ disk: new Stuck() });
  fill(store, 20, 3);
  const result = await store.reconcile();
  expect(bad(store, 'quarantine')).toEqual(['user_bad_1.md', 'user_bad_2.md']);
  expect(kinds(result)).toContain('quarantined memories/user_bad_1');
  expect(result.notices.some(({ stem }) => `${stem}` === 'user_bad_0')).toBe(true);
  expect(store.standing('user_bad_0')).toBe('quarantined:decided');
});

// Names

test('a name that is taken in quarantine gets a number, the ledger keeps the id, and restore waits for the id', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  await store.decide('demote', id, 'wrong');
  store.write('memories', id, fileWith({}, body('another')));
  await store.reconcile();
  expect(store.files('quarantine')).toEqual([`${id}.md`, `${id}~2.md`]);
  expect(new Set(entries(store).map((entry) => entry.id))).toEqual(new Set([id]));
  const second = store.vault.loadSpot({ place: 'quarantine', stem: `${id}~2` });
  expect(second && standingKey(second.standing)).toBe('quarantined:decided');
  // While something has the id in memories, nothing is restored over it.
  store.write('memories', id, fileWith({}, body('a third')));
  const first = store.vault.loadSpot({ place: 'quarantine', stem: id });
  if (first === undefined || second === undefined) throw new Error('not there');
  const lines = store.ledgerLines();
  for (const seen of [first, second]) {
    const restore = store.vault.decide('restore', seen, yes('restore', seen));
    await expect(restore).rejects.toMatchObject({ code: 'id-taken' });
  }
  expect(store.ledgerLines()).toEqual(lines);
  expect(store.text('memories', id)).toContain('a third');
});

test('the second text of an id is restored to its own id, and only one of the two', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  await store.decide('demote', id, 'wrong');
  store.write('memories', id, fileWith({}, body('another')));
  await store.reconcile();
  const second = store.vault.loadSpot({ place: 'quarantine', stem: `${id}~2` });
  if (second === undefined) throw new Error('not there');
  // The first text holds the id as long as it lies there: lifting its quarantine with the other’s would be no decision on it.
  await expect(store.vault.decide('restore', second, yes('restore', second))).rejects.toMatchObject({
    code: 'id-taken',
  });
  renameSync(store.path('quarantine', id), store.path('quarantine', 'user_moved_away'));
  await store.vault.decide('restore', second, yes('restore', second));
  expect(store.standing(id)).toBe('verified:vouched');
  expect(store.text('memories', id)).toContain('another');
  expect(store.files('quarantine')).toEqual(['user_moved_away.md']);
  await store.reconcile();
  expect(store.standing(id)).toBe('verified:vouched');
  expect(store.tier('user_moved_away')).toBe('quarantined');
});

test('a memory that has nothing but a numbered file in quarantine is found there by its id', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  await store.decide('demote', id, 'wrong');
  store.write('memories', id, fileWith({}, body('another')));
  await store.reconcile();
  unlinkSync(store.path('quarantine', id));
  expect(store.load(id)).toMatchObject({ place: 'quarantine', stem: `${id}~2` });
  expect(store.standing(id)).toBe('quarantined:decided');
  await store.decide('restore', id);
  expect(store.load(id)).toMatchObject({ place: 'memories', stem: id });
  expect(store.tier(id)).toBe('verified');
});

test('twelve texts of one id are put away one after the other', async () => {
  const store = await TestStore.open();
  const id = await store.verified('the build');
  await store.decide('demote', id, 'wrong');
  for (let i = 2; i <= 12; i++) {
    store.write('memories', id, fileWith({}, body(i)));
    expect(kinds(await store.reconcile())).toContain(`quarantined memories/${id}`);
    expect(store.files('quarantine')).toContain(`${id}~${i}.md`);
    expect(store.vault.loadSpot({ place: 'quarantine', stem: `${id}~${i}` })?.id).toBe(id);
  }
  expect(store.files('memories')).toEqual([]);
});

test.each([
  'Bad-Name',
  'README',
  'user_UPPER',
  'note_thing',
  'user_..',
  'user_a.b',
  'user_x~2',
  'user_a b',
  'user_é',
  `user_${'a'.repeat(130)}`,
])('a file called %s.md is reported, and neither served nor moved', async (stem) => {
  const store = await TestStore.open();
  store.write('memories', stem, fileWith({ 'trust-level': 'verified' }, body(1)));
  store.write('memories', 'user_good', found(2));
  for (let i = 0; i < 2; i++) {
    const { notices } = await store.reconcile();
    const notice = notices.find((n) => n.kind === 'not-an-id');
    expect(notice?.what).toContain('rename it');
  }
  expect(store.vault.load(stem)).toBeUndefined();
  expect(store.files('memories')).toEqual([`${stem}.md`, 'user_good.md'].sort());
  expect(store.files('quarantine')).toEqual([]);
  expect(store.standing('user_good')).toBe('inferred:found');
});

test('MEMORY.md and files that are no markdown are left alone', async () => {
  const store = await TestStore.open();
  for (const name of ['MEMORY.md', 'notes.txt', '.hidden.md', '..user_x.md', 'user_x.md.bak']) {
    writeFileSync(join(store.places.memories, name), BROKEN);
  }
  expect(kinds(await store.reconcile())).toEqual([]);
  expect(store.files('memories')).toHaveLength(5);
  expect(store.vault.load('MEMORY')).toBeUndefined();
});

// No rule may sweep a store away

test('six failing files of a hundred are a rule gone wrong: none is moved, none is served, a person is asked', async () => {
  const store = await TestStore.open();
  fill(store, 94, 6);
  for (let i = 0; i < 2; i++) {
    const result = await store.reconcile();
    expect(bad(store, 'memories')).toHaveLength(6);
    expect(bad(store, 'quarantine')).toEqual([]);
    const [sweep] = result.notices.filter((n) => n.kind === 'sweep');
    expect(sweep?.what).toMatch(/^6 of 100 files .* until a person looks$/);
    expect(sweep && noticeLine(sweep)).toMatch(/^surety: 6 of 100 files /);
    expect(result.notices.filter((n) => n.kind === 'held-back')).toHaveLength(6);
  }
  for (let i = 0; i < 6; i++) expect(store.load(`user_bad_${i}`).withheld).toBe(true);
  for (let i = 0; i < 94; i++) expect(actions(store, `user_good_${i}`)).toEqual(['seen']);
});

test('five failing files of a hundred are moved', async () => {
  const store = await TestStore.open();
  fill(store, 95, 5);
  expect(kinds(await store.reconcile())).not.toContain('sweep memories/');
  expect(bad(store, 'memories')).toEqual([]);
  expect(bad(store, 'quarantine')).toHaveLength(5);
});

test('six failing files of a thousand are moved', async () => {
  const store = await TestStore.open();
  fill(store, 994, 6);
  await store.reconcile();
  expect(bad(store, 'memories')).toEqual([]);
  expect(bad(store, 'quarantine')).toHaveLength(6);
});

test('quarantined files moved back all at once are not served while a person is asked', async () => {
  const store = await TestStore.open();
  const ids: string[] = [];
  for (let i = 0; i < 7; i++) ids.push(await store.propose(`number ${i}`));
  for (const id of ids) await store.decide('demote', id);
  for (const id of ids) renameSync(store.path('quarantine', id), store.path('memories', id));
  expect(kinds(await store.reconcile())).toContain('sweep memories/');
  for (const id of ids) expect(store.standing(id)).toBe('quarantined:decided');
});

// Rules that changed

test('texts accepted under other rules are withheld and reported by new ones, never moved', async () => {
  const store = await TestStore.open({ checks: [...CHECKS, rule(1, () => false)] });
  const verified = await store.verified('a red wall');
  const proposed = await store.propose('a red door');
  store.write('memories', 'user_seen', found('red'));
  const other = await store.propose('a wall');
  await store.reconcile();
  const files = store.files('memories');
  await store.reopen({ checks: [...CHECKS, rule(2, (text) => text.includes('red'))] });
  for (let i = 0; i < 3; i++) {
    const { notices } = await store.reconcile();
    const held = notices.filter((n) => n.kind === 'held-back');
    expect(held.map(({ stem }) => `${stem}`).sort()).toEqual([proposed, verified, 'user_seen'].sort());
    for (const { what } of held) expect(what).toContain('not moved and not served');
    expect(store.files('memories')).toEqual(files);
    expect(store.files('quarantine')).toEqual([]);
  }
  for (const id of [proposed, verified, 'user_seen']) expect(store.load(id).withheld).toBe(true);
  expect(store.load(other).withheld).toBe(false);
  await expect(store.decide('reaffirm', verified)).rejects.toMatchObject({ code: 'checks-failed' });
  store.pass(30);
  await expect(store.decide('promote', proposed)).rejects.toMatchObject({ code: 'checks-failed' });
});

test('a new file that fails a new rule is quarantined, also beside those the rule may not move', async () => {
  const store = await TestStore.open({ checks: [...CHECKS, rule(1, () => false)] });
  const old = await store.propose('a red wall');
  await store.reconcile();
  await store.reopen({ checks: [...CHECKS, rule(2, (text) => text.includes('red'))] });
  store.write('memories', 'user_new', found('red'));
  expect(kinds(await store.reconcile()).sort()).toEqual([`held-back memories/${old}`, 'quarantined memories/user_new']);
  expect(store.files('memories')).toEqual([`${old}.md`]);
});

test('an accepted text that was edited is no longer the text the old rules let pass', async () => {
  const store = await TestStore.open({ checks: [...CHECKS, rule(1, () => false)] });
  const old = await store.propose('a red wall');
  await store.reconcile();
  await store.reopen({ checks: [...CHECKS, rule(2, (text) => text.includes('red'))] });
  store.edit(old, (text) => text.replace('two cores', 'six cores'));
  expect(kinds(await store.reconcile())).toEqual([`quarantined memories/${old}`]);
});

test('a stranger’s ledger cannot say that a text was accepted under other rules', async () => {
  const here = await TestStore.open({ checks: [...CHECKS, rule(2, (text) => text.includes('red'))] });
  const there = await TestStore.open({ machine: { name: 'there', identity: 'machine-two' } });
  const id = await there.propose('a red wall');
  here.write('memories', id, there.text('memories', id));
  writeFileSync(join(here.places.ledger, `${there.vault.self.fingerprint}.jsonl`), readFileSync(there.ledgerPath));
  expect(kinds(await here.reconcile())).toEqual([`quarantined memories/${id}`]);
});

// Checks that fail themselves

test('a found file on which a check throws is held and not moved', async () => {
  const store = await TestStore.open({ checks: [...CHECKS, throwing] });
  store.write('memories', 'user_found', found(1));
  store.write('memories', 'user_bad', BROKEN);
  const { notices } = await store.reconcile();
  expect(
    notices
      .filter((n) => n.kind === 'held-back')
      .map(({ stem }) => `${stem}`)
      .sort(),
  ).toEqual(['user_bad', 'user_found']);
  expect(store.files('memories')).toEqual(['user_bad.md', 'user_found.md']);
  expect(store.files('quarantine')).toEqual([]);
  expect(store.load('user_found')).toMatchObject({ held: ['fragile-crashed'], standing: { tier: 'inferred' } });
  expect(store.load('user_bad').withheld).toBe(true);
});

test('while a check throws nothing is proposed, promoted, restored or reaffirmed, and demoting still works', async () => {
  const store = await TestStore.open();
  const kept = await store.verified('the build');
  const lowered = await store.verified('the release');
  await store.decide('demote', lowered);
  const waiting = await store.propose('the test');
  store.pass(30);
  await store.reopen({ checks: [...CHECKS, throwing] });
  const before = store.ledgerLines();
  const refused = { code: expect.stringMatching(/^(check-crashed|checks-failed)$/) };
  await expect(store.propose('another')).rejects.toMatchObject({ code: 'check-crashed' });
  await expect(store.decide('promote', waiting)).rejects.toMatchObject(refused);
  await expect(store.decide('restore', lowered)).rejects.toMatchObject(refused);
  await expect(store.decide('reaffirm', kept)).rejects.toMatchObject(refused);
  expect(store.ledgerLines()).toEqual(before);
  expect(store.files('memories')).toEqual([`${kept}.md`, `${waiting}.md`]);
  await store.decide('demote', kept);
  expect(store.standing(kept)).toBe('quarantined:decided');
});

test('a check that throws on one file says nothing about the others', async () => {
  const picky: Check = {
    ...throwing,
    run({ document }) {
      if (document?.body.includes('number 7')) throw new Error('a bug in the check');
      return [];
    },
  };
  const store = await TestStore.open({ checks: [...CHECKS, picky] });
  for (let i = 0; i < 10; i++) store.write('memories', `user_n${i}`, found(`number ${i}`));
  const { notices } = await store.reconcile();
  expect(notices.filter((n) => n.kind === 'held-back').map(({ stem }) => `${stem}`)).toEqual(['user_n7']);
  expect(store.load('user_n7').held).toEqual(['fragile-crashed']);
  expect(store.load('user_n6').held).toEqual([]);
});

test('an owner who was never set quarantines nothing', async () => {
  const store = await TestStore.open();
  expect(existsSync(join(store.places.config, 'config.json'))).toBe(false);
  store.write(
    'memories',
    'user_mail',
    fileWith({}, 'Write to someone@company.org about the build, or ask at 10.1.2.3.'),
  );
  expect(kinds(await store.reconcile())).toEqual(['added memories/user_mail']);
  expect(store.standing('user_mail')).toBe('inferred:found');
  expect(store.load('user_mail').withheld).toBe(false);
});
