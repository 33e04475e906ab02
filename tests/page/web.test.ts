import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fakeBrowser } from '../../testkit/fake-browser.ts';
import { knock, Visitor } from '../../testkit/review-page.ts';
import { lastEntry, storeTenDaysAgo, TestTerminal, terminalTest } from '../../testkit/terminal.ts';

const OPENS = 'Enter opens the page';

/** The page that a person opened from a terminal to review one memory, and others. */
async function openedPage(...others: string[]) {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores');
  for (const each of others) await store.propose(each);
  const browser = fakeBrowser(store);
  const terminal = new TestTerminal(store.home, ['review', '--web'], { env: browser.env });
  await terminal.reply(OPENS, '');
  return { store, id, terminal, url: await browser.link() };
}

terminalTest('review --web hands the page to the browser, and its receipts carry the terminal’s level', async () => {
  const { store, id, terminal, url } = await openedPage();
  const visitor = await Visitor.enter({ url });
  const token = await visitor.token();
  expect((await visitor.post({ token, key: 'y' })).status).toBe(303);
  await expect.poll(async () => (await visitor.get()).text).toContain('All is settled');
  const { code, shown } = await terminal.end();
  expect(code).toBe(0);
  expect(shown).toContain('1 decided on the page');
  expect(shown).not.toContain('127.0.0.1');
  expect(store.standing(id)).toBe('verified:vouched');
  expect(lastEntry(store)).toMatchObject({ action: 'promote', by: { channel: 'page', level: 1 } });
  expect(existsSync(join(store.places.state, 'open-review.html'))).toBe(false);
});

terminalTest('review --web opens nothing before somebody at the terminal said so', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('two cores');
  const browser = fakeBrowser(store);
  const terminal = new TestTerminal(store.home, ['review', '--web'], { env: browser.env });
  await terminal.reply(OPENS, 'q');
  expect((await terminal.end()).code).toBe(0);
  expect(existsSync(join(store.home, 'handed.html'))).toBe(false);
});

terminalTest('an answer that cannot be carried out when Enter closes the page is told in the terminal', async () => {
  const { store, id, terminal, url } = await openedPage();
  const visitor = await Visitor.enter({ url });
  await visitor.post({ token: await visitor.token(), key: 'y' });
  store.edit(id, (text) => text.replace(/\n---\n[\s\S]*/, '\n---\nAnother text was put into its place.\n'));
  await terminal.reply('Enter here closes it', '');
  const { code, shown } = await terminal.end();
  expect(shown.replaceAll(/\s+/g, ' ')).toContain(
    `Not every answer was carried out. ${id} changed while you were looking at it, so nothing was done about ${id}.`,
  );
  expect(code).toBe(1);
  expect(store.tier(id)).toBe('inferred');
});

terminalTest('an answer that could not be carried out is told in the terminal after Stop here', async () => {
  const { store, id: second, terminal, url } = await openedPage('four cores');
  const visitor = await Visitor.enter({ url });
  const token = await visitor.token();
  const [, id = ''] = /<p class="id"><code>(\w+)/.exec((await visitor.get()).text) ?? [];
  await visitor.post({ token, key: 'y' });
  store.edit(id, (text) => text.replace(/\n---\n[\s\S]*/, '\n---\nAnother text was put into its place.\n'));
  await visitor.post({ token: await visitor.token(), key: 'q' });
  const { code, shown } = await terminal.end();
  expect(shown.replaceAll(/\s+/g, ' ')).toContain(
    `Nothing changed. Not every answer was carried out. ${id} changed while you were looking at it, so nothing was done about ${id}.`,
  );
  expect(code).toBe(1);
  expect([store.tier(id), store.tier(second)]).toEqual(['inferred', 'inferred']);
});

terminalTest('an answer that is given again and carried out is not told as lost', async () => {
  const { store, terminal, url } = await openedPage('four cores');
  const visitor = await Visitor.enter({ url });
  const token = await visitor.token();
  const [, id = ''] = /<p class="id"><code>(\w+)/.exec((await visitor.get()).text) ?? [];
  await visitor.post({ token, key: 'y' });
  const unread = store.text('memories', id);
  store.edit(id, (text) => text.replace(/\n---\n[\s\S]*/, '\n---\nAnother text was put into its place.\n'));
  await visitor.post({ token: await visitor.token(), key: 's' });
  store.edit(id, () => unread);
  await visitor.post({ token: await visitor.token(), key: 'y' });
  const { code, shown } = await terminal.end();
  expect(shown).toContain('1 decided on the page.');
  expect(shown).not.toContain('Not every answer');
  expect([code, store.tier(id)]).toEqual([0, 'verified']);
});

terminalTest('a link that is used twice is reported at the terminal', async () => {
  const { store, id, terminal, url } = await openedPage();
  await knock(url);
  await knock(url);
  const { code, shown } = await terminal.end();
  expect(code).toBe(1);
  expect(shown.match(/used twice/g)).toHaveLength(1);
  expect(shown.replaceAll(/\s+/g, ' ')).toContain('another program has read the link. Nothing was decided on it.');
  expect(store.tier(id)).toBe('inferred');
});

terminalTest('Ctrl+C closes the page, and without a browser the file is named', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('two cores');
  const bin = join(store.home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'xdg-open'), '#!/bin/sh\nexit 3\n', { mode: 0o755 });
  const terminal = new TestTerminal(store.home, ['review', '--web'], { env: { PATH: `${bin}:${process.env.PATH}` } });
  await terminal.reply(OPENS, '');
  // What follows, once the browser has failed, names the address.
  const shown = await terminal.until(/No browser[\s\S]*Enter here closes it: $/);
  const [opened = '', otherwise = ''] = shown.split('No browser');
  expect(opened).toContain('open this file');
  expect(opened.replaceAll('\n', '')).not.toContain('127.0.0.1');
  // None is enrolled.
  expect(otherwise).not.toContain('passkey');
  const file = join(store.places.state, 'open-review.html');
  const url = /url=(http:[^"]+)"/.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
  terminal.press('\x03');
  expect((await terminal.end()).code).toBe(130);
  await expect(knock(url)).rejects.toThrow();
  expect(existsSync(file)).toBe(false);
});
