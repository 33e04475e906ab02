import { expect, test } from 'vitest';
import {
  draftOnScreen,
  memoryForDialog,
  onScreen,
  rewordingOnScreen,
  shownFor,
  shownForBoth,
  shownForErasing,
  shownForPasskey,
} from '../../../src/actions/review/shown.ts';
import type { Finding } from '../../../src/core/finding.ts';
import { digestOf } from '../../../src/core/memory/memory.ts';
import { sanitize } from '../../../src/core/text/safe-text.ts';
import { TestStore } from '../../../testkit/store.ts';

/** Looks like a secret; nobody issued it. */
const LIKELY = 'The password is: password = "hT7-kk2_Zq9vLx41" and it is kept in the vault.';

async function withPossibleSecret() {
  const store = await TestStore.open();
  const id = await store.propose('harmless');
  store.edit(id, (text) => text.replace(/The operator said[\s\S]*/, `${LIKELY}\n`));
  await store.reconcile();
  return store.load(id);
}

test('a possible secret is on a screen only where a person is asked to vouch for it, and never in a dialog', async () => {
  const loaded = await withPossibleSecret();
  const textOn = (vouching: boolean) => {
    const { content } = onScreen(loaded, { vouching });
    if ('file' in content) throw new Error('there is a memory');
    return sanitize((content.masked ?? content.memory).body, 'body').toString();
  };
  expect(textOn(true)).toContain('hT7-kk2');
  expect(textOn(false)).not.toContain('hT7-kk2');
  expect(memoryForDialog(loaded)).toBeUndefined();
});

test.each(['promote', 'restore', 'reaffirm', 'adopt', 'backfill'] as const)(
  'nobody can say yes to %s where a part is hidden or no memory can be read',
  async (verb) => {
    const loaded = await withPossibleSecret();
    const hidden = onScreen(loaded, { vouching: false });
    const file = onScreen({ ...loaded, memory: undefined, shown: undefined }, { vouching: true });
    for (const screen of [hidden, file]) {
      expect(() => shownFor(verb, screen)).toThrow('not shown whole');
      for (const lowering of ['demote', 'archive', 'erase'] as const)
        expect(shownFor(lowering, screen)).toMatchObject({ verb: lowering, id: loaded.id });
    }
    expect(shownFor(verb, onScreen(loaded, { vouching: true }))).toMatchObject({ verb, digest: loaded.digest });
  },
);

test('a yes to a memory whose anchor looks like a secret settles that, because the anchor was on the screen', async () => {
  const store = await TestStore.open();
  const id = await store.propose('anchored', { type: 'project', project: 'acme/shop', anchors: [['src/deploy.ts']] });
  store.edit(id, (text) => text.replace('src/deploy.ts', 'src/deploy.ts, password = hT7-kk2_Zq9vLx41'));
  await store.reconcile();
  const anchors = () =>
    store
      .load(id)
      .shown?.anchors?.flat()
      .map((part) => sanitize(part, 'line').toString()) ?? [];
  expect(anchors().join()).not.toContain('hT7-kk2');
  store.pass(8);
  await store.decide('promote', id);
  expect(anchors().join()).toContain('hT7-kk2');
});

test('a yes settles the suspicious findings on the screen, each rule once, and no others', async () => {
  const store = await TestStore.open();
  const loaded = store.load(await store.propose('plain'));
  const finding = (rule: string, severity: Finding['severity']): Finding => ({
    class: 'injection',
    rule,
    severity,
    field: 'body',
    line: 1,
    message: 'It reads like an instruction.',
  });
  const findings = [finding('b', 'hold'), finding('a', 'hold'), finding('b', 'hold'), finding('c', 'warn')];
  const screen = { ...onScreen(loaded, { vouching: true }), findings };
  expect(shownFor('promote', screen)).toEqual({
    verb: 'promote',
    id: loaded.id,
    digest: loaded.digest,
    standing: 'inferred:proposed',
    settles: ['a', 'b'],
  });
});

test('a client’s dialog shows the text of a proposal, and none that is quarantined or was changed', async () => {
  const store = await TestStore.open();
  const proposed = store.load(await store.propose('plain'));
  expect(memoryForDialog(proposed)).toBe(proposed.memory);
  const finding: Finding = {
    class: 'injection',
    rule: 'a',
    severity: 'warn',
    field: 'body',
    line: 1,
    message: 'It reads like an instruction.',
  };
  const findings = [finding, { ...finding, class: 'secret' as const }];
  expect(memoryForDialog({ ...proposed, inspection: { ...proposed.inspection, findings } })).toBeUndefined();
  const suspicious = { ...proposed, inspection: { ...proposed.inspection, findings: [finding] } };
  expect(memoryForDialog(suspicious)).toBe(proposed.memory);

  const demoted = await store.propose('put away');
  await store.decide('demote', demoted);
  expect(memoryForDialog(store.load(demoted))).toBeUndefined();

  const changed = await store.verified('edited');
  store.edit(changed, (text) => text.replace('two cores', 'three cores'));
  await store.reconcile();
  expect(store.load(changed).standing.reason).toBe('changed');
  expect(memoryForDialog(store.load(changed))).toBeUndefined();
});

test('what has no secret is shown as it is, whether or not a person vouches for it', async () => {
  const store = await TestStore.open();
  const loaded = store.load(await store.propose('plain'));
  for (const vouching of [true, false])
    expect(onScreen(loaded, { vouching }).content).toEqual({ memory: loaded.memory });
  const unreadable = onScreen({ ...loaded, memory: undefined, shown: undefined }, { vouching: false });
  expect(Object.keys(unreadable.content)).toEqual(['file']);
});

test('a yes to other words is for the text before as well', async () => {
  const store = await TestStore.open();
  const [loaded, other] = [store.load(await store.propose('plain')), store.load(await store.propose('other'))];
  if (loaded.memory === undefined || other.memory === undefined) throw new Error('there are memories');
  const draft = { id: loaded.id, memory: other.memory, inspection: other.inspection };
  expect(shownFor('add', draftOnScreen(draft))).toEqual({
    verb: 'add',
    id: loaded.id,
    digest: digestOf(other.memory),
    standing: 'new',
    settles: [],
  });
  const rewording = rewordingOnScreen(loaded, draft as Parameters<typeof rewordingOnScreen>[1]);
  expect(shownFor('adopt', rewording)).toEqual({
    verb: 'adopt',
    id: loaded.id,
    digest: digestOf(other.memory),
    was: loaded.digest,
    standing: 'inferred:proposed',
    settles: [],
  });
  expect(shownFor('promote', onScreen(loaded, { vouching: true }))).not.toHaveProperty('was');
});

test('a yes to one memory in the place of another covers both, and that the other goes for it', async () => {
  const store = await TestStore.open();
  const [taken, left] = [store.load(await store.propose('plain')), store.load(await store.propose('other'))];
  const [screen, rival] = [onScreen(taken, { vouching: true }), onScreen(left, { vouching: false })];
  expect(shownForBoth('promote', screen, rival)).toEqual({
    new: { ...shownFor('promote', screen), replaces: left.id },
    old: shownFor('demote', rival),
  });
});

test('a typed id covers the memory that would be erased, or what is left of one', async () => {
  const loaded = await withPossibleSecret();
  const { id, digest } = loaded;
  expect(shownForErasing({ id, seen: loaded } as Parameters<typeof shownForErasing>[0])).toMatchObject({
    verb: 'erase',
    id,
    digest,
    standing: expect.stringMatching(/^inferred:/),
  });
  expect(shownForErasing({ id, seen: undefined } as Parameters<typeof shownForErasing>[0])).toEqual({
    verb: 'erase',
    id,
    digest: null,
    standing: 'gone',
    settles: [],
  });
});

test('a yes to a passkey is for this key, and for none where there is none', () => {
  const planned = (change: object) => ({ change }) as unknown as Parameters<typeof shownForPasskey>[0];
  const rest = { verb: 'enrol-passkey', standing: 'new', settles: [] };
  expect(shownForPasskey(planned({ credential: 'c', key: 'k' }))).toEqual({ ...rest, id: 'c', digest: 'k' });
  expect(shownForPasskey(planned({}))).toEqual({ ...rest, id: '', digest: null });
});
