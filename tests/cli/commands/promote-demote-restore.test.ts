import { expect } from 'vitest';
import { audited, lastEntry, storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

terminalTest('promote by id, by name and by a few words: the text is shown, and a yes makes it verified', async () => {
  const store = await storeTenDaysAgo();
  const ids = [
    await store.propose('Night build', { body: 'The build runs at night.' }),
    await store.propose('Mail queue', { body: 'Mail goes through the queue.' }),
    await store.propose('Branch names', { body: 'Branches carry ticket numbers.' }),
  ];
  const asked = [['user_night_build'], ['mail', 'queue'], ['ticket numbers']];
  for (const [i, words] of asked.entries()) {
    const terminal = new TestTerminal(store.home, ['promote', ...words]);
    expect(await terminal.answer('y')).toContain(`Vouch for this text and make it verified: ${ids[i]}?`);
    expect(await terminal.end()).toMatchObject({ code: 0, shown: expect.stringContaining(`${ids[i]} is verified.`) });
  }
  expect(ids.map((id) => store.standing(id))).toEqual(Array(3).fill('verified:vouched'));
  expect(audited(store)).toEqual(ids.map((id) => `promote ${id} accepted`));
});

terminalTest('where several fit, the person chooses; Enter chooses none', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('Night build', { body: 'The build runs at night.' });
  await store.propose('Day build', { body: 'The build runs at noon.' });
  const left = new TestTerminal(store.home, ['demote', 'build']);
  expect(await left.until('which one, 1 to 2')).toContain('user_day_build');
  left.press('\r');
  expect(await left.end()).toMatchObject({ code: 1, shown: expect.stringContaining('Nothing was changed.') });
  const terminal = new TestTerminal(store.home, ['demote', '--reason', 'it moved', 'build']);
  const listed = await terminal.until('which one, 1 to 2');
  const second = /^2 +\w+ +(\w+)/m.exec(listed)?.[1] ?? '';
  terminal.press('2\r');
  await terminal.answer('y');
  expect((await terminal.end()).code).toBe(0);
  expect(store.standing(second)).toBe('quarantined:decided');
  expect(store.text('quarantine', second)).toContain('it moved');
});

terminalTest('restore finds quarantined ones, which no search finds', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.add('Night build', { body: 'The build runs at night.' });
  await store.decide('demote', id);
  const terminal = new TestTerminal(store.home, ['restore', 'night']);
  await terminal.answer('y');
  expect(await terminal.end()).toMatchObject({ code: 0, shown: expect.stringContaining(`${id} is restored.`) });
  expect(store.standing(id)).toBe('verified:vouched');
  const none = await new TestTerminal(store.home, ['restore', 'night']).end();
  expect(none).toMatchObject({ code: 1, shown: expect.stringMatching(/surety list\s+--quarantined\s+names all\./) });
});

terminalTest('a no changes nothing; a promotion before its time says what to do instead', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.add('Night build', { body: 'The build runs at night.' });
  const before = store.ledgerLines();
  const terminal = new TestTerminal(store.home, ['demote', id]);
  await terminal.answer('n');
  expect((await terminal.end()).code).toBe(1);
  expect(store.ledgerLines()).toEqual(before);
  expect(audited(store)).toEqual([`demote ${id} declined person-said-no`]);
  store.now = Date.now();
  const young = await store.propose('Too young', { body: 'Somebody said so today.' });
  const early = await new TestTerminal(store.home, ['promote', young]).end();
  expect(early).toMatchObject({ code: 1, shown: expect.stringContaining('with adopt') });
  const again = new TestTerminal(store.home, ['promote', id]);
  await again.answer('y');
  await again.end();
  expect(lastEntry(store)).toMatchObject({ action: 'reaffirm', id });
});
