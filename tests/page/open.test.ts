import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fakeBrowser } from '../../testkit/fake-browser.ts';
import { WITHIN_FIVE_SECONDS } from '../../testkit/patience.ts';
import { knock, Visitor } from '../../testkit/review-page.ts';
import { lastEntry, storeTenDaysAgo, TestTerminal, terminalTest } from '../../testkit/terminal.ts';

const OPENS = 'Enter opens the page';

terminalTest(
  'open hands the overview to the browser; Enter in the terminal closes it and writes what is held',
  async () => {
    const store = await storeTenDaysAgo();
    const id = await store.propose('two cores');
    const browser = fakeBrowser(store);
    const terminal = new TestTerminal(store.home, ['open'], { env: browser.env });
    await terminal.reply(OPENS, '');
    const visitor = await Visitor.enter({ url: await browser.link() });
    expect((await visitor.get('rows')).text).toContain(id);
    const token = await visitor.token(`sheet/${id}`);
    expect(JSON.parse((await visitor.post({ token, key: 'y' })).text)).toMatchObject({ kind: 'held', key: id });
    await terminal.reply('Enter here closes it', '');
    const { code, shown } = await terminal.end();
    expect(code).toBe(0);
    expect(shown).toContain('1 decided on the page');
    expect(shown).not.toContain('127.0.0.1');
    expect(store.standing(id)).toBe('verified:vouched');
    expect(lastEntry(store)).toMatchObject({ action: 'promote', by: { channel: 'page', level: 1 } });
    expect(existsSync(join(store.places.state, 'open-review.html'))).toBe(false);
  },
);

terminalTest('Ctrl+C writes what is held too, and ends the page', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores');
  const browser = fakeBrowser(store);
  const terminal = new TestTerminal(store.home, ['open'], { env: browser.env });
  await terminal.reply(OPENS, '');
  const url = await browser.link();
  const visitor = await Visitor.enter({ url });
  const token = await visitor.token(`sheet/${id}`);
  expect(JSON.parse((await visitor.post({ token, key: 'n' })).text)).toMatchObject({ kind: 'held' });
  await terminal.until('Enter here closes it');
  terminal.press('\x03');
  expect((await terminal.end()).code).toBe(130);
  expect(store.standing(id)).toBe('quarantined:decided');
  await expect(knock(url)).rejects.toThrow();
});

terminalTest(
  'a TERM writes what is held too, and leaves no file with the link behind',
  async () => {
    const store = await storeTenDaysAgo();
    const [id, undone] = [await store.propose('two cores'), await store.propose('three cores')];
    const browser = fakeBrowser(store);
    const terminal = new TestTerminal(store.home, ['open'], { env: browser.env });
    await terminal.reply(OPENS, '');
    const url = await browser.link();
    const visitor = await Visitor.enter({ url });
    const answer = async (about: string) =>
      JSON.parse((await visitor.post({ token: await visitor.token(`sheet/${about}`), key: 'y' })).text);
    const { undo } = await answer(undone);
    expect(JSON.parse((await visitor.post({ undo }, {}, 'undo')).text)).toMatchObject({ kind: 'undone' });
    expect(await answer(id)).toMatchObject({ kind: 'held' });
    await terminal.until('Enter here closes it');
    expect(store.tier(id)).toBe('inferred');
    process.kill(browser.startedBy(), 'SIGTERM');
    await terminal.end();
    expect([store.standing(id), store.tier(undone)]).toEqual(['verified:vouched', 'inferred']);
    expect(lastEntry(store)).toMatchObject({ action: 'promote', id, by: { channel: 'page', level: 1 } });
    expect(existsSync(join(store.places.state, 'open-review.html'))).toBe(false);
    await expect(knock(url)).rejects.toThrow();
  },
  WITHIN_FIVE_SECONDS,
);

terminalTest('open opens nothing before somebody at the terminal said so', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('two cores');
  const browser = fakeBrowser(store);
  const terminal = new TestTerminal(store.home, ['open'], { env: browser.env });
  await terminal.reply(OPENS, 'q');
  expect((await terminal.end()).code).toBe(0);
  expect(existsSync(join(store.home, 'handed.html'))).toBe(false);
});
