import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { propose } from '../../../src/actions/agent/propose.ts';
import { search } from '../../../src/actions/agent/search.ts';
import { auditOf } from '../../../src/actions/session.ts';
import { Disk } from '../../../src/store/disk/disk.ts';
import { SearchIndex } from '../../../src/store/index/search-index.ts';
import { updateIndex } from '../../../src/store/reconcile/reconcile.ts';
import type { Vault } from '../../../src/store/vault/vault.ts';
import { AGENT, newMemory, TestStore } from '../../../testkit/store.ts';

const BODY = 'The staging cluster runs on four nodes in Frankfurt behind the old balancer.';

async function twoProcesses(): Promise<[TestStore, TestStore]> {
  const store = await TestStore.open();
  await store.propose('the weather');
  const other = await TestStore.open({ home: store.home });
  await found(other, 'weather');
  return [store, other];
}

async function found({ vault }: TestStore, query: string): Promise<string[]> {
  return (await search(vault, { query, limit: 5 })).hits.map(({ facts }) => facts.id);
}

/** Asked at once: a row that were written after the answer would not be there yet. */
test('a memory that one process was told is stored is found by the next search of another', async () => {
  const [store, other] = await twoProcesses();
  const { loaded } = await store.vault.create('propose', newMemory('staging', { body: BODY }), AGENT);
  expect(await found(other, 'staging cluster')).toEqual([loaded.id]);
});

test('the same text under another name is recognized by another process at once', async () => {
  const [store, other] = await twoProcesses();
  const { loaded } = await store.vault.create('propose', newMemory('staging', { body: BODY }), AGENT);
  const again = await other.vault.create('propose', newMemory('where it runs', { body: BODY }), AGENT);
  expect([again.kind, again.loaded.id]).toEqual(['existing', loaded.id]);
});

test('the same text, offered to two processes at the same time, is stored once', async () => {
  const stores = await twoProcesses();
  const names = ['staging', 'where it runs'];
  const born = await Promise.all(
    stores.map(({ vault }, at) => vault.create('propose', newMemory(names[at] ?? '', { body: BODY }), AGENT)),
  );
  expect(born.map(({ kind }) => kind).sort()).toEqual(['created', 'existing']);
  expect(born[0]?.loaded.id).toBe(born[1]?.loaded.id);
});

test('a new memory that was edited into something a check blocks is not found', async () => {
  const [store, other] = await twoProcesses();
  const { loaded } = await store.vault.create('propose', newMemory('staging', { body: BODY }), AGENT);
  writeFileSync(store.path('memories', loaded.id), 'no memory any more');
  expect(await found(other, 'staging cluster')).toEqual([]);
});

/** Nobody asks for the ledgers to be read again: whatever the vault answers, it has read them. */
describe('what another process decided is in the next answer', () => {
  async function afterDemotion(): Promise<[TestStore, string]> {
    const store = await TestStore.open();
    const id = await store.add('the weather');
    const other = await TestStore.open({ home: store.home });
    expect(other.tier(id)).toBe('verified');
    await store.decide('demote', id);
    return [other, id];
  }

  test.each<[string, (vault: Vault, id: string) => unknown, unknown]>([
    ['load', (vault, id) => vault.load(id)?.standing.tier, 'quarantined'],
    ['loadSpot', (vault, id) => vault.loadSpot({ place: 'quarantine', stem: id })?.standing.reason, 'decided'],
    ['survey', (vault) => [...vault.survey('quarantine')].map(({ standing }) => standing.reason), ['decided']],
    ['newestVerified', (vault) => vault.newestVerified(), []],
    ['reports', (vault) => vault.reports().map(({ entries }) => entries), [3]],
    ['machines', (vault) => vault.machines().map(({ entries }) => entries), [3]],
    ['ledgerLines', (vault, id) => vault.ledgerLines((entry) => entry.id === id).length, 2],
    ['exclusively', (vault, id) => vault.exclusively(() => vault.evidence.of(id).length), 2],
  ])('%s', async (_name, ask, answer) => {
    const [other, id] = await afterDemotion();
    expect(await ask(other.vault, id)).toEqual(answer);
  });

  test('surveyScoped', async () => {
    const store = await TestStore.open();
    const id = await store.propose('the weather');
    const other = await TestStore.open({ home: store.home });
    expect(other.tier(id)).toBe('inferred');
    store.pass(30);
    await store.decide('promote', id);
    const tiers: string[] = [];
    other.vault.surveyScoped(({ standing }) => tiers.push(standing.tier));
    expect(tiers).toEqual(['verified']);
  });
});

test('near duplicates that are proposed at the same time are named to each other', async () => {
  const { vault, places } = await TestStore.open();
  const session = { vault, audit: auditOf(places, () => {}), proposals: 0 };
  const texts = [newMemory('staging', { body: BODY }), newMemory('where it runs', { body: `${BODY} For now.` })];
  const [one, two] = await Promise.all(texts.map((text) => propose(session, text, undefined)));
  expect(one?.similar).toEqual([two?.loaded.id]);
  expect(two?.similar).toEqual([one?.loaded.id]);
});

test('an index that another process threw away during a look is not called whole', async () => {
  const store = await TestStore.open();
  const id = await store.propose('the weather');
  await store.reconcile();
  const disk = new Meanwhile(store.places.quarantine, () => {
    const other = new SearchIndex(store.places.cache, store.vault.rules, new Disk());
    other.discard();
    other.count('memories');
    other.close();
  });
  await store.reopen({ disk });
  await updateIndex(store.vault);
  expect(await found(store, 'weather')).toEqual([id]);
});

/** Something that happens just before a folder is listed for the first time. */
class Meanwhile extends Disk {
  readonly #folder: string;
  #happens: (() => void) | undefined;

  constructor(folder: string, happens: () => void) {
    super();
    this.#folder = folder;
    this.#happens = happens;
  }

  override namesInPortions(folder: string, portion: number) {
    if (folder === this.#folder) {
      this.#happens?.();
      this.#happens = undefined;
    }
    return super.namesInPortions(folder, portion);
  }
}
