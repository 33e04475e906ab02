import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lastSync } from '../../src/actions/sync/sync-notices.ts';
import { BODY, bareRemote, Machine } from '../../testkit/fleet.ts';
import { overviewOf, overviewTab } from '../../testkit/overview-page.ts';
import { describeInBrowser, launch, pageOf, press, quiet, tabOn } from '../../testkit/review-page.ts';

/** A memory that was changed on two machines at once; one of them has a name that tries to break out. */
async function conflict(name = 'desk', vouches = false) {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote, { machine: { name, identity: 'another computer' } });
  const here = await Machine.open('here', remote);
  const id = await desk.store.propose('the build', { body: BODY });
  if (vouches) await desk.store.verified('vouched for there');
  for (const machine of [desk, here, desk]) await machine.sync();
  desk.store.edit(id, (text) => text.replace('long enough', 'quite long enough'));
  here.store.edit(id, (text) => text.replace('long enough', 'as long as it takes'));
  await desk.sync();
  expect(await here.sync()).toMatchObject({ code: 3 });
  return { here, id };
}

describeInBrowser('what syncs brought up, on the page', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  test('it stands above the first question in the words of surety status, until that is answered', async () => {
    const { here, id } = await conflict();
    const notices = lastSync(here.session)?.notices ?? [];
    expect(notices.map(({ kind }) => kind).sort()).toEqual(['conflict', 'machine']);
    const tab = await tabOn(browser, await pageOf(here.store));
    await quiet(tab);
    await tab.reload();
    const shown = (await tab.textContent('.syncs')) ?? '';
    for (const { about, what } of notices) expect(shown).toContain(`${about} ${what}`);
    expect(shown).toContain(`${id} was changed here and on desk at once`);
    expect(lastSync(here.session)?.notices).toEqual(notices);
    await press(tab, 's');
    expect(await tab.$('.syncs')).toBeNull();
    expect(lastSync(here.session)?.notices).toEqual([]);
  });

  test('a page that nobody opened has shown nothing, and a name in it closes no element', async () => {
    const { here } = await conflict('</li><script>alert(1)</script>');
    await (await pageOf(here.store)).close();
    expect(lastSync(here.session)?.notices).toHaveLength(2);
    const tab = await tabOn(browser, await pageOf(here.store));
    expect(await tab.textContent('.syncs')).toContain('<script>alert(1)');
    expect(await tab.$('main script')).toBeNull();
  });

  test('in the overview nothing is said of a machine that vouches for nothing', async () => {
    const { here } = await conflict();
    const tab = await overviewTab(browser, await overviewOf(here.store));
    await expect.poll(() => tab.textContent('#notices')).toContain('From the last syncs');
    expect(await tab.textContent('#notices')).not.toContain('Machines whose word does not count here');
  });

  test('in the overview it stands above the list, with machines that nobody trusts, until the person has seen it', async () => {
    const { here, id } = await conflict('</li><script>alert(1)</script>', true);
    const notices = lastSync(here.session)?.notices ?? [];
    const tab = await overviewTab(browser, await overviewOf(here.store));
    await expect.poll(() => tab.textContent('#notices')).toContain('From the last syncs');
    const shown = (await tab.textContent('#notices')) ?? '';
    for (const { about, what } of notices) expect(shown).toContain(`${about} ${what}`);
    expect(shown).toContain(id);
    expect(shown).toContain('Machines whose word does not count here');
    expect(await tab.$('#notices script')).toBeNull();
    expect(lastSync(here.session)?.notices).toEqual(notices);
    await tab.click('[data-seen]');
    await expect.poll(() => tab.textContent('#notices')).not.toContain('From the last syncs');
    expect(await tab.textContent('#notices')).toContain('<script>alert(1)');
    expect(lastSync(here.session)?.notices).toEqual([]);
  });
});
