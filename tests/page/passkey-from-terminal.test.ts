import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { fakeBrowser } from '../../testkit/fake-browser.ts';
import { pressUntil } from '../../testkit/overview-page.ts';
import { describeInBrowser, launch, settled } from '../../testkit/review-page.ts';
import { lastEntry, storeTenDaysAgo, TestTerminal, terminalTest } from '../../testkit/terminal.ts';
import { VirtualAuthenticator } from '../../testkit/virtual-authenticator.ts';

const TEXT = 'We deploy only on weekdays.';
const ID = 'user_we_deploy_only_on_weekdays';
const OPENS = 'Enter opens the page';

describeInBrowser('a person with a terminal, a browser and a passkey', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  /** Types commands, and opens the pages that they hand out in one tab with one authenticator. */
  async function person() {
    const store = await storeTenDaysAgo();
    const handed = fakeBrowser(store);
    const context = await browser.newContext();
    onTestFinished(() => void context.close().catch(() => {}));
    const tab = await context.newPage();
    await VirtualAuthenticator.of(tab);
    const types = async (...args: string[]) => {
      rmSync(join(store.home, 'handed.html'), { force: true });
      const terminal = new TestTerminal(store.home, args, { env: handed.env });
      await terminal.reply(OPENS, '');
      await tab.goto(await handed.link());
      await tab.waitForURL((url) => !url.pathname.includes('/open/'));
      return terminal;
    };
    const confirms = async (...args: string[]) => {
      const terminal = await types(...args);
      await tab.click('button.yes');
      await tab.waitForSelector('h1:has-text("Done")');
      return terminal.end();
    };
    return { store, tab, handed, types, confirms };
  }

  terminalTest('enrols it, requires it, and then remembers with it', async () => {
    const { store, tab, types, confirms } = await person();
    expect(await confirms('passkey', 'add', 'laptop')).toMatchObject({
      code: 0,
      shown: expect.stringContaining('The passkey is enrolled.'),
    });
    expect(await confirms('passkey', 'require')).toMatchObject({
      code: 0,
      shown: expect.stringMatching(
        /From now on a yes counts in this store only with a passkey\.\s+Keep\s+the\s+recovery\s+code/,
      ),
    });
    const terminal = await types('remember', TEXT);
    await settled(tab);
    expect(store.standing(ID)).toBe('inferred:proposed');
    const sheet = await tab.textContent('main');
    expect(sheet).toContain(TEXT);
    // Not that they typed it: surety add takes a file.
    expect(sheet).toContain('Origingiven at a terminal just now, to surety remember or surety add');
    expect(sheet).not.toContain('the agent’s');
    expect(sheet).not.toContain('proposed by an agent');
    await pressUntil(tab, 'a', () => Promise.resolve(store.standing(ID) === 'verified:vouched'));
    expect(await terminal.end()).toMatchObject({ code: 0, shown: expect.stringContaining(`${ID} is verified.`) });
    expect(lastEntry(store)).toMatchObject({ action: 'adopt', by: { actor: 'operator', level: 4 } });
  });

  terminalTest('is not told that they typed what surety add took from a file', async () => {
    const { store, tab, types, confirms } = await person();
    await confirms('passkey', 'add', 'laptop');
    await confirms('passkey', 'require');
    const file = join(store.home, 'text.txt');
    writeFileSync(file, TEXT);
    await types('add', '--type', 'user', '--name', 'Weekdays', '--description', 'when to deploy', file);
    await settled(tab);
    const sheet = await tab.textContent('main');
    expect(sheet).toContain(TEXT);
    expect(sheet).toMatch(/Origingiven at a terminal just now, to surety remember or surety add/);
    expect(sheet).not.toContain('typed');
  });

  terminalTest('is told that a text is quarantined which they remembered and said no to', async () => {
    const { store, tab, types, confirms } = await person();
    await confirms('passkey', 'add', 'laptop');
    await confirms('passkey', 'require');
    const terminal = await types('remember', TEXT);
    await settled(tab);
    await pressUntil(tab, 'n', () => Promise.resolve(store.tier(ID) === 'quarantined'));
    const { code, shown } = await terminal.end();
    expect(code).toBe(1);
    expect(shown).toContain(`${ID} is quarantined, as you answered.`);
    expect(shown).not.toContain('asks about it again');
  });

  terminalTest('is told that a text waits that they remembered and did not confirm', async () => {
    const { store, handed, confirms } = await person();
    await confirms('passkey', 'add', 'laptop');
    await confirms('passkey', 'require');
    const terminal = new TestTerminal(store.home, ['remember', TEXT], { env: handed.env });
    await terminal.reply(OPENS, 'q');
    const { code, shown } = await terminal.end();
    expect(code).toBe(1);
    expect(shown.toLowerCase()).not.toContain('nothing changed');
    expect(shown.replaceAll(/\s+/g, ' ')).toContain('is not verified. surety review --web asks about it again.');
    expect(store.standing(ID)).toBe('inferred:proposed');
  });
});
