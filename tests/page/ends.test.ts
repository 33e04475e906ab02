import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { itemsToReview } from '../../src/actions/review/review.ts';
import type { PageOptions } from '../../src/page/serve.ts';
import { Disk } from '../../src/store/disk/disk.ts';
import { ROOT } from '../../testkit/program.ts';
import {
  describeInBrowser,
  knock,
  launch,
  pageOf,
  press,
  quiet,
  tabAt,
  tabOn,
  untilWatched,
} from '../../testkit/review-page.ts';
import { TestStore } from '../../testkit/store.ts';

const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8');
const PAPER = { light: 'rgb(250, 248, 244)', dark: 'rgb(22, 24, 27)' } as const;
type Scheme = keyof typeof PAPER;

/** A page as a client opens it. It asks for one memory first and may offer the rest of the queue. */
const BY_CLIENT = { needsAccept: true, offersMore: true, client: 'some-client 1', limits: { settling: 10 } } as const;

class Interrupted extends Disk {
  meanwhile: (() => void) | undefined;
  override append(path: string, text: string | Buffer): void {
    super.append(path, text);
    if (path.includes('/ledger/')) this.meanwhile?.();
    this.meanwhile = undefined;
  }
}

describeInBrowser('every end of the page', () => {
  let browser: Browser;
  let disk: Interrupted;
  let store: TestStore;
  let id: string;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    disk = new Interrupted();
    store = await TestStore.open({ disk });
    id = await store.propose('ripe');
    store.pass(8);
  });

  const says = (tab: Tab, words: string | RegExp) => tab.getByText(words).first().waitFor();

  /** Styled, whole, accessible, deaf to keys; and the words that say what to do next. */
  async function expectEnd(tab: Tab, scheme: Scheme, next: string, name: string): Promise<void> {
    await says(tab, next);
    expect(await tab.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(PAPER[scheme]);
    expect(await tab.locator('h1:visible').count()).toBe(1);
    expect(await tab.locator('button:visible').count()).toBe(0);
    const text = await tab.innerText('main');
    await tab.keyboard.press('y');
    await tab.waitForTimeout(100);
    expect(await tab.innerText('main')).toBe(text);
    await tab.evaluate(AXE);
    const found: { id: string; impact: string }[] = await tab.evaluate(
      `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then((r) => r.violations)`,
    );
    expect(found.map(({ id: rule }) => rule)).toEqual([]);
    const folder = process.env.SCREENSHOTS;
    if (folder !== undefined) await tab.screenshot({ path: join(folder, `${name}-${scheme}.png`) });
  }

  const CLIENT = 'Back in your client, go on';
  const TERMINAL = 'Back in your terminal, go on';

  describe.each(['light', 'dark'] as const)('%s', (scheme) => {
    async function opened(options: Partial<PageOptions> = {}) {
      const page = await pageOf(store, options);
      if (options.needsAccept) page.accepted();
      const size = { width: 900, height: 620 };
      const tab = await tabOn(browser, page, { colorScheme: scheme, viewport: size, bypassCSP: true });
      return { page, tab };
    }

    test('all answered', async () => {
      const { page, tab } = await opened();
      await press(tab, 'y');
      await page.close();
      await says(tab, 'All is settled');
      await says(tab, 'Nothing waits for you');
      await expectEnd(tab, scheme, TERMINAL, 'all-answered');
    });

    test('stopped by the person, with something left', async () => {
      const { page, tab } = await opened();
      await press(tab, 'q');
      await page.close();
      await says(tab, 'Nothing was changed');
      await says(tab, '1 memory still waits for you in: surety review');
      await expectEnd(tab, scheme, TERMINAL, 'stopped');
    });

    test('everything was skipped: it still waits', async () => {
      const { page, tab } = await opened();
      await press(tab, 's');
      await page.close();
      await says(tab, 'Nothing was changed');
      await says(tab, '1 memory still waits for you in: surety review');
      await expectEnd(tab, scheme, TERMINAL, 'skipped');
    });

    test('settled elsewhere before the page was looked at', async () => {
      const page = await pageOf(store, BY_CLIENT);
      await store.decide('promote', id);
      const tab = await tabOn(browser, page, { colorScheme: scheme, bypassCSP: true });
      await says(tab, 'was settled somewhere else meanwhile');
      await expectEnd(tab, scheme, CLIENT, 'settled-elsewhere');
    });

    test('answered for a client, whose process exits at once', async () => {
      const { page, tab } = await opened(BY_CLIENT);
      await quiet(tab);
      void page.answered.then(() => page.close());
      await press(tab, 'y');
      await page.closed;
      await says(tab, 'All is settled');
      await expectEnd(tab, scheme, CLIENT, 'answered-for-client');
    });

    test('the rest of the queue was offered, and nobody went on', async () => {
      await store.propose('another');
      store.pass(8);
      const limits = { ...BY_CLIENT.limits, lingerForMore: 4_000 };
      const { tab } = await opened({ ...BY_CLIENT, items: [{ category: 'ready', id, stem: id }], limits });
      await press(tab, 'n');
      await says(tab, 'Go on with the next');
      await says(tab, '1 memory still waits for you in: surety review');
      await expectEnd(tab, scheme, CLIENT, 'offered-more');
    });

    test.each([
      ['declined', 'Your client declined the question', CLIENT, BY_CLIENT],
      ['cancelled', 'Your client took the question back', CLIENT, BY_CLIENT],
      ['replaced', 'a newer question, which has a page of its own', CLIENT, BY_CLIENT],
      ['closed', 'Your client has ended its session', CLIENT, BY_CLIENT],
      ['closed', 'The review was ended in the terminal', TERMINAL, {}],
    ] as const)('%s while a sheet is open: %s', async (how, words, next, options) => {
      const { page, tab } = await opened(options);
      await page.close(how);
      await says(tab, words);
      await says(tab, '1 memory still waits for you in: surety review');
      await expectEnd(tab, scheme, next, `${how}-${next.includes('client') ? 'client' : 'terminal'}`);
      expect(store.tier(id)).toBe('inferred');
    });

    test('declined while an answer waits for the client', async () => {
      const page = await pageOf(store, BY_CLIENT);
      const tab = await tabOn(browser, page, { colorScheme: scheme, bypassCSP: true });
      await untilWatched(tab, () => press(tab, 'y'));
      await says(tab, 'go back to your client and continue');
      await page.close('declined');
      await says(tab, 'Your last answer was not carried out');
      await expectEnd(tab, scheme, CLIENT, 'declined-held');
      expect(store.tier(id)).toBe('inferred');
    });

    test('nothing came from it for a long time', async () => {
      const { tab } = await opened({ limits: { idle: 5_000 } });
      await says(tab, 'Nothing came from this page for a long time');
      await expectEnd(tab, scheme, TERMINAL, 'idle');
    });

    test('it was open for as long as a page may be', async () => {
      const { page, tab } = await opened({ limits: { life: 5_000 } });
      await says(tab, 'This page was open for twelve hours');
      await expectEnd(tab, scheme, TERMINAL, 'expired');
      expect((await page.ended).how).toBe('expired');
    });

    test('another browser used the link: both tabs say so', async () => {
      const { page, tab } = await opened();
      const other = await browser.newContext({ colorScheme: scheme, bypassCSP: true });
      onTestFinished(() => other.close());
      const second = await other.newPage();
      await second.goto(page.url);
      await expectEnd(tab, scheme, 'Nobody can tell which of them was yours', 'voided');
      await expectEnd(second, scheme, 'Nobody can tell which of them was yours', 'voided-second');
      expect((await page.ended).how).toBe('voided');
    });

    test('an answer that could not be finished is not said to have changed nothing', async () => {
      const { page, tab } = await opened();
      disk.meanwhile = () => store.edit(id, (text) => text.replace('two cores', 'three cores'));
      await press(tab, 'y');
      await page.close();
      await says(tab, 'Not everything is finished');
      await says(tab, 'is not finished: your answer is on record');
      expect(await tab.innerText('main')).not.toContain('stays as it is');
      await expectEnd(tab, scheme, TERMINAL, 'unfinished');
    });

    test('without the cookie the page says whose it is', async () => {
      const { page } = await opened();
      const other = await browser.newContext({ colorScheme: scheme, bypassCSP: true });
      onTestFinished(() => other.close());
      const tab = await other.newPage();
      await tab.goto(page.url.replace(/open\/.*/, ''));
      await expectEnd(tab, scheme, 'Go on in the browser that opened it', 'no-cookie');
    });
  });

  test('a tab in the background, and one that was answered in another tab, learn the end too', async () => {
    const page = await pageOf(store);
    const tabs = [await tabOn(browser, page)];
    for (let i = 0; i < 5; i++) {
      tabs.push(await tabAt(await (tabs[0] as Tab).context().newPage(), (tabs[0] as Tab).url()));
    }
    // More tabs than may watch at once: each can still answer.
    await press(tabs[5] as Tab, 'y');
    await page.close();
    await says(tabs[5] as Tab, 'All is settled');
    await says(tabs[4] as Tab, 'All is settled');
    await expect(knock(page.url)).rejects.toThrow();
    expect(itemsToReview({ vault: store.vault } as never)).toEqual([]);
  });

  test('two tabs that load the last page slowly load it once each', async () => {
    const page = await pageOf(store);
    const tabs = [await tabOn(browser, page)];
    const context = (tabs[0] as Tab).context();
    for (let i = 0; i < 2; i++) {
      tabs.push(await tabAt(await context.newPage(), (tabs[0] as Tab).url()));
    }
    let loads = 0;
    await context.route((tabs[0] as Tab).url(), async (route) => {
      const answer = await route.fetch();
      loads += 1;
      // Longer than the other tab takes to ask.
      await new Promise((done) => setTimeout(done, 300));
      await route.fulfill({ response: answer });
    });
    await press(tabs[2] as Tab, 'y');
    for (const tab of tabs) await says(tab, 'All is settled');
    // The tab that answered was led to it by the answer.
    expect(loads).toBe(2);
  });

  test('words that are being typed stay when the page ends', async () => {
    const page = await pageOf(store);
    const tab = await tabOn(browser, page);
    await untilWatched(tab, () => press(tab, 'e'));
    await tab.fill('[name=body]', 'Words that took a long time to find.');
    await page.close();
    await says(tab, 'Surety does not answer any more');
    expect(await tab.inputValue('[name=body]')).toBe('Words that took a long time to find.');
    expect(await tab.locator('button:enabled').count()).toBe(0);
  });
});
