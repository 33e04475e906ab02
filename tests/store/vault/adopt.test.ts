import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { onScreen, rewordingOnScreen, shownFor } from '../../../src/actions/review/shown.ts';
import { witnessed } from '../../../src/core/trust/consent.ts';
import { couldHappen } from '../../../src/core/trust/tiers.ts';
import { yesToRewording } from '../../../testkit/sample.ts';
import { AGENT, newMemory, TestStore, yes } from '../../../testkit/store.ts';

/** Other words for the memory about the build. */
const MINE = newMemory('build', { body: 'Four cores are what the build takes; two were too slow.' });

async function proposed(): Promise<{ store: TestStore; id: string }> {
  const store = await TestStore.open();
  return { store, id: await store.propose('build', { tags: ['ci'], project: 'owner/name' }) };
}

function reword(store: TestStore, id: string, wording = MINE) {
  const seen = store.load(id);
  return store.vault.adopt(seen, wording, yesToRewording(store.vault, seen, wording));
}

function decisions(store: TestStore) {
  return store.entries().filter(({ to }) => to !== null);
}

describe('as it is', () => {
  test('it is verified at once, under its id, in its file, by one entry', async () => {
    const { store, id } = await proposed();
    const before = store.text('memories', id);
    await store.decide('adopt', id);
    expect(store.standing(id)).toBe('verified:vouched');
    expect([store.files('memories'), store.files('quarantine')]).toEqual([[`${id}.md`], []]);
    expect(decisions(store).map(({ action }) => action)).toEqual(['propose', 'adopt']);
    expect(decisions(store).at(-1)).toMatchObject({ id, from: 'inferred', to: 'verified', replaces: null });
    expect(decisions(store).at(-1)).not.toHaveProperty('was');
    expect(store.text('memories', id)).toBe(
      before.replace('trust-level: inferred', 'trust-level: verified\nlast-verified: 2026-03-01'),
    );
  });

  test.each(['verified', 'changed', 'quarantined'] as const)('one that is %s cannot be adopted', async (how) => {
    const { store } = await proposed();
    const id = await store.add('other');
    if (how === 'changed') store.edit(id, (text) => text.replace('two cores', 'no cores'));
    if (how === 'quarantined') await store.decide('demote', id);
    const lines = store.ledgerLines();
    await expect(store.decide('adopt', id)).rejects.toMatchObject({ code: 'not-allowed' });
    await expect(reword(store, id)).rejects.toMatchObject({ code: 'not-allowed' });
    expect(store.ledgerLines()).toEqual(lines);
  });
});

describe('in other words', () => {
  test('the file keeps its id, its place and all that is not the text; the entry names both texts', async () => {
    const { store, id } = await proposed();
    store.edit(id, (text) => text.replace('tags:', '# mine\nreview-by: "2031"\nanchors: [[src/a.ts]]\ntags:'));
    const was = store.load(id).digest;
    const { loaded } = await reword(store, id);
    expect(loaded.id).toBe(id);
    expect(store.standing(id)).toBe('verified:vouched');
    const text = store.text('memories', id);
    for (const part of ['# mine', 'review-by: "2031"', 'anchors: [[src/a.ts]]', 'Four cores are what']) {
      expect(text).toContain(part);
    }
    expect(text).not.toMatch(/two cores|^tags:|^project:/m);
    expect([store.files('memories'), store.files('quarantine')]).toEqual([[`${id}.md`], []]);
    expect(decisions(store).map(({ action }) => action)).toEqual(['propose', 'adopt']);
    expect(decisions(store).at(-1)).toMatchObject({ id, was, digest: loaded.digest, from: 'inferred', to: 'verified' });
    await store.reopen();
    expect(store.standing(id)).toBe('verified:vouched');
  });

  test('a yes counts for exactly the two texts that were shown', async () => {
    const { store, id } = await proposed();
    const seen = store.load(id);
    const draft = store.vault.draftRewording(seen, MINE);
    const right = shownFor('adopt', rewordingOnScreen(seen, draft));
    const wrong = [
      { ...right, was: '0'.repeat(64) },
      { ...right, was: undefined },
      { ...right, digest: seen.digest },
      { ...right, standing: 'inferred:found' },
      { ...right, id: 'user_other' },
      { ...right, verb: 'promote' as const },
      shownFor('adopt', onScreen(seen, { vouching: true })),
    ];
    for (const shown of wrong)
      await expect(store.vault.adopt(seen, MINE, witnessed('page', shown))).rejects.toBeDefined();
    await expect(store.vault.decide('adopt', seen, witnessed('page', right))).rejects.toMatchObject({
      code: 'changed-meanwhile',
    });
    const other = { ...MINE, body: 'Eight cores are what the build takes; four were too slow.' };
    await expect(store.vault.adopt(seen, other, witnessed('page', right))).rejects.toMatchObject({
      code: 'changed-meanwhile',
    });
    expect([store.standing(id), decisions(store).length]).toEqual(['inferred:proposed', 1]);
    const consent = witnessed('page', right);
    await store.vault.adopt(seen, MINE, consent);
    expect(store.standing(id)).toBe('verified:vouched');
    await expect(store.vault.adopt(store.load(id), MINE, consent)).rejects.toBeDefined();
  });

  test('a file that changed since it was shown is not overwritten', async () => {
    const { store, id } = await proposed();
    const seen = store.load(id);
    const consent = yesToRewording(store.vault, seen, MINE);
    store.edit(id, (text) => text.replace('two cores', 'no cores'));
    await expect(store.vault.adopt(seen, MINE, consent)).rejects.toMatchObject({ code: 'changed-meanwhile' });
    await expect(store.vault.adopt(store.load(id), MINE, consent)).rejects.toMatchObject({ code: 'changed-meanwhile' });
    expect(store.text('memories', id)).toContain('no cores');
  });

  test('its type stays', async () => {
    const { store, id } = await proposed();
    expect(() => store.vault.draftRewording(store.load(id), { ...MINE, type: 'project' })).toThrow('The type stays');
  });

  test('words that a quarantined memory has are refused: that one is to be restored', async () => {
    const { store, id } = await proposed();
    const lowered = await store.propose('other', { body: MINE.body });
    await store.decide('demote', lowered);
    expect(() => store.vault.draftRewording(store.load(id), MINE)).toThrow('restore that one');
    expect(store.standing(id)).toBe('inferred:proposed');
  });

  test('the words before are not taken as a proposal again, under any name; the answer names the memory', async () => {
    const { store, id } = await proposed();
    await reword(store, id);
    const before = newMemory('build');
    for (const again of [before, { ...before, name: 'Another title', description: 'x' }]) {
      const proposal = store.vault.create('propose', again, AGENT);
      await expect(proposal).rejects.toMatchObject({ code: 'was-reworded', message: expect.stringContaining(id) });
    }
    await store.reopen();
    await expect(store.propose('build')).rejects.toMatchObject({ code: 'was-reworded' });
    expect(store.files('memories')).toEqual([`${id}.md`]);
    expect(await store.propose('something else')).toBe('user_something_else');
  });
});

describe('a rewording whose file could not follow', () => {
  async function half(): Promise<{ store: TestStore; id: string; before: string; after: string }> {
    const { store, id } = await proposed();
    const before = store.text('memories', id);
    await reword(store, id);
    const after = store.text('memories', id);
    store.write('memories', id, before);
    return { store, id, before, after };
  }

  test('is inferred until the store is opened next, which puts the words in place', async () => {
    const { store, id, after } = await half();
    expect(store.standing(id)).toBe('inferred:unfinished');
    await store.reopen();
    const { notices } = await store.reconcile();
    expect(notices.map(({ kind }) => kind)).toContain('finished');
    expect(store.text('memories', id)).toBe(after);
    expect(store.standing(id)).toBe('verified:vouched');
    expect((await store.reconcile()).notices.map(({ kind }) => kind)).not.toContain('finished');
  });

  test('stays inferred where this machine has no copy of the words', async () => {
    const { store, id, before } = await half();
    rmSync(`${store.places.state}/vouched`, { recursive: true });
    await store.reconcile();
    expect(store.text('memories', id)).toBe(before);
    expect(store.standing(id)).toBe('inferred:unfinished');
  });

  test('is told from words that somebody put back by hand: these are a change', async () => {
    const { store, id, before } = await half();
    const byHand = before.replace('trust-level: inferred', 'trust-level: verified');
    store.write('memories', id, byHand);
    await store.reconcile();
    expect(store.standing(id)).toBe('inferred:changed');
    expect(store.text('memories', id)).toBe(byHand);
  });

  test('is not finished over a demotion', async () => {
    const { store, id, before } = await half();
    await store.decide('demote', id);
    await store.reconcile();
    expect(store.standing(id)).toBe('quarantined:decided');
    expect(store.text('quarantine', id)).toContain(before.split('---\n').at(-1) ?? '');
  });
});

test('an adoption that made a twin, as earlier versions wrote it, is read and never written', async () => {
  const store = await TestStore.open();
  await expect(store.add('build', {}, 'adopt')).rejects.toMatchObject({ code: 'not-allowed' });
  expect(couldHappen('adopt', null, 'verified', 'operator')).toBe(true);
  expect(store.files('memories')).toEqual([]);
});

test('a name that begins with its type does not repeat it in the id', async () => {
  const store = await TestStore.open();
  expect(await store.propose('x', { name: 'user_role' })).toBe('user_role');
  expect(await store.propose('y', { name: 'User role', body: 'Another text that is long enough.' })).toBe(
    'user_role_2',
  );
  expect(await store.propose('z', { name: 'user', body: 'And one more text that is long enough.' })).toBe('user_user');
});

test('a no to a text that became verified meanwhile is refused and leaves no record', async () => {
  const { store, id } = await proposed();
  const seen = store.load(id);
  await store.vault.decide('adopt', seen, yes('adopt', seen));
  const entries = store.entries().length;
  await expect(store.vault.decline(seen, { channel: 'page', level: 3, client: null })).rejects.toMatchObject({
    code: 'changed-meanwhile',
  });
  expect([store.tier(id), store.load(id).declinedAt, store.entries().length]).toEqual(['verified', undefined, entries]);
});

test('a person who says no and then adopts it takes the no back', async () => {
  const { store, id } = await proposed();
  await store.vault.decline(store.load(id), { channel: 'page', level: 3, client: null });
  const seen = store.load(id);
  await store.vault.decide('adopt', seen, yes('adopt', seen));
  expect([store.tier(id), store.load(id).declinedAt]).toEqual(['verified', undefined]);
});
