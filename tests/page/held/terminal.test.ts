import { expect } from 'vitest';
import { fakeBrowser } from '../../../testkit/fake-browser.ts';
import { WITHIN_FIVE_SECONDS } from '../../../testkit/patience.ts';
import { Visitor } from '../../../testkit/review-page.ts';
import { lastEntry, storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

/** A person at a terminal whose browser has just sent a yes. */
async function answeredOnPage() {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores');
  const browser = fakeBrowser(store);
  const terminal = new TestTerminal(store.home, ['review', '--web'], { env: browser.env });
  await terminal.reply('Enter opens the page', '');
  const visitor = await Visitor.enter({ url: await browser.link() });
  await terminal.until('Enter here closes it');
  expect((await visitor.post({ token: await visitor.token(), key: 'y' })).status).toBe(303);
  expect((await visitor.get()).text).toContain('Your last answer is held for five seconds');
  expect([store.tier(id), terminal.screen.includes('decided')]).toEqual(['inferred', false]);
  return { store, id, terminal, visitor, pid: browser.startedBy() };
}

terminalTest(
  'the terminal says what was decided after the answer was carried out, and not before',
  async () => {
    const { store, id, terminal } = await answeredOnPage();
    const { code, shown } = await terminal.end();
    expect([code, shown.includes('1 decided on the page.')]).toEqual([0, true]);
    expect(store.standing(id)).toBe('verified:vouched');
    expect(lastEntry(store)).toMatchObject({ action: 'promote', by: { channel: 'page', level: 1 } });
  },
  WITHIN_FIVE_SECONDS,
);

terminalTest(
  'an answer that was taken back leaves the terminal waiting, and nothing is decided',
  async () => {
    const { store, id, terminal, visitor } = await answeredOnPage();
    const undo = /name="undo" value="([0-9a-f]{64})"/.exec((await visitor.get()).text)?.[1] ?? '';
    await visitor.post({ undo }, {}, 'undo');
    await visitor.post({ token: await visitor.token(), key: 'q' });
    expect((await visitor.get()).text).toContain('Nothing was changed');
    const { code, shown } = await terminal.end();
    expect([code, shown.includes('Nothing changed.')]).toEqual([0, true]);
    expect(store.tier(id)).toBe('inferred');
  },
  WITHIN_FIVE_SECONDS,
);

terminalTest(
  'Enter at the terminal carries out what is held',
  async () => {
    const { store, id, terminal } = await answeredOnPage();
    terminal.press('\r');
    const { code, shown } = await terminal.end();
    expect([code, shown.includes('1 decided on the page.')]).toEqual([0, true]);
    expect(store.standing(id)).toBe('verified:vouched');
  },
  WITHIN_FIVE_SECONDS,
);

terminalTest(
  'Ctrl+C carries out what is held and says so, before it says that nothing else was done',
  async () => {
    const { store, id, terminal } = await answeredOnPage();
    terminal.press('\x03');
    const { code, shown } = await terminal.end();
    expect(code).toBe(130);
    expect(shown).toMatch(/1 decided on the page\.\s+Interrupted\./);
    expect(store.standing(id)).toBe('verified:vouched');
  },
  WITHIN_FIVE_SECONDS,
);

terminalTest(
  'a closed window carries out what is held',
  async () => {
    const { store, id, terminal, pid } = await answeredOnPage();
    process.kill(pid, 'SIGHUP');
    await terminal.end();
    expect(store.standing(id)).toBe('verified:vouched');
  },
  WITHIN_FIVE_SECONDS,
);

terminalTest(
  'a kill loses what is held, and the memory still waits',
  async () => {
    const { store, id, terminal, pid } = await answeredOnPage();
    const before = store.ledgerLines();
    process.kill(pid, 'SIGKILL');
    await terminal.end();
    expect([store.standing(id), store.ledgerLines()]).toEqual(['inferred:proposed', before]);
  },
  WITHIN_FIVE_SECONDS,
);
