import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { SoftwareAuthenticator } from '../../testkit/authenticator.ts';
import { decide, overviewOf, pressUntil, shows } from '../../testkit/overview-page.ts';
import { enrol, requirePasskey } from '../../testkit/passkeys.ts';
import { WITHIN_FIVE_SECONDS } from '../../testkit/patience.ts';
import { describeInBrowser, launch, waitingFor } from '../../testkit/review-page.ts';
import { TestStore } from '../../testkit/store.ts';
import { VirtualAuthenticator } from '../../testkit/virtual-authenticator.ts';

describeInBrowser('the overview, where a passkey is enrolled', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  /** A store with a passkey, and the overview of it in a tab whose authenticator holds that passkey. */
  async function opened(store: TestStore, { isRequired = true, transport = 'internal' as 'internal' | 'usb' } = {}) {
    const passkey = new SoftwareAuthenticator();
    await enrol(store, passkey);
    if (isRequired) await requirePasskey(store, passkey);
    const page = await overviewOf(store, { levelAtMost: 1 });
    const context = await browser.newContext();
    onTestFinished(() => void context.close().catch(() => {}));
    const tab = await context.newPage();
    const authenticator = await VirtualAuthenticator.of(tab, { transport });
    await authenticator.hold(passkey);
    await tab.goto(page.url);
    await tab.waitForURL((url) => !url.pathname.includes('/open/'));
    return { page, tab, authenticator, passkey };
  }

  const receipts = (store: TestStore) => store.entries().filter(({ to }) => to === 'verified');

  test.each([
    ['internal', true],
    ['usb', true],
    ['internal', false],
  ] as const)('y asks the authenticator (%s, required: %s), and the yes has level 4', async (transport, isRequired) => {
    const store = await TestStore.open();
    const id = await waitingFor(store, 'ready');
    const { page, tab, passkey } = await opened(store, { isRequired, transport });
    expect(new URL(page.url).hostname).toBe('surety.localhost');
    await shows(tab, id);
    expect(await tab.locator('#without-passkey').count()).toBe(isRequired ? 0 : 1);
    await pressUntil(tab, 'y', () => tab.isVisible('#toast'));
    await tab.click('#close');
    await tab.waitForSelector('#gone:not([hidden])');
    expect(await tab.textContent('#gone-text')).toBe(
      'What you decided is written. Decided here: 1 verified, signed with your passkey.',
    );
    expect(store.standing(id)).toBe('verified:vouched');
    expect(receipts(store)).toMatchObject([
      { action: 'promote', by: { level: 4 }, assertion: { credential: passkey.credential } },
    ]);
  });

  test.each(['changed', 'stale', 'quarantined', 'requests'] as const)('settles what is %s', async (category) => {
    const store = await TestStore.open();
    const id = await waitingFor(store, category);
    const { page, tab } = await opened(store);
    await shows(tab, id);
    await pressUntil(tab, 'y', () => tab.isVisible('#toast'));
    await page.close();
    expect([store.tier(id), receipts(store).at(-1)?.by.level]).toEqual(['verified', 4]);
  });

  test('a person’s own words are signed too', async () => {
    const store = await TestStore.open();
    const id = await waitingFor(store, 'ready');
    const { page, tab } = await opened(store);
    await shows(tab, id);
    await pressUntil(tab, 'e', () => tab.isVisible('form.writing'));
    await tab.fill('textarea[name=body]', 'Two cores are enough, the operator says.');
    await tab.click('button:has-text("Look at it")');
    await tab.waitForSelector('text=Store exactly this?');
    await pressUntil(tab, 'y', async () => store.tier(id) === 'verified');
    expect(receipts(store)).toMatchObject([{ action: 'adopt', by: { level: 4 } }]);
    expect(store.text('memories', id)).toContain('the operator says');
    await page.close();
    expect(await tab.textContent('#gone')).toContain('1 said in your words, signed with your passkey');
  });

  test('u takes a signed answer back, and it can be given again', WITHIN_FIVE_SECONDS, async () => {
    const store = await TestStore.open();
    const id = await waitingFor(store, 'ready');
    const { page, tab } = await opened(store);
    await shows(tab, id);
    const before = store.ledgerLines();
    await pressUntil(tab, 'y', () => tab.isVisible('#toast'));
    await tab.keyboard.press('u');
    await shows(tab, id);
    expect(await tab.textContent('#said')).toBe(`Taken back: nothing was done about ${id}.`);
    expect(store.ledgerLines()).toEqual(before);
    await pressUntil(tab, 'y', () => tab.isVisible('#toast'));
    await page.close();
    expect([store.tier(id), receipts(store).length]).toEqual(['verified', 1]);
  });

  test('nothing is sent when the authenticator does not recognize the person, and a no needs no passkey', async () => {
    const store = await TestStore.open();
    const [one, two] = [await store.propose('one'), await store.propose('two')];
    store.pass(8);
    const { page, tab, authenticator } = await opened(store);
    const sent: string[] = [];
    tab.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await authenticator.verifies(false);
    await shows(tab, one);
    await pressUntil(tab, 'y', async () => (await tab.textContent('#said'))?.includes('did not answer') === true);
    expect(await tab.textContent('#said')).toBe(
      'The passkey did not answer, so nothing was done. Answer again to try it again.',
    );
    expect(sent).toEqual([]);
    await decide(tab, 'n');
    await shows(tab, two);
    await authenticator.verifies(true);
    await pressUntil(tab, 'y', () => tab.evaluate('document.querySelector("#sheet .id") === null'));
    await page.close();
    expect([store.tier(one), store.tier(two)]).toEqual(['quarantined', 'verified']);
  });

  test('a person who goes on before the authenticator has answered has answered nothing', async () => {
    const store = await TestStore.open();
    const [one, two] = [await store.propose('one'), await store.propose('two')];
    store.pass(8);
    const { page, tab, authenticator } = await opened(store);
    await authenticator.touches(false);
    await shows(tab, one);
    await pressUntil(tab, 'y', async () => (await tab.textContent('#said'))?.includes('asks you now') === true);
    await tab.keyboard.press('j');
    await shows(tab, two);
    expect(await tab.textContent('#said')).toBe('');
    // The question of the first one is over, so the second one can be asked.
    await authenticator.touches(true);
    await pressUntil(tab, 'y', () => tab.isVisible('#toast'));
    await page.close();
    expect([store.tier(one), store.tier(two)]).toEqual(['inferred', 'verified']);
  });

  test('where one is enrolled and not required, a person may answer without it', async () => {
    const store = await TestStore.open();
    const id = await waitingFor(store, 'ready');
    const { page, tab } = await opened(store, { isRequired: false });
    await shows(tab, id);
    await tab.focus('#without-passkey');
    await tab.keyboard.press(' ');
    await pressUntil(tab, 'y', () => tab.isVisible('#toast'));
    await page.close();
    expect([store.tier(id), receipts(store)[0]?.by.level, receipts(store)[0]?.assertion]).toEqual([
      'verified',
      1,
      undefined,
    ]);
    expect(await tab.textContent('#gone')).toContain('Decided here: 1 verified.');
  });

  test('a yes sent past the script without an assertion makes nothing verified where one is required', async () => {
    const store = await TestStore.open();
    const id = await waitingFor(store, 'ready');
    const { page, tab } = await opened(store);
    await shows(tab, id);
    await tab.evaluate('for (const each of document.querySelectorAll("button")) delete each.dataset.challenge');
    await pressUntil(tab, 'y', () => tab.isVisible('#toast'));
    await page.close();
    expect([store.tier(id), receipts(store)]).toEqual(['inferred', []]);
  });
});
