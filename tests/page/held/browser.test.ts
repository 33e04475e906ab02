import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../testkit/authenticator.ts';
import { enrol, requirePasskey } from '../../../testkit/passkeys.ts';
import { WITHIN_FIVE_SECONDS } from '../../../testkit/patience.ts';
import { ROOT } from '../../../testkit/program.ts';
import { describeInBrowser, launch, pageOf, press, settled, tabAt, tabOn } from '../../../testkit/review-page.ts';
import { TestStore } from '../../../testkit/store.ts';
import { VirtualAuthenticator } from '../../../testkit/virtual-authenticator.ts';

const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8');

describeInBrowser('taking an answer back on the page of review --web', () => {
  let browser: Browser;
  let store: TestStore;
  let one: string;
  let two: string;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    store = await TestStore.open();
    [one, two] = [await store.propose('one'), await store.propose('two')];
    store.pass(8);
  });

  const shows = (tab: Tab, id: string) => tab.locator('.id code', { hasText: id }).waitFor();
  const says = (tab: Tab, words: string) => tab.getByText(words).first().waitFor();

  async function opened(options: BrowserContextOptions = {}) {
    const page = await pageOf(store, { holdsAnswers: true, levelAtMost: 1 });
    const size = { width: 900, height: 700 };
    const tab = await tabOn(browser, page, { viewport: size, bypassCSP: true, ...options });
    return { page, tab };
  }

  async function look(tab: Tab, name: string): Promise<void> {
    const folder = process.env.SCREENSHOTS;
    if (folder !== undefined) await tab.screenshot({ path: join(folder, `held-${name}.png`) });
  }

  async function expectAccessible(tab: Tab): Promise<void> {
    await tab.evaluate(AXE);
    const found: { id: string }[] = await tab.evaluate(
      `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then((r) => r.violations)`,
    );
    expect(found.map(({ id }) => id)).toEqual([]);
  }

  test.each(['key', 'button'])(
    'by %s: the memory is there again, and nothing was done',
    WITHIN_FIVE_SECONDS,
    async (way) => {
      const { page, tab } = await opened();
      const before = JSON.stringify([store.ledgerLines(), store.audit()]);
      await press(tab, 'y');
      await shows(tab, two);
      if (way === 'key') await tab.keyboard.press('u');
      else await tab.getByRole('button', { name: 'Take it back' }).click();
      await shows(tab, one);
      expect(await tab.textContent('#said')).toBe(`Taken back: nothing was done about ${one}.`);
      await look(tab, `taken-back-${way}`);
      await page.close();
      expect(JSON.stringify([store.ledgerLines(), store.audit()])).toBe(before);
    },
  );

  test.each(['light', 'dark'] as const)('every screen of it, %s', WITHIN_FIVE_SECONDS, async (colorScheme) => {
    const { tab } = await opened({ colorScheme });
    await look(tab, `first-${colorScheme}`);
    await press(tab, 'y');
    await shows(tab, two);
    await look(tab, `next-${colorScheme}`);
    await expectAccessible(tab);
    await tab.waitForFunction(`document.querySelector('#said').textContent.includes('${one} is verified')`);
    expect(await tab.isVisible('#held')).toBe(false);
    await look(tab, `carried-out-${colorScheme}`);
    await press(tab, 'n');
    await says(tab, 'Your last answer is held for five seconds');
    // What was said before is not said again.
    expect(await tab.textContent('#said')).toBe('');
    await look(tab, `last-${colorScheme}`);
    await expectAccessible(tab);
    await says(tab, 'All is settled');
    expect(await tab.textContent('.tally')).toContain(`${two} is quarantined`);
    await look(tab, `end-${colorScheme}`);
    expect([store.standing(one), store.standing(two)]).toEqual(['verified:vouched', 'quarantined:decided']);
  });

  test('on a small screen the button is there too', WITHIN_FIVE_SECONDS, async () => {
    const { tab } = await opened({ viewport: { width: 340, height: 700 } });
    await press(tab, 'n');
    await shows(tab, two);
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(340);
    await look(tab, 'small');
    await tab.getByRole('button', { name: 'Take it back' }).click();
    await shows(tab, one);
  });

  test('u after the five seconds: the page says that there is nothing to take back', async () => {
    const { tab } = await opened();
    await press(tab, 'y');
    await shows(tab, two);
    await tab.waitForFunction(`document.querySelector('#said').textContent.includes('${one} is verified')`);
    await tab.keyboard.press('u');
    await says(tab, 'There is nothing to take back');
    await look(tab, 'too-late');
    await shows(tab, two);
    expect(store.standing(one)).toBe('verified:vouched');
  });

  test('without scripts the button and the last page work', WITHIN_FIVE_SECONDS, async () => {
    const { tab } = await opened({ javaScriptEnabled: false });
    await tab.click('button[value=y]');
    await shows(tab, two);
    await tab.getByRole('button', { name: 'Take it back' }).click();
    await says(tab, 'Taken back');
    await shows(tab, one);
    await tab.click('button[value=s]');
    await shows(tab, two);
    await tab.click('button[value=y]');
    await says(tab, 'Your last answer is held for five seconds');
    await says(tab, 'Done for now');
    expect(store.standing(two)).toBe('verified:vouched');
  });

  test(
    'a text that changed while its answer is held: the tab says why, and it is asked about again',
    WITHIN_FIVE_SECONDS,
    async () => {
      const { tab } = await opened();
      await press(tab, 'y');
      await shows(tab, two);
      store.edit(one, (text) => text.replace('two cores', 'no cores'));
      await tab.waitForFunction(
        `document.querySelector('#said').textContent.includes('so nothing was done about ${one}')`,
      );
      await look(tab, 'void');
      await press(tab, 's');
      await shows(tab, one);
      expect(await tab.textContent('.stored')).toContain('no cores');
      expect(store.standing(one)).toBe('inferred:proposed');
    },
  );

  test('two tabs: what one takes back the other does not offer any more', WITHIN_FIVE_SECONDS, async () => {
    const { page, tab } = await opened();
    await press(tab, 'y');
    await shows(tab, two);
    const other = await tabAt(await tab.context().newPage(), tab.url());
    await shows(other, two);
    await tab.keyboard.press('u');
    await shows(tab, one);
    await other.waitForFunction(`document.querySelector('#said').textContent.includes('Taken back')`);
    expect(await other.isVisible('#held')).toBe(false);
    await page.close();
    expect([store.tier(one), store.tier(two)]).toEqual(['inferred', 'inferred']);
  });

  test(
    'an answer with a passkey is held, taken back, given again, and followed by another',
    WITHIN_FIVE_SECONDS,
    async () => {
      const passkey = new SoftwareAuthenticator();
      await enrol(store, passkey);
      await requirePasskey(store, passkey);
      const page = await pageOf(store, { holdsAnswers: true, levelAtMost: 1 });
      const context = await browser.newContext();
      onTestFinished(() => void context.close().catch(() => {}));
      const tab = await context.newPage();
      await (await VirtualAuthenticator.of(tab)).hold(passkey);
      await tab.goto(page.url);
      await tab.waitForURL((url) => !url.pathname.includes('/open/'));
      await settled(tab);
      const before = store.ledgerLines();
      await press(tab, 'y');
      await shows(tab, two);
      await tab.keyboard.press('u');
      await shows(tab, one);
      expect(store.ledgerLines()).toEqual(before);
      await press(tab, 'y');
      await shows(tab, two);
      await press(tab, 'y');
      await says(tab, 'All is settled');
      const receipts = store.entries().filter(({ action }) => action === 'promote');
      expect(receipts.map(({ id, by }) => [id, by.level])).toEqual([
        [one, 4],
        [two, 4],
      ]);
    },
  );
});
