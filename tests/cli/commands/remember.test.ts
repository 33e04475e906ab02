import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { suggestWording } from '../../../src/core/memory/suggest-wording.ts';
import { editor, lastEntry, storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

terminalTest('one line and one yes: type and name are suggested, and it is verified', async () => {
  const store = await storeTenDaysAgo();
  const terminal = new TestTerminal(store.home, ['remember', 'We deploy only on weekdays.'], { columns: 80, rows: 24 });
  const shown = await terminal.answer('y');
  expect(shown).toContain('│ We deploy only on weekdays.');
  expect(await terminal.end()).toMatchObject({
    code: 0,
    shown: expect.stringContaining('user_we_deploy_only_on_weekdays is verified.'),
  });
  expect(store.standing('user_we_deploy_only_on_weekdays')).toBe('verified:vouched');
  expect(lastEntry(store)).toMatchObject({ action: 'add', by: { actor: 'operator', channel: 'terminal' } });
});

terminalTest('what a line contradicts is named before the yes', async () => {
  const store = await storeTenDaysAgo();
  const old = await store.verified('Deploy day', { body: 'We deploy the shop on Tuesdays, after the standup.' });
  const terminal = new TestTerminal(store.home, ['remember', 'We deploy the shop on Fridays, after the standup.']);
  const asked = (await terminal.answer('y')).replaceAll(/\s+/g, ' ');
  expect(asked).toContain(`conflict with ${old}, which is verified: they cannot both hold, as far as the words show`);
  expect((await terminal.end()).code).toBe(0);
  expect(store.tier(old)).toBe('verified');
});

terminalTest('one “never” is not taken for three, although name and description repeat it', async () => {
  const store = await storeTenDaysAgo();
  const shown = await new TestTerminal(store.home, ['remember', 'Never push to main.']).answer('y');
  expect(shown).toContain('│ Never push to main.');
  expect(shown).not.toContain('three times');
});

terminalTest('without a text it asks for the line; in a repository the project is its own', async () => {
  const store = await storeTenDaysAgo();
  const shop = join(store.home, 'shop');
  execFileSync('git', ['init', '-q', '-b', 'main', shop]);
  execFileSync('git', ['-C', shop, 'remote', 'add', 'origin', 'https://example.com/acme/shop.git']);
  const terminal = new TestTerminal(store.home, ['remember'], { wrap: ['env', '-C', shop] });
  await terminal.reply('what to remember: ', 'The build runs at night.');
  const shown = await terminal.answer('y');
  expect(shown).toMatch(/^type +project/m);
  expect(shown).toContain('│ acme/shop');
  expect((await terminal.end()).code).toBe(0);
  expect(store.tier('project_the_build_runs_at_night')).toBe('verified');
});

terminalTest('n stores nothing, and e changes what was suggested', async () => {
  const store = await storeTenDaysAgo();
  const env = { EDITOR: editor(store.home, 'sed -i "s/^name: .*/name: Release days/" "$1"') };
  const terminal = new TestTerminal(store.home, ['remember', 'We', 'deploy', 'on', 'weekdays.'], { env });
  await terminal.answer('e');
  expect(await terminal.answer('n')).toContain('│ Release days');
  expect(await terminal.end()).toMatchObject({ code: 1, shown: expect.stringContaining('Nothing was stored.') });
  expect(store.files('memories')).toEqual([]);
});

terminalTest('what was blocked twice is left with one s, and what was there before is asked about again', async () => {
  const store = await storeTenDaysAgo();
  const env = { EDITOR: editor(store.home, 'sed -i "s/^name: .*/name: one: two/" "$1"') };
  const terminal = new TestTerminal(store.home, ['remember', 'We', 'deploy', 'on', 'weekdays.'], { env });
  await terminal.answer('e');
  for (const key of ['e', 's']) expect(await terminal.answer(key)).toContain('cannot be read as a memory');
  expect(await terminal.answer('n')).toContain('Store this as verified, as your own words');
  expect(await terminal.end()).toMatchObject({ code: 1, shown: expect.stringContaining('Nothing was stored.') });
});

terminalTest('Enter or the end of input instead of a line says that nothing was stored', async () => {
  const store = await storeTenDaysAgo();
  for (const keys of ['\r', '\x04']) {
    const terminal = new TestTerminal(store.home, ['remember']);
    await terminal.until('what to remember: ');
    terminal.press(keys);
    expect(await terminal.end()).toMatchObject({ code: 1, shown: expect.stringContaining('Nothing was stored.') });
  }
  expect(store.files('memories')).toEqual([]);
});

test.each([
  ['We deploy only on weekdays.', undefined, 'user'],
  ['We deploy only on weekdays.', 'acme/shop', 'project'],
  ['I prefer tabs.', 'acme/shop', 'user'],
  ['Never push to main.', 'acme/shop', 'feedback'],
  ['The wiki is at https://example.com/wiki', 'acme/shop', 'reference'],
])('%s (in %s) is suggested as %s', (line, project, type) => {
  expect(suggestWording(line, project)).toMatchObject({ type, body: line });
});

test('a long line has a short name, cut between words', () => {
  const line = 'The staging database is reset each night at three, so nobody should keep anything there for long.';
  expect(suggestWording(line, undefined)).toMatchObject({
    name: 'The staging database is reset each night at…',
    description: line,
  });
  expect([...suggestWording('x'.repeat(300), undefined).name]).toHaveLength(48);
});
