// npm run bench:page [-- --memories 10000] [--keys 100] [--json]: what the overview of surety open takes. Needs a Chromium.
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Page as Tab } from 'playwright-core';
import { auditOf } from '../src/actions/session.ts';
import { browserScript } from '../src/page/browser-script.ts';
import { openOverview } from '../src/page/overview/serve.ts';
import { OVERVIEW_CSS } from '../src/page/overview/style.ts';
import { STYLE_CSS } from '../src/page/style.ts';
import { openVault } from '../src/store/open-vault.ts';
import { resolvePlaces } from '../src/store/places/places.ts';
import { reconcile } from '../src/store/reconcile/reconcile.ts';
import { CHROMIUM } from '../testkit/chromium.ts';
import { writeStore } from './corpus.ts';

const { values } = parseArgs({
  options: {
    memories: { type: 'string', default: '10000' },
    keys: { type: 'string', default: '100' },
    json: { type: 'boolean', default: false },
  },
});
const [memories, keys] = [Number(values.memories), Number(values.keys)];
const home = mkdtempSync(join(tmpdir(), 'surety-bench-'));
const say = (line: string) => process.stdout.write(`${line}\n`);

/** The cookie of the first visitor, which the browser gets too. */
let cookie = '';

/** What the browser asks for before the first view is there. */
const FIRST_VIEW = ['', 'script.js', 'rows'] as const;

/**
 * Measures from a key until the frame is drawn in which another memory, with its answers, is on the screen. A yes to a text
 * whose end was not on the screen yet scrolls on instead, and is measured until that is drawn.
 */
const WATCH_KEYS = `
  window.took = [];
  const shown = () => {
    const token = document.querySelector('#answers input[name=token]')?.value;
    return token && token + document.querySelector('#pane').scrollTop;
  };
  addEventListener('keydown', () => {
    const [began, before] = [performance.now(), shown()];
    const look = () => {
      const now = shown();
      if (now !== undefined && now !== before) setTimeout(() => window.took.push(performance.now() - began));
      else if (performance.now() - began < 5000) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, { capture: true });`;

try {
  writeStore(join(home, '.surety', 'memories'), memories);
  const places = resolvePlaces({ root: undefined, env: {}, home, account: home, platform: process.platform });
  let now = Date.now();
  const vault = await openVault(places, { now: () => now });
  await reconcile(vault);
  // Every observation is over, so all of them wait.
  now += 8 * 86_400_000;
  const audit = auditOf(places, () => {});
  const [surveyed, page] = await timed(() => openOverview({ session: { vault, audit, proposals: 0 } }));
  try {
    report({ surveyed, ...(await firstView(page.url)), ...(await inBrowser(page.url)), bytes: bytes() });
  } finally {
    await page.close();
    vault.close();
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** In milliseconds of this process's own work, which other programs on the machine do not add to. */
async function timed<T>(work: () => Promise<T>): Promise<[number, T]> {
  const began = process.cpuUsage();
  const done = await work();
  const { user, system } = process.cpuUsage(began);
  return [(user + system) / 1000, done];
}

async function firstView(url: string): Promise<{ readonly firstView: number }> {
  const { origin, pathname } = new URL(url);
  const base = origin + pathname.slice(0, pathname.indexOf('open/'));
  cookie = await cookieFor(url);
  const times: number[] = [];
  for (let round = 0; round < 10; round++) {
    const [took] = await timed(async () => {
      for (const name of FIRST_VIEW) await (await fetch(base + name, { headers: { cookie } })).text();
    });
    times.push(took);
  }
  return { firstView: percentile(times, 0.5) };
}

/** Follows the link once. fetch() says of itself that it is no navigation, and the page gives such a request nothing. */
function cookieFor(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, (reply) => {
      reply.resume();
      resolve(reply.headers['set-cookie']?.[0]?.split(';')[0] ?? '');
    }).on('error', reject);
  });
}

async function inBrowser(url: string) {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic'],
  });
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
    const { origin, pathname } = new URL(url);
    const [name = '', value = ''] = cookie.split('=');
    const path = pathname.slice(0, pathname.indexOf('open/'));
    await context.addCookies([{ name, value, domain: new URL(origin).hostname, path }]);
    const tab = await context.newPage();
    await tab.addInitScript(WATCH_KEYS);
    await tab.goto(url);
    await tab.waitForSelector('#answers');
    const moves = await pressed(tab, 'j', 120);
    // After each text the page takes no answer for 400 ms.
    await tab.waitForTimeout(460);
    const answers = await pressed(tab, 'y', 460);
    const frames = await scrolled(tab);
    return { moves: figuresOf(moves), answers: figuresOf(answers), frames: figuresOf(frames) };
  } finally {
    await browser.close();
  }
}

/** How long each of many keys took until its effect was drawn. */
async function pressed(tab: Tab, key: string, pause: number): Promise<number[]> {
  await tab.evaluate('window.took.length = 0');
  for (let i = 0; i < keys; i++) {
    await tab.keyboard.press(key);
    await tab.waitForTimeout(pause);
  }
  return tab.evaluate('window.took');
}

/** The time between frames while the whole list scrolls by. */
async function scrolled(tab: Tab): Promise<number[]> {
  return tab.evaluate(`new Promise((done) => {
    const list = document.querySelector('#list');
    const frames = [];
    let last = performance.now();
    const step = () => {
      const now = performance.now();
      frames.push(now - last);
      last = now;
      list.scrollTop += 2000;
      if (frames.length > 250) done(frames.slice(1));
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`);
}

/** The median, the 95th percentile and the longest. */
type Figures = readonly [median: number, p95: number, longest: number];

function figuresOf(times: readonly number[]): Figures {
  return [percentile(times, 0.5), percentile(times, 0.95), Math.max(...times)];
}

function bytes(): number {
  return Buffer.byteLength(browserScript('overview')) + Buffer.byteLength(`${STYLE_CSS}${OVERVIEW_CSS}`);
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function report(figures: {
  readonly surveyed: number;
  readonly firstView: number;
  readonly moves: Figures;
  readonly answers: Figures;
  readonly frames: Figures;
  readonly bytes: number;
}): void {
  if (values.json) {
    say(JSON.stringify({ memories, ...figures }));
    return;
  }
  const ms = (figure: number) => `${figure.toFixed(1)} ms`;
  say(`the overview of ${memories} memories`);
  say(`  before the page opens: one survey       ${ms(figures.surveyed)} of work`);
  say(`  first view: document, script, all rows  ${ms(figures.firstView)} of work (bar 200)`);
  const all = ([median, p95, longest]: Figures) => `p95 ${ms(p95)}, median ${ms(median)}, longest ${ms(longest)}`;
  say(`  a move (j) until it is drawn            ${all(figures.moves)} (bar 50)`);
  say(`  an answer (y) until the next is drawn   ${all(figures.answers)} (bar 50)`);
  say(`  between frames while scrolling          ${all(figures.frames)}`);
  say(`  script and style                        ${(figures.bytes / 1000).toFixed(1)} KB (bar 150)`);
}
