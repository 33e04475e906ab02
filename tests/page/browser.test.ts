import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { CATEGORIES, type Category } from '../../src/core/trust/review-categories.ts';
import { requestsOf } from '../../src/store/records/request-queue.ts';
import { CHROMIUM } from '../../testkit/chromium.ts';
import {
  click,
  describeInBrowser,
  FLAGS,
  launch,
  pageOf,
  press,
  quiet,
  settled,
  tabOn,
  waitingFor,
} from '../../testkit/review-page.ts';
import { TestStore } from '../../testkit/store.ts';

describeInBrowser('the page in a real browser', () => {
  let browser: Browser;
  let store: TestStore;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    store = await TestStore.open();
  });

  const waiting = (review: Category) => waitingFor(store, review);

  const WAYS = { keyboard: press, mouse: click } as const;
  const DECISIONS: readonly (readonly [review: Category, key: string, standing: string, says: string])[] = [
    ['ready', 'y', 'verified:vouched', 'is verified'],
    ['ready', 'n', 'quarantined:decided', 'is quarantined'],
    ['ready', 's', 'inferred:proposed', 'Nothing was changed'],
    ['ready', 'q', 'inferred:proposed', 'Nothing was changed'],
    ['requests', 'y', 'verified:vouched', 'is verified'],
    ['requests', 'n', 'inferred:proposed', 'The request is refused'],
    ['displaced', 'y', 'verified:vouched', 'is back in its place'],
    ['changed', 'y', 'verified:vouched', 'is vouched for again'],
    ['changed', 'p', 'verified:vouched', 'says again what you vouched for'],
    ['changed', 'n', 'quarantined:decided', 'is quarantined'],
    ['stale', 'y', 'verified:vouched', 'is vouched for again'],
    ['quarantined', 'y', 'verified:vouched', 'is restored'],
    ['quarantined', 'n', 'quarantined:decided', 'stays in quarantine'],
  ];

  describe.each(['keyboard', 'mouse'] as const)('by %s', (way) => {
    // The two differ only in how a button is pressed, so the mouse tries each button once.
    const first = DECISIONS.filter(([, key], i) => DECISIONS.findIndex(([, other]) => other === key) === i);
    test.each(way === 'keyboard' ? DECISIONS : first)('%s, answered with %s', async (review, key, standing, says) => {
      const id = await waiting(review);
      const page = await pageOf(store);
      const tab = await tabOn(browser, page);
      expect(await tab.textContent('body')).toContain(id);
      await WAYS[way](tab, key);
      expect(await tab.textContent('body')).toContain(says);
      expect(store.standing(id)).toBe(standing);
      if (key === 'y') {
        expect(store.vault.evidence.heads(id)[0]).toMatchObject({ actor: 'operator', level: 3 });
        expect(store.audit().at(-1)).toMatchObject({ channel: 'page', outcome: 'accepted', id });
      }
      if (key === 'p') expect(store.text('memories', id)).toContain('two cores');
      expect(requestsOf(store.vault).list().requests).toEqual([]);
    });

    test.each([
      ['ready', 'adopt'],
      ['quarantined', 'rewrite'],
    ] as const)('%s, said in the person’s own words', async (review, verb) => {
      const id = await waiting(review);
      const page = await pageOf(store);
      const tab = await tabOn(browser, page);
      await WAYS[way](tab, 'e');
      expect(await tab.inputValue('[name=body]')).toContain('two cores are enough');
      await tab.fill('[name=name]', 'My own words');
      await tab.fill('[name=body]', 'Four cores are enough, because the build is parallel. <b>Not markup.</b>');
      if (way === 'mouse') await tab.click('text=Look at it');
      else {
        await tab.focus('button.yes');
        await tab.keyboard.press('Enter');
      }
      await settled(tab);
      expect(await tab.textContent('.stored')).toContain('<b>Not markup.</b>');
      expect(store.standing(id)).toBe(verb === 'adopt' ? 'inferred:proposed' : 'quarantined:decided');
      await WAYS[way](tab, 'y');
      const made = verb === 'adopt' ? id : 'user_my_own_words';
      expect(store.standing(made)).toBe('verified:vouched');
      expect(store.text('memories', made)).toContain('Four cores are enough');
      expect(store.vault.evidence.heads(made)[0]).toMatchObject({ action: verb, level: 3 });
      if (verb === 'rewrite') expect(store.standing(id)).toBe('quarantined:decided');
      expect(await page.ended).toMatchObject({ how: 'finished', outcomes: [{ kind: 'adopted', id }] });
    });
  });

  test('the whole queue, item by item, without a mouse', async () => {
    for (const review of CATEGORIES) await waiting(review);
    const page = await pageOf(store);
    const tab = await tabOn(browser, page);
    const seen: string[] = [];
    for (let i = 0; i < 20 && (await tab.locator('#answers').count()) > 0; i++) {
      seen.push((await tab.textContent('.top .quiet')) ?? '');
      await press(tab, 's');
    }
    expect(seen[0]).toMatch(/^1 of \d+$/);
    expect(seen.length).toBe(Number(seen[0]?.split(' ').at(-1)));
    expect((await page.ended).how).toBe('finished');
  });

  test('a page opened from the terminal gives receipts of the terminal’s level', async () => {
    const id = await waiting('ready');
    const tab = await tabOn(browser, await pageOf(store, { levelAtMost: 1 }));
    await press(tab, 'y');
    expect(store.vault.evidence.heads(id)[0]).toMatchObject({ action: 'promote', level: 1 });
  });

  test('a memory edited on disk while the page is open: the yes is void, and the page says why', async () => {
    const id = await waiting('ready');
    const tab = await tabOn(browser, await pageOf(store));
    store.edit(id, (text) => text.replace('two cores', 'no cores'));
    await press(tab, 'y');
    expect(await tab.textContent('#said')).toContain('changed while you were looking at it, so nothing was done');
    expect(await tab.textContent('.stored')).toContain('no cores');
    expect(store.tier(id)).toBe('inferred');
    expect(store.audit().at(-1)).toMatchObject({ outcome: 'refused', reason: 'changed-meanwhile' });
  });

  test('a draft of a text that changed meanwhile stores nothing', async () => {
    const id = await waiting('ready');
    const tab = await tabOn(browser, await pageOf(store));
    await press(tab, 'e');
    await tab.fill('[name=name]', 'My own words');
    await tab.click('text=Look at it');
    await settled(tab);
    store.edit(id, (text) => text.replace('two cores', 'no cores'));
    await press(tab, 'y');
    expect(await tab.textContent('#said')).toContain('changed while you were looking');
    expect(store.files('memories')).toEqual([`${id}.md`]);
  });

  test('the ways to ask for a memory are shown and changed on the page: the text, its tier and the ledger stay', async () => {
    const id = await store.propose('ripe', { askedAs: ['how many <b>cores</b>', 'a wrong way'] });
    store.pass(8);
    const [digest, entries] = [store.load(id).digest, store.entries().length];
    const tab = await tabOn(browser, await pageOf(store));
    expect(await tab.textContent('.facts')).toContain('how many <b>cores</b>');
    await press(tab, 'e');
    expect(await tab.inputValue('[name=asked-as]')).toBe('how many <b>cores</b>\na wrong way');
    await tab.fill('[name=asked-as]', 'how many cores\nhow long a build takes\n\n');
    await tab.click('text=Look at it');
    await settled(tab);
    expect(await tab.textContent('#said')).toContain('ways to ask for it are changed, and nothing else');
    expect(store.text('memories', id)).toContain('asked-as: [how many cores, how long a build takes]');
    expect([store.load(id).digest, store.entries().length, store.tier(id)]).toEqual([digest, entries, 'inferred']);
    expect(store.audit().at(-1)).toMatchObject({ action: 'hints', channel: 'page', outcome: 'accepted', id });
  });

  test('a draft that the checks refuse comes back with what was typed', async () => {
    await waiting('ready');
    const tab = await tabOn(browser, await pageOf(store));
    await press(tab, 'e');
    await tab.fill('[name=body]', 'no');
    await tab.click('text=Look at it');
    await settled(tab);
    expect(await tab.inputValue('[name=body]')).toBe('no');
    expect(await tab.textContent('[role=alert]')).toContain('A check blocks this text');
  });

  test('two pages at once: the first yes counts, the second page reports it', async () => {
    const id = await waiting('ready');
    const one = await tabOn(browser, await pageOf(store));
    const two = await tabOn(browser, await pageOf(store));
    await press(one, 'y');
    expect(store.tier(id)).toBe('verified');
    await press(two, 'n');
    expect(store.tier(id)).toBe('verified');
    expect(await two.textContent('#said')).toMatch(/changed while you were looking|settled somewhere else/);
    const decisions = store.vault.evidence.of(id).filter(({ action }) => action !== 'seen');
    expect(decisions.map(({ action }) => action)).toEqual(['propose', 'promote']);
  });

  test('two tabs of one page: an outdated form does not decide the next memory', async () => {
    const id = await waiting('stale');
    const later = await waiting('ready');
    const one = await tabOn(browser, await pageOf(store));
    const two = await one.context().newPage();
    await two.goto(one.url());
    await settled(two);
    await press(one, 'y');
    await press(two, 'n');
    expect(store.tier(id)).toBe('verified');
    expect(store.tier(later)).toBe('inferred');
    const said = await two.textContent('#said');
    expect(said).toContain(`That tab was out of date: ${id} was answered in another tab before`);
    expect(await two.textContent('.stored h1')).toBe('ripe');
  });

  test('two tabs with one request: the second answer does not say that the request was refused', async () => {
    const id = await waiting('requests');
    await waiting('stale');
    const page = await pageOf(store);
    const one = await tabOn(browser, page);
    const two = await one.context().newPage();
    await two.goto(one.url());
    await settled(two);
    await press(one, 'y');
    await press(two, 'n');
    expect(await two.textContent('#said')).toContain('That tab was out of date');
    expect(store.tier(id)).toBe('verified');
    await press(two, 'q');
    expect((await page.ended).outcomes).toMatchObject([{ kind: 'done', id }]);
  });

  test('a yes first scrolls through text that was not on the screen', async () => {
    const body = Array.from({ length: 60 }, (_, i) => `Line ${i} of a text that is longer than the window.`).join(
      '\n\n',
    );
    const id = await store.propose('long', { body });
    store.pass(8);
    const tab = await tabOn(browser, await pageOf(store), { viewport: { width: 800, height: 600 } });
    await quiet(tab);
    expect(await tab.locator('#unread').isVisible()).toBe(true);
    expect(await tab.innerText('#unread')).toBe(
      'There is more to read. A yes counts for the whole text, so it first scrolls on.',
    );
    await tab.keyboard.press('y');
    await tab.waitForTimeout(200);
    expect(store.tier(id)).toBe('inferred');
    expect(await tab.evaluate('scrollY')).toBeGreaterThan(300);
    // Text and findings are what a yes is for; the facts below them need not have been on the screen.
    await tab.evaluate('document.getElementById("end").scrollIntoView({ block: "center" })');
    await tab.locator('#unread').waitFor({ state: 'hidden' });
    expect(await tab.evaluate('innerHeight + scrollY')).toBeLessThan(
      await tab.evaluate<number>('document.documentElement.scrollHeight'),
    );
    await press(tab, 'y');
    expect(store.tier(id)).toBe('verified');
  });

  test('a short text needs no scrolling, however much is said about it', async () => {
    const id = await waiting('ready');
    for (let i = 0; i < 4; i++) await store.add(`ripe ${i}`);
    const tab = await tabOn(browser, await pageOf(store), { viewport: { width: 800, height: 640 } });
    await quiet(tab);
    expect(await tab.evaluate('document.documentElement.scrollHeight')).toBeGreaterThan(640);
    expect(await tab.locator('#unread').isVisible()).toBe(false);
    await tab.keyboard.press('y');
    await tab.getByText('is verified').first().waitFor();
    expect(store.tier(id)).toBe('verified');
  });

  test('the yes to a suspicious memory is not the button that stands out', async () => {
    await waiting('held');
    await waiting('ready');
    const tab = await tabOn(browser, await pageOf(store));
    const filled = () =>
      tab.evaluate<string[]>(`[...document.querySelectorAll('.choices button')]
        .filter((each) => getComputedStyle(each).backgroundColor !== getComputedStyle(document.querySelector('button[value=s]')).backgroundColor)
        .map((each) => each.value)`);
    const looks = new Map<string, string[]>();
    for (let i = 0; i < 2; i++) {
      looks.set((await tab.textContent('.stored h1')) ?? '', await filled());
      await press(tab, 's');
    }
    expect(Object.fromEntries(looks)).toEqual({ suspicious: [], ripe: ['y'] });
  });

  test('the same browser may open its link again, from anywhere and after it was closed; another one voids it', async () => {
    const id = await waiting('ready');
    const page = await pageOf(store);
    const profile = join(store.home, 'profile');
    const file = join(store.home, 'link.html');
    writeFileSync(file, `<!doctype html><a href="${page.url}">Open again</a>`);
    const start = () => chromium.launchPersistentContext(profile, { executablePath: CHROMIUM, args: FLAGS });
    const first = await start();
    const tab = await first.newPage();
    await tab.goto(page.url);
    await tab.waitForSelector('#answers');
    await tab.goto(page.url);
    await tab.waitForSelector('#answers');
    await tab.goto(`file://${file}`);
    await tab.click('a');
    await tab.waitForSelector('#answers');
    await first.close();
    const second = await start();
    onTestFinished(() => second.close());
    const later = await second.newPage();
    await later.goto(page.url);
    await later.waitForSelector('#answers');
    expect(await later.textContent('.id')).toContain(id);
    expect(store.complaints).toEqual([]);
    const other = await (await browser.newContext()).newPage();
    await other.goto(page.url);
    expect(await other.innerText('main')).toContain('Its link was used twice');
    await later.getByText('Its link was used twice').waitFor();
    expect((await page.ended).how).toBe('voided');
    await other.context().close();
  });

  test('a key pressed before the page is ready answers nothing', async () => {
    const id = await waiting('ready');
    const page = await pageOf(store);
    const context = await browser.newContext();
    onTestFinished(() => void context.close().catch(() => {}));
    // At the moment the page's script is ready, before anybody can have read the page.
    await context.addInitScript(`addEventListener('DOMContentLoaded', () => {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', bubbles: true }));
    })`);
    const tab = await context.newPage();
    await tab.goto(page.url);
    await tab.waitForSelector('#answers');
    await tab.waitForTimeout(300);
    expect(store.tier(id)).toBe('inferred');
    await press(tab, 'n');
    expect(store.tier(id)).toBe('quarantined');
  });

  test('everything works without JavaScript', async () => {
    const id = await waiting('changed');
    const tab = await tabOn(browser, await pageOf(store), { javaScriptEnabled: false });
    await tab.click('button[value=p]');
    await tab.waitForSelector('text=says again what you vouched for');
    expect(store.standing(id)).toBe('verified:vouched');
  });

  test('Enter in the reason field answers nothing; the reason is sent with the no', async () => {
    const id = await waiting('ready');
    const tab = await tabOn(browser, await pageOf(store));
    await quiet(tab);
    await tab.fill('[name=reason]', 'it was never so');
    await tab.keyboard.press('Enter');
    await tab.waitForTimeout(200);
    expect(store.tier(id)).toBe('inferred');
    await tab.keyboard.press('Escape');
    await press(tab, 'n');
    expect(store.text('quarantine', id)).toContain('it was never so');
  });
});
