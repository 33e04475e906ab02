import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { fakeBrowser } from '../../testkit/fake-browser.ts';
import { describeInBrowser, launch, press, quiet, settled } from '../../testkit/review-page.ts';
import { storeTenDaysAgo, TestTerminal, terminalTest } from '../../testkit/terminal.ts';

describeInBrowser('the end of surety review --web, in a real browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  /** A person at a terminal with the page in front of them, on its first sheet. */
  async function reviewing() {
    const store = await storeTenDaysAgo();
    const id = await store.propose('two cores');
    const handed = fakeBrowser(store);
    const terminal = new TestTerminal(store.home, ['review', '--web'], { env: handed.env });
    await terminal.reply('Enter opens the page', '');
    const context = await browser.newContext();
    onTestFinished(() => void context.close().catch(() => {}));
    const tab = await context.newPage();
    await tab.goto(await handed.link());
    await tab.waitForURL((url) => !url.pathname.includes('/open/'));
    await settled(tab);
    await quiet(tab);
    return { store, id, terminal, tab, pid: handed.startedBy() };
  }

  async function expectEnd(tab: Tab, ...words: string[]): Promise<void> {
    for (const each of words) await tab.getByText(each).first().waitFor();
    expect(await tab.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(250, 248, 244)');
    expect(await tab.locator('button:visible').count()).toBe(0);
  }

  terminalTest('after the last answer the browser has the whole last page when the process is gone', async () => {
    const { terminal, tab, store, id } = await reviewing();
    await press(tab, 'y');
    expect((await terminal.end()).code).toBe(0);
    await expectEnd(tab, 'All is settled', 'is verified', 'Back in your terminal, go on');
    expect(store.tier(id)).toBe('verified');
  });

  terminalTest('after Stop here', async () => {
    const { terminal, tab } = await reviewing();
    await press(tab, 'q');
    expect((await terminal.end()).code).toBe(0);
    await expectEnd(tab, 'Nothing was changed', '1 memory still waits', 'Back in your terminal, go on');
  });

  terminalTest('after Enter in the terminal', async () => {
    const { terminal, tab } = await reviewing();
    await terminal.reply('Enter here closes it', '');
    expect((await terminal.end()).code).toBe(0);
    await expectEnd(tab, 'The review was ended in the terminal', '1 memory still waits');
  });

  terminalTest('after Ctrl+C', async () => {
    const { terminal, tab } = await reviewing();
    terminal.press('\x03');
    expect((await terminal.end()).code).toBe(130);
    await expectEnd(tab, 'The review was ended in the terminal', '1 memory still waits');
  });

  terminalTest('after a TERM, which leaves no file with the link behind', async () => {
    const { terminal, tab, pid, store } = await reviewing();
    process.kill(pid, 'SIGTERM');
    await terminal.end();
    await expectEnd(tab, 'The review was ended in the terminal', '1 memory still waits');
    expect(existsSync(join(store.places.state, 'open-review.html'))).toBe(false);
  });

  terminalTest('after the window was closed', async () => {
    const { terminal, tab } = await reviewing();
    terminal.hangUp();
    await terminal.exit;
    await expectEnd(tab, 'The review was ended in the terminal', '1 memory still waits');
  });

  terminalTest('after the window was closed while an answer was held, which is carried out', async () => {
    const { terminal, tab, store, id } = await reviewing();
    await press(tab, 'y');
    await tab.getByText('is held for five seconds').waitFor();
    terminal.hangUp();
    await terminal.exit;
    await expectEnd(tab, 'is verified', 'Back in your terminal, go on');
    expect(store.tier(id)).toBe('verified');
  });

  terminalTest('after a kill the tab says by itself that nobody answers, and takes no keys', async () => {
    const { terminal, tab, pid } = await reviewing();
    process.kill(pid, 'SIGKILL');
    await terminal.end();
    await expectEnd(tab, 'or the connection to it was cut', 'ssh -L', 'surety review shows what still waits');
    const url = tab.url();
    await tab.keyboard.press('y');
    await tab.waitForTimeout(200);
    expect(tab.url()).toBe(url);
    await expectEnd(tab, 'Surety does not answer any more');
    const folder = process.env.SCREENSHOTS;
    for (const colorScheme of ['light', 'dark'] as const) {
      await tab.emulateMedia({ colorScheme });
      if (folder !== undefined) await tab.screenshot({ path: join(folder, `killed-${colorScheme}.png`) });
    }
  });
});
