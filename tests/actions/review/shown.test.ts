import { expect, test } from 'vitest';
import { memoryForDialog, onScreen, shownFor } from '../../../src/actions/review/shown.ts';
import type { Finding } from '../../../src/core/finding.ts';
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
