import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { audited, lastEntry, piped, storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

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
    const shown = await terminal.answer('y');
    expect(shown).toContain(`Vouch for this text and make it verified: ${ids[i]}?`);
    expect(shown).toMatch(/^wording +the agent’s\s*$/m);
    expect(await terminal.end()).toMatchObject({ code: 0, shown: expect.stringContaining(`${ids[i]} is verified.`) });
  }
  expect(ids.map((id) => store.standing(id))).toEqual(Array(3).fill('verified:vouched'));
  expect(audited(store)).toEqual(ids.map((id) => `promote ${id} accepted`));
});

terminalTest('of a memory that was moved while the question was on the screen it is said where it is', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('Night build');
  for (const [verb, meanwhile, where] of [
    ['promote', 'demote', 'was put into quarantine meanwhile; surety restore takes it out.'],
    ['restore', 'restore', 'was taken out of quarantine meanwhile; surety show prints it.'],
  ] as const) {
    const terminal = new TestTerminal(store.home, [verb, id]);
    await terminal.until(/answer: $/);
    await store.decide(meanwhile, id);
    terminal.press('y\r');
    const { code, shown } = await terminal.end();
    expect({ code, said: shown.replaceAll('\n', ' ') }).toEqual({ code: 1, said: expect.stringContaining(where) });
  }
});

terminalTest('promote of one that contradicts two: one is beside it, and the other is named', async () => {
  const store = await storeTenDaysAgo();
  const on = (day: string) => ({ description: 'The deploy day of the shop', body: `We deploy the shop on ${day}.` });
  const old = [await store.add('Deploy day', on('Tuesdays')), await store.add('Shop deploys', on('Fridays'))];
  const id = await store.propose('Deploying the shop', on('Thursdays'));
  const terminal = new TestTerminal(store.home, ['promote', id]);
  const shown = (await terminal.until(/answer: $/)).replaceAll(/\s+/g, ' ');
  const [, beside] = /quarantine (user_\w+)/.exec(shown) ?? [];
  expect(old).toContain(beside);
  const next = old.find((each) => each !== beside);
  expect(shown).toContain(`it contradicts ${next} too; after a yes surety review asks about that one`);
  terminal.press('s\r');
  await terminal.end();
});

terminalTest(
  'promote in the place of the one it contradicts: both are on record, each with the text that was shown',
  async () => {
    const store = await storeTenDaysAgo();
    const on = (day: string) => ({ description: 'The deploy day of the shop', body: `We deploy the shop on ${day}.` });
    const old = await store.add('Deploy day', on('Tuesdays'));
    const id = await store.propose('Deploying the shop', on('Thursdays'));
    const [oldDigest, digest] = [store.load(old).digest, store.load(id).digest];
    const terminal = new TestTerminal(store.home, ['promote', id]);
    await terminal.answer('y');
    const { code, shown } = await terminal.end();
    expect([code, shown.replaceAll(/\s+/g, ' ')]).toEqual([
      0,
      expect.stringContaining(`${id} is verified. ${old} is quarantined.`),
    ]);
    const recorded = { time: expect.any(String), channel: 'terminal', outcome: 'accepted' };
    expect(store.audit()).toEqual([
      { ...recorded, action: 'promote', id, digest },
      { ...recorded, action: 'demote', id: old, digest: oldDigest },
    ]);
  },
);

terminalTest(
  'what changed while the question was on the screen is on record, once, and asked about again',
  async () => {
    const store = await storeTenDaysAgo();
    const id = await store.propose('Night build', { body: 'The build runs at night.' });
    const { digest } = store.load(id);
    const terminal = new TestTerminal(store.home, ['demote', id, '--reason', 'it moved']);
    await terminal.until(/answer: $/);
    store.edit(id, (stored) => stored.replace('at night', 'at noon'));
    terminal.press('y\r');
    const again = await terminal.until(/answer: $/);
    expect(again).toContain('It changed while you were looking at it, so nothing was done.');
    expect(again).toContain('at noon');
    terminal.press('n\r');
    expect((await terminal.end()).code).toBe(1);
    expect(store.audit()).toMatchObject([
      { action: 'demote', id, digest, outcome: 'refused', reason: 'changed-meanwhile', input: { reason: 'it moved' } },
      { action: 'demote', id, outcome: 'declined', reason: 'person-said-no', input: { reason: 'it moved' } },
    ]);
  },
);

terminalTest('a no to a text that somebody vouched for meanwhile is refused, on record, and asks again', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('Night build', { body: 'The build runs at night.' });
  const terminal = new TestTerminal(store.home, ['promote', id]);
  await terminal.until(/answer: $/);
  await store.decide('adopt', id);
  terminal.press('n\r');
  const again = await terminal.until(/answer: $/);
  expect(again).toContain('It changed while you were looking at it, so nothing was done.');
  expect(again).toContain(`Vouch for this text again: ${id}?`);
  terminal.press('\r');
  expect((await terminal.end()).code).toBe(1);
  expect(audited(store)).toEqual([`promote ${id} refused changed-meanwhile`, `reaffirm ${id} unchanged left`]);
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
  expect(store.audit().at(-1)).toMatchObject({ action: 'demote', id: second, input: { reason: 'it moved' } });
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

terminalTest(
  'a no to promote is on record for the text: it waits no more, and only a person takes it back',
  async () => {
    const store = await storeTenDaysAgo();
    const id = await store.propose('Night build', { body: 'The build runs at night.' });
    const left = new TestTerminal(store.home, ['promote', id]);
    expect(await left.answer('')).toContain('[n] no, and do not ask again   [s] leave it (Enter)');
    expect(await left.end()).toMatchObject({ code: 1, shown: expect.stringContaining('Nothing was changed.') });
    const ended = new TestTerminal(store.home, ['promote', id]);
    await ended.until('answer: ');
    ended.press('\x04');
    expect((await ended.end()).code).toBe(1);
    await store.reopen();
    expect(store.load(id).declinedAt).toBeUndefined();

    const no = new TestTerminal(store.home, ['promote', id]);
    await no.answer('n');
    expect(await no.end()).toMatchObject({ code: 1, shown: expect.stringContaining('Your no is on record.') });
    expect(lastEntry(store)).toMatchObject({ action: 'declined', id, by: { channel: 'terminal', level: 1 } });
    await store.reopen();
    expect([store.standing(id), store.load(id).declinedAt]).toEqual(['inferred:proposed', expect.any(Number)]);
    const status = await piped(store.home, ['status', '--json']);
    expect(JSON.parse(status.out).waiting).toMatchObject({ ready: 0 });

    const yes = new TestTerminal(store.home, ['promote', id]);
    await yes.answer('y');
    expect((await yes.end()).code).toBe(0);
    await store.reopen();
    expect([store.standing(id), store.load(id).declinedAt]).toEqual(['verified:vouched', undefined]);
    expect(audited(store)).toEqual([
      `promote ${id} unchanged left`,
      `promote ${id} unchanged left`,
      `promote ${id} declined person-said-no`,
      `promote ${id} accepted`,
    ]);
  },
);

terminalTest('what a rule refuses is on record, once, and nothing changed', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('Night build', { body: 'The build runs at night.' });
  store.now = Date.now();
  const young = await store.propose('Too young', { body: 'Somebody said so today.' });
  const before = store.ledgerLines();
  const secret = 'hunter2-hunter2-hunter2';
  const refused = [
    [['promote', young], `promote ${young} refused observation-running`],
    [['restore', id], `restore ${id} refused not-allowed`],
    [['demote', 'user_nobody'], 'demote user_nobody refused no-such-memory'],
    [['demote', secret], 'demote refused no-such-memory'],
    [['adopt', 'user_nobody'], 'adopt user_nobody refused no-such-memory'],
    [['erase', 'user_nobody'], 'erase user_nobody refused no-such-memory'],
    [['archive', 'user_nobody'], 'archive user_nobody refused no-such-memory'],
  ] as const;
  for (const [args] of refused) expect((await new TestTerminal(store.home, args).end()).code).toBe(1);
  writeFileSync(join(store.places.config, 'config.json'), '{"minimumAssurance": 3}');
  for (const verb of ['adopt', 'promote']) expect((await new TestTerminal(store.home, [verb, id]).end()).code).toBe(1);
  expect(audited(store)).toEqual([
    ...refused.map(([, line]) => line),
    `adopt ${id} refused assurance-too-low`,
    `promote ${id} refused assurance-too-low`,
  ]);
  expect(JSON.stringify(store.audit())).not.toContain(secret);
  expect(store.ledgerLines()).toEqual(before);
});

terminalTest('a no to demote changes nothing; a promotion before its time says what to do instead', async () => {
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
  expect(early.code).toBe(1);
  expect(early.shown.replaceAll(/\s+/g, ' ')).toContain('only adopt makes it count');
  const again = new TestTerminal(store.home, ['promote', id]);
  await again.answer('y');
  await again.end();
  expect(lastEntry(store)).toMatchObject({ action: 'reaffirm', id });
});
