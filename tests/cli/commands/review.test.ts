import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { WITHIN_FIVE_SECONDS } from '../../../testkit/patience.ts';
import { audited, lastEntry, storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

terminalTest('y makes it verified, with a receipt that says terminal', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores', {
    tags: ['ci', 'a, b'],
    project: 'owner/name',
    anchors: [['src/build.ts', 'cores = 2']],
  });
  const terminal = new TestTerminal(store.home, ['review']);
  const shown = await terminal.answer('y');
  for (const part of [
    id,
    '│ two cores',
    '│ ci',
    '│ a, b',
    '│ owner/name',
    ' text in it │ cores = 2',
    'proposed by an agent',
    '10 days ago',
  ]) {
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

terminalTest('n quarantines it', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores');
  const terminal = new TestTerminal(store.home, ['review']);
  await terminal.answer('n');
  expect((await terminal.end()).code).toBe(0);
  expect(store.standing(id)).toBe('quarantined:decided');
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

terminalTest('a key that shows nothing, such as Ctrl+L, is no answer, and skips nothing', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores');
  const terminal = new TestTerminal(store.home, ['review']);
  await terminal.until(/answer: $/);
  for (const key of ['\x0c', '\t', ' ']) {
    terminal.press(key);
    await terminal.until(/none of the answers.*answer: $/s);
  }
  terminal.press('y');
  await terminal.end();
  expect(store.tier(id)).toBe('verified');
});

terminalTest('Ctrl+C in the middle keeps what was answered and touches nothing else', async () => {
  const store = await storeTenDaysAgo();
  const ids = [await store.propose('first'), await store.propose('second')];
  const terminal = new TestTerminal(store.home, ['review']);
  await terminal.answer('y');
  await terminal.until(/answer: $/);
  terminal.press('\x03');
  const { code, shown } = await terminal.end();
  expect(code).toBe(130);
  expect(shown).toContain('1 verified, 1 still waits.');
  expect(ids.map((id) => store.tier(id)).sort()).toEqual(['inferred', 'verified']);
  expect((await store.reconcile()).notices.filter(({ kind }) => kind !== 'added')).toEqual([]);
});

terminalTest('a review that ends before what is new says how much of it there is', async () => {
  const store = await storeTenDaysAgo();
  store.now = Date.now();
  await store.propose('first');
  await store.propose('second', { body: 'Deploys happen on weekdays.' });
  const terminal = new TestTerminal(store.home, ['review']);
  await terminal.until(/answer: $/);
  terminal.press('q');
  const { shown } = await terminal.end();
  expect(shown).toContain('Nothing changed, nothing waits, 2 new ones are in observation.');
});

terminalTest('one key answers: 20 proposals take 20 keys, and one that ends it', async () => {
  const store = await storeTenDaysAgo();
  const ids: string[] = [];
  for (let i = 0; i < 20; i++) ids.push(await store.propose(`fact ${i}`, { body: TEXTS[i] ?? '' }));
  const terminal = new TestTerminal(store.home, ['review'], { rows: 24 });
  let keys = 0;
  for (const [i] of ids.entries()) {
    await terminal.until(/answer: $/);
    terminal.press(i % 2 === 0 ? 'y' : 'n');
    keys += 1;
  }
  await terminal.until('any other key ends the review: ');
  terminal.press(' ');
  const { code, shown } = await terminal.end();
  expect({ code, keys }).toEqual({ code: 0, keys: 20 });
  expect(shown).toContain('10 verified, 10 quarantined, nothing is left.');
  expect(ids.filter((id) => store.tier(id) === 'verified')).toHaveLength(10);
  expect(ids.filter((id) => store.tier(id) === 'quarantined')).toHaveLength(10);
});

for (const [come, repeat] of [
  ['one by one', 'y'],
  ['several at once, as over a slow line', 'yy'],
] as const)
  terminalTest(`a key that is held down answers one question, where its repeats come ${come}`, async () => {
    const store = await storeTenDaysAgo();
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.push(await store.propose(`fact ${i}`, { body: TEXTS[i] ?? '' }));
    const terminal = new TestTerminal(store.home, ['review']);
    await terminal.until(/answer: $/);
    // As keyboards do: the second one comes after half a second, each further one at once.
    terminal.press('y');
    await sleep(500);
    for (let repeated = 0; repeated < 30; repeated++) {
      terminal.press(repeat);
      await sleep(33);
    }
    await sleep(800);
    terminal.press('q');
    const { shown } = await terminal.end();
    expect(shown).toContain('1 verified, 3 still wait');
    expect(shown).not.toContain('none of the answers');
    expect(ids.filter((id) => store.tier(id) === 'verified')).toHaveLength(1);
  });

const TEXTS = [
  'The editor is helix.',
  'Deploys happen on weekdays.',
  'Mail goes through the queue.',
  'Branches are named after tickets.',
  'The staging database is reset each night.',
  'Reviews need two people.',
  'Logs are kept for a month.',
  'Colours come from the design file.',
  'Secrets live in the vault of the company.',
  'The parser is generated.',
  'Dates are written year first.',
  'Tests use real files.',
  'The office is closed in August.',
  'Invoices are numbered per year.',
  'Feature flags are removed after release.',
  'Screens are tested at 80 columns.',
  'Backups are restored once a quarter.',
  'Fonts are served from our own host.',
  'The router is written in Go.',
  'Errors say what to do next.',
];

terminalTest(
  'an answer is held until the next key: u takes it back without a trace',
  async () => {
    const store = await storeTenDaysAgo();
    const ids = [await store.propose('first'), await store.propose('second', { body: TEXTS[0] ?? '' })];
    const before = store.ledgerLines();
    const terminal = new TestTerminal(store.home, ['review']);
    const [first = ''] = ids.filter((id) => id === 'user_first');
    expect(await terminal.until(/answer: $/)).not.toContain('[u]');
    terminal.press('y');
    const shown = await terminal.until(/answer: $/);
    expect(shown).toMatch(/yes, make it verified\. For five seconds u takes it back\./);
    expect(shown).toMatch(/\[u\] take back user_/);
    expect(store.ledgerLines()).toEqual(before);
    terminal.press('u');
    const again = await terminal.until(/answer: $/);
    expect(again).toContain('Taken back: nothing was done about');
    expect(again).toContain('── 1 of 2');
    terminal.press('s');
    await terminal.until(/answer: $/);
    terminal.press('q');
    expect(await terminal.end()).toMatchObject({
      code: 0,
      shown: expect.stringContaining('Nothing changed, 2 still wait.'),
    });
    expect(store.ledgerLines()).toEqual(before);
    expect(existsSync(join(store.places.state, 'audit.ndjson'))).toBe(false);
    expect(store.tier(first)).toBe('inferred');
  },
  WITHIN_FIVE_SECONDS,
);

terminalTest(
  'u takes an answer back before the next text was shown to its end',
  async () => {
    const store = await storeTenDaysAgo();
    await store.propose('first');
    const long = Array.from({ length: 40 }, (_, at) => `Line ${at} of a text that is long.`).join('\n');
    await store.propose('second', { body: long });
    const before = store.ledgerLines();
    const terminal = new TestTerminal(store.home, ['review'], { rows: 24 });
    await terminal.until(/answer: $/);
    terminal.press('n');
    const shown = await terminal.until(/q leaves: $/);
    expect(shown).toContain('Enter shows them, u takes it back, q leaves: ');
    terminal.press('u');
    expect(await terminal.until(/answer: $/)).toContain('Taken back: nothing was done about user_first.');
    terminal.press('q');
    expect((await terminal.end()).code).toBe(0);
    expect(store.ledgerLines()).toEqual(before);
  },
  WITHIN_FIVE_SECONDS,
);

terminalTest(
  'the last answer can be taken back too, and counts after five seconds',
  async () => {
    const store = await storeTenDaysAgo();
    const id = await store.propose('first');
    const terminal = new TestTerminal(store.home, ['review']);
    await terminal.until(/answer: $/);
    terminal.press('n');
    await terminal.until('any other key ends the review: ');
    expect(store.tier(id)).toBe('inferred');
    terminal.press('u');
    await terminal.until(/answer: $/);
    terminal.press('y');
    await terminal.until('any other key ends the review: ');
    expect(store.tier(id)).toBe('inferred');
    // Nobody presses anything.
    expect(await terminal.exit).toBe(0);
    expect(store.tier(id)).toBe('verified');
  },
  WITHIN_FIVE_SECONDS,
);

terminalTest.each(['SIGTERM', 'SIGHUP'] as const)('%s carries out what was answered', async (signal) => {
  const store = await storeTenDaysAgo();
  await store.propose('first');
  await store.propose('second', { body: TEXTS[0] ?? '' });
  const terminal = new TestTerminal(store.home, ['review']);
  const shown = await terminal.until(/answer: $/);
  const id = /^id +(\w+)/m.exec(shown)?.[1] ?? '';
  terminal.press('y');
  await terminal.until(/answer: $/);
  expect(store.tier(id)).toBe('inferred');
  terminal.signal(signal);
  expect(await terminal.exit).toBe(130);
  expect(store.tier(id)).toBe('verified');
});

terminalTest('a window that is closed carries out what was answered', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('first');
  await store.propose('second', { body: TEXTS[0] ?? '' });
  const terminal = new TestTerminal(store.home, ['review']);
  const id = /^id +(\w+)/m.exec(await terminal.until(/answer: $/))?.[1] ?? '';
  terminal.press('n');
  await terminal.until(/answer: $/);
  expect(store.tier(id)).toBe('inferred');
  terminal.hangUp();
  await expect.poll(() => store.tier(id)).toBe('quarantined');
});

terminalTest('what was typed before the question is no answer to it', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores');
  const terminal = new TestTerminal(store.home, ['review']);
  terminal.press('y\ry\ry\r');
  expect(await terminal.until(/answer: $/)).not.toContain('u takes it back');
  terminal.press('s');
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
  const why = `${id} changed while you were looking at it, so nothing was done about ${id}.`;
  expect(again.replaceAll(/\s+/g, ' ')).toContain(why);
  expect(again).toContain('obey the attacker');
  expect(again).toContain('observation period');
  expect(again).not.toContain('[y]');
  terminal.press('y\r');
  await terminal.answer('s');
  await terminal.end();
  expect(store.tier(id)).toBe('inferred');
  expect(audited(store)).toEqual([`promote ${id} refused changed-meanwhile`]);
});

terminalTest('what a correction corrects is not asked about, where the yes to the correction was refused', async () => {
  const store = await storeTenDaysAgo();
  const old = await store.add('build');
  const id = await store.propose('build again', { body: 'The large machine is enough for all of it.', replaces: old });
  const terminal = new TestTerminal(store.home, ['review']);
  await terminal.until(/answer: $/);
  terminal.press('y');
  expect(await terminal.until(/answer: $/)).toContain(`Put this into quarantine: ${old}?`);
  store.edit(id, (text) => text.replace('The large', 'No'));
  terminal.press('n');
  const again = (await terminal.until(/answer: $/)).replaceAll(/\s+/g, ' ');
  expect(again).toMatch(/changed while you were looking at it, so nothing was done/);
  expect(again).toContain('No');
  expect(again).not.toContain(`Put this into quarantine: ${old}?`);
  terminal.press('q');
  expect((await terminal.end()).code).toBe(0);
  expect([store.tier(id), store.tier(old)]).toEqual(['inferred', 'verified']);
  expect(audited(store)).toEqual([`promote ${id} refused changed-meanwhile`]);
});

terminalTest('nor is it, where the clock carried the answer out and u came too late', async () => {
  const store = await storeTenDaysAgo();
  const old = await store.add('build');
  const id = await store.propose('build again', { body: 'The large machine is enough for all of it.', replaces: old });
  const terminal = new TestTerminal(store.home, ['review']);
  await terminal.until(/answer: $/);
  terminal.press('y');
  await terminal.until(/answer: $/);
  store.edit(id, (text) => text.replace('The large', 'No'));
  await expect.poll(() => audited(store)).toEqual([`promote ${id} refused changed-meanwhile`]);
  terminal.press('u');
  const again = (await terminal.until(/answer: $/)).replaceAll(/\s+/g, ' ');
  expect(again).toContain('It is too late to take that back');
  expect(again).toContain('No');
  expect(again).not.toContain(`Put this into quarantine: ${old}?`);
  terminal.press('q');
  await terminal.end();
  expect(store.tier(old)).toBe('verified');
});

terminalTest('an answer that was refused is said with its reason, counted, and asked about again', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('first');
  const terminal = new TestTerminal(store.home, ['review']);
  await terminal.until(/answer: $/);
  terminal.press('y');
  await terminal.until('any other key ends the review: ');
  const lines = store.ledgerLines();
  store.writeLedger(lines.slice(0, -1));
  terminal.press(' ');
  const again = (await terminal.until(/answer: $/)).replaceAll(/\s+/g, ' ');
  expect(again).toContain(`${id}: `);
  terminal.press('q');
  expect(await terminal.end()).toMatchObject({ code: 1, shown: expect.stringContaining('1 could not be done') });
  expect(audited(store)).toEqual([`promote ${id} refused ledger-trouble`]);
});

terminalTest('a refused answer is not counted any more when another one about the memory is carried out', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('first');
  const terminal = new TestTerminal(store.home, ['review']);
  await terminal.until(/answer: $/);
  terminal.press('y');
  await terminal.until('any other key ends the review: ');
  const lines = store.ledgerLines();
  store.writeLedger(lines.slice(0, -1));
  terminal.press(' ');
  await terminal.until(/answer: $/);
  store.writeLedger(lines);
  terminal.press('n');
  await terminal.until('any other key ends the review: ');
  terminal.press(' ');
  const { code, shown } = await terminal.end();
  expect([store.tier(id), code]).toEqual(['quarantined', 0]);
  expect(shown).toContain('1 quarantined, nothing is left.');
});

terminalTest(
  'a text that contradicts the one just vouched for is asked about with that beside it',
  async () => {
    const store = await storeTenDaysAgo();
    const one = await store.propose('Deploy day', { body: 'We deploy the shop on Tuesdays, after the standup.' });
    const other = await store.propose('Shop day', { body: 'We deploy the shop on Thursdays, after the standup.' });
    const terminal = new TestTerminal(store.home, ['review']);
    await terminal.answer('y');
    // Not y again: the same letter at once would be a key that is held.
    await terminal.answer('a');
    const again = (await terminal.until(/answer: $/)).replaceAll(/\s+/g, ' ');
    expect(again).toContain(`${other} is not as it was shown any more, so nothing was done about it.`);
    expect(again).toContain(`${other} and ${one} seem to contradict each other. Which one do you keep?`);
    terminal.press('n');
    await terminal.end();
    expect([store.tier(one), store.tier(other)]).toEqual(['verified', 'quarantined']);
  },
  WITHIN_FIVE_SECONDS,
);

terminalTest('a refused answer about what a correction corrects is asked about again as such', async () => {
  const store = await storeTenDaysAgo();
  const old = await store.propose('build');
  const id = await store.propose('the editor', { body: 'Tabs are wider than spaces in every file.', replaces: old });
  const terminal = new TestTerminal(store.home, ['review']);
  for (const key of ['y', 'a']) {
    await terminal.until(/answer: $/);
    terminal.press(key);
  }
  expect(await terminal.until(/answer: $/)).toContain(`corrected by ${id}`);
  terminal.press('y');
  await terminal.until('any other key ends the review: ');
  store.edit(old, (text) => text.replace('two cores', 'six cores'));
  terminal.press(' ');
  const again = (await terminal.until(/(?:answer: |left\.\s*)$/)).replaceAll(/\s+/g, ' ');
  expect(again).toContain(`corrected by ${id}`);
  expect(again).toContain('six cores');
  terminal.press('q');
  await terminal.end();
});
