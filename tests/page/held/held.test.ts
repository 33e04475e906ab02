import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { Child } from '../../../testkit/child-process.ts';
import { bareRemote, Machine } from '../../../testkit/fleet.ts';
import { WITHIN_FIVE_SECONDS } from '../../../testkit/patience.ts';
import { knock, pageOf, Visitor, waitingFor } from '../../../testkit/review-page.ts';
import { TestStore } from '../../../testkit/store.ts';

const HOLDS = { holdsAnswers: true, levelAtMost: 1 } as const;
const NOTHING_HELD = 'There is nothing to take back';

let store: TestStore;
let one: string;
let two: string;
beforeEach(async () => {
  store = await TestStore.open();
  [one, two] = [await store.propose('one'), await store.propose('two')];
  store.pass(8);
});

/** Everything that an answer could have left behind. */
const trace = () => JSON.stringify([store.ledgerLines(), store.audit(), store.text('memories', one)]);
const accepted = (id: string) => store.audit().filter((each) => each.id === id && each.outcome === 'accepted');
const promoted = () => store.entries().filter(({ action }) => action === 'promote');

async function reviewing(options = {}) {
  const page = await pageOf(store, { ...HOLDS, ...options });
  const visitor = await Visitor.enter(page);
  const answer = async (key: string) => visitor.post({ token: await visitor.token(), key });
  const undoToken = async () => /name="undo" value="([0-9a-f]{64})"/.exec((await visitor.get()).text)?.[1] ?? '';
  const undo = (token: string, headers = {}) => visitor.post({ undo: token }, headers, 'undo');
  return { page, visitor, answer, undo, undoToken };
}

describe('an answer on the page of review --web', WITHIN_FIVE_SECONDS, () => {
  test('is held: the next memory is shown with what was answered, and nothing is counted or written', async () => {
    const { visitor, answer } = await reviewing();
    expect((await visitor.get()).text).toContain('Each answer is held until the next one, or for five seconds');
    const before = trace();
    expect((await answer('y')).status).toBe(303);
    const { text } = await visitor.get();
    expect(text).toContain(`<code>${one}</code>: yes, make it verified.`);
    expect(text).toContain('Take it back');
    expect(text).toContain(`<p class="id"><code>${two}</code>`);
    expect(trace()).toBe(before);
  });

  test('is carried out after five seconds, although nobody asks again', async () => {
    const { page, answer } = await reviewing();
    await answer('n');
    expect(store.standing(one)).toBe('inferred:proposed');
    await expect.poll(() => store.standing(one)).toBe('quarantined:decided');
    await page.close();
    expect((await page.ended).outcomes).toMatchObject([{ kind: 'done', verb: 'demote', id: one }]);
  });

  test.each(['y', 's', 'e', 'q'])('is carried out with the next answer: %s', async (key) => {
    const { page, visitor, answer } = await reviewing();
    await answer('y');
    const { headers } = await answer(key);
    expect(store.standing(one)).toBe('verified:vouched');
    expect(store.standing(two)).toBe('inferred:proposed');
    const path = headers.location?.split('/').at(-1) ?? '';
    expect((await visitor.get(path)).text).toContain(`${one} is verified`);
    await page.close();
    expect(accepted(one)).toHaveLength(1);
  });

  test('is taken back without a trace, and the memory is asked about again', async () => {
    const { page, visitor, answer, undo, undoToken } = await reviewing();
    const before = trace();
    await answer('y');
    expect((await undo(await undoToken())).status).toBe(303);
    const { text } = await visitor.get();
    expect(text).toContain(`Taken back: nothing was done about ${one}.`);
    expect(text).toContain(`<p class="id"><code>${one}</code>`);
    expect(text).not.toContain('Take it back');
    await page.close();
    expect(trace()).toBe(before);
    expect((await page.ended).outcomes).toEqual([]);
  });

  test('cannot be taken back after it was carried out, and the page says so', async () => {
    const { visitor, answer, undo, undoToken } = await reviewing();
    await answer('y');
    const token = await undoToken();
    await expect.poll(() => store.standing(one)).toBe('verified:vouched');
    await undo(token);
    expect((await visitor.get()).text).toContain(NOTHING_HELD);
    expect(store.standing(one)).toBe('verified:vouched');
  });

  test('is carried out once when the page is closed, and the last page counts it', async () => {
    const { page, answer } = await reviewing();
    await answer('y');
    await answer('y');
    expect(store.tier(two)).toBe('inferred');
    await page.close();
    expect(await page.ended).toMatchObject({ how: 'finished', outcomes: [{ id: one }, { id: two }] });
    expect([store.standing(one), store.standing(two)]).toEqual(['verified:vouched', 'verified:vouched']);
    expect(promoted().map(({ id }) => id)).toEqual([one, two]);
  });

  test('the last one is held too: the page says so, and then what was done', async () => {
    const { page, visitor, answer, undo, undoToken } = await reviewing();
    await answer('s');
    await answer('n');
    const { text } = await visitor.get();
    expect(text).toContain('Your last answer is held for five seconds');
    expect(text).toContain('<noscript><meta http-equiv="refresh"');
    expect(text).not.toContain('All is settled');
    await undo(await undoToken());
    expect((await visitor.get()).text).toContain(`<p class="id"><code>${two}</code>`);
    await answer('y');
    expect(await page.ended).toMatchObject({ how: 'finished', outcomes: [{ kind: 'skipped', id: one }, { id: two }] });
    const last = (await visitor.get()).text;
    expect(last).toContain('Done for now');
    expect(last).toContain(`<code>${two}</code> is verified`);
  });

  test('is void if the memory changed meanwhile: nothing is done, it says why and asks again', async () => {
    const { visitor, answer } = await reviewing();
    await answer('y');
    store.edit(one, (text) => text.replace('two cores', 'no cores'));
    await answer('s');
    const { text } = await visitor.get();
    expect(text).toContain(`${one} changed while you were looking at it, so nothing was done about ${one}.`);
    expect(text).toContain('no cores');
    expect(store.standing(one)).toBe('inferred:proposed');
    expect(store.audit().at(-1)).toMatchObject({ id: one, outcome: 'refused', reason: 'changed-meanwhile' });
  });

  test('is void by itself too, also as the last one: the page goes on with it', async () => {
    const { page, visitor, answer } = await reviewing();
    await answer('s');
    await answer('y');
    store.edit(two, (text) => text.replace('two cores', 'no cores'));
    await expect.poll(async () => (await visitor.get()).text).toContain(`so nothing was done about ${two}.`);
    expect((await visitor.get()).text).toContain('no cores');
    await page.close();
    expect((await page.ended).outcomes).toEqual([{ kind: 'skipped', id: one }]);
  });

  test('counts once when two tabs send answers at the same moment', async () => {
    const { page, visitor } = await reviewing();
    const tokens = [await visitor.token(), await visitor.token(), await visitor.token()];
    await Promise.all(tokens.map((token, i) => visitor.post({ token, key: i === 1 ? 'n' : 'y' })));
    expect((await visitor.get()).text).toContain('That tab was out of date');
    await page.close();
    expect((await page.ended).outcomes).toHaveLength(1);
    expect(store.audit().filter(({ id }) => id === one)).toHaveLength(1);
    expect(store.standing(two)).toBe('inferred:proposed');
  });

  test('counts once, in the order in which they came, while another process has the store’s lock', async () => {
    const { page, visitor, answer, undo, undoToken } = await reviewing();
    await answer('y');
    const token = await undoToken();
    const [first, second] = [await visitor.token(), await visitor.token()];
    const holder = new Child({ do: 'hold', folder: store.places.guard, milliseconds: 1_500 });
    await holder.word(0);
    // It carries out the answer before, which waits for the lock; what comes after waits for it.
    const no = visitor.post({ token: first, key: 'n' });
    await sleep(100);
    await Promise.all([no, visitor.post({ token: second, key: 'y' }), undo(token)]);
    expect([store.standing(one), store.standing(two)]).toEqual(['verified:vouched', 'quarantined:decided']);
    await page.close();
    expect((await page.ended).outcomes).toMatchObject([
      { id: one, verb: 'promote' },
      { id: two, verb: 'demote' },
    ]);
    expect([accepted(one).length, store.audit().filter(({ id }) => id === two).length]).toEqual([1, 1]);
    await holder.ended;
  });

  test('taken back in one tab, is not taken back or carried out by another', async () => {
    const { page, visitor, answer, undo, undoToken } = await reviewing();
    await answer('y');
    const token = await undoToken();
    await Promise.all([undo(token), undo(token)]);
    const { text } = await visitor.get();
    expect(text).toContain(NOTHING_HELD);
    expect(text).toContain(`<p class="id"><code>${one}</code>`);
    await page.close();
    expect([store.tier(one), promoted()]).toEqual(['inferred', []]);
  });

  test('is forgotten when the link is used twice: nobody knows whose it is', async () => {
    const { page, answer } = await reviewing();
    const before = store.ledgerLines();
    await answer('y');
    await knock(page.url);
    expect(await page.ended).toMatchObject({ how: 'voided', outcomes: [] });
    await page.close();
    expect(store.ledgerLines()).toEqual(before);
    expect(store.complaints.join()).toContain('Nothing was decided on it.');
  });

  test('to a correction leads to what it corrects, and back', async () => {
    const old = await store.add('build');
    const id = await store.propose('build again', {
      body: 'The large machine is enough for all of it.',
      replaces: old,
    });
    store.pass(8);
    const { page, visitor, answer, undo, undoToken } = await reviewing({
      items: [{ category: 'ready', id, stem: id }],
    });
    await answer('y');
    expect((await visitor.get()).text).toContain(`corrected by ${id}`);
    await undo(await undoToken());
    expect((await visitor.get()).text).toContain('which it corrects');
    await answer('y');
    const sheet = await visitor.token();
    store.edit(id, (text) => text.replace('The large', 'No'));
    await visitor.post({ token: sheet, key: 'y' });
    const { text } = await visitor.get();
    expect(text).toContain(`so nothing was done about ${id}.`);
    expect(text).toContain(`${old} is not as it was shown any more, so nothing was done about it.`);
    await page.close();
    expect([store.tier(id), store.tier(old)]).toEqual(['inferred', 'verified']);
  });

  test('in the person’s own words is held too, and leads back to what they wrote', async () => {
    const { visitor, answer, undo, undoToken } = await reviewing();
    await answer('e');
    const words = { name: 'Mine', description: 'My own words', body: 'Six cores are enough, I say.', type: 'project' };
    expect((await visitor.post({ token: await visitor.token('edit'), key: 'y', ...words })).headers.location).toMatch(
      /draft$/,
    );
    const before = trace();
    await visitor.post({ token: await visitor.token('draft'), key: 'y' });
    expect((await visitor.get()).text).toContain(`<code>${one}</code>: stored in your own words.`);
    expect((await undo(await undoToken())).headers.location).toMatch(/draft$/);
    expect((await visitor.get('draft')).text).toContain('Six cores are enough');
    expect(trace()).toBe(before);
    await visitor.post({ token: await visitor.token('draft'), key: 'y' });
    await expect.poll(() => store.standing(one)).toBe('verified:vouched');
    expect(store.text('memories', one)).toContain('Six cores are enough');
  });

  test('about a machine is held, taken back and carried out like any other', async () => {
    const remote = bareRemote();
    const desk = await Machine.open('desk', remote, { machine: { name: 'desk', identity: 'another computer' } });
    const here = await Machine.open('here', remote);
    const id = await desk.store.add('the build');
    await desk.sync();
    await here.sync();
    store = here.store;
    const { page, visitor, answer, undo, undoToken } = await reviewing({ items: [] });
    const [first, second] = [await visitor.token(), await visitor.token()];
    await visitor.post({ token: first, key: 'y' });
    expect((await visitor.get()).text).toContain('yes, its word counts here');
    await undo(await undoToken());
    expect((await visitor.get()).text).toContain('Let this machine’s word count here?');
    await answer('y');
    expect(store.tier(id)).toBe('inferred');
    // Another tab still shows the machine.
    await visitor.post({ token: second, key: 'n' });
    expect(store.standing(id)).toBe('verified:vouched');
    expect((await visitor.get()).text).toContain('That tab was out of date');
    await page.close();
    expect((await page.ended).outcomes).toEqual([{ kind: 'trusted', id: desk.fingerprint.slice(0, 16) }]);
  });
});

describe('an attacker', WITHIN_FIVE_SECONDS, () => {
  test('takes nothing back without the token of exactly this answer', async () => {
    const { page, answer, undo, undoToken } = await reviewing();
    await answer('y');
    const earlier = await undoToken();
    await answer('n');
    const token = await undoToken();
    expect(token).not.toBe(earlier);
    for (const wrong of ['', earlier, token.slice(1), token.toUpperCase(), '0'.repeat(64)]) await undo(wrong);
    expect(await undoToken()).toBe(token);
    await page.close();
    expect([store.standing(one), store.standing(two)]).toEqual(['verified:vouched', 'quarantined:decided']);
  });

  test('takes nothing back without the cookie, from another page, or with a link', async () => {
    const { visitor, page, answer, undo, undoToken } = await reviewing();
    await answer('n');
    const token = await undoToken();
    expect((await undo(token, { cookie: '' })).status).toBe(403);
    expect((await undo(token, { origin: 'http://evil.example' })).status).toBe(403);
    expect((await undo(token, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await visitor.get(`undo?undo=${token}`)).status).toBe(404);
    expect((await undo(token, { 'content-type': 'text/plain' })).status).toBe(415);
    await page.close();
    expect(store.standing(one)).toBe('quarantined:decided');
  });

  test('finds no undo on a page whose client waits for the answer', async () => {
    const { visitor } = await reviewing({ holdsAnswers: false, needsAccept: true, offersMore: true, client: 'some 1' });
    expect((await visitor.post({ undo: '' }, {}, 'undo')).status).toBe(404);
    const id = await waitingFor(store, 'stale');
    const atOnce = await reviewing({ holdsAnswers: false, items: [{ category: 'stale', id, stem: id }] });
    await atOnce.answer('n');
    expect(store.standing(id)).toBe('quarantined:decided');
  });
});
