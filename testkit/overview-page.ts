import type { Browser, BrowserContextOptions, Request, Page as Tab } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { type OverviewOptions, type OverviewPage, openOverview } from '../src/page/overview/serve.ts';
import { PATIENCE_MS } from './patience.ts';
import { sessionOf } from './review-page.ts';
import type { TestStore } from './store.ts';

/** The page allows no eval, so that the browser cannot wait for a condition by itself. */
const OFTEN = { interval: 40 } as const;

/** Waits until the memory that was asked for last is on the screen. */
export async function arrived(tab: Tab): Promise<void> {
  await expect
    .poll(() => tab.evaluate('document.querySelector("#pane").classList.contains("waits")'), OFTEN)
    .toBe(false);
}

/** The overview over a store. */
export async function overviewOf(store: TestStore, options: Partial<OverviewOptions> = {}): Promise<OverviewPage> {
  const page = await openOverview({ session: sessionOf(store), ...options });
  onTestFinished(() => page.close());
  return page;
}

/** A tab in a profile of its own, with the list on the screen. */
export async function overviewTab(
  browser: Browser,
  page: OverviewPage,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const context = await browser.newContext(options);
  onTestFinished(() => void context.close().catch(() => {}));
  context.setDefaultTimeout(PATIENCE_MS);
  const tab = await context.newPage();
  await tab.goto(page.url);
  await tab.waitForURL((url) => !url.pathname.includes('/open/'));
  await expect.poll(() => tab.textContent('#tally'), OFTEN).not.toBe('');
  return tab;
}

/** The ids of the rows on the screen, in order. */
export async function rowsOf(tab: Tab): Promise<string[]> {
  const rows: [number, string][] = await tab.evaluate(
    '[...document.querySelectorAll(".row")].map((row) => [Number(row.getAttribute("aria-posinset")), row.dataset.key])',
  );
  return rows.toSorted(([a], [b]) => a - b).map(([, key]) => key);
}

/** Waits until a memory's sheet is on the screen and takes keys. */
export async function shows(tab: Tab, id: string): Promise<void> {
  const ready = `document.querySelector('#answers') !== null && document.querySelector('#sheet .id code')?.textContent`;
  await expect.poll(() => tab.evaluate(ready), OFTEN).toBe(id);
}

/** The key of the row that is selected in the list; its sheet may still be on the way. */
export async function selected(tab: Tab): Promise<string | null> {
  return tab.getAttribute('.row[aria-selected=true]', 'data-key');
}

/** The memory on the screen; empty if there is none. */
export async function onScreen(tab: Tab): Promise<string> {
  return tab.evaluate('document.querySelector("#sheet .id code")?.textContent ?? ""');
}

/** The answers of a tab that the server has not replied to yet. */
const underWay = new WeakMap<Tab, Set<Request>>();

function answersUnderWay(tab: Tab): Set<Request> {
  const known = underWay.get(tab);
  if (known !== undefined) return known;
  const sent = new Set<Request>();
  underWay.set(tab, sent);
  tab.on('request', (request) => request.method() === 'POST' && sent.add(request));
  tab.on('requestfinished', (request) => void sent.delete(request));
  tab.on('requestfailed', (request) => void sent.delete(request));
  return sent;
}

/**
 * Presses a key until it has an effect: the script ignores keys for a moment after a text appeared. Then waits for the server's
 * reply: the screen goes on before it, and a page that is closed meanwhile never hears the answer.
 */
export async function pressUntil(tab: Tab, key: string, happened: () => Promise<boolean>): Promise<void> {
  const sent = answersUnderWay(tab);
  await expect
    .poll(
      async () => {
        if (await happened()) return true;
        await tab.keyboard.press(key);
        await tab.waitForTimeout(60);
        return happened();
      },
      { interval: 60 },
    )
    .toBe(true);
  await expect.poll(() => sent.size, OFTEN).toBe(0);
}

/** Answers the memory on the screen, and waits until another one is there, or none. */
export async function decide(tab: Tab, key: string): Promise<void> {
  await expect.poll(() => onScreen(tab), OFTEN).not.toBe('');
  const before = await onScreen(tab);
  await pressUntil(tab, key, async () => (await onScreen(tab)) !== before);
}
