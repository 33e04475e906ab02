import { expect } from 'vitest';
import { fakeBrowser } from '../../../testkit/fake-browser.ts';
import { storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

/** A shell with jobs: where its job is stopped, it reads a line of the person's and brings the job back. */
const SHELL = ['/bin/sh', '-c', 'set -m; "$@"; printf "in the shell: "; read line; fg', 'sh'];
const CTRL_Z = '\x1a';

/** Stops the program at this prompt and brings it back; `ahead` is typed before it is there again. */
async function stopAndGoOn(terminal: TestTerminal, prompt: string | RegExp, ahead = ''): Promise<void> {
  await terminal.until(prompt);
  terminal.press(CTRL_Z);
  await terminal.until('in the shell: ');
  terminal.press(`\r${ahead}`);
}

terminalTest('after Ctrl+Z and fg a question is asked again, and nothing typed meanwhile answers it', async () => {
  const store = await storeTenDaysAgo();
  const terminal = new TestTerminal(store.home, ['remember', 'We deploy only on weekdays.'], { wrap: SHELL });
  await terminal.until(/answer: $/);
  terminal.press('y');
  await stopAndGoOn(terminal, 'y', 'y\r');
  expect(await terminal.until(/answer: $/)).toContain('Store this as verified');
  expect(store.files('memories')).toEqual([]);
  terminal.press('y\r');
  expect((await terminal.end()).code).toBe(0);
  expect(store.files('memories')).toHaveLength(1);
});

terminalTest('after Ctrl+Z and fg one key answers again, and none that was typed meanwhile', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores');
  const terminal = new TestTerminal(store.home, ['review'], { wrap: SHELL });
  await stopAndGoOn(terminal, /answer: $/, 'n');
  expect(await terminal.until(/answer: $/)).toContain(`${id}?`);
  // Without Enter, and not echoed by the terminal itself.
  terminal.press('y');
  await terminal.until('any other key ends the review: ');
  terminal.press('x');
  expect((await terminal.end()).code).toBe(0);
  expect(store.tier(id)).toBe('verified');
});

terminalTest('after Ctrl+Z and fg the rest of a line is typed, and Ctrl+C ends the question', async () => {
  const store = await storeTenDaysAgo();
  const terminal = new TestTerminal(store.home, ['remember'], { wrap: SHELL });
  await terminal.until('what to remember: ');
  terminal.press('We deploy only');
  await stopAndGoOn(terminal, 'only');
  await terminal.until('what to remember: We deploy only');
  terminal.press(' on weekdays.\r');
  expect(await terminal.until(/answer: $/)).toContain('│ We deploy only on weekdays.');
  terminal.press('\x03');
  expect((await terminal.end()).code).toBe(130);
});

terminalTest('after Ctrl+Z and fg Enter closes the page', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('two cores');
  const terminal = new TestTerminal(store.home, ['open'], { env: fakeBrowser(store).env, wrap: SHELL });
  await terminal.reply('Enter opens the page', '');
  await stopAndGoOn(terminal, 'Enter here closes it: ');
  await terminal.reply('Enter here closes it: ', '');
  expect((await terminal.end()).shown).toContain('Nothing changed.');
});

terminalTest('where no shell could bring it back, Ctrl+Z only asks again', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores');
  const terminal = new TestTerminal(store.home, ['review']);
  await terminal.until(/answer: $/);
  terminal.press(CTRL_Z);
  await terminal.answer('y');
  expect((await terminal.end()).code).toBe(0);
  expect(store.tier(id)).toBe('verified');
});
