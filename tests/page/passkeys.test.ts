import { createServer, type Server } from 'node:http';
import type { Browser, Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type PasskeyRequest, resetWithCode } from '../../src/actions/review/passkeys.ts';
import type { Assertion } from '../../src/core/passkeys/assertion.ts';
import { listeningOnBoth } from '../../src/page/page-server.ts';
import { openPasskeyPage } from '../../src/page/passkeys/serve.ts';
import { PasskeyTask } from '../../src/page/passkeys/task.ts';
import { PageWitness } from '../../src/page/witness.ts';
import { passkeysNow } from '../../src/store/maintenance/passkeys.ts';
import { SoftwareAuthenticator } from '../../testkit/authenticator.ts';
import { enrol, requirePasskey } from '../../testkit/passkeys.ts';
import {
  describeInBrowser,
  knock,
  launch,
  pageOf,
  quiet,
  sessionOf,
  settled,
  waitingFor,
} from '../../testkit/review-page.ts';
import { TestStore } from '../../testkit/store.ts';
import { VirtualAuthenticator } from '../../testkit/virtual-authenticator.ts';

let browser: Browser;

/** A tab with an authenticator, on a page of this store that asks about everything that waits. */
async function tabWith(store: TestStore, options?: Parameters<typeof VirtualAuthenticator.of>[1]) {
  const context = await browser.newContext();
  onTestFinished(() => void context.close().catch(() => {}));
  const tab = await context.newPage();
  const authenticator = await VirtualAuthenticator.of(tab, options);
  const page = await pageOf(store, { levelAtMost: 1 });
  await tab.goto(page.url);
  await tab.waitForURL((url) => !url.pathname.includes('/open/'));
  await settled(tab);
  return { tab, authenticator, page };
}

/** Answers, and waits until the page shows something else. */
async function answer(tab: Tab, key: string): Promise<void> {
  const before = await tab.locator('input[name=token]').first().getAttribute('value');
  // Nothing can be read while the tab loads.
  const token = () => tab.evaluate('document.querySelector("input[name=token]")?.value ?? null').catch(() => before);
  await quiet(tab);
  // A yes to a long text turns its pages first.
  const pressed = async () => {
    if ((await token()) === before) await tab.keyboard.press(key);
    return token();
  };
  await expect.poll(pressed, { interval: 300 }).not.toBe(before);
  await settled(tab);
}

const levelsOf = (store: TestStore) =>
  store
    .entries()
    .filter(({ to }) => to === 'verified')
    .map(({ by }) => by.level);

describeInBrowser('a yes on the page, where a passkey is enrolled', () => {
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  async function storeWith(isRequired: boolean) {
    const store = await TestStore.open();
    const id = await waitingFor(store, 'ready');
    const passkey = new SoftwareAuthenticator();
    await enrol(store, passkey);
    if (isRequired) await requirePasskey(store, passkey);
    return { store, id, passkey };
  }

  test.each(['internal', 'usb'] as const)('is signed by the authenticator (%s), and has level 4', async (transport) => {
    const { store, id, passkey } = await storeWith(true);
    const { tab, authenticator, page } = await tabWith(store, { transport });
    await authenticator.hold(passkey);
    expect(new URL(page.url).hostname).toBe('surety.localhost');
    await answer(tab, 'y');
    expect(store.standing(id)).toBe('verified:vouched');
    expect(levelsOf(store)).toEqual([4]);
    expect(store.entries().at(-1)?.assertion?.credential).toBe(passkey.credential);
  });

  test.each(['changed', 'stale', 'quarantined'] as const)('settles what is %s', async (category) => {
    const store = await TestStore.open();
    const id = await waitingFor(store, category);
    const passkey = new SoftwareAuthenticator();
    await enrol(store, passkey);
    await requirePasskey(store, passkey);
    const { tab, authenticator } = await tabWith(store);
    await authenticator.hold(passkey);
    await answer(tab, 'y');
    expect([store.tier(id), levelsOf(store).at(-1)]).toEqual(['verified', 4]);
  });

  test('takes one memory in the place of another: what is signed names both, and the other needs no signature', async () => {
    const store = await TestStore.open();
    const id = await waitingFor(store, 'conflicting');
    const [old = ''] = store.vault.conflicts.rivalsOf(store.load(id));
    const passkey = new SoftwareAuthenticator();
    await enrol(store, passkey);
    await requirePasskey(store, passkey);
    const { tab, authenticator } = await tabWith(store);
    await authenticator.hold(passkey);
    await answer(tab, 'a');
    expect([store.tier(id), store.tier(old)]).toEqual(['verified', 'quarantined']);
    expect(store.entries().slice(-2)).toMatchObject([
      { action: 'adopt', id, replaces: old, by: { level: 4 }, assertion: { credential: passkey.credential } },
      { action: 'demote', id: old, by: { level: 1 } },
    ]);
    await store.reopen();
    expect([store.standing(id), store.tier(old)]).toEqual(['verified:vouched', 'quarantined']);
  });

  test('takes a text as the person’s own words, as it is and reworded', async () => {
    const { store, id, passkey } = await storeWith(true);
    const { tab, authenticator } = await tabWith(store);
    await authenticator.hold(passkey);
    await answer(tab, 'e');
    await tab.fill('textarea[name=body]', 'Two cores are enough, the operator says.');
    await tab.click('button:has-text("Look at it")');
    await tab.waitForSelector('text=Store exactly this?');
    await answer(tab, 'y');
    expect(store.tier(id)).toBe('verified');
    expect(store.entries().at(-1)).toMatchObject({ action: 'adopt', by: { level: 4 } });
    expect(store.text('memories', id)).toContain('the operator says');
  });

  test('is not sent when the authenticator does not recognize the person', async () => {
    const { store, id, passkey } = await storeWith(true);
    const { tab, authenticator } = await tabWith(store);
    await authenticator.hold(passkey);
    await authenticator.verifies(false);
    await quiet(tab);
    await tab.keyboard.press('y');
    await tab.waitForSelector('text=The passkey did not answer');
    expect(store.tier(id)).toBe('inferred');
    await authenticator.verifies(true);
    await answer(tab, 'y');
    expect(store.tier(id)).toBe('verified');
  });

  test('without the passkey has the level of the page, and counts for nothing where one is required', async () => {
    const { store, id } = await storeWith(false);
    const { tab } = await tabWith(store);
    await tab.focus('#without-passkey');
    await tab.keyboard.press(' ');
    // It stands beside its words.
    expect((await tab.locator('#without-passkey').boundingBox())?.width).toBeLessThan(30);
    await answer(tab, 'y');
    expect([store.tier(id), levelsOf(store)]).toEqual(['verified', [1]]);

    const other = await storeWith(true);
    const { tab: required } = await tabWith(other.store);
    expect(await required.locator('#without-passkey').count()).toBe(0);
    await required.evaluate('for (const each of document.querySelectorAll("button")) delete each.dataset.challenge');
    await answer(required, 'y');
    expect(other.store.tier(other.id)).toBe('inferred');
  });

  test('is not signed for a page on localhost, whatever that page asks', async () => {
    const { passkey } = await storeWith(true);
    const context = await browser.newContext();
    onTestFinished(() => void context.close().catch(() => {}));
    const tab = await context.newPage();
    const authenticator = await VirtualAuthenticator.of(tab);
    await authenticator.hold(passkey);
    const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<h1>hello</h1>'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    await tab.goto(`http://localhost:${(server.address() as { port: number }).port}/`);
    const outcome = await tab.evaluate(`navigator.credentials
      .get({ publicKey: { challenge: new Uint8Array(32), rpId: 'surety.localhost', userVerification: 'required' } })
      .then(() => 'signed', (error) => error.name)`);
    expect(outcome).toBe('SecurityError');
  });
});

describeInBrowser('the page for passkeys', () => {
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  /** A person's tab with one authenticator, which they keep for all pages. */
  async function person(options?: Parameters<typeof VirtualAuthenticator.of>[1]) {
    const context = await browser.newContext();
    onTestFinished(() => void context.close().catch(() => {}));
    const tab = await context.newPage();
    return { tab, authenticator: await VirtualAuthenticator.of(tab, options) };
  }

  async function opened(store: TestStore, tab: Tab, task: PasskeyRequest) {
    const page = await openPasskeyPage(sessionOf(store), task);
    onTestFinished(() => page.close());
    await tab.goto(page.url);
    await tab.waitForURL((url) => !url.pathname.includes('/open/'));
    await tab.waitForSelector('h1');
    return page;
  }

  async function done(store: TestStore, tab: Tab, task: PasskeyRequest): Promise<void> {
    await opened(store, tab, task);
    await tab.click('button.yes');
    await tab.waitForSelector('h1:has-text("Done")');
  }

  test('the recovery code stays the same after a refusal, because the person may have written it down', async () => {
    const store = await TestStore.open();
    await enrol(store, new SoftwareAuthenticator());
    const witness = new PageWitness(1, null);
    const work = new PasskeyTask(sessionOf(store), witness, { kind: 'require' });
    const first = work.step;
    await work.answer(new URLSearchParams({ token: witness.show({ kind: 'passkey' }) }));
    expect(work.said).toContain('This takes a passkey.');
    expect(work.step).not.toBe(first);
    expect(work.step).toMatchObject({ kind: 'sign', code: first.kind === 'sign' ? first.code : '' });
  });

  test('closes by itself once the last page is on the screen', async () => {
    const { tab } = await person();
    const page = await opened(await TestStore.open(), tab, { kind: 'add', name: 'laptop' });
    await tab.click('button.yes');
    await tab.waitForSelector('h1:has-text("Done")');
    let how = 'open';
    void page.ended.then((ended) => {
      how = ended.how;
    });
    await expect.poll(() => how).toBe('finished');
    // A script would take the last page away once nobody answers it.
    expect([await tab.locator('script').count(), await tab.isVisible('h1:has-text("Done")')]).toEqual([0, true]);
  });

  test('says that it is closed once nobody answers it', async () => {
    const { tab, authenticator } = await person();
    const page = await opened(await TestStore.open(), tab, { kind: 'add', name: 'laptop' });
    await authenticator.touches(false);
    await tab.click('button.yes');
    await page.close();
    await tab.waitForSelector('h1:has-text("This page is closed")');
    expect(await tab.innerText('main')).toContain('Your terminal says whether anything was changed.');
    expect(await tab.isVisible('button')).toBe(false);
    expect(await authenticator.held()).toEqual([]);
  });

  test.each(['internal', 'usb'] as const)(
    'enrols a passkey of an authenticator (%s), and the review asks for it',
    async (transport) => {
      const store = await TestStore.open();
      const id = await waitingFor(store, 'ready');
      const { tab, authenticator } = await person({ transport });
      await done(store, tab, { kind: 'add', name: 'my laptop' });
      const { passkeys, isRequired } = passkeysNow(store.vault);
      expect(passkeys).toMatchObject([{ name: 'my laptop' }]);
      expect([isRequired, await authenticator.held()]).toEqual([false, [passkeys[0]?.credential]]);
      expect(store.entries().at(-1)).toMatchObject({ action: 'enrolled', by: { channel: 'page', level: 1 } });
      const page = await pageOf(store, { levelAtMost: 1 });
      await tab.goto(page.url);
      await tab.waitForURL((url) => !url.pathname.includes('/open/'));
      await settled(tab);
      await answer(tab, 'y');
      expect([store.tier(id), levelsOf(store)]).toEqual(['verified', [4]]);
    },
  );

  test('one authenticator keeps the passkeys of several stores', async () => {
    const { tab, authenticator } = await person();
    for (const store of [await TestStore.open(), await TestStore.open()])
      await done(store, tab, { kind: 'add', name: 'laptop' });
    expect(await authenticator.held()).toHaveLength(2);
  });

  test('enrols an authenticator once, and says why it does not do so again', async () => {
    const store = await TestStore.open();
    const { tab, authenticator } = await person();
    await done(store, tab, { kind: 'add', name: 'laptop' });
    expect(await tab.innerText('main')).toContain('It is the only one now. Enrol a second authenticator');
    await opened(store, tab, { kind: 'add', name: 'the same laptop' });
    const told = (await tab.innerText('main')).replace(/\s+/g, ' ');
    expect(told).toContain('If you have none of them any more, no other can be enrolled in this store.');
    await tab.click('button.yes');
    await tab.waitForSelector('text=has a passkey of this store already');
    expect(await authenticator.held()).toHaveLength(1);
    expect(passkeysNow(store.vault).passkeys).toHaveLength(1);
  });

  test('enrols none of an authenticator that cannot check who the person is', async () => {
    const store = await TestStore.open();
    const { tab } = await person({ transport: 'usb', verifies: false });
    await opened(store, tab, { kind: 'add', name: 'a bare key' });
    await tab.click('button.yes');
    await tab.waitForSelector('text=cannot check who you are');
    expect(passkeysNow(store.vault).isKnown).toBe(false);
  });

  test('requires a passkey, shows the code once, enrols a second, loses the first, and goes on', async () => {
    const store = await TestStore.open();
    const id = await waitingFor(store, 'ready');
    const first = await person();
    await done(store, first.tab, { kind: 'add', name: 'laptop' });
    await opened(store, first.tab, { kind: 'require' });
    const code = (await first.tab.textContent('#recovery-code')) ?? '';
    // Large and in groups of four, because a person copies it by hand.
    expect(code).toMatch(/^[0-9a-f]{4}( [0-9a-f]{4}){7}$/);
    const size = await first.tab.evaluate<string>(
      `getComputedStyle(document.querySelector('#recovery-code')).fontSize`,
    );
    expect(Number.parseFloat(size)).toBeGreaterThanOrEqual(24);
    const before = (await first.tab.innerText('main')).replace(/\s+/g, ' ');
    expect(before).toContain('Only one passkey is enrolled: laptop. If you lose it, the code is the only way back.');
    expect(before).toContain('Without a passkey and without the code there is no way back');
    await first.tab.click('button.yes');
    await first.tab.waitForSelector('h1:has-text("Done")');
    const after = await first.tab.innerText('main');
    expect(after).toContain('Keep the recovery code that you were shown');
    expect(after).toContain('If you have not noted it, run surety passkey release and then surety passkey require');
    expect(passkeysNow(store.vault).isRequired).toBe(true);
    expect(store.ledgerLines().join()).not.toContain(code.replaceAll(' ', ''));

    // A security key on another computer: the first passkey confirms it.
    const [held] = await first.authenticator.held();
    const second = await person({ transport: 'usb' });
    await opened(store, second.tab, { kind: 'add', name: 'security key' });
    const told = (await second.tab.innerText('main')).replace(/\s+/g, ' ');
    expect(told).toContain('Then you confirm it with one that you enrolled before: laptop.');
    expect(told).toContain('If you have none of them any more, run surety passkey reset first');
    await second.tab.click('button.yes');
    await second.tab.waitForSelector('text=Now confirm it');
    const [enrolled] = passkeysNow(store.vault).passkeys;
    expect(await second.tab.innerText('main')).toContain(`one that you enrolled before: ${enrolled?.name}.`);
    expect(passkeysNow(store.vault).passkeys).toHaveLength(1);
    await first.authenticator.answerThrough(second.authenticator);
    await second.tab.click('button.yes');
    await second.tab.waitForSelector('h1:has-text("Done")');
    expect(passkeysNow(store.vault).passkeys.map(({ name }) => name)).toEqual(['laptop', 'security key']);
    await done(store, second.tab, { kind: 'remove', credential: held ?? '', name: 'laptop' });
    expect(passkeysNow(store.vault).passkeys.map(({ name }) => name)).toEqual(['security key']);
    await opened(store, second.tab, { kind: 'release' });
    const lost = (await second.tab.innerText('main')).replace(/\s+/g, ' ');
    expect(lost).toContain(
      'with a passkey that is enrolled: security key. If you have none of them any more, run surety passkey',
    );
    await second.tab.click('button.yes');
    await second.tab.waitForSelector('h1:has-text("Done")');
    expect(await second.tab.innerText('main')).toContain('the box “Answer without the passkey” answers without it');
    expect(passkeysNow(store.vault).isRequired).toBe(false);
    expect(store.tier(id)).toBe('inferred');
  });

  test('a person without any passkey goes on with the recovery code', async () => {
    const store = await TestStore.open();
    const { tab } = await person();
    await opened(store, tab, { kind: 'add', name: 'laptop' });
    expect(await tab.innerText('main')).not.toContain('confirm');
    await tab.click('button.yes');
    await tab.waitForSelector('h1:has-text("Done")');
    await opened(store, tab, { kind: 'require' });
    const code = (await tab.textContent('#recovery-code')) ?? '';
    await tab.click('button.yes');
    await tab.waitForSelector('h1:has-text("Done")');
    await expect(resetWithCode(sessionOf(store), '0'.repeat(32))).rejects.toMatchObject({ code: 'invalid-input' });
    expect(store.audit().at(-1)).toMatchObject({ action: 'passkey-reset', outcome: 'refused' });
    await resetWithCode(sessionOf(store), code);
    expect(passkeysNow(store.vault)).toMatchObject({ isRequired: false, passkeys: [] });
    await done(store, tab, { kind: 'add', name: 'new laptop' });
    expect(passkeysNow(store.vault).passkeys).toMatchObject([{ name: 'new laptop' }]);
  });

  test('what is sent past the script enrols nothing', async () => {
    const store = await TestStore.open();
    const page = await openPasskeyPage(sessionOf(store), { kind: 'add', name: 'mine' });
    onTestFinished(() => page.close());
    const thief = new SoftwareAuthenticator();
    const { host, pathname, origin } = new URL(page.url);
    const entered = await knock(page.url, { path: pathname, headers: { host } });
    const cookie = entered.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const base = pathname.slice(0, pathname.indexOf('open/'));
    const shown = await knock(page.url, { path: base, headers: { host, cookie } });
    const [, token = ''] = /name="token" value="([0-9a-f]+)"/.exec(shown.text) ?? [];
    const [, challenge = ''] = /data-challenge="([\w-]+)"/.exec(shown.text) ?? [];
    const post = (assertion: Assertion) =>
      knock(page.url, {
        method: 'POST',
        path: `${base}answer`,
        headers: { host, cookie, origin, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ token, publicKey: thief.publicKey, ...assertion }).toString(),
      });
    expect((await post(thief.sign(challenge, '', { type: 'webauthn.create', flags: 1 }))).status).toBe(303);
    expect(passkeysNow(store.vault).isKnown).toBe(false);
    expect((await knock(page.url, { path: base, headers: { host, cookie } })).text).toContain('did not check who');
  });
});

test('the page listens on both loopback addresses, and answers to its name alone', async () => {
  const store = await TestStore.open();
  await waitingFor(store, 'ready');
  await enrol(store, new SoftwareAuthenticator());
  const page = await pageOf(store);
  const { port, host, pathname } = new URL(page.url);
  expect((await knock(page.url, { headers: { host: `127.0.0.1:${port}` } })).status).toBe(403);
  const taken = createServer();
  const refused = new Promise((resolve) => taken.once('error', (error: NodeJS.ErrnoException) => resolve(error.code)));
  taken.listen({ host: '::1', port: Number(port), exclusive: true });
  // Where the system has no ::1, nobody else can have it.
  expect(['EADDRINUSE', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']).toContain(await refused);
  expect((await knock(page.url, { path: pathname, headers: { host } })).status).toBe(200);
});

test('a program that has ::1 at the page’s port before the page gets none of it: the page takes another port', async ({
  skip,
}) => {
  const thief = createServer((_, response) => response.end('mine'));
  const isThere = await new Promise<boolean>((resolve) => {
    thief.once('error', () => resolve(false));
    thief.listen({ host: '::1', port: 0 }, () => resolve(true));
  });
  if (!isThere) return skip('this system has no ::1, so no program can have it');
  onTestFinished(() => void thief.close());
  const { port: taken } = thief.address() as { port: number };
  const server = createServer();
  onTestFinished(() => void server.close());
  // The system would give the page this port on the other address.
  const listen = server.listen.bind(server) as (...args: unknown[]) => Server;
  const tried: number[] = [];
  Object.assign(server, {
    listen: (options: { port: number }, ready: () => void) => {
      const port = tried.length === 0 ? taken : options.port;
      tried.push(port);
      return listen({ ...options, port }, ready);
    },
  });
  const port = await listeningOnBoth(server);
  expect(tried).toEqual([taken, 0]);
  expect(port).not.toBe(taken);
});
