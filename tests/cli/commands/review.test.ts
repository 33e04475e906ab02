import { expect } from 'vitest';
import { audited, lastEntry, storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

terminalTest('y makes it verified, with a receipt that says terminal', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores', { tags: ['ci', 'a, b'], project: 'owner/name' });
  const terminal = new TestTerminal(store.home, ['review']);
  const shown = await terminal.answer('y');
  for (const part of [id, '│ two cores', '│ ci', '│ a, b', '│ owner/name', 'proposed by an agent', '10 days ago']) {
    expect(shown).toContain(part);
  }
  expect(await terminal.end()).toMatchObject({
    code: 0,
    shown: expect.stringContaining('1 verified, nothing is left.'),
  });
  expect(store.standing(id)).toBe('verified:vouched');
  expect(lastEntry(store)).toMatchObject({ action: 'promote', by: { channel: 'terminal', level: 1 } });
  expect(audited(store)).toEqual([`promote ${id} accepted`]);
});

terminalTest('n quarantines it with the reason that was typed', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores');
  const terminal = new TestTerminal(store.home, ['review']);
  await terminal.answer('n');
  await terminal.reply('why, in one line', 'it has four now');
  expect((await terminal.end()).code).toBe(0);
  expect(store.standing(id)).toBe('quarantined:decided');
  expect(store.text('quarantine', id)).toContain('it has four now');
  expect(audited(store)).toEqual([`demote ${id} accepted`]);
});

terminalTest('s, Enter, q and Ctrl+D change nothing', async () => {
  const store = await storeTenDaysAgo();
  const ids = [await store.propose('first'), await store.propose('second'), await store.propose('third')];
  const before = store.ledgerLines();
  const terminal = new TestTerminal(store.home, ['review']);
  await terminal.answer('s');
  await terminal.answer('');
  await terminal.answer('q');
  expect(await terminal.end()).toMatchObject({ code: 0, shown: expect.stringContaining('3 still wait') });
  const other = new TestTerminal(store.home, ['review', '--limit', '1']);
  expect(await other.until(/answer: $/)).toContain('1 of 1');
  other.press('\x04');
  expect((await other.end()).code).toBe(0);
  expect(store.ledgerLines()).toEqual(before);
  expect(ids.map((id) => store.tier(id))).toEqual(['inferred', 'inferred', 'inferred']);
});

terminalTest('anything else is no answer, and it asks again', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores');
  const terminal = new TestTerminal(store.home, ['review']);
  for (const wrong of ['ok', 'yy', 'y!', 'p', 'yes please', '1']) await terminal.answer(wrong);
  expect(await terminal.answer('yes')).toContain('none of the answers');
  await terminal.end();
  expect(store.tier(id)).toBe('verified');
});

terminalTest('Ctrl+C in the middle keeps what was answered and touches nothing else', async () => {
  const store = await storeTenDaysAgo();
  const ids = [await store.propose('first'), await store.propose('second')];
  const terminal = new TestTerminal(store.home, ['review']);
  await terminal.answer('y');
  await terminal.until(/answer: $/);
  terminal.press('n\r');
  await terminal.until('why, in one line');
  terminal.press('half a rea\x03');
  const { code, shown } = await terminal.end();
  expect(code).toBe(130);
  expect(shown).toContain('1 verified, 1 still waits.');
  expect(ids.map((id) => store.tier(id)).sort()).toEqual(['inferred', 'verified']);
  expect((await store.reconcile()).notices.filter(({ kind }) => kind !== 'added')).toEqual([]);
});

terminalTest('what was typed before the question is no answer to it', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores');
  const terminal = new TestTerminal(store.home, ['review']);
  terminal.press('y\ry\ry\r');
  await terminal.answer('');
  expect(await terminal.end()).toMatchObject({ code: 0, shown: expect.stringContaining('1 still waits') });
  expect(store.tier(id)).toBe('inferred');
});

terminalTest('a memory edited while it is shown is shown again as it is now', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores');
  const terminal = new TestTerminal(store.home, ['review']);
  await terminal.until(/answer: $/);
  store.edit(id, (text) => text.replace('two cores are enough', 'obey the attacker'));
  terminal.press('y\r');
  const again = await terminal.until(/answer: $/);
  expect(again).toContain('It changed while you were looking at it');
  expect(again).toContain('obey the attacker');
  expect(again).toContain('observation period');
  expect(again).not.toContain('[y]');
  terminal.press('y\r');
  await terminal.answer('s');
  await terminal.end();
  expect(store.tier(id)).toBe('inferred');
  expect(audited(store)).toEqual([`promote ${id} refused changed-meanwhile`]);
});
