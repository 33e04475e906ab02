import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { arrived, decide, overviewOf, overviewTab, pressUntil, rowsOf, shows } from '../../testkit/overview-page.ts';
import { WITHIN_FIVE_SECONDS } from '../../testkit/patience.ts';
import { ROOT } from '../../testkit/program.ts';
import { describeInBrowser, launch, waitingFor } from '../../testkit/review-page.ts';
import { TestStore } from '../../testkit/store.ts';

const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8');

/** Each tries to be more than text; `HARM` is set if one succeeds. */
const PAYLOADS = [
  '<script>window.HARM=1</script>',
  '</div></article></main><form action="https://evil.example/"><button name=key value=y>',
  '<img src=x onerror=window.HARM=1>',
  '<svg onload=window.HARM=1><use href="https://evil.example/x.svg#a"/></svg>',
  '"><input name=q autofocus onfocus=window.HARM=1>',
  '[a link](javascript:window.HARM=1) ![pixel](https://evil.example/p.png)',
  '&lt;script&gt;window.HARM=1&lt;/script&gt; &#60;b&#62; &amp;',
  '<meta http-equiv=refresh content="0;url=https://evil.example/">',
];

describeInBrowser('what the overview looks like, and what stored text cannot do to it', () => {
  let browser: Browser;
  let store: TestStore;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    store = await TestStore.open();
  });

  async function findings(tab: Tab): Promise<unknown[]> {
    // The page's policy allows no script, so axe is injected by the debugger.
    await tab.evaluate(AXE);
    const violations: { id: string; nodes: { html: string }[] }[] = await tab.evaluate(
      `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }).then((r) => r.violations)`,
    );
    return violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 200))]);
  }

  test.each(['light', 'dark'] as const)(
    '%s: no row covers the outline of the list that has the focus',
    async (colorScheme) => {
      await store.verified('one');
      await store.verified('another');
      const tab = await overviewTab(browser, await overviewOf(store), {
        colorScheme,
        viewport: { width: 1200, height: 700 },
      });
      await expect.poll(() => rowsOf(tab)).toHaveLength(2);
      await tab.keyboard.press('j');
      await tab.focus('#filters summary');
      await tab.keyboard.press('Tab');
      expect(await tab.evaluate('document.activeElement.id')).toBe('list');
      const box = async (selector: string) => {
        const found = await tab.locator(selector).boundingBox();
        if (found === null) throw new Error(`${selector} is not on the screen`);
        return found;
      };
      const pixel = async (x: number, y: number) =>
        (await tab.screenshot({ clip: { x, y, width: 1, height: 1 } })).toString('base64');
      const list = await box('#list');
      const row = await box('.row[aria-selected=true]');
      const below = list.y + list.height - 20;
      for (const x of [list.x + 1, list.x + list.width - 2])
        for (const y of [row.y + row.height / 2, row.y + row.height - 1])
          expect(await pixel(x, y)).toBe(await pixel(x, below));
      // The rows lie below the outline, and still take a click.
      await tab.click('.row[aria-selected=false]');
      await expect.poll(() => tab.textContent('.row[aria-selected=true] .name')).toBe('another');
    },
  );

  describe.each([
    ['light', 320],
    ['dark', 320],
    ['light', 1200],
    ['dark', 1200],
  ] as const)('%s, %d pixels wide', (colorScheme, width) => {
    test('every view passes the accessibility check and fits the window', WITHIN_FIVE_SECONDS, async () => {
      const held = await waitingFor(store, 'held');
      await store.verified('How releases are cut', {
        project: 'acme/payments',
        body: 'Tag **only** from main.\n\n- see https://ci.example/x\n\nWhy: so.',
      });
      await store.add('How hotfixes are cut');
      const page = await overviewOf(store);
      const tab = await overviewTab(browser, page, { colorScheme, viewport: { width, height: 760 }, bypassCSP: true });
      const look = async () => {
        expect(await findings(tab)).toEqual([]);
        expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      };
      const isPhone = width < 720;
      await look();
      if (isPhone) {
        expect(await tab.isVisible('#pane')).toBe(false);
        await tab.click(`[data-key=${held}]`);
        expect(await tab.isVisible('#list')).toBe(false);
      }
      await shows(tab, held);
      await expect.poll(() => tab.locator('.events li').count()).toBeGreaterThan(0);
      await look();
      await decide(tab, 'n');
      await look();
      if (isPhone) await tab.keyboard.press('u');
      if (isPhone) await shows(tab, held);
      if (isPhone) await tab.click('#back');
      await tab.click('[value=all]');
      await tab.evaluate('document.querySelector("#filters").open = true');
      await look();
      await tab.fill('#q', 'release');
      await expect.poll(() => rowsOf(tab)).toEqual(['user_how_releases_are_cut']);
      await tab.click('[data-key=user_how_releases_are_cut]');
      await shows(tab, 'user_how_releases_are_cut');
      await look();
      await tab.click('#keys');
      await look();
      // "Close" ends the whole page, so the button of a box has another word.
      expect(await tab.locator('button', { hasText: 'Close' }).count()).toBe(1);
      await tab.click('#help button');
      await tab.fill('#q', 'nothing-like-that');
      await expect.poll(() => tab.isVisible('#none')).toBe(true);
      await look();
      await tab.keyboard.press('Escape');
      await tab.click('#charts');
      await tab.waitForSelector('.chart table', { state: 'attached' });
      await look();
      await tab.evaluate('for (const box of document.querySelectorAll(".chart details")) box.open = true');
      await look();
      await tab.click('#close');
      await tab.waitForSelector('#gone:not([hidden])');
      await look();
    });
  });

  test('a page that is closed says whether something was decided', async () => {
    const page = await overviewOf(store);
    const tab = await overviewTab(browser, page);
    await tab.click('#close');
    await tab.waitForSelector('#gone:not([hidden])');
    expect(await tab.textContent('#gone-text')).toBe('Nothing was decided here.');
  });

  test('in forced colours the chosen row and the chosen filter are told by more than a colour', async () => {
    const id = await waitingFor(store, 'ready');
    const tab = await overviewTab(browser, await overviewOf(store), { forcedColors: 'active', bypassCSP: true });
    await shows(tab, id);
    const style = (selector: string, name: string) =>
      tab.evaluate(`getComputedStyle(document.querySelector('${selector}'))['${name}']`);
    expect(await style('.row[aria-selected=true]', 'outlineStyle')).toBe('solid');
    expect(await style('[aria-pressed=true]', 'borderTopWidth')).toBe('3px');
    expect(await findings(tab)).toEqual([]);
  });

  test('script, style, SVG, markdown and entities are text in every place, and load nothing', async () => {
    for (const [i, payload] of PAYLOADS.entries()) {
      const line = payload.slice(0, 90);
      await store.propose(`${line} ${i}`, {
        description: line,
        tags: [payload.slice(0, 38)],
        project: line,
        body: `A line of text before the one that matters, number ${i}.\n${payload}`,
      });
    }
    store.pass(8);
    const page = await overviewOf(store);
    const requests: string[] = [];
    const tab = await overviewTab(browser, page);
    tab.on('request', (request) => requests.push(request.url()));
    expect((await rowsOf(tab)).length).toBe(PAYLOADS.length);
    const own = 'script, img, svg, style, form, input, meta, b, iframe, use, a:not(.mark), button:not(.md-address)';
    for (let i = 0; i < PAYLOADS.length; i++) {
      await arrived(tab);
      await expect.poll(() => tab.locator('.events li').count()).toBeGreaterThan(0);
      expect(await tab.locator('.stored').locator(own).count()).toBe(0);
      expect(await tab.locator('#list').locator(own).count()).toBe(0);
      await tab.keyboard.press('j');
    }
    await tab.fill('#q', 'matters script window');
    await expect.poll(() => tab.textContent('#tally')).toContain('found');
    expect(await tab.locator('#list').locator(own).count()).toBe(0);
    expect(await tab.locator('script, style, link').count()).toBe(2);
    expect(await tab.evaluate('window.HARM')).toBeUndefined();
    expect(requests.filter((url) => !url.startsWith(new URL(page.url).origin))).toEqual([]);
  });

  test('another site can neither frame it, nor send its forms, nor open its address', async () => {
    const id = await waitingFor(store, 'ready');
    const page = await overviewOf(store);
    const tab = await overviewTab(browser, page);
    await shows(tab, id);
    const token = await tab.locator('input[name=token]').getAttribute('value');
    const { origin, pathname } = new URL(tab.url());
    const base = `${origin}/${pathname.split('/')[1]}/`;
    const evil = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(
        `<form method=post action="${base}answer"><input name=token value="${token}"><input name=key value=n><button>go</button></form><iframe src="${base}"></iframe><iframe src="${base}sheet/${id}"></iframe>`,
      );
    });
    await new Promise<void>((done) => evil.listen(0, '127.0.0.1', done));
    onTestFinished(() => void evil.close());
    const other = await tab.context().newPage();
    await other.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`);
    for (const frame of other.frames().slice(1)) expect(await frame.content()).not.toMatch(/two cores|Filter and sort/);
    await other.click('button');
    await other.waitForLoadState();
    expect(await other.textContent('body')).toContain('Requests from other pages are not served');
    await page.close();
    expect(store.tier(id)).toBe('inferred');
  });

  test('everything works by keyboard alone, in the order of the screen', WITHIN_FIVE_SECONDS, async () => {
    const id = await waitingFor(store, 'ready');
    await store.verified('another');
    const tab = await overviewTab(browser, await overviewOf(store));
    await shows(tab, id);
    const reached: string[] = [];
    await tab.focus('#q');
    for (let i = 0; i < 14; i++) {
      reached.push(
        await tab.evaluate(
          'document.activeElement.id || document.activeElement.value || document.activeElement.tagName',
        ),
      );
      await tab.keyboard.press('Tab');
    }
    expect(reached.slice(0, 11)).toEqual([
      'q',
      'charts',
      'keys',
      'close',
      'waiting',
      'all',
      'verified',
      'inferred',
      'quarantined',
      'SUMMARY',
      'list',
    ]);
    await tab.focus('#answers button[value=y]');
    await pressUntil(tab, 'Enter', () => tab.isVisible('#toast'));
    await tab.focus('#undo');
    await tab.keyboard.press('Enter');
    await shows(tab, id);
    expect(await tab.textContent('#said')).toContain('Taken back');
  });
});
