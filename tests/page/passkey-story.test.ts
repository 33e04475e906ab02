import { connect, createServer } from 'node:net';
import { type Browser, chromium, type Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type PasskeyRequest, resetWithCode } from '../../src/actions/review/passkeys.ts';
import { itemsToReview } from '../../src/actions/review/review.ts';
import { openPasskeyPage } from '../../src/page/passkeys/serve.ts';
import type { Page } from '../../src/page/serve.ts';
import { passkeysNow } from '../../src/store/maintenance/passkeys.ts';
import { CHROMIUM } from '../../testkit/chromium.ts';
import { pressUntil } from '../../testkit/overview-page.ts';
import { describeInBrowser, FLAGS, launch, pageOf, sessionOf, settled, waitingFor } from '../../testkit/review-page.ts';
import { TestStore } from '../../testkit/store.ts';
import { VirtualAuthenticator } from '../../testkit/virtual-authenticator.ts';

const TRANSPORTS = ['internal', 'usb'] as const;
type Transport = (typeof TRANSPORTS)[number];

let browser: Browser;

/** A person's tab with one authenticator, which they keep for all pages. */
async function person(transport: Transport) {
  const context = await browser.newContext();
  onTestFinished(() => void context.close().catch(() => {}));
  const tab = await context.newPage();
  return { tab, authenticator: await VirtualAuthenticator.of(tab, { transport }) };
}

/** Leaves the page that is open. An answer that was just sent loads another page, which interrupts the first try. */
async function leave(tab: Tab): Promise<void> {
  const isBlank = () =>
    tab.goto('about:blank').then(
      () => true,
      () => false,
    );
  await expect.poll(isBlank).toBe(true);
}

async function enter(tab: Tab, { url }: Pick<Page, 'url'>): Promise<void> {
  await leave(tab);
  await tab.goto(url);
  await tab.waitForURL((now) => !now.pathname.includes('/open/'));
  await settled(tab);
}

async function openTask(store: TestStore, tab: Tab, task: PasskeyRequest): Promise<void> {
  const page = await openPasskeyPage(sessionOf(store), task);
  onTestFinished(() => page.close());
  await enter(tab, page);
}

/** Opens a page for passkeys and confirms what it asks. Returns the recovery code, where one is shown. */
async function confirm(store: TestStore, tab: Tab, task: PasskeyRequest): Promise<string> {
  await openTask(store, tab, task);
  const code = task.kind === 'require' ? await tab.textContent('#recovery-code') : '';
  await tab.click('button.yes');
  await tab.waitForSelector('h1:has-text("Done")');
  return code ?? '';
}

/** Opens a review page with one memory. */
async function openReview(store: TestStore, tab: Tab, id: string): Promise<Page> {
  const items = itemsToReview(sessionOf(store)).filter((item) => item.id === id);
  expect(items).toHaveLength(1);
  const page = await pageOf(store, { items, levelAtMost: 1 });
  await enter(tab, page);
  return page;
}

async function say(store: TestStore, tab: Tab, id: string, key: string): Promise<void> {
  const page = await openReview(store, tab, id);
  await pressUntil(tab, key, () => Promise.resolve(store.tier(id) === 'verified'));
  await page.close();
}

/** One memory for each decision that makes a memory verified, with the key that a person answers. */
async function oneForEachDecision(store: TestStore) {
  const reaffirm = await waitingFor(store, 'changed');
  const restore = await waitingFor(store, 'quarantined');
  const [promote, adopt, later] = [
    await store.propose('the build'),
    await store.propose('the release'),
    await store.propose('the tests'),
  ];
  store.pass(8);
  const decisions = [
    ['promote', promote, 'y'],
    ['adopt', adopt, 'a'],
    ['reaffirm', reaffirm, 'y'],
    ['restore', restore, 'y'],
  ] as const;
  return { decisions, later };
}

const receipts = (store: TestStore) => store.entries().filter(({ to }) => to === 'verified');

describeInBrowser('a person with one authenticator', () => {
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  test.each(TRANSPORTS)('(%s) enrols, requires, makes every decision, removes it and loses it', async (transport) => {
    const store = await TestStore.open();
    const { decisions, later } = await oneForEachDecision(store);
    const { tab, authenticator } = await person(transport);
    await confirm(store, tab, { kind: 'add', name: 'first' });
    const [credential = ''] = await authenticator.held();
    const code = await confirm(store, tab, { kind: 'require' });
    const before = receipts(store).length;
    for (const [, id, key] of decisions) await say(store, tab, id, key);
    expect(receipts(store).slice(before)).toMatchObject(
      decisions.map(([action, id]) => ({ action, id, by: { level: 4 }, assertion: { credential } })),
    );

    // The other kind takes its place, and the first signs nothing more.
    const other = await person(transport === 'usb' ? 'internal' : 'usb');
    await openTask(store, other.tab, { kind: 'add', name: 'second' });
    await other.tab.click('button.yes');
    await other.tab.waitForSelector('text=Now confirm it');
    await authenticator.answerThrough(other.authenticator);
    await other.tab.click('button.yes');
    await other.tab.waitForSelector('h1:has-text("Done")');
    await confirm(store, other.tab, { kind: 'remove', credential, name: 'first' });
    expect(passkeysNow(store.vault).passkeys.map(({ name }) => name)).toEqual(['second']);
    expect(decisions.map(([, id]) => store.tier(id))).toEqual(decisions.map(() => 'verified'));
    const page = await openReview(store, tab, later);
    await pressUntil(tab, 'y', () => tab.isVisible('text=The passkey did not answer'));
    await page.close();
    expect(store.tier(later)).toBe('inferred');

    // Both are lost.
    await resetWithCode(sessionOf(store), code);
    expect(passkeysNow(store.vault)).toMatchObject({ isRequired: false, passkeys: [] });
    await say(store, tab, later, 'y');
    expect(receipts(store).at(-1)).toMatchObject({ action: 'promote', id: later, by: { level: 1 } });
    await store.reopen();
    expect(decisions.map(([, id]) => store.tier(id))).toEqual(decisions.map(() => 'verified'));
  });

  test.each(TRANSPORTS)('(%s) that does not recognize them can do none of it', async (transport) => {
    const store = await TestStore.open();
    const { decisions } = await oneForEachDecision(store);
    const tiers = () => decisions.map(([, id]) => store.tier(id));
    const { tab, authenticator } = await person(transport);
    const refuses = async (task: PasskeyRequest) => {
      await openTask(store, tab, task);
      await tab.click('button.yes');
      await tab.waitForSelector('text=cannot check who you are');
    };
    await authenticator.verifies(false);
    await refuses({ kind: 'add', name: 'first' });
    expect(passkeysNow(store.vault).isKnown).toBe(false);
    await authenticator.verifies(true);
    await confirm(store, tab, { kind: 'add', name: 'first' });
    await authenticator.verifies(false);
    await refuses({ kind: 'require' });
    expect(passkeysNow(store.vault).isRequired).toBe(false);
    await authenticator.verifies(true);
    await confirm(store, tab, { kind: 'require' });
    await authenticator.verifies(false);
    const [lines, before] = [store.ledgerLines(), tiers()];
    for (const [, id, key] of decisions) {
      const page = await openReview(store, tab, id);
      await pressUntil(tab, key, () => tab.isVisible('text=The passkey did not answer'));
      await page.close();
    }
    const [credential = ''] = await authenticator.held();
    await refuses({ kind: 'remove', credential, name: 'first' });
    await refuses({ kind: 'release' });
    expect([store.ledgerLines(), tiers()]).toEqual([lines, before]);
    expect(before).not.toContain('verified');
  });
});

/** Forwards a port of another loopback address to the page, as `ssh -L` does between two computers. */
async function forwarded(to: number, from: number): Promise<void> {
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    near.pipe(far).pipe(near);
    for (const end of [near, far]) end.on('error', () => [near, far].forEach((each) => void each.destroy()));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(from, '127.0.0.2', resolve);
  });
  onTestFinished(() => void server.close());
}

describeInBrowser('a browser on another computer', () => {
  /** It reaches nothing of this computer but the forwarded port. */
  async function farTab() {
    const far = await chromium.launch({
      executablePath: CHROMIUM,
      args: [...FLAGS, '--host-resolver-rules=MAP surety.localhost 127.0.0.2'],
    });
    onTestFinished(() => far.close());
    const tab = await far.newPage();
    return { tab, authenticator: await VirtualAuthenticator.of(tab) };
  }

  test('enrols a passkey and signs a yes through a forwarded port of the same number', async () => {
    const store = await TestStore.open();
    const id = await waitingFor(store, 'ready');
    const { tab } = await farTab();
    const task = await openPasskeyPage(sessionOf(store), { kind: 'add', name: 'laptop' });
    onTestFinished(() => task.close());
    // Without the forwarding there is nothing to reach.
    await expect(tab.goto(task.url)).rejects.toThrow('ERR_CONNECTION_REFUSED');
    const port = ({ url }: Pick<Page, 'url'>) => Number(new URL(url).port);
    await forwarded(port(task), port(task));
    await enter(tab, task);
    await tab.click('button.yes');
    await tab.waitForSelector('h1:has-text("Done")');
    const page = await pageOf(store, { levelAtMost: 1 });
    await forwarded(port(page), port(page));
    await enter(tab, page);
    await pressUntil(tab, 'y', () => Promise.resolve(store.tier(id) === 'verified'));
    expect(receipts(store)).toMatchObject([{ id, by: { level: 4 } }]);
  });

  test('is refused through a port of another number, because the address is another one', async () => {
    const store = await TestStore.open();
    const { tab } = await farTab();
    const task = await openPasskeyPage(sessionOf(store), { kind: 'add', name: 'laptop' });
    onTestFinished(() => task.close());
    const [url, port] = [new URL(task.url), Number(new URL(task.url).port)];
    const other = port === 65_535 ? port - 1 : port + 1;
    await forwarded(port, other);
    url.port = `${other}`;
    expect((await tab.goto(url.href))?.status()).toBe(403);
    expect(passkeysNow(store.vault).isKnown).toBe(false);
  });
});
