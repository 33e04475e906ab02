import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../../src/core/ledger/entry.ts';
import { Statements } from '../../../src/core/ledger/packed-statements.ts';
import { replay } from '../../../src/core/ledger/replay.ts';
import { jumpedFrom } from '../../../src/store/maintenance/confirm-date.ts';
import { putBackStoreId } from '../../../src/store/maintenance/store-id.ts';
import { insideOf } from '../../../src/store/vault/inside-of-vault.ts';
import { recordDraft } from '../../../src/store/vault/ledger-entries.ts';
import { asFormat1 } from '../../../testkit/format-1.ts';
import { DAY, placesIn, TestStore } from '../../../testkit/store.ts';
import { readLedger } from '../../../torture/checker/ledger.ts';

const storeFile = (store: TestStore) => join(store.places.root, 'store.json');
const entriesOf = (store: TestStore) => store.ledgerLines().map((line) => JSON.parse(line) as Entry);

describe('a new store', () => {
  test('has an id of its own in its file, which the first entry binds to the ledger', async () => {
    const store = await TestStore.open();
    expect(readFileSync(storeFile(store), 'utf8')).toMatch(/^\{"format":2,"id":"[0-9a-f]{32}"\}\n$/);
    expect(statSync(storeFile(store)).mode & 0o777).toBe(0o600);
    await store.propose('the build');
    const [first, second] = entriesOf(store);
    expect(first).toMatchObject({ v: 2, seq: 0, action: 'store', id: store.storeId, store: store.storeId, to: null });
    expect(first?.key).toBeDefined();
    expect(second).toMatchObject({ v: 2, action: 'propose', store: store.storeId });
    const other = await TestStore.open();
    expect(other.storeId).not.toBe(store.storeId);
  });

  test('whose file is gone gets it back, with the same id, when something is signed', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    const before = store.storeId;
    rmSync(storeFile(store));
    await store.reopen();
    expect(store.tier(id)).toBe('verified');
    expect(existsSync(storeFile(store))).toBe(false);
    await store.propose('the release');
    expect(store.storeId).toBe(before);
    expect(store.trouble()).toBeUndefined();
  });
});

describe('a store of format 1', () => {
  test('is read as it is, and upgraded by the first write that is signed', async () => {
    const store = await TestStore.open();
    const [verified, lowered] = [await store.verified('the build'), await store.verified('the old build')];
    await store.decide('demote', lowered);
    await asFormat1(store);
    await store.reconcile();
    expect(existsSync(storeFile(store))).toBe(false);
    expect([store.tier(verified), store.tier(lowered)]).toEqual(['verified', 'quarantined']);
    const old = store.ledgerLines();
    expect(old.every((line) => line.startsWith('{"v":1,'))).toBe(true);

    const added = await store.propose('the release');
    const now = entriesOf(store).slice(old.length);
    expect(store.ledgerLines().slice(0, old.length)).toEqual(old);
    expect(now.map(({ v, action, id }) => [v, action, id])).toEqual([
      [2, 'store', store.storeId],
      [2, 'propose', added],
    ]);
    await store.reopen();
    expect([store.tier(verified), store.tier(lowered)]).toEqual(['verified', 'quarantined']);
    expect(store.trouble()).toBeUndefined();
    await store.decide('reaffirm', verified);
    expect(store.tier(verified)).toBe('verified');
  });

  // Recorded: the first line was written by a build from before ids, the others by the first one that has them. That older
  // build was then run on the store by hand: it searched, called the ledger broken, and refused to propose.
  test('that an older build made is read line by line after the upgrade, by the checker that shares no code too', () => {
    const folder = join(import.meta.dirname, 'upgraded');
    const [name = ''] = readdirSync(folder);
    const [fingerprint, text] = [name.replace('.jsonl', ''), readFileSync(join(folder, name), 'utf8')];
    const statements = new Statements({ fingerprint, raises: true });
    const read = replay(statements, text.trimEnd().split('\n'));
    expect(read).toMatchObject({ trouble: undefined, end: { version: 2, head: { count: 3 } } });
    expect(statements.firstNamed()).toMatchObject({ line: 1, binds: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(readLedger(fingerprint, text).faults).toEqual([]);
  });

  test('whose ledger is in trouble is not upgraded by a lowering', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    await asFormat1(store);
    store.writeLedger(store.ledgerLines().slice(0, -1));
    await store.decide('demote', id);
    expect(existsSync(storeFile(store))).toBe(false);
    expect(store.tier(id)).toBe('quarantined');
  });
});

describe('another id', () => {
  test('in the store’s file raises nothing until a person puts the old one back', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    const genuine = readFileSync(storeFile(store));
    writeFileSync(storeFile(store), `{"format":2,"id":"${'0'.repeat(32)}"}\n`);
    for (const time of ['at once', 'after a restart']) {
      expect(store.trouble(), time).toBe('other-store');
      expect(store.tier(id), time).toBe('inferred');
      await expect(store.propose(`the release ${time}`)).rejects.toMatchObject({ code: 'ledger-trouble' });
      await store.reopen();
    }
    await putBackStoreId(store.vault);
    expect(readFileSync(storeFile(store))).toEqual(genuine);
    expect([store.trouble(), store.tier(id)]).toEqual([undefined, 'verified']);
  });

  test('lowerings do not wait for it', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    writeFileSync(storeFile(store), `{"format":2,"id":"${'0'.repeat(32)}"}\n`);
    await store.decide('demote', id);
    expect(store.tier(id)).toBe('quarantined');
    await putBackStoreId(store.vault);
    await store.vault.exclusively(() => {});
    expect(entriesOf(store).at(-1)).toMatchObject({ action: 'demote', id });
  });

  test('means the same store once a person has accepted it: the smaller one is its id, the other one counts still', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    const before = store.storeId;
    const other = '0'.repeat(32);
    writeFileSync(storeFile(store), `{"format":2,"id":"${other}"}\n`);
    store.acceptLedger();
    expect(store.storeId).toBe(other);
    expect(entriesOf(store).at(-1)).toMatchObject({ action: 'store', id: other, alias: before, store: other });
    const later = await store.verified('the release');
    await store.reopen();
    expect([store.tier(id), store.tier(later), store.trouble()]).toEqual(['verified', 'verified', undefined]);
    // Also for a machine that has only its ledger to go by.
    rmSync(join(store.places.state, 'heads.json'));
    store.acceptLedger();
    expect([store.tier(id), store.tier(later), store.trouble()]).toEqual(['verified', 'verified', undefined]);
  });
});

describe('a later format', () => {
  test.each([
    ['a later number', '{"format":3,"id":"x"}\n', /format 3, which a newer Surety made.*Update Surety/],
    ['another shape', '{"format":2}\n', /none that this Surety reads/],
    ['another key', `{"format":2,"id":"${'0'.repeat(32)}","and":1}\n`, /none that this Surety reads/],
    ['no JSON', 'x', /none that this Surety reads/],
  ])('is refused in words, by a server that runs as by one that starts (%s)', async (_, text, words) => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    const before = store.ledgerLines();
    writeFileSync(storeFile(store), text);
    const refused = { code: 'format-unknown', message: expect.stringMatching(words) };
    expect(() => store.vault.load(id)).toThrow(expect.objectContaining(refused));
    await expect(store.propose('the release')).rejects.toMatchObject(refused);
    expect(() => placesIn(store.home)).toThrow(expect.objectContaining(refused));
    expect(store.ledgerLines()).toEqual(before);
    expect(readFileSync(storeFile(store), 'utf8')).toBe(text);
  });

  test('of a ledger is called newer, and no copy is put in its place', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    const later = (store.ledgerLines().at(-1) ?? '').replace('{"v":2,', '{"v":3,');
    store.writeLedger([...store.ledgerLines(), later]);
    expect(store.report()).toMatchObject({ trouble: 'newer', advice: expect.stringMatching(/Update Surety/) });
    expect(store.tier(id)).toBe('inferred');
    await expect(store.propose('the release')).rejects.toMatchObject({
      message: expect.stringMatching(/Update Surety/),
    });
  });

  test('of a key is called newer, and nobody is told to have another one made', async () => {
    const store = await TestStore.open();
    const path = join(store.places.config, 'key.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('{"v":1,', '{"v":2,'));
    const refusal = await store.reopen().catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'format-unknown', message: expect.stringMatching(/Update Surety/) });
    expect(String(refusal)).not.toMatch(/damaged|new one/);
  });
});

describe('a clock', () => {
  test('that is set right while an entry is signed dates it by nothing that would have been refused', async () => {
    const store = await TestStore.open();
    const id = await store.propose('the build');
    const readings: number[] = [];
    await store.reopen({ now: () => readings.shift() ?? store.now });
    const inside = insideOf(store.vault);
    const draft = recordDraft(inside, 'seen', store.load(id));
    inside.ledgers.refresh();
    readings.push(store.now + 36_500 * DAY);
    const before = store.ledgerLines();
    expect(() => inside.ledgers.append([draft])).toThrow(expect.objectContaining({ code: 'clock-jump' }));
    expect(store.ledgerLines()).toEqual(before);
  });

  test('that jumps by more than 400 days signs nothing but what a person confirmed; lowerings do not wait', async () => {
    const store = await TestStore.open();
    const [kept, lowered] = [await store.verified('the build'), await store.verified('the old build')];
    store.pass(36_500);
    await expect(store.propose('the release')).rejects.toMatchObject({
      code: 'clock-jump',
      message: expect.stringMatching(/surety doctor/),
    });
    await expect(store.decide('reaffirm', kept)).rejects.toMatchObject({ code: 'clock-jump' });
    const before = store.ledgerLines();
    await store.decide('demote', lowered);
    expect([store.tier(lowered), store.ledgerLines()]).toEqual(['quarantined', before]);
    // Still a jump: the lowering waits beside the ledger, and dates nothing in it.
    await expect(store.propose('the release')).rejects.toMatchObject({ code: 'clock-jump' });
    store.pass(-36_500);
    await store.propose('the release');
    expect(entriesOf(store).at(-1)?.at).toBe(new Date(store.now).toISOString().replace('.000', ''));
    expect(store.tier(lowered)).toBe('quarantined');
    expect(entriesOf(store).some(({ action, id }) => action === 'demote' && id === lowered)).toBe(true);
  });

  test('goes on from a date that a person confirmed', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    store.pass(401);
    expect(jumpedFrom(store.vault)).toBe(store.now - 401 * DAY);
    await store.confirmDate();
    expect(jumpedFrom(store.vault)).toBeUndefined();
    await store.propose('the release');
    expect(entriesOf(store).map(({ action }) => action)).toEqual(['store', 'propose', 'promote', 'dated', 'propose']);
    expect(store.tier(id)).toBe('verified');
  });

  test('that was 100 years ahead for one entry dates nothing after it, and what it saw can be mended', async () => {
    const store = await TestStore.open();
    store.pass(36_500);
    const ahead = await store.propose('seen ahead');
    store.pass(-36_500);
    const later = await store.propose('seen after');
    store.pass(7);
    await store.decide('promote', later);
    await expect(store.decide('promote', ahead)).rejects.toMatchObject({
      code: 'clock-jump',
      message: expect.stringMatching(/dated 2126-.*surety doctor/),
    });
    await store.vault.exclusively(() => store.vault.note('seen', [store.load(ahead)]));
    await expect(store.decide('promote', ahead)).rejects.toMatchObject({ code: 'observation-running' });
    store.pass(7);
    await store.decide('promote', ahead);
    expect([store.tier(ahead), store.tier(later)]).toEqual(['verified', 'verified']);
  });
});

test('many first sights are one entry', async () => {
  const store = await TestStore.open();
  const text = readFileSync(store.path('memories', await store.propose('the build')), 'utf8');
  for (let i = 0; i < 200; i++) store.write('memories', `user_found_${i}`, text.replace('the build', `thing ${i}`));
  await store.reconcile();
  const seen = entriesOf(store).filter(({ action }) => action === 'seen');
  expect(seen.map(({ id, texts }) => [id, texts?.length])).toEqual([['*', 200]]);
  store.pass(7);
  await store.decide('promote', 'user_found_7');
  expect(store.tier('user_found_7')).toBe('verified');
});

test('a ledger in trouble is called that, and not an observation that is not over', async () => {
  const store = await TestStore.open();
  const id = await store.propose('the build');
  store.pass(8);
  store.writeLedger([...store.ledgerLines(), 'x']);
  const seen = store.load(id);
  expect(() => store.vault.refuseInVain('promote', seen)).toThrow(expect.objectContaining({ code: 'ledger-trouble' }));
});

test('thirty thousand ids that a stranger’s ledger ties to each other are gone through once', async () => {
  const store = await TestStore.open();
  await store.propose('the build');
  const { evidence, identity } = insideOf(store.vault).ledgers;
  const [record] = evidence.of(store.storeId);
  if (record === undefined) throw new Error('the ledger begins with it');
  const stranger = new Statements({ fingerprint: 'stranger', raises: false });
  const ids = [store.storeId, ...Array.from({ length: 30_000 }, (_, at) => at.toString(16).padStart(32, '0'))];
  const tie = (line: number, id = '', replaces = '') => {
    stranger.add({ ...record, line, id, replaces });
    stranger.add({ ...record, line, id: replaces, replaces: id });
  };
  for (let line = 0; line + 1 < ids.length; line++) tie(line, ids[line], ids[line + 1]);
  tie(30_000, 'one of another store', 'and its alias');
  expect(identity.scopeIfTrusted(stranger).ids).toEqual(new Set(ids));
});
