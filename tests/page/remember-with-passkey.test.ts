import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { SoftwareAuthenticator } from '../../testkit/authenticator.ts';
import { fakeBrowser } from '../../testkit/fake-browser.ts';
import { pressUntil } from '../../testkit/overview-page.ts';
import { enrol, requirePasskey } from '../../testkit/passkeys.ts';
import { describeInBrowser, launch, settled } from '../../testkit/review-page.ts';
import { lastEntry, storeTenDaysAgo, TestTerminal, terminalTest } from '../../testkit/terminal.ts';
import { VirtualAuthenticator } from '../../testkit/virtual-authenticator.ts';

const ID = 'user_we_deploy_only_on_weekdays';
const OPENS = 'Enter opens the page';

describeInBrowser('surety remember where a passkey is required', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  async function remembering() {
    const store = await storeTenDaysAgo();
    const passkey = new SoftwareAuthenticator();
    await enrol(store, passkey);
    await requirePasskey(store, passkey);
    const handed = fakeBrowser(store);
    const terminal = new TestTerminal(store.home, ['remember', 'We deploy only on weekdays.'], { env: handed.env });
    return { store, passkey, handed, terminal };
  }

  terminalTest('the text is stored as inferred, and the passkey on the page makes it count', async () => {
    const { store, passkey, handed, terminal } = await remembering();
    await terminal.reply(OPENS, '');
    expect(store.standing(ID)).toBe('inferred:proposed');
    const context = await browser.newContext();
    onTestFinished(() => void context.close().catch(() => {}));
    const tab = await context.newPage();
    const authenticator = await VirtualAuthenticator.of(tab);
    await authenticator.hold(passkey);
    await tab.goto(await handed.link());
    await tab.waitForURL((url) => !url.pathname.includes('/open/'));
    await settled(tab);
    expect(await tab.textContent('main')).toContain('We deploy only on weekdays.');
    await pressUntil(tab, 'a', () => Promise.resolve(store.standing(ID) === 'verified:vouched'));
    const { code, shown } = await terminal.end();
    expect(code).toBe(0);
    expect(shown).toContain(`${ID} is verified.`);
    expect(lastEntry(store)).toMatchObject({ action: 'adopt', by: { actor: 'operator', level: 4 } });
  });

  terminalTest('whoever leaves without the page is told that the text waits', async () => {
    const { store, terminal } = await remembering();
    await terminal.reply(OPENS, 'q');
    const { code, shown } = await terminal.end();
    expect(code).toBe(1);
    expect(shown.replaceAll(/\s+/g, ' ')).toContain('is not verified. surety review --web asks about it again.');
    expect(store.standing(ID)).toBe('inferred:proposed');
  });
});
