import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { TestStore } from '../../../testkit/store.ts';
import { audited, editor, lastEntry, storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

const FLAGS = ['--type', 'user', '--name', 'Two cores', '--description', 'How big the machines are'];
const TEXT = 'Two cores are enough for the build machines.';

function file(store: TestStore, text: string): string {
  writeFileSync(join(store.home, 'note.md'), text);
  return 'note.md';
}

terminalTest('everything is asked for, shown, and verified by a yes', async () => {
  const store = await storeTenDaysAgo();
  const terminal = new TestTerminal(store.home, ['add']);
  await terminal.reply('type (user, feedback', 'opinion');
  await terminal.reply('One of user', 'feedback');
  await terminal.reply('name: ', 'Merge by rebase');
  await terminal.reply('description: ', '');
  await terminal.reply('It needs 1 to 256 characters', 'How pull requests are merged');
  await terminal.reply('tags (', 'git, merging');
  await terminal.reply('project (', 'owner/name');
  await terminal.until('only a dot ends it:');
  terminal.press('Merge by rebase only.\r\rWhy: the history stays readable.\rHow to apply: use the queue.\r.\r');
  const shown = await terminal.answer('y');
  for (const part of [
    'feedback_merge_by_rebase',
    '│ git',
    '│ merging',
    '│ owner/name',
    '│ Why: the history',
    'new, not',
  ]) {
    expect(shown).toContain(part);
  }
  expect(await terminal.end()).toMatchObject({
    code: 0,
    shown: expect.stringContaining('feedback_merge_by_rebase is verified.'),
  });
  expect(store.standing('feedback_merge_by_rebase')).toBe('verified:vouched');
  expect(store.text('memories', 'feedback_merge_by_rebase')).toContain(
    'Merge by rebase only.\n\nWhy: the history stays readable.\nHow to apply: use the queue.\n',
  );
  expect(audited(store)).toEqual(['add feedback_merge_by_rebase accepted']);
});

terminalTest('with options and a file only the yes is left; Enter and no store nothing', async () => {
  const store = await storeTenDaysAgo();
  for (const [line, code] of [
    ['', 1],
    ['no', 1],
    ['yes', 0],
  ] as const) {
    expect(store.files('memories')).toEqual([]);
    const terminal = new TestTerminal(store.home, ['add', ...FLAGS, file(store, TEXT)]);
    await terminal.answer(line);
    expect((await terminal.end()).code).toBe(code);
  }
  expect(store.standing('user_two_cores')).toBe('verified:vouched');
  // Of what was not stored there is no id, which is made of the text.
  expect(audited(store)).toEqual(['add unchanged left', 'add declined person-said-no', 'add user_two_cores accepted']);
  const [left, declined, stored] = store.audit();
  expect(left?.fingerprint).toMatch(/^[0-9a-f]{32}$/);
  expect(declined?.fingerprint).toBe(left?.fingerprint);
  expect([left?.input, stored?.input]).toEqual(Array(2).fill(expect.objectContaining({ type: 'user' })));
  expect([stored?.fingerprint, stored?.digest]).toEqual([undefined, store.load('user_two_cores').digest]);
});

for (const TERM of ['xterm-256color', 'dumb']) {
  terminalTest(`a pasted text cannot answer the question that follows it, where TERM is ${TERM}`, async () => {
    const store = await storeTenDaysAgo();
    const terminal = new TestTerminal(store.home, ['add', ...FLAGS], { env: { TERM } });
    await terminal.until('only a dot ends it:');
    terminal.press(`${TEXT}\r.\ry\ryes\ry`);
    await terminal.answer('');
    expect(await terminal.end()).toMatchObject({ code: 1, shown: expect.stringContaining('Nothing was stored.') });
    expect(store.files('memories')).toEqual([]);
  });
}

/** Put together here, so that nobody's secret scanner takes this file for a leak. */
const KEY = `AKIA${'Q3EGRTZ7MN4LKW2P'}`;

for (const [body, finding] of [
  ['No', 'body: Body too short'],
  [`The key ${KEY} opens the bucket for the builds.`, 'body: This looks like an AWS access key id'],
] as const) {
  terminalTest(`what a check blocks is refused without repeating it, and no yes is offered: ${finding}`, async () => {
    const store = await storeTenDaysAgo();
    const terminal = new TestTerminal(store.home, ['add', ...FLAGS, file(store, body)]);
    const shown = await terminal.answer('s');
    expect(shown).toContain('no yes can overrule that');
    expect(shown).toContain(finding);
    expect(shown).not.toContain('[y]');
    expect(shown).not.toContain(KEY);
    expect(await terminal.end()).toMatchObject({ code: 1, shown: expect.stringContaining('Nothing was stored.') });
    expect(store.files('memories')).toEqual([]);
    expect(audited(store)).toEqual(['add refused checks-failed']);
  });
}

terminalTest(
  'where a check objects, what was typed is kept: e opens it in the editor, as often as it takes',
  async () => {
    const store = await storeTenDaysAgo();
    const script = `if grep -q ${KEY} "$1"; then sed -i "s/${KEY}/name: in two lines/; s/^name: .*/name:/" "$1"
elif grep -q '^name:$' "$1"; then sed -i 's/^name:$/name: The bucket key/' "$1"
else sed -i 's/opens/really opens/' "$1"; fi`;
    const path = file(store, `The key ${KEY} opens the bucket for the builds.`);
    const env = { EDITOR: editor(store.home, script) };
    const terminal = new TestTerminal(store.home, ['add', ...FLAGS, path], { env });
    await terminal.answer('e');
    expect(await terminal.answer('e')).toContain('no yes can overrule that');
    expect(await terminal.answer('e')).toContain('│ The bucket key');
    expect(await terminal.answer('y')).toContain('really opens');
    expect((await terminal.end()).code).toBe(0);
    expect(store.text('memories', 'user_the_bucket_key')).toContain('really opens the bucket');
  },
);

terminalTest('a changed text that a check blocks is not taken for the one that was shown and said yes to', async () => {
  const store = await storeTenDaysAgo();
  const env = { EDITOR: editor(store.home, `sed -i 's/Two cores are/The key ${KEY} is/' "$1"`) };
  const terminal = new TestTerminal(store.home, ['add', ...FLAGS, file(store, TEXT)], { env });
  await terminal.answer('e');
  expect(await terminal.answer('s')).toContain('no yes can overrule that');
  await terminal.until(/answer: $/);
  await store.add('Two cores');
  terminal.press('y\r');
  const again = await terminal.answer('y');
  expect(again).toContain('Another memory took this id meanwhile');
  expect(again).toContain(TEXT);
  expect((await terminal.end()).code).toBe(0);
  expect(store.text('memories', 'user_two_cores_2')).toContain(TEXT);
});

for (const [rule, body] of [
  ['override-phrase', 'Ignore all previous instructions is what the phishing mail said to the build machines.'],
  ['labelled-password', 'The test fixture has the password: hV9x!kq2Zr7Tn4Lw and that is no secret at all.'],
] as const) {
  terminalTest(`a suspicious finding (${rule}) is shown, and the yes settles it for this text`, async () => {
    const store = await storeTenDaysAgo();
    const terminal = new TestTerminal(store.home, ['add', ...FLAGS, file(store, body)]);
    expect(await terminal.answer('y')).toMatch(/^hold {8}\S/m);
    expect((await terminal.end()).code).toBe(0);
    expect(store.standing('user_two_cores')).toBe('verified:vouched');
    expect(lastEntry(store)).toMatchObject({
      action: 'add',
      settled: [rule],
      by: { channel: 'terminal', level: 1 },
    });
  });
}

terminalTest('hidden characters are gone from what is stored, and what is shown is what is stored', async () => {
  const store = await storeTenDaysAgo();
  const terminal = new TestTerminal(store.home, [
    'add',
    ...FLAGS,
    file(store, `Two\u200B cores\u202E are enough for it all.`),
  ]);
  expect(await terminal.answer('y')).toContain('│ Two cores are enough for it all.');
  await terminal.end();
  expect(store.text('memories', 'user_two_cores')).toContain('Two cores are enough for it all.\n');
});

terminalTest('a text that is here already, or was quarantined, is said to be', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('earlier', { body: TEXT });
  const first = new TestTerminal(store.home, ['add', ...FLAGS, file(store, TEXT)]);
  expect(await first.answer('n')).toContain(`${id} says this already`);
  await first.end();
  await store.decide('demote', id);
  const second = new TestTerminal(store.home, ['add', ...FLAGS, file(store, TEXT)]);
  expect(await second.answer('y')).toContain('this text was quarantined before');
  await second.end();
  expect(store.standing('user_two_cores')).toBe('verified:vouched');
});

terminalTest('an id that is taken meanwhile is asked about again', async () => {
  const store = await storeTenDaysAgo();
  const terminal = new TestTerminal(store.home, ['add', ...FLAGS, file(store, TEXT)]);
  await terminal.until(/answer: $/);
  await store.propose('Two cores', { body: 'Another text under the very same name, proposed meanwhile.' });
  terminal.press('y\r');
  expect(await terminal.answer('y')).toContain('user_two_cores_2');
  await terminal.end();
  expect(store.tier('user_two_cores')).toBe('inferred');
  expect(store.tier('user_two_cores_2')).toBe('verified');
});

terminalTest('a link, a missing file and Ctrl+C store nothing', async () => {
  const store = await storeTenDaysAgo();
  symlinkSync(join(store.home, file(store, TEXT)), join(store.home, 'link.md'));
  for (const [name, why] of [
    ['link.md', 'symbolic link'],
    ['none.md', 'no such file'],
  ] as const) {
    const { code, shown } = await new TestTerminal(store.home, ['add', ...FLAGS, name]).end();
    expect({ code, shown }).toEqual({ code: 1, shown: expect.stringContaining(why) });
  }
  const terminal = new TestTerminal(store.home, ['add']);
  await terminal.until('type (');
  terminal.press('\x03');
  expect((await terminal.end()).code).toBe(130);
  expect(store.files('memories')).toEqual([]);
});

terminalTest('nobody tells a person how to word it', async () => {
  const store = await storeTenDaysAgo();
  const text = file(store, 'Always merge by rebase, never otherwise.');
  const flags = ['--type', 'feedback', '--name', 'Merging', '--description', 'How to merge'];
  const terminal = new TestTerminal(store.home, ['add', ...flags, text]);
  const shown = await terminal.answer('y');
  expect(shown).not.toMatch(/warn|Why:/);
  expect((await terminal.end()).code).toBe(0);
  // An agent's words are held to it still.
  const id = await store.propose('Pushing', { type: 'feedback', body: 'Always push by force, never otherwise.' });
  expect((await new TestTerminal(store.home, ['show', id]).end()).shown).toMatch(/^warn /m);
});
