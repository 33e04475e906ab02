import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DAY, type TestStore } from '../../../testkit/store.ts';
import { audited, lastEntry, piped, storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

/** A memory that was put into quarantine so many days ago. */
async function quarantined(store: TestStore, about: string, days: number): Promise<string> {
  store.now = Date.now() - days * DAY;
  const id = await store.add(about);
  await store.decide('demote', id, 'sounded wrong');
  return id;
}

function archived(store: TestStore, id: string, days: number): string {
  const month = new Date(Date.now() - days * DAY).toISOString().slice(0, 7);
  return join(store.places.archive, month, `${id}.md`);
}

terminalTest('what has been in quarantine for more than 90 days is listed, shown and moved with a yes', async () => {
  const store = await storeTenDaysAgo();
  const [old, left] = [await quarantined(store, 'old one', 200), await quarantined(store, 'left one', 100)];
  const young = await quarantined(store, 'young one', 90);
  const text = store.text('quarantine', old);
  const terminal = new TestTerminal(store.home, ['archive']);
  const shown = await terminal.answer('y');
  expect(shown).toContain(`In quarantine for more than 90 days: ${old}, ${left}.`);
  for (const part of ['1 of 2', '│ sounded wrong', '200 days ago', 'two cores are enough'])
    expect(shown).toContain(part);
  expect(shown).not.toContain(young);
  expect(shown).toMatch(/^quarantined by a person on \d{4}-\d\d-\d\d, 200 days ago$/m);
  expect(shown.match(/^(?:quarantined| {12}on) .*200 days ago$/gm)).toHaveLength(1);
  await terminal.answer('');
  expect(await terminal.end()).toMatchObject({ code: 0, shown: expect.stringContaining('1 archived, 1 still waits.') });
  expect(readFileSync(archived(store, old, 200), 'utf8')).toBe(text);
  expect(store.files('quarantine')).toEqual([`${left}.md`, `${young}.md`]);
  expect(lastEntry(store)).toMatchObject({
    action: 'archived',
    id: old,
    to: null,
    by: { channel: 'terminal', level: 1 },
  });
  expect(audited(store)).toEqual([`archive ${old} accepted`]);
  expect((await store.reconcile()).notices).toEqual([]);
});

terminalTest('an archived memory is served nowhere, its text stays quarantined, and its id stays taken', async () => {
  const store = await storeTenDaysAgo();
  const id = await quarantined(store, 'build', 3);
  const text = store.text('quarantine', id);
  const terminal = new TestTerminal(store.home, ['archive', id]);
  await terminal.answer('y');
  await terminal.end();
  expect(store.vault.load(id)).toBeUndefined();
  expect((await piped(store.home, ['search', 'cores'])).out).not.toContain('two cores');
  expect((await piped(store.home, ['list'])).out).not.toContain(id);
  expect((await piped(store.home, ['show', id])).out).toMatch(
    /^It is archived: its file lies below archive\/ [\s\S]+ archived /,
  );
  await expect(store.propose('other name', { body: text.slice(text.lastIndexOf('---') + 4) })).rejects.toMatchObject({
    code: 'was-quarantined',
  });
  store.write('memories', 'user_copy', text.replace(/\ntrust-level: .*/, '').replace(/\nquarantine.*/g, ''));
  expect(store.standing('user_copy')).toBe('quarantined:same-text');
  expect(await store.propose('build', { body: 'Another text under the same name, long enough.' })).toBe(`${id}_2`);
});

terminalTest('what was edited in quarantine goes on record before it goes out of sight', async () => {
  const store = await storeTenDaysAgo();
  const id = await quarantined(store, 'build', 3);
  store.write('quarantine', id, store.text('quarantine', id).replace('two cores', 'seven cores'));
  const text = store.text('quarantine', id);
  const terminal = new TestTerminal(store.home, ['archive', id]);
  await terminal.answer('y');
  expect((await terminal.end()).code).toBe(0);
  store.write('memories', 'user_copy', text.replace(/\ntrust-level: .*/, '').replace(/\nquarantine.*/g, ''));
  expect(store.standing('user_copy')).toBe('quarantined:same-text');
});

terminalTest('moved back into quarantine by hand it can be restored; into memories it stays quarantined', async () => {
  const store = await storeTenDaysAgo();
  const id = await quarantined(store, 'build', 3);
  const terminal = new TestTerminal(store.home, ['archive', id]);
  await terminal.answer('y');
  await terminal.end();
  const path = archived(store, id, 3);
  renameSync(path, store.path('memories', id));
  expect(store.standing(id)).toBe('quarantined:decided');
  renameSync(store.path('memories', id), store.path('quarantine', id));
  const restore = new TestTerminal(store.home, ['restore', id]);
  await restore.answer('y');
  await restore.end();
  expect(store.standing(id)).toBe('verified:vouched');
});

terminalTest('only what is in quarantine is archived, and only as it was shown', async () => {
  const store = await storeTenDaysAgo();
  const alive = await store.add('alive');
  expect((await new TestTerminal(store.home, ['archive', alive]).end()).code).toBe(1);
  expect(store.standing(alive)).toBe('verified:vouched');
  expect((await new TestTerminal(store.home, ['archive', 'user_nobody']).end()).shown).toContain(
    'No memory has the id',
  );

  const id = await quarantined(store, 'build', 3);
  const terminal = new TestTerminal(store.home, ['archive', id]);
  await terminal.until(/answer: $/);
  store.write('quarantine', id, store.text('quarantine', id).replace('two cores', 'seven cores'));
  terminal.press('y\r');
  const again = await terminal.answer('q');
  expect(again).toContain('It changed while you were looking at it');
  expect(again).toContain('seven cores');
  expect((await terminal.end()).code).toBe(0);
  expect(store.files('quarantine')).toEqual([`${id}.md`]);
  expect(audited(store)).toEqual([
    `archive ${alive} refused not-allowed`,
    'archive user_nobody refused no-such-memory',
    `archive ${id} refused changed-meanwhile`,
  ]);
});

terminalTest('a file beside a memory in use is refused before anybody is asked', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.add('build');
  store.write('quarantine', `${id}~2`, store.text('memories', id).replace('two cores', 'seven cores'));
  await store.reconcile();
  const { code, shown } = await new TestTerminal(store.home, ['archive', `${id}~2`]).end();
  expect(code).toBe(1);
  expect(shown).not.toContain('answer:');
  expect(shown.replaceAll(/\s+/g, ' ')).toContain(
    `A memory with the id ${id} is in use, and a decision on one would count for both. Compare the two, and remove quarantine/${id}~2.md if you do not need it.`,
  );
  expect((await piped(store.home, ['doctor'])).out.replaceAll(/\s+/g, ' ')).toContain(
    'Compare each with the memory in use, and remove the file if you do not need it.',
  );
  expect(audited(store)).toEqual([`archive ${id} refused id-taken`]);
  expect(store.files('quarantine')).toEqual([`${id}~2.md`]);
});

terminalTest('a month that is a link is not written through', async () => {
  const store = await storeTenDaysAgo();
  const id = await quarantined(store, 'build', 3);
  const elsewhere = join(store.home, 'elsewhere');
  mkdirSync(elsewhere);
  mkdirSync(store.places.archive);
  symlinkSync(elsewhere, join(archived(store, id, 3), '..'));
  const before = store.ledgerLines();
  const terminal = new TestTerminal(store.home, ['archive', id]);
  await terminal.answer('y');
  expect(await terminal.end()).toMatchObject({ code: 1, shown: expect.stringContaining('1 could not be done') });
  expect(store.ledgerLines()).toEqual(before);
  expect(existsSync(store.path('quarantine', id))).toBe(true);
});

terminalTest('nothing to archive: one line, exit 0', async () => {
  const store = await storeTenDaysAgo();
  await quarantined(store, 'young', 30);
  const { code, shown } = await new TestTerminal(store.home, ['archive']).end();
  expect({ code, lines: shown.trim().split('\n').length }).toEqual({ code: 0, lines: 1 });
});

test('without a terminal nothing is archived: nobody else hides evidence from the person', async () => {
  const store = await storeTenDaysAgo();
  const id = await quarantined(store, 'old', 200);
  expect(await piped(store.home, ['archive', id], 'y\n')).toMatchObject({ code: 1, out: '' });
  expect(store.files('quarantine')).toEqual([`${id}.md`]);
  expect(audited(store)).toEqual(['archive refused needs-person']);
});
