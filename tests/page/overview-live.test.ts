import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { decide, overviewOf, overviewTab, pressUntil, rowsOf, shows } from '../../testkit/overview-page.ts';
import { WITHIN_FIVE_SECONDS } from '../../testkit/patience.ts';
import { describeInBrowser, launch } from '../../testkit/review-page.ts';
import { TestStore } from '../../testkit/store.ts';

describeInBrowser('the overview while others change the store', () => {
  let browser: Browser;
  let store: TestStore;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    store = await TestStore.open();
  });

  test('what another process proposes, and what a hand writes or removes, appears without a reload', async () => {
    const first = await store.verified('first');
    const tab = await overviewTab(browser, await overviewOf(store));
    await tab.click('[value=all]');
    await expect.poll(() => tab.textContent('#live')).toBe('Live');
    const other = await TestStore.open({ home: store.home });
    other.now = store.now;
    await other.propose('proposed elsewhere');
    await expect.poll(() => rowsOf(tab)).toContain('user_proposed_elsewhere');
    await expect.poll(() => tab.textContent('[data-key=user_proposed_elsewhere] .name')).toBe('proposed elsewhere');
    store.write(
      'memories',
      'user_by_hand',
      '---\nname: By hand\ndescription: Written\ntype: user\n---\nWritten by hand, in an editor.\n',
    );
    await expect.poll(() => rowsOf(tab)).toContain('user_by_hand');
    store.remove('user_by_hand');
    await expect.poll(() => tab.textContent('[data-key=user_by_hand] .why').catch(() => '')).toBe('missing');
    expect(await rowsOf(tab)).toContain(first);
  });

  test('what changed before the tab began to watch appears too, under the name that it has now', async () => {
    const renamed = await store.propose('first');
    const tab = await overviewTab(browser, await overviewOf(store));
    await tab.click('[value=all]');
    await expect.poll(() => tab.textContent(`[data-key=${renamed}] .name`)).toBe('first');
    // As between the loading of the rows and the opening of the stream.
    await tab.evaluate('dispatchEvent(new Event("pagehide"))');
    expect(await tab.textContent('#live')).toBe('');
    const added = await store.propose('second');
    store.edit(renamed, (text) => text.replace('name: first', 'name: foremost'));
    const rows = 'fetch(document.documentElement.dataset.base + "rows?auto").then((reply) => reply.json())';
    await expect
      .poll(async () => JSON.stringify(await tab.evaluate(rows)))
      .toMatch(new RegExp(`${added}.*foremost|foremost.*${added}`));
    expect(await rowsOf(tab)).toEqual([renamed]);
    await tab.evaluate('dispatchEvent(new Event("pageshow"))');
    await expect.poll(() => rowsOf(tab)).toEqual([renamed, added]);
    await expect.poll(() => tab.textContent(`[data-key=${renamed}] .name`)).toBe('foremost');
  });

  test(
    'a sheet names what is nearly the same with the tier that it has now, also on the sheet that comes next',
    WITHIN_FIVE_SECONDS,
    async () => {
      const [one, two] = [await store.propose('the number of cores'), await store.propose('the number of cores here')];
      store.pass(8);
      const tab = await overviewTab(browser, await overviewOf(store));
      await shows(tab, one);
      const near = () => tab.locator('.alike .tier').allTextContents();
      expect(await near()).toEqual(['inferred']);
      await store.decide('promote', two);
      await expect.poll(near).toEqual(['verified']);
      await decide(tab, 'y');
      await tab.click('[value=all]');
      await tab.click(`[data-key=${two}]`);
      await shows(tab, two);
      expect(await near()).toEqual(['inferred']);
      await expect.poll(near).toEqual(['verified']);
      expect(await tab.textContent('#sheet')).toContain('Nearly the same');
      await store.decide('demote', one);
      await expect.poll(near).toEqual([]);
      expect(await tab.textContent('#sheet')).not.toContain('Nearly the same');
    },
  );

  test('a text that changes under the eyes says so and takes no key until it was shown', async () => {
    const id = await store.propose('watched');
    store.pass(8);
    const tab = await overviewTab(browser, await overviewOf(store));
    await shows(tab, id);
    await tab.waitForTimeout(450);
    // The news are held up, so that the key certainly comes before them.
    await tab.route('**/sheet/**', async (route) => {
      await tab.keyboard.press('y');
      await route.continue();
    });
    store.edit(id, (text) => text.replace('two cores', 'no cores'));
    await expect.poll(() => tab.textContent('#said')).toContain('It changed while you were looking at it');
    await expect.poll(() => tab.textContent('.stored')).toContain('no cores');
    await tab.unroute('**/sheet/**');
    expect(await tab.isVisible('#toast')).toBe(false);
    expect(store.tier(id)).toBe('inferred');
  });

  test('a text that changed before the news arrived: the yes is refused, and the new text is shown', async () => {
    const id = await store.propose('watched');
    store.pass(8);
    const page = await overviewOf(store);
    const tab = await overviewTab(browser, page);
    await shows(tab, id);
    // Without the stream the tab hears nothing.
    await tab.evaluate('dispatchEvent(new Event("pagehide"))');
    store.edit(id, (text) => text.replace('two cores', 'no cores'));
    await pressUntil(tab, 'y', async () => (await tab.textContent('#said'))?.includes('not as it was shown') === true);
    await expect.poll(() => tab.textContent('.stored')).toContain('no cores');
    await page.close();
    expect(store.tier(id)).toBe('inferred');
  });

  test(
    'a text that changes while its yes is held is not verified, and the page says so',
    WITHIN_FIVE_SECONDS,
    async () => {
      const [id, next] = [await store.propose('watched'), await store.propose('watched too')];
      store.pass(8);
      const tab = await overviewTab(browser, await overviewOf(store));
      await shows(tab, id);
      await decide(tab, 'y');
      await shows(tab, next);
      store.edit(id, (text) => text.replace('two cores', 'no cores'));
      await expect
        .poll(() => tab.textContent('#said'))
        .toContain('changed while you were looking at it, so nothing was done');
      expect(store.tier(id)).toBe('inferred');
    },
  );

  test('a server that dies: the page says so and shows nothing of the store any more', async () => {
    const id = await store.propose('secret garden');
    store.pass(8);
    const page = await overviewOf(store, { limits: { lastNews: 50 } });
    const tab = await overviewTab(browser, page);
    await shows(tab, id);
    await tab.route('**/*', (route) => route.abort());
    await tab.evaluate('dispatchEvent(new Event("pagehide"))');
    await tab.waitForTimeout(450);
    await tab.keyboard.press('y');
    await tab.waitForSelector('#gone:not([hidden])');
    expect(await tab.textContent('body')).toContain('Surety does not answer any more');
    expect(await tab.textContent('body')).not.toContain('two cores');
    expect(await tab.textContent('#gone-text')).toContain('Your last answer was still held or on its way');
    await page.close();
    expect(store.tier(id)).toBe('inferred');
  });

  test('a page that is closed while an answer is held ends without an error in its script', async () => {
    const [id, next] = [await store.propose('watched'), await store.propose('watched too')];
    store.pass(8);
    const page = await overviewOf(store);
    const tab = await overviewTab(browser, page);
    const errors: string[] = [];
    tab.on('pageerror', ({ message }) => errors.push(message));
    await shows(tab, id);
    await decide(tab, 'y');
    await shows(tab, next);
    await page.close();
    await tab.waitForSelector('#gone:not([hidden])');
    expect(await tab.textContent('#gone-text')).toContain('What you decided is written.');
    // The list is painted a moment after the last news of the rows.
    await tab.waitForTimeout(200);
    expect([errors, store.tier(id)]).toEqual([[], 'verified']);
  });

  test('a tab that is loaded again while an answer is held can still take it back', WITHIN_FIVE_SECONDS, async () => {
    const [id, next] = [await store.propose('watched'), await store.propose('watched too')];
    store.pass(8);
    const tab = await overviewTab(browser, await overviewOf(store));
    await shows(tab, id);
    await decide(tab, 'y');
    await shows(tab, next);
    await tab.reload();
    await expect.poll(() => tab.isVisible('#undo')).toBe(true);
    expect(await tab.textContent('#toast-text')).toMatch(/^watched: Yes/);
    await tab.click('#undo');
    await expect.poll(() => tab.textContent('#said')).toContain(`Taken back: nothing was done about ${id}.`);
    await shows(tab, id);
    expect(store.tier(id)).toBe('inferred');
  });

  test('an undo that does not reach the server does not say that nothing was done', WITHIN_FIVE_SECONDS, async () => {
    const [id, next] = [await store.propose('watched'), await store.propose('watched too')];
    store.pass(8);
    const tab = await overviewTab(browser, await overviewOf(store));
    await shows(tab, id);
    await decide(tab, 'y');
    await shows(tab, next);
    await tab.route('**/undo', (route) => route.abort());
    await tab.keyboard.press('u');
    await expect.poll(() => tab.textContent('#said')).toContain('so your answer was not taken back');
    await expect.poll(() => store.tier(id)).toBe('verified');
  });

  test('nobody for long: the page is locked, nothing of the store stays on the screen, and the port is closed', async () => {
    await store.verified('secret garden');
    // Long enough for a browser on a busy machine to show the page first.
    const page = await overviewOf(store, { limits: { idle: 8_000 } });
    const tab = await overviewTab(browser, page);
    await tab.waitForSelector('#gone:not([hidden])');
    expect(await tab.textContent('body')).toContain('This page was locked');
    expect(await tab.textContent('body')).not.toContain('garden');
    expect((await page.ended).how).toBe('idle');
    await page.closed;
  });

  test('a text that was shown too long ago is shown again before a yes to it counts', async () => {
    const id = await store.propose('old news');
    store.pass(8);
    const page = await overviewOf(store, { limits: { sheet: 300 } });
    const tab = await overviewTab(browser, page);
    await shows(tab, id);
    await pressUntil(tab, 'y', async () => (await tab.textContent('#said'))?.includes('shown too long ago') === true);
    await page.close();
    expect(store.tier(id)).toBe('inferred');
  });
});
