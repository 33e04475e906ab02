// Takes the picture of the page for the README: node scripts/screenshot.ts [file] [dark] [width]. Needs a Chromium.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { itemsToReview } from '../src/actions/review/review.ts';
import { onScreen, shownFor } from '../src/actions/review/shown.ts';
import { DAY_MS } from '../src/core/trust/clocks.ts';
import { witnessed } from '../src/core/trust/consent.ts';
import { openPage } from '../src/page/serve.ts';
import { openVault } from '../src/store/open-vault.ts';
import { resolvePlaces } from '../src/store/places/places.ts';
import { reconcile } from '../src/store/reconcile/reconcile.ts';
import { AuditLog } from '../src/store/records/audit-log.ts';
import { insideOf } from '../src/store/vault/inside-of-vault.ts';
import { CHROMIUM } from '../testkit/chromium.ts';

const [file = join(import.meta.dirname, '../docs/page.png'), theme = 'light', width = '880'] = process.argv.slice(2);

/** What the picture shows: a memory somebody vouched for, changed since by somebody who can write files. */
const MEMORY = {
  type: 'feedback',
  name: 'How releases are cut',
  description: 'Before tagging a release of the payments service',
  tags: ['release', 'payments'],
  project: 'acme/payments',
  body: `Tag only from main, after the nightly run was green.

Why: in March a tag from a branch shipped an unreviewed migration.
How to apply: check the nightly job, then run make release; the changelog is written by hand.`,
} as const;

const home = mkdtempSync(join(tmpdir(), 'surety-picture-'));
let now = Date.parse('2026-08-03T09:00:00Z');
const places = resolvePlaces({ root: undefined, env: {}, home, account: home, platform: 'linux' });
const vault = await openVault(places, { now: () => now, machine: { name: 'desk', identity: 'picture' } });
const audit = new AuditLog(
  join(places.state, 'audit.ndjson'),
  () => new Date(now),
  () => {},
);
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync'],
});
try {
  const session = { vault, audit, proposals: 0 };
  const by = { actor: 'agent', client: 'claude-code 3.1' } as const;
  const { loaded } = await vault.create('propose', MEMORY, by);
  now += 8 * DAY_MS;
  const seen = vault.load(loaded.id);
  if (seen === undefined) throw new Error('the memory is gone');
  const yes = witnessed('page', shownFor('promote', onScreen(seen, { vouching: true })));
  const { loaded: vouched } = await vault.decide('promote', seen, yes);
  now += 40 * DAY_MS;
  const path = insideOf(vault).files.path(vouched);
  const text = vouched.bytes.toString('utf8');
  const changed = text.replace(
    'after the nightly run was green',
    'once the nightly run was green\u200b or somebody said so',
  );
  insideOf(vault).disk.replace(path, changed);
  await reconcile(vault);

  const page = await openPage({ session, items: itemsToReview(session) });
  const view = await browser.newPage({
    viewport: { width: Number(width), height: 1080 },
    colorScheme: theme === 'dark' ? 'dark' : 'light',
    deviceScaleFactor: 1,
  });
  await view.goto(page.url);
  await view.waitForSelector('h1');
  await view.waitForLoadState('networkidle');
  await view.screenshot({ path: file, fullPage: Number(width) < 600 });
  await page.close();
} finally {
  await browser.close();
  vault.close();
  rmSync(home, { recursive: true, force: true });
}
