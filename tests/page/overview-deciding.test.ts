import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CATEGORIES, type Category } from '../../src/core/trust/review-categories.ts';
import { Child } from '../../testkit/child-process.ts';
import {
  arrived,
  decide,
  onScreen,
  overviewOf,
  overviewTab,
  pressUntil,
  selected,
  shows,
} from '../../testkit/overview-page.ts';
import { WITHIN_FIVE_SECONDS } from '../../testkit/patience.ts';
import { describeInBrowser, launch, waitingFor } from '../../testkit/review-page.ts';
import { TestStore } from '../../testkit/store.ts';

describeInBrowser('deciding in the overview', () => {
  let browser: Browser;
  let store: TestStore;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    store = await TestStore.open();
  });
  const open = async () => overviewTab(browser, await overviewOf(store));

  const DECISIONS: readonly (readonly [review: Category, key: string, standing: string])[] = [
    ['ready', 'y', 'verified:vouched'],
    ['ready', 'a', 'verified:vouched'],
    ['ready', 'n', 'quarantined:decided'],
    ['requests', 'y', 'verified:vouched'],
    ['requests', 'n', 'inferred:proposed'],
    ['displaced', 'y', 'verified:vouched'],
    ['changed', 'y', 'verified:vouched'],
    ['changed', 'p', 'verified:vouched'],
    ['held', 'n', 'quarantined:decided'],
    ['stale', 'y', 'verified:vouched'],
    ['quarantined', 'y', 'verified:vouched'],
    ['quarantined', 'n', 'quarantined:decided'],
    ['missing', 'y', 'verified:vouched'],
  ];
  test.each(DECISIONS)(
    '%s, answered with %s, is written when the page is closed',
    WITHIN_FIVE_SECONDS,
    async (review, key, standing) => {
      const id = await waitingFor(store, review);
      const page = await overviewOf(store, { levelAtMost: 1 });
      const tab = await overviewTab(browser, page);
      await shows(tab, id);
      const before = store.ledgerLines();
      await decide(tab, key);
      await expect.poll(() => tab.isVisible('#toast')).toBe(true);
      expect(store.ledgerLines()).toEqual(before);
      await page.close();
      expect(store.standing(id)).toBe(standing);
      expect(await tab.textContent('#gone')).toContain('What you decided is written');
      if (key === 'y' && review === 'ready') {
        expect(store.vault.evidence.heads(id)[0]).toMatchObject({ actor: 'operator', channel: 'page', level: 1 });
        expect(store.audit().at(-1)).toMatchObject({ channel: 'page', outcome: 'accepted', id });
      }
      expect((await page.ended).outcomes).toHaveLength(1);
    },
  );

  test(
    'an answer that cannot be carried out when the page is closed is not passed over',
    WITHIN_FIVE_SECONDS,
    async () => {
      const [id, other] = [await waitingFor(store, 'ready'), await store.propose('the door')];
      const page = await overviewOf(store);
      const tab = await overviewTab(browser, page);
      await shows(tab, id);
      await decide(tab, 'y');
      await expect.poll(() => tab.isVisible('#toast')).toBe(true);
      store.edit(id, (text) =>
        text.replace(/\n---\n[\s\S]*/, '\n---\nAnother text was put into its place meanwhile.\n'),
      );
      await tab.click('#close');
      await tab.waitForSelector('#gone:not([hidden])');
      const why = `${id} changed while you were looking at it, so nothing was done about ${id}.`;
      expect(await tab.textContent('#gone-text')).toBe(`Not every answer was carried out. ${why}`);
      expect(await page.ended).toMatchObject({ how: 'left', outcomes: [], lost: why });
      expect([store.tier(id), store.tier(other)]).toEqual(['inferred', 'inferred']);
    },
  );

  test('an answer that still waits for the store when the page is closed is not passed over either', async () => {
    const [other, id] = [await waitingFor(store, 'ready'), await waitingFor(store, 'held')];
    const page = await overviewOf(store);
    const tab = await overviewTab(browser, page);
    await shows(tab, id);
    await decide(tab, 'n');
    await expect.poll(() => tab.isVisible('#toast')).toBe(true);
    await shows(tab, other);
    const guard = new Database(join(store.places.guard, 'guard.db'));
    guard.exec('BEGIN IMMEDIATE');
    // The next key carries out the answer before it.
    const sent = tab.waitForRequest((request) => request.method() === 'POST');
    const decided = decide(tab, 'y').catch(() => {});
    await sent;
    const closing = page.close();
    store.edit(id, (text) => text.replace(/\n---\n[\s\S]*/, '\n---\nAnother text was put into its place meanwhile.\n'));
    guard.exec('ROLLBACK');
    guard.close();
    await closing;
    await decided;
    const why = `${id} changed while you were looking at it, so nothing was done about ${id}.`;
    expect(await page.ended).toMatchObject({ how: 'closed', lost: why });
    expect(await tab.textContent('#gone-text')).toContain(why);
  });

  test('one answer about two that contradict each other is written for both when the page is closed', async () => {
    const id = await waitingFor(store, 'conflicting');
    const [old = ''] = store.vault.conflicts.rivalsOf(store.load(id));
    const page = await overviewOf(store);
    const tab = await overviewTab(browser, page);
    await shows(tab, id);
    const shown = (await tab.textContent('#sheet .columns')) ?? '';
    // The bar above goes over the whole window also beside two texts.
    const bar = await tab.locator('header').boundingBox();
    expect(bar?.width).toBe(tab.viewportSize()?.width);
    for (const part of ['Thursdays', 'Tuesdays', old]) expect(shown).toContain(part);
    await decide(tab, 'a');
    await page.close();
    expect([store.tier(id), store.tier(old)]).toEqual(['verified', 'quarantined']);
    expect(store.entries().slice(-2)).toMatchObject([
      { action: 'adopt', id, replaces: old },
      { action: 'demote', id: old, reason: `replaced by ${id}` },
    ]);
  });

  test(
    'of two that contradict each other one changes before the answer: nothing is done, and the page says why',
    WITHIN_FIVE_SECONDS,
    async () => {
      const id = await waitingFor(store, 'conflicting');
      const [old = ''] = store.vault.conflicts.rivalsOf(store.load(id));
      const page = await overviewOf(store);
      const tab = await overviewTab(browser, page);
      await shows(tab, id);
      await pressUntil(tab, 'a', () => tab.isVisible('#toast'));
      store.edit(old, (text) => text.replace('Tuesdays', 'Mondays'));
      const before = store.ledgerLines();
      await page.close();
      expect(store.ledgerLines()).toEqual(before);
      expect([store.tier(id), store.tier(old)]).toEqual(['inferred', 'inferred']);
      expect(store.audit().at(-1)).toMatchObject({ action: 'adopt', id, reason: 'changed-meanwhile' });
    },
  );

  test('fifty waiting memories take fifty keys, each its own yes for its own text', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 50; i++) ids.push(await store.propose(`thing number ${i}`));
    store.pass(8);
    const page = await overviewOf(store);
    const tab = await overviewTab(browser, page);
    const sent: string[] = [];
    tab.on('request', (request) => request.method() === 'POST' && sent.push(request.postData() ?? ''));
    for (let i = 0; i < 50; i++) await decide(tab, 'y');
    await page.close();
    expect(sent.filter((data) => data.includes('key=y'))).toHaveLength(50);
    expect(new Set(sent.map((data) => new URLSearchParams(data).get('token'))).size).toBe(50);
    for (const id of ids) expect(store.standing(id)).toBe('verified:vouched');
    expect(store.entries().filter(({ action }) => action === 'promote')).toHaveLength(50);
    // Each key waits for the quiet moment after a text appeared, fifty times.
  });

  test('after the last answer the list is empty, and the page does not say to choose from it', async () => {
    const id = await store.propose('the only one');
    store.pass(8);
    const tab = await open();
    await shows(tab, id);
    await decide(tab, 'y');
    await expect
      .poll(() => tab.innerText('#pane'))
      .toBe('Nothing waits for you\n\nAll, above the list, shows every memory.');
  });

  test('u takes the last answer back, and it leaves no trace', WITHIN_FIVE_SECONDS, async () => {
    const [one, two] = [await store.propose('one'), await store.propose('two')];
    store.pass(8);
    const page = await overviewOf(store);
    const tab = await overviewTab(browser, page);
    await shows(tab, one);
    const trace = () => JSON.stringify([store.ledgerLines(), store.audit(), store.text('memories', one)]);
    const before = trace();
    await decide(tab, 'n');
    await shows(tab, two);
    await tab.keyboard.press('u');
    await shows(tab, one);
    expect(await tab.textContent('#said')).toBe(`Taken back: nothing was done about ${one}.`);
    expect(trace()).toBe(before);
    // The other one is written by itself five seconds after a later key; then the first would have been written too.
    await tab.click(`[data-key=${two}]`);
    await shows(tab, two);
    await pressUntil(tab, 'y', () => tab.isVisible('#toast'));
    await expect.poll(() => store.standing(two)).toBe('verified:vouched');
    expect(store.standing(one)).toBe('inferred:proposed');
    await page.close();
    expect((await page.ended).outcomes.map(({ id }) => id)).toEqual([two]);
  });

  test('the next answer writes the one before, and then u takes back only the last', WITHIN_FIVE_SECONDS, async () => {
    const [one, two] = [await store.propose('one'), await store.propose('two')];
    store.pass(8);
    const tab = await open();
    await shows(tab, one);
    await decide(tab, 'y');
    await shows(tab, two);
    await decide(tab, 'n');
    await expect.poll(() => store.standing(one)).toBe('verified:vouched');
    await tab.keyboard.press('u');
    await shows(tab, two);
    expect(store.standing(two)).toBe('inferred:proposed');
    await tab.keyboard.press('u');
    expect(await tab.textContent('#toast-text')).toContain('There is no answer to take back');
    expect(await tab.isVisible('#undo')).toBe(false);
    expect(store.standing(one)).toBe('verified:vouched');
  });

  test('two answers in a row: the second keeps its undo, and the first is reported', WITHIN_FIVE_SECONDS, async () => {
    const [one, two, three] = [
      await store.propose('one'),
      await store.propose('two'),
      await store.propose('xyz three'),
    ];
    store.pass(8);
    const tab = await open();
    await shows(tab, one);
    await decide(tab, 'n');
    await shows(tab, two);
    await decide(tab, 'n');
    await expect.poll(() => tab.textContent('#toast-before')).toBe(`${one} is quarantined.`);
    expect(await tab.textContent('#toast-text')).toBe('two: No, quarantine it');
    await shows(tab, three);
    await tab.click('#undo');
    await shows(tab, two);
    expect([store.tier(one), store.tier(two)]).toEqual(['quarantined', 'inferred']);
  });

  test(
    'what was refused is still on the screen when the person has answered the next memory',
    WITHIN_FIVE_SECONDS,
    async () => {
      const ids = [await store.propose('one'), await store.propose('two'), await store.propose('xyz three')] as const;
      store.pass(8);
      const tab = await open();
      await shows(tab, ids[0]);
      await decide(tab, 'y');
      store.write('memories', ids[0], store.text('memories', ids[0]).replace('two cores', 'five cores'));
      await shows(tab, ids[1]);
      await decide(tab, 'y');
      await expect.poll(() => tab.textContent('#said')).toContain('nothing was done');
      expect(await tab.isVisible('#undo')).toBe(true);
      await shows(tab, ids[2]);
      await decide(tab, 'y');
      expect(await tab.textContent('#said')).toContain('nothing was done');
      expect(store.standing(ids[0])).toBe('inferred:proposed');
    },
  );

  test(
    'a key that is no answer is told so, and does not hide what can be taken back',
    WITHIN_FIVE_SECONDS,
    async () => {
      const [one, two] = [await store.propose('one'), await store.propose('two')];
      store.pass(8);
      const tab = await open();
      await shows(tab, one);
      await tab.keyboard.press('x');
      await expect.poll(() => tab.textContent('#toast-text')).toBe('x is no answer here. You can press y, a, n, e, s.');
      expect(await tab.isVisible('#undo')).toBe(false);
      await decide(tab, 'y');
      await shows(tab, two);
      await tab.keyboard.press('x');
      await expect.poll(() => tab.textContent('#said')).toContain('x is no answer here');
      expect(await tab.isVisible('#undo')).toBe(true);
      expect(store.standing(two)).toBe('inferred:proposed');
    },
  );

  test('an answer is written by itself after five seconds, although its tab was closed at once', async () => {
    const id = await store.propose('one');
    store.pass(8);
    const tab = await open();
    await shows(tab, id);
    await decide(tab, 'y');
    await tab.close();
    await expect.poll(() => store.standing(id)).toBe('verified:vouched');
  });

  test('a double click in the form stores nothing: the text comes back to be read first', async () => {
    const id = await store.propose('two cores');
    const tab = await open();
    await shows(tab, id);
    await pressUntil(tab, 'e', async () => (await tab.locator('form.writing').count()) > 0);
    await tab.fill('[name=body]', 'Four cores are enough, because the build is parallel.');
    // As in a double click, the second one comes as soon as something else is there.
    await tab.click('form.writing button[value=y]');
    await tab.click('#answers button[value=y]');
    await tab.waitForTimeout(600);
    expect(store.standing(id)).toBe('inferred:proposed');
    await pressUntil(tab, 'y', async () => store.tier(id) === 'verified');
  });

  test('a memory that waits for nobody can be vouched for again, and is quarantined at once: a lowering waits for nothing', async () => {
    const id = await store.verified('settled');
    const tab = await open();
    await shows(tab, id);
    expect(await tab.textContent('.kicker')).toContain('waits for nobody');
    expect(
      await tab
        .locator('#answers button[name=key]')
        .evaluateAll((all) => all.map((each) => each.getAttribute('value'))),
    ).toEqual(['y', 'n', 's']);
    await pressUntil(tab, 'n', async () => store.standing(id) === 'quarantined:decided');
    await expect.poll(() => tab.textContent('[value=quarantined] .count')).toBe('1');
    await tab.click('[value=quarantined]');
    await tab.click('.row');
    await shows(tab, id);
    await decide(tab, 'y');
    await expect.poll(() => store.standing(id)).toBe('verified:vouched');
  });

  test('a correction is asked about with what it corrects, one yes each', async () => {
    const old = await store.verified('the old way');
    const better = (
      await store.vault.create(
        'propose',
        {
          type: 'user',
          name: 'the better way',
          description: 'Better',
          body: 'Four cores are enough for this, by now.',
          replaces: old,
        },
        { actor: 'agent', client: 'test-client 1.0' },
      )
    ).loaded.id;
    store.pass(8);
    const page = await overviewOf(store);
    const tab = await overviewTab(browser, page);
    await shows(tab, better);
    await decide(tab, 'y');
    await shows(tab, old);
    await expect.poll(() => tab.textContent('.kicker')).toContain(`corrected by ${better}`);
    await pressUntil(tab, 'y', async () => (await tab.textContent('#toast-text'))?.includes('quarantine') === true);
    await page.close();
    expect(store.standing(better)).toBe('verified:vouched');
    expect(store.standing(old)).toBe('quarantined:decided');
  });

  test(
    'what a correction corrects stays as it is, if the yes to the correction was refused',
    WITHIN_FIVE_SECONDS,
    async () => {
      const old = await store.verified('the old way');
      const proposed = {
        type: 'user',
        name: 'the better way',
        description: 'Better',
        body: 'Four cores are enough for this, by now.',
        replaces: old,
      } as const;
      const author = { actor: 'agent', client: 'test-client 1.0' } as const;
      const better = (await store.vault.create('propose', proposed, author)).loaded.id;
      store.pass(8);
      const page = await overviewOf(store);
      const tab = await overviewTab(browser, page);
      await shows(tab, better);
      await decide(tab, 'y');
      await shows(tab, old);
      const text = store.text('memories', better);
      store.write('memories', better, text.replace('Four cores', 'Five cores'));
      const refused = `${better} changed while you were looking at it, so nothing was done about ${better}.`;
      await pressUntil(tab, 'y', async () => (await tab.textContent('.said'))?.includes(refused) === true);
      await page.close();
      expect(store.standing(better)).toBe('inferred:proposed');
      expect(store.standing(old)).toBe('verified:vouched');
    },
  );

  test('a yes that is being written when the page closes is written', async () => {
    const id = await waitingFor(store, 'ready');
    const page = await overviewOf(store);
    const tab = await overviewTab(browser, page);
    await shows(tab, id);
    const holder = new Child({ do: 'hold', folder: store.places.guard, milliseconds: 8_000 });
    await holder.word(0);
    await decide(tab, 'y');
    // The clock has begun to write it, and it waits for the lock.
    await tab.waitForTimeout(5_500);
    await page.close();
    expect(store.standing(id)).toBe('verified:vouched');
    expect(await tab.textContent('#gone')).toContain('Decided here: 1');
  });

  test('said in the person’s own words, with a look before it is stored', async () => {
    const id = await waitingFor(store, 'ready');
    const tab = await open();
    await shows(tab, id);
    await pressUntil(tab, 'e', async () => (await tab.locator('form.writing').count()) > 0);
    await tab.fill('[name=body]', 'x');
    await tab.click('text=Look at it');
    await tab.waitForSelector('.said.danger');
    await tab.fill('[name=body]', 'Four cores are enough, because the build is parallel. <b>Not markup.</b>');
    await tab.click('text=Look at it');
    await tab.waitForSelector('text=Store exactly this?');
    expect(await tab.textContent('.stored')).toContain('<b>Not markup.</b>');
    expect(await tab.textContent('#sheet')).toContain(`What differs from ${id} as it is stored`);
    expect(store.standing(id)).toBe('inferred:proposed');
    await pressUntil(tab, 'y', async () => store.standing(id) === 'verified:vouched');
    expect(store.text('memories', id)).toContain('Four cores are enough');
    expect(store.vault.evidence.heads(id)[0]).toMatchObject({ action: 'adopt' });
  });

  test('what is typed and not stored is there again after a look at another memory, and a reload asks first', async () => {
    const [id, other] = [await waitingFor(store, 'ready'), await store.verified('beside it')];
    const tab = await open();
    const select = async (memory: string) => {
      await tab.click(`[data-key=${memory}]`);
      await shows(tab, memory);
    };
    const write = async () => {
      await select(id);
      await pressUntil(tab, 'e', async () => (await tab.locator('form.writing').count()) > 0);
    };
    await write();
    await tab.fill('[name=body]', 'Four cores are enough, because the build is parallel.');
    await tab.click('#shows [value=all]');
    await select(other);
    await write();
    expect(await tab.inputValue('[name=body]')).toBe('Four cores are enough, because the build is parallel.');
    const asked = tab.waitForEvent('dialog');
    const reloaded = tab.reload().catch(() => {});
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await tab.click('text=Look at it');
    await tab.waitForSelector('text=Store exactly this?');
    await pressUntil(tab, 'y', async () => store.tier(id) === 'verified');
    await tab.reload();
    await reloaded;
  });

  test('hints that were typed and stored are not kept as if they were not', async () => {
    const id = await waitingFor(store, 'ready');
    const tab = await open();
    await shows(tab, id);
    await pressUntil(tab, 'e', async () => (await tab.locator('form.writing').count()) > 0);
    await tab.fill('[name=asked-as]', 'how many cores do we build with');
    await tab.click('text=Look at it');
    await expect.poll(() => store.text('memories', id)).toContain('how many cores do we build with');
    await tab.waitForSelector('.said.good');
    const asked: string[] = [];
    tab.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await tab.reload();
    await shows(tab, id);
    expect(asked).toEqual([]);
  });

  test('a yes to a long text first turns its pages; a no does not', WITHIN_FIVE_SECONDS, async () => {
    const id = await store.propose('long', {
      body: Array.from({ length: 120 }, (_, i) => `Line ${i} of it.`).join('\n'),
    });
    store.pass(8);
    const tab = await open();
    await shows(tab, id);
    await expect.poll(() => tab.isVisible('#unread')).toBe(true);
    await tab.waitForTimeout(450);
    await tab.keyboard.press('y');
    expect(await onScreen(tab)).toBe(id);
    expect(await tab.isVisible('#toast')).toBe(false);
    await decide(tab, 'y');
    expect(await tab.isVisible('#toast')).toBe(true);
  });

  test('every kind of waiting is shown with the answers of a review, and s passes it over', async () => {
    for (const review of CATEGORIES) await waitingFor(store, review);
    const tab = await open();
    const seen = new Set<string>();
    const all = Number(await tab.textContent('[value=waiting] .count'));
    for (let i = 0; i < all; i++) {
      await arrived(tab);
      seen.add((await tab.textContent('.row[aria-selected=true] .why')) ?? '');
      expect(await tab.locator('#answers button[name=key]').count()).toBeGreaterThan(2);
      // The address follows the selection later, so that a second press could pass over two.
      const before = await selected(tab);
      if (i < all - 1) await pressUntil(tab, 's', async () => (await selected(tab)) !== before);
    }
    expect([...seen].sort()).toEqual([...CATEGORIES].sort());
  });

  test('two tabs: the second learns what the first decided, and its own sheet of it is out of date', async () => {
    const [one, two] = [await store.propose('one'), await store.propose('two')];
    store.pass(8);
    const tab = await open();
    await shows(tab, one);
    const other = await tab.context().newPage();
    await other.goto(tab.url());
    await shows(other, one);
    await decide(tab, 'y');
    await decide(tab, 'y');
    await expect.poll(() => store.standing(one)).toBe('verified:vouched');
    await expect.poll(() => other.textContent('[value=verified] .count')).not.toBe('0');
    await expect.poll(() => other.textContent('#said')).toContain('It changed while you were looking at it');
    expect(store.entries().filter(({ action }) => action === 'promote').length).toBeLessThan(3);
    expect(two).toBe('user_two');
  });
});
