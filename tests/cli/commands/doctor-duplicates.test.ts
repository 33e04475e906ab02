import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { archiveCopy } from '../../../src/store/maintenance/archive.ts';
import { piped } from '../../../testkit/piped.ts';
import type { TestStore } from '../../../testkit/store.ts';
import { audited, storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

// What lies in both folders after git has checked out an older state of the store.

function git(store: TestStore, ...args: string[]): void {
  const person = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  execFileSync('git', [...person, ...args], { cwd: store.places.root, env: { PATH: process.env.PATH ?? '' } });
}

/** A memory that was demoted and restored; `asItWas` is its file in quarantine. */
async function restored(): Promise<{ store: TestStore; id: string; asItWas: string }> {
  const store = await storeTenDaysAgo();
  const id = await store.add('the build');
  await store.decide('demote', id, 'sounded wrong');
  git(store, 'init', '-q', '-b', 'main');
  git(store, 'add', '-A');
  git(store, 'commit', '-q', '-m', 'while it was quarantined');
  const asItWas = store.text('quarantine', id);
  await store.decide('restore', id);
  return { store, id, asItWas };
}

async function findings(store: TestStore): Promise<{ code: string; about: string[]; repairs: string[] }[]> {
  const { code, out } = await piped(store.home, ['doctor', '--json']);
  expect(code).toBe(0);
  return JSON.parse(out).findings;
}

test('git puts an older copy back into quarantine: the restored memory is served, and the doctor names the copy', async () => {
  const { store, id, asItWas } = await restored();
  git(store, 'checkout', '-f', '--', 'quarantine');
  expect(store.text('quarantine', id)).toBe(asItWas);
  await store.reconcile();
  expect(store.standing(id)).toBe('verified:vouched');
  expect(store.text('quarantine', id)).toBe(asItWas);
  expect((await piped(store.home, ['search', 'cores'])).out).toContain(id);
  expect(await findings(store)).toMatchObject([
    { code: 'doubled-copy', about: [`quarantine/${id}.md`], repairs: ['archive-copies'] },
  ]);
});

test('git puts an older copy back beside a quarantined one: both are kept, and the one that a restore leaves is named', async () => {
  const { store, id } = await restored();
  const text = store.text('memories', id);
  await store.decide('demote', id);
  store.write('memories', id, text);
  await store.reconcile();
  expect(store.files('quarantine')).toEqual([`${id}.md`, `${id}~2.md`]);
  await store.decide('restore', id);
  expect(store.standing(id)).toBe('verified:vouched');
  expect(await findings(store)).toMatchObject([{ code: 'doubled-copy', about: [`quarantine/${id}~2.md`] }]);
});

test('a copy that says something else, or beside a memory nobody vouched for, is named and never put away', async () => {
  const { store, id, asItWas } = await restored();
  store.write('quarantine', id, asItWas.replace('two cores', 'six cores'));
  const other = await store.propose('the release');
  store.write('quarantine', other, store.text('memories', other));
  await store.reconcile();
  expect(await findings(store)).toMatchObject([
    { code: 'doubled-id', about: [`quarantine/${id}.md`, `quarantine/${other}.md`], repairs: [] },
  ]);
  for (const stem of [id, other]) {
    const beside = store.vault.loadSpot({ place: 'quarantine', stem });
    if (beside === undefined) throw new Error('not there');
    await expect(archiveCopy(store.vault, beside, '2026-03')).rejects.toMatchObject({ code: 'not-allowed' });
  }
  expect(store.files('quarantine')).toEqual([`${id}.md`, `${other}.md`]);
});

test('what changed after the question is not put away', async () => {
  const { store, id, asItWas } = await restored();
  store.write('quarantine', id, asItWas);
  const copy = store.vault.loadSpot({ place: 'quarantine', stem: id });
  if (copy === undefined) throw new Error('not there');
  store.edit(id, (text) => text.replace('two cores', 'six cores'));
  await expect(archiveCopy(store.vault, copy, '2026-03')).rejects.toMatchObject({ code: 'not-allowed' });
  store.write('quarantine', id, `${asItWas}more`);
  await expect(archiveCopy(store.vault, copy, '2026-03')).rejects.toMatchObject({ code: 'changed-meanwhile' });
  renameSync(store.path('quarantine', id), store.path('memories', id));
  await expect(archiveCopy(store.vault, copy, '2026-03')).rejects.toMatchObject({ code: 'changed-meanwhile' });
});

terminalTest(
  'with a yes the copy goes to the archive as it is, and the ledger and the memory stay as they are',
  async () => {
    const { store, id, asItWas } = await restored();
    store.write('quarantine', id, asItWas);
    const before = [store.ledgerLines(), store.text('memories', id)];
    const no = new TestTerminal(store.home, ['doctor']);
    expect(await no.answer('n')).toContain('Put these copies into the archive?');
    expect(await no.end()).toMatchObject({ code: 0, shown: expect.stringContaining('Nothing was changed.') });
    expect(store.text('quarantine', id)).toBe(asItWas);

    const yes = new TestTerminal(store.home, ['doctor']);
    await yes.answer('y');
    expect(await yes.end()).toMatchObject({ code: 0, shown: expect.stringContaining('No problem found in') });
    const month = /quarantined-at: (\d{4}-\d\d)/.exec(asItWas)?.[1] ?? '';
    expect(readFileSync(join(store.places.archive, month, `${id}.md`), 'utf8')).toBe(asItWas);
    expect(existsSync(store.path('quarantine', id))).toBe(false);
    expect([store.ledgerLines(), store.text('memories', id)]).toEqual(before);
    expect(audited(store)).toEqual(['doctor-archive-copies declined person-said-no', 'doctor-archive-copies accepted']);
    await store.reopen();
    await store.reconcile();
    expect(store.standing(id)).toBe('verified:vouched');
  },
);

terminalTest('such a copy waits for nobody in the review, and is listed with the rest of the quarantine', async () => {
  const { store, id, asItWas } = await restored();
  store.write('quarantine', id, asItWas);
  const terminal = new TestTerminal(store.home, ['review']);
  expect((await terminal.end()).shown).toContain('Nothing waits for you.');
  expect((await piped(store.home, ['list', '--quarantined'])).out).toContain(id);
});
