import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shownMemory } from '../../../src/actions/report/show.ts';
import { statusOf } from '../../../src/actions/report/status.ts';
import { choicesFor } from '../../../src/actions/review/answers.ts';
import { itemsToReview, openCase, type ReviewItem, whyAsked } from '../../../src/actions/review/review.ts';
import { reviewQueue, WaitingLine } from '../../../src/actions/review-queue.ts';
import { lastSync } from '../../../src/actions/sync/sync-notices.ts';
import { STORE_PROBLEMS } from '../../../src/actions/upkeep/doctor-store.ts';
import { EXIT_CODES, problemsOf } from '../../../src/actions/upkeep/problem.ts';
import { whyStanding } from '../../../src/core/ledger/standing.ts';
import { bareRemote, Intruder, Machine } from '../../../testkit/fleet.ts';
import { personAt } from '../../../testkit/review-page.ts';

const ID = 'user_the_build';
const MINE = 'Mine: two cores are enough for the whole build.';
const OTHER = 'Another machine says that forty cores are needed.';

/** What lies where, by what it says. */
function texts(at: Machine): Record<string, string> {
  const all = Object.entries(at.files()).filter(([path]) => path.includes(ID));
  return Object.fromEntries(all.map(([path, text]) => [path, text.includes(MINE) ? 'mine' : 'other']));
}

const KEPT = { [`memories/${ID}.md`]: 'mine', [`quarantine/${ID}.md`]: 'other' };
const DISPLACED = { [`memories/${ID}.md`]: 'other', [`quarantine/${ID}.md`]: 'mine' };

/** The person at the desk has vouched for their text; the laptop's agent wrote another one under the same id. */
async function twoTexts(): Promise<{ remote: string; desk: Machine; laptop: Machine }> {
  const remote = bareRemote();
  const [desk, laptop] = [await Machine.open('desk', remote), await Machine.open('laptop', remote)];
  await desk.store.add('the build', { body: MINE });
  await laptop.store.propose('the build', { body: OTHER });
  return { remote, desk, laptop };
}

test('a machine that is not trusted and syncs second takes the place of no verified text', async () => {
  const { desk, laptop } = await twoTexts();
  expect((await desk.sync()).code).toBe(0);
  expect((await laptop.sync()).code).toBe(3);
  expect(texts(laptop)).toEqual(DISPLACED);
  const outcome = await desk.sync();
  expect(outcome).toMatchObject({ code: 3, notices: [{ kind: 'conflict', about: ID }, { kind: 'machine' }] });
  expect(outcome.notices[0]?.what).toContain('was displaced by a text of laptop; it is back in its place');
  expect(texts(desk)).toEqual(KEPT);
  // The place is no tier: a stranger's proposal is one more head, which lowers until a person has looked.
  expect(desk.store.standing(ID)).toBe('inferred:disputed');
  expect(readFileSync(join(desk.root, 'quarantine', `${ID}.md`), 'utf8')).toContain('sync conflict with laptop');
  expect((await laptop.sync()).code).toBe(0);
  expect(laptop.files()).toEqual(desk.files());
  expect((await desk.sync()).code).toBe(0);
  expect([desk.status(), laptop.status()]).toEqual(['', '']);
  desk.store.pass(8);
  await desk.store.decide('promote', ID);
  expect(desk.store.standing(ID)).toBe('verified:vouched');
});

test('where both texts are new here, the one whose receipt counts keeps the place, whoever wrote it', async () => {
  const { desk, laptop } = await twoTexts();
  const other = await Machine.open('server', desk.remote);
  await desk.sync();
  await other.sync();
  other.trust(desk);
  await laptop.sync();
  expect((await other.sync()).code).toBe(3);
  expect(texts(other)).toEqual(KEPT);

  const { desk: first, laptop: second } = await twoTexts();
  await second.sync();
  await first.sync();
  expect(texts(first)).toEqual(KEPT);
  const lost = await second.sync();
  expect(lost).toMatchObject({ code: 3, notices: [{ kind: 'conflict', about: ID }, { kind: 'machine' }] });
  expect(lost.notices[0]?.what).toContain('has another text now, from desk');
  expect(texts(second)).toEqual(KEPT);
});

test('of two texts that machines vouch for and that trust each other, both give the place to the same one', async () => {
  const remote = bareRemote();
  const [desk, laptop] = [await Machine.open('desk', remote), await Machine.open('laptop', remote)];
  for (const each of [desk, laptop]) await each.store.add('something else');
  for (const each of [desk, laptop, desk]) await each.sync();
  desk.trust(laptop);
  laptop.trust(desk);
  await desk.store.add('the build', { body: MINE });
  await laptop.store.add('the build', { body: OTHER });
  const digests = [desk, laptop].map((each) => each.store.load(ID).digest ?? '') as [string, string];
  for (const each of [desk, laptop, desk, laptop, desk]) await each.sync();
  expect(laptop.files()).toEqual(desk.files());
  expect(texts(desk)).toEqual(digests[0] < digests[1] ? KEPT : DISPLACED);
  for (const each of [desk, laptop]) {
    expect(each.store.vault.displaced().map(({ id }) => id)).toEqual([ID]);
    expect((await each.sync()).code).toBe(3);
  }
});

test('a text that is displaced a second time is not changed back: it is told everywhere, and a person puts it back', async () => {
  const { remote, desk, laptop } = await twoTexts();
  for (const each of [desk, laptop, desk]) await each.sync();
  expect(texts(desk)).toEqual(KEPT);
  // Whoever can push changes the two texts again.
  const intruder = new Intruder(remote);
  const [living, parked] = [`memories/${ID}.md`, `quarantine/${ID}.md`];
  const before = [living, parked].map((path) => readFileSync(join(intruder.folder, path), 'utf8')) as [string, string];
  intruder.write(
    living,
    before[1].replace(/^quarantin.*\n/gm, '').replace('trust-level: quarantined', 'trust-level: inferred'),
  );
  intruder.write(parked, before[0]);
  intruder.push();

  const outcome = await desk.sync();
  expect(outcome).toMatchObject({ code: 3, notices: [{ kind: 'displaced', about: ID }] });
  expect(outcome.said).toContain('A text that a person vouched for has another one in its place. Run surety review');
  expect(texts(desk)).toEqual(DISPLACED);
  // Each later sync exits with it too, and tells it once.
  expect(await desk.sync()).toMatchObject({ code: 3, notices: [] });

  const { session } = desk;
  expect(new WaitingLine(session).said()).toContain('1 vouched for, and displaced by another text');
  const [item] = itemsToReview(session);
  expect(item).toMatchObject({ category: 'displaced', id: ID });
  const open = item && openCase(session, item);
  const yes = open && choicesFor(open).find(({ key }) => key === 'y');
  if (open === undefined || typeof yes?.effect !== 'function') throw new Error('no yes is offered');
  await yes.effect(session, open, {
    ...personAt(open),
    yes: () => {
      throw new Error('putting back takes no consent');
    },
  });
  expect(desk.store.standing(ID)).toBe('inferred:disputed');
  expect(texts(desk)).toEqual({ [living]: 'mine', [`quarantine/${ID}~2.md`]: 'other' });
  expect((await desk.sync()).code).toBe(0);
  expect(await laptop.sync()).toMatchObject({ code: 3, notices: [{ kind: 'conflict', about: ID }] });
  expect((await laptop.sync()).code).toBe(0);
  expect(laptop.files()).toEqual(desk.files());
});

test('a text that says quarantined keeps no place: the verified one is put back however often it is displaced so', async () => {
  const { remote, desk, laptop } = await twoTexts();
  for (const each of [desk, laptop, desk]) await each.sync();
  for (let times = 0; times < 2; times++) {
    const intruder = new Intruder(remote);
    const [living, parked] = [`memories/${ID}.md`, `quarantine/${ID}.md`];
    const before = [living, parked].map((path) => readFileSync(join(intruder.folder, path), 'utf8')) as [
      string,
      string,
    ];
    intruder.write(living, before[1]);
    intruder.write(parked, before[0]);
    intruder.push();
    expect((await desk.sync()).code).toBe(3);
    expect(texts(desk)).toEqual(KEPT);
    expect(desk.store.tier(ID)).toBe('inferred');
  }
});

test('two machines that each count their own receipt change the texts once each and then ask', async () => {
  const { desk, laptop } = await twoTexts();
  laptop.store.pass(8);
  await laptop.store.decide('promote', ID);
  const places: string[] = [];
  for (let round = 0; round < 4; round++) {
    for (const each of [desk, laptop]) {
      await each.sync();
      places.push(texts(each)[`memories/${ID}.md`] ?? '');
    }
  }
  const changes = places.filter((place, n) => n > 0 && place !== places[n - 1]).length;
  expect(changes).toBeLessThanOrEqual(4);
  expect(new Set(places.slice(-4)).size).toBe(1);
  // The one whose text lies in quarantine says so at each sync; the other has nothing to tell.
  const codes = [(await desk.sync()).code, (await laptop.sync()).code];
  expect(codes.sort()).toEqual([0, 3]);
});

test('the doctor exits with 3 over a displaced text and does not advise to remove it; status and review_queue name it', async () => {
  const { desk, laptop } = await twoTexts();
  await desk.sync();
  await laptop.sync();
  desk.store.write('quarantine', ID, desk.store.text('memories', ID));
  desk.store.edit(ID, (text) => text.replace(MINE, OTHER));
  await desk.store.reconcile();
  const look = { ...desk.session, notices: [] };
  const found = problemsOf(STORE_PROBLEMS, look);
  expect(found.find(({ code }) => code === 'displaced')).toMatchObject({
    severity: 'problem',
    about: [`quarantine/${ID}.md`],
    advice: expect.stringContaining('Keep the files.'),
  });
  expect(EXIT_CODES.problem).toBe(3);
  expect(found.filter(({ code }) => code.startsWith('doubled'))).toEqual([]);
  expect(statusOf(look).waiting).toMatchObject({ displaced: 1, quarantined: 0 });
  expect(reviewQueue(look).waiting).toContainEqual(
    expect.objectContaining({ category: 'displaced', id: ID, tier: 'quarantined' }),
  );
});

test('of two texts that people vouched for, nothing says that one changed or that only the other has a yes', async () => {
  const remote = bareRemote();
  const [desk, laptop] = [await Machine.open('desk', remote), await Machine.open('laptop', remote)];
  await desk.store.add('the build', { body: 'The build takes one core, and that is enough.' });
  await laptop.store.add('something else');
  for (const each of [desk, laptop, desk]) await each.sync();
  desk.trust(laptop);
  laptop.trust(desk);
  const words = [desk, laptop].map(async (each, n) => {
    each.store.edit(ID, (text) => text.replace(/The build takes.*/, n === 0 ? MINE : OTHER));
    await each.store.reconcile();
    each.store.now += 3_600_000;
    await each.store.decide('reaffirm', ID);
  });
  await Promise.all(words);
  await desk.sync();
  for (const each of [laptop, desk]) {
    const told = await each.sync();
    expect(told).toMatchObject({ code: 3, notices: [{ kind: 'displaced', about: ID }] });
    expect(told.notices[0]?.what).toContain('has two texts that people vouched for, so neither is verified');
    expect(lastSync(each.session)?.notices.filter(({ about }) => about === ID)).toHaveLength(1);
    expect(each.store.standing(ID)).toBe('inferred:changed');
    const shown = shownMemory(each.session, ID);
    if (!('loaded' in shown)) throw new Error('there is a file');
    expect(whyStanding(shown.loaded.standing)).toBe('people vouched for this text and for another one');
    const found = problemsOf(STORE_PROBLEMS, { ...each.session, notices: [] });
    expect(found.find(({ code }) => code === 'displaced')?.means).toContain('A sync put them into quarantine, here or');
  }

  const { session } = desk;
  desk.store.now += 3_600_000;
  const answer = async (item: ReviewItem | undefined, key: 'y' | 'n') => {
    const open = item && openCase(session, item);
    const choice = open && choicesFor(open).find((each) => each.key === key);
    if (open === undefined || typeof choice?.effect !== 'function') throw new Error('it is not offered');
    return { open, ...(await choice.effect(session, open, personAt(open))) };
  };
  const { then } = await answer(itemsToReview(session)[0], 'n');
  const { open } = await answer(then, 'y');
  expect(whyAsked(open)).toBe('one of two texts that were vouched for');
  expect(open.against?.heading).toBe('how it differs from the other text that a person vouched for');
  expect(desk.store.standing(ID)).toBe('verified:vouched');
  for (const each of [desk, laptop]) {
    expect((await each.sync()).code).toBe(0);
    expect(each.store.standing(ID)).toBe('verified:vouched');
    expect(lastSync(each.session)?.notices.filter(({ about }) => about === ID)).toEqual([]);
    const found = problemsOf(STORE_PROBLEMS, { ...each.session, notices: [] });
    expect(found.find(({ code }) => code === 'doubled-id')?.what).toContain('no yes to what they say is in force');
  }
});
