import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bareRemote, Machine } from '../../testkit/fleet.ts';
import { click, describeInBrowser, launch, pageOf, press, tabOn } from '../../testkit/review-page.ts';

/** Two machines: what a person vouched for on one is inferred on the other. */
async function pair(name = 'desk') {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote, { machine: { name, identity: 'another computer' } });
  const here = await Machine.open('here', remote);
  const id = await desk.store.add('the <b>build</b>');
  await desk.sync();
  await here.sync();
  expect(here.store.tier(id)).toBe('inferred');
  return { desk, here, id };
}

describeInBrowser('trusting a machine on the page', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  test('its fingerprint and every memory it would verify are shown, and the yes counts for exactly these', async () => {
    const { desk, here, id } = await pair();
    const page = await pageOf(here.store, { items: [] });
    const tab = await tabOn(browser, page);
    const shown = (await tab.textContent('main')) ?? '';
    for (const each of [desk.fingerprint, id, 'the <b>build</b>', '1 memory becomes verified', 'page (level 3)'])
      expect(shown).toContain(each);
    await press(tab, 'y');
    expect(await tab.textContent('main')).toContain('counts here from now on');
    expect(here.store.standing(id)).toBe('verified:vouched');
    expect(here.store.audit().at(-1)).toMatchObject({
      channel: 'page',
      action: 'machines-trust',
      outcome: 'accepted',
      id: desk.fingerprint,
    });
    expect((await page.ended).outcomes).toEqual([{ kind: 'trusted', id: desk.fingerprint.slice(0, 16) }]);
  });

  test('a no changes nothing and is recorded; a skip is neither', async () => {
    for (const [key, outcome] of [
      ['n', 'declined'],
      ['s', undefined],
    ] as const) {
      const { here, id } = await pair();
      const page = await pageOf(here.store, { items: [] });
      const tab = await tabOn(browser, page);
      await click(tab, key);
      expect(await tab.textContent('h1')).not.toContain('Let this machine');
      expect(here.store.tier(id)).toBe('inferred');
      const tried = here.store.audit().filter(({ action }) => action === 'machines-trust');
      expect(tried.map((each) => each.outcome)).toEqual(outcome === undefined ? [] : [outcome]);
    }
  });

  test('if its ledger has grown since it was shown, the yes is void and it is shown again', async () => {
    const { desk, here, id } = await pair();
    const page = await pageOf(here.store, { items: [] });
    const tab = await tabOn(browser, page);
    await desk.store.add('something nobody was shown');
    await desk.sync();
    await here.sync();
    await press(tab, 'y');
    const shown = (await tab.textContent('main')) ?? '';
    expect(shown).toContain('nothing was done');
    expect(shown).toContain('something nobody was shown');
    expect(here.store.tier(id)).toBe('inferred');
    await press(tab, 'y');
    expect(here.store.standing(id)).toBe('verified:vouched');
  });

  test('where the settings require more than the page’s level, no yes is offered or accepted', async () => {
    const { here, id } = await pair();
    writeFileSync(join(here.store.places.config, 'config.json'), '{"minimumAssurance": 3}');
    await here.store.reopen();
    const weak = await tabOn(browser, await pageOf(here.store, { items: [], levelAtMost: 1 }));
    expect(await weak.textContent('main')).toContain('minimumAssurance');
    expect(await weak.$('button[value=y]')).toBeNull();
    // As a person with the browser's developer tools could change the button.
    await weak.$eval('button[value=s]', (button) => button.setAttribute('value', 'y'));
    await weak.click('button[value=y]');
    expect(here.store.tier(id)).toBe('inferred');
    const strong = await tabOn(browser, await pageOf(here.store, { items: [] }));
    await press(strong, 'y');
    expect(here.store.standing(id)).toBe('verified:vouched');
  });

  test('a person who came for one memory is asked about machines only if they continue', async () => {
    const { here, id } = await pair();
    const own = await here.store.propose('the door');
    here.store.pass(8);
    const items = [{ category: 'ready' as const, id: own, stem: own }];
    const tab = await tabOn(browser, await pageOf(here.store, { items, offersMore: true }));
    await press(tab, 'y');
    expect(await tab.textContent('main')).not.toContain('Let this machine');
    // The other memory waits too; it is skipped.
    await press(tab, 'y');
    while (!(await tab.textContent('h1'))?.includes('Let this machine')) await press(tab, 's');
    await press(tab, 'y');
    expect(here.store.standing(id)).toBe('verified:vouched');
  });

  test('the name it gave itself is quoted as text and closes no element', async () => {
    const { here } = await pair('</q><script>alert(1)</script>');
    const tab = await tabOn(browser, await pageOf(here.store, { items: [] }));
    expect(await tab.textContent('.id')).toContain('</q><script>alert(1)');
    expect(await tab.$('main script')).toBeNull();
  });
});
