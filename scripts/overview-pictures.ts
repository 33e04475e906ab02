// Takes pictures of the overview, light, dark and as on a phone: node scripts/overview-pictures.ts FOLDER [FILE]. Needs a Chromium.
import { join } from 'node:path';
import { type BrowserContextOptions, chromium, type Page as Tab } from 'playwright-core';
import { openOverview } from '../src/page/overview/serve.ts';
import { CHROMIUM } from '../testkit/chromium.ts';
import { sampleStore } from './sample-store.ts';

const [folder = '.', only] = process.argv.slice(2);

interface Picture {
  readonly file: string;
  readonly options: BrowserContextOptions;
  /** What a person does before the picture is taken. */
  readonly steps: (tab: Tab) => Promise<unknown>;
}

const WIDE = { viewport: { width: 1280, height: 820 } } as const;
const PHONE = { viewport: { width: 390, height: 780 }, deviceScaleFactor: 1 } as const;
const show = async (tab: Tab, id: string) => {
  await tab.click('[value=all]');
  await tab.click(`[data-key=${id}]`);
};

const PICTURES: readonly Picture[] = [
  // Kept as pictures/overview.png for the README. It is small, because every clone of the repository has it.
  {
    file: 'readme.png',
    options: { viewport: { width: 1000, height: 620 } },
    steps: async (tab) => {
      await tab.evaluate('document.querySelector("#list").scrollTop = 10000');
      await tab.click('[data-key=user_deploys_only_on_weekdays]');
    },
  },
  { file: 'overview.png', options: WIDE, steps: (tab) => show(tab, 'feedback_how_releases_are_cut') },
  {
    file: 'overview-dark.png',
    options: { ...WIDE, colorScheme: 'dark' },
    steps: (tab) => tab.click('[data-key=feedback_skip_the_review_when_it_is_urgent]'),
  },
  {
    file: 'overview-undo.png',
    options: WIDE,
    steps: async (tab) => {
      await tab.click('[data-key=feedback_ask_before_touching_the_public_api]');
      await tab.waitForTimeout(600);
      await tab.keyboard.press('y');
    },
  },
  {
    file: 'overview-search.png',
    options: WIDE,
    steps: async (tab) => {
      await tab.fill('#q', 'how often is a card retried');
      await tab.waitForTimeout(600);
      await tab.keyboard.press('Enter');
    },
  },
  { file: 'charts.png', options: { viewport: { width: 1280, height: 1500 } }, steps: (tab) => tab.keyboard.press('c') },
  {
    file: 'charts-dark.png',
    options: { viewport: { width: 1280, height: 1500 }, colorScheme: 'dark' },
    steps: (tab) => tab.keyboard.press('c'),
  },
  {
    file: 'charts-phone.png',
    options: { viewport: { width: 390, height: 3000 } },
    steps: async (tab) => {
      await tab.keyboard.press('c');
      await tab.click('.tiers summary');
    },
  },
  { file: 'overview-phone.png', options: PHONE, steps: (tab) => tab.waitForTimeout(100) },
  {
    file: 'overview-phone-memory.png',
    options: PHONE,
    steps: (tab) => tab.click('[data-key=user_use_spaces_not_tabs_in_sql_files]'),
  },
];

const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync'],
});
try {
  // Each picture has a store of its own, because some of them decide something.
  for (const { file, options, steps } of PICTURES.filter((each) => only === undefined || each.file === only)) {
    const store = await sampleStore();
    const page = await openOverview({ session: store.session, levelAtMost: 1 });
    const tab = await (await browser.newContext({ deviceScaleFactor: 1, ...options })).newPage();
    await tab.goto(page.url);
    await tab.waitForSelector('.row');
    await steps(tab);
    await tab.waitForTimeout(900);
    await tab.screenshot({ path: join(folder, file) });
    await page.close('left');
    store.remove();
  }
} finally {
  await browser.close();
}
