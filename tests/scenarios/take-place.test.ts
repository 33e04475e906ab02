import * as fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { noteContradictions } from '../../src/actions/contradictions.ts';
import { queue } from '../../src/actions/decide.ts';
import { changedMeanwhile, choicesFor } from '../../src/actions/review/answers.ts';
import { itemsToReview, openCase, questionAbove } from '../../src/actions/review/review.ts';
import { shownForErasing } from '../../src/actions/review/shown.ts';
import { takeInFiles } from '../../src/actions/session.ts';
import type { MemoryId } from '../../src/core/memory/ids.ts';
import { Refusal } from '../../src/core/refusal.ts';
import { witnessed } from '../../src/core/trust/consent.ts';
import { SettledAnchors } from '../../src/store/checkout/settled-anchors.ts';
import { Disk } from '../../src/store/disk/disk.ts';
import { erasable, erase } from '../../src/store/maintenance/erase.ts';
import { requestsOf } from '../../src/store/records/request-queue.ts';
import { copyHome, EVERYTHING, type Fault, FaultyDisk } from '../../testkit/faults.ts';
import { pageOf, personAt, sessionOf, Visitor } from '../../testkit/review-page.ts';
import { takePlace } from '../../testkit/sample.ts';
import { TestStore, temporaryFolder } from '../../testkit/store.ts';

// Two memories that cannot both hold, and the one answer that decides about both.

const OLD = { description: 'When the shop is deployed', body: 'We deploy the shop on Tuesdays, after the standup.' };
const NEW = { description: 'The deploy day', body: 'We deploy the shop on Thursdays, after the standup.' };

let store: TestStore;
let old: string;
let id: string;
beforeEach(async () => {
  store = await TestStore.open();
  old = await store.add('Deploy day', OLD);
  id = await propose('Deploying the shop', NEW);
  store.pass(8);
});

async function propose(name: string, said: { readonly body: string; readonly description: string }): Promise<string> {
  const proposed = await store.propose(name, said);
  await noteContradictions(sessionOf(store), store.load(proposed));
  return proposed;
}

const tiers = () => [store.tier(id), store.tier(old)];
const waiting = () => itemsToReview(sessionOf(store)).map(({ category, id: each }) => [category, each]);

function caseOf(about: string) {
  const session = sessionOf(store);
  const item = itemsToReview(session).find((each) => each.id === about);
  const open = item && openCase(session, item);
  if (open === undefined) throw new Error(`${about} does not wait`);
  return { session, open, choices: choicesFor(open) };
}

function answer({ session, open, choices }: ReturnType<typeof caseOf>, key: string) {
  const effect = choices.find((choice) => choice.key === key)?.effect;
  if (typeof effect !== 'function') throw new Error(`${key} is not offered`);
  return effect(session, open, personAt(open));
}

test('one answer verifies the new one and quarantines the old one, and each has its own receipt', async () => {
  const asked = caseOf(id);
  expect(asked.choices.map(({ key, means }) => `${key} ${means}`)).toEqual([
    `y yes, take this one, and quarantine ${old}`,
    `a these are my words: take this one, and quarantine ${old}`,
    'n no, keep the old one and quarantine this',
    'b keep both, they hold together',
    'e say it in your own words',
    's skip',
    'q stop here',
  ]);
  const { said } = await answer(asked, 'y');
  expect(said).toEqual({ tone: 'good', sentence: `${id} is verified. ${old} is quarantined.` });
  expect(tiers()).toEqual(['verified', 'quarantined']);
  const by = { actor: 'operator', channel: 'page', level: 3 };
  expect(store.entries().slice(-2)).toMatchObject([
    { action: 'promote', id, to: 'verified', replaces: old, by },
    { action: 'demote', id: old, to: 'quarantined', reason: `replaced by ${id}`, by },
  ]);
  expect(store.audit().slice(-2)).toMatchObject([
    { action: 'promote', id, outcome: 'accepted' },
    { action: 'demote', id: old, outcome: 'accepted' },
  ]);
  expect(waiting()).toEqual([]);
});

test('the page shows both side by side, and one answer decides about both', async () => {
  const visitor = await Visitor.enter(await pageOf(store));
  const { text } = await visitor.get();
  const columns = text.slice(text.indexOf('class="columns"'), text.indexOf('id="end"'));
  for (const part of ['the new one', 'Thursdays', `<code>${old}</code>`, 'Tuesdays']) expect(columns).toContain(part);
  await visitor.post({ token: await visitor.token(), key: 'y' });
  const end = (await visitor.get()).text;
  expect(end).toContain(`${id} is verified. ${old} is quarantined.`);
  expect(end).toContain(`<code>${id}</code> is verified; ${old} is quarantined`);
  expect(tiers()).toEqual(['verified', 'quarantined']);
});

describe('the old one changes while a person looks at both', () => {
  const CHANGES: Readonly<Record<string, () => unknown>> = {
    'its text is edited': () => store.edit(old, (text) => text.replace('Tuesdays', 'Mondays')),
    'it is quarantined': () => store.decide('demote', old),
    'it is vouched for again': () => {
      store.pass(1);
      return store.decide('reaffirm', old);
    },
    'its file is removed': () => store.remove(old),
  };

  test.each(Object.keys(CHANGES))('%s: the answer does nothing and says why', async (change) => {
    const visitor = await Visitor.enter(await pageOf(store));
    const token = await visitor.token();
    await CHANGES[change]?.();
    const before = store.ledgerLines();
    await visitor.post({ token, key: 'y' });
    const { text } = await visitor.get();
    expect(text).toMatch(
      /One of the two changed while you were looking|is not in conflict with a verified memory any more/,
    );
    expect(store.ledgerLines()).toEqual(before);
    expect(store.tier(id)).toBe('inferred');
    expect(store.audit().at(-1)).toMatchObject({ action: 'promote', id, reason: 'changed-meanwhile' });
  });
});

test('a yes to both counts for exactly these two: not for one alone, and not beside another', async () => {
  const other = await store.add('Standup', {
    description: 'The standup',
    body: 'The standup is at nine, in the kitchen.',
  });
  const { open } = caseOf(id);
  const { vault } = store;
  const both = () => personAt(open).yesToBoth('promote');
  await expect(vault.decide('promote', store.load(id), both().consent)).rejects.toThrow('for something else');
  await expect(vault.takePlace('promote', store.load(id), store.load(other), both())).rejects.toThrow('something else');
  const alone = { ...both(), consent: personAt(open).yes('promote') };
  await expect(vault.takePlace('promote', store.load(id), store.load(old), alone)).rejects.toThrow('something else');
  const spent = both();
  await vault.takePlace('promote', store.load(id), store.load(old), spent);
  await expect(vault.decide('demote', store.load(other), spent.toRival)).rejects.toThrow('used already');
  expect([...tiers(), store.tier(other)]).toEqual(['verified', 'quarantined', 'verified']);
});

/** One takes the other's place in a copy of the store, on a disk with this fault. Then the copy is opened on a whole disk. */
async function inCopy(fault?: Fault) {
  const disk = new FaultyDisk();
  const home = join(temporaryFolder(), 'copy');
  copyHome(store.home, home);
  const copy = await TestStore.open({ home, disk });
  copy.now = store.now;
  // The list of conflicts is signed for the folder that it was in.
  await noteContradictions(sessionOf(copy), copy.load(id));
  disk.arm(fault);
  const refused: unknown = await takePlace(copy.vault, copy.load(id), copy.load(old)).then(
    () => undefined,
    (error) => error,
  );
  const steps = disk.steps.length;
  disk.arm();
  await copy.reopen({ disk: new FaultyDisk() });
  await copy.reconcile();
  return { copy, steps, refused };
}

test('killed at any step: nothing changed, or both are verified and the review asks about the old one, or all is done', async () => {
  store.vault.close();
  const seen = new Set<string>();
  const { steps } = await inCopy();
  for (let at = 1; at <= steps; at++) {
    const { copy } = await inCopy({ at, moment: 'torn', how: 'die' });
    const session = sessionOf(copy);
    const found = [copy.standing(id), copy.tier(old)].join(', ');
    seen.add(found);
    const [item] = itemsToReview(session);
    const open = item && openCase(session, item);
    if (found === 'verified:vouched, verified') {
      expect(open, `step ${at}`).toMatchObject({ category: 'conflicting', id: old, correctedBy: id, verb: 'demote' });
      const yes = open && choicesFor(open).find(({ key }) => key === 'y')?.effect;
      if (open === undefined || typeof yes !== 'function') throw new Error('no yes is offered');
      await yes(session, open, personAt(open));
      expect([copy.tier(id), copy.tier(old)]).toEqual(['verified', 'quarantined']);
    } else if (found === 'inferred:proposed, verified') {
      expect(open, `step ${at}`).toMatchObject({ category: 'conflicting', id, verb: 'promote' });
    }
    copy.vault.close();
    fs.rmSync(join(copy.home, '..'), { recursive: true, force: true });
  }
  expect([...seen].sort()).toEqual([
    'inferred:proposed, verified',
    'inferred:unfinished, verified',
    'verified:vouched, quarantined',
    'verified:vouched, verified',
  ]);
});

test('on a disk that fails for good, from any step on: it is told as it is, and the person has one of the two', async () => {
  store.vault.close();
  const told = new Set<string>();
  const { steps } = await inCopy();
  for (let at = 1; at <= steps; at++) {
    const { copy, refused } = await inCopy({ at, moment: 'before', how: 'ENOSPC', lasting: EVERYTHING });
    const found = [copy.standing(id), copy.tier(old)].join(', ');
    expect(found, `step ${at}`).toMatch(/^verified|, verified$/);
    if (refused === undefined) expect(found, `step ${at}`).toBe('verified:vouched, quarantined');
    else expect(refused, `step ${at}`).toBeInstanceOf(Refusal);
    if (refused instanceof Refusal && refused.code === 'disk-failed') {
      expect(found, `step ${at}`).toBe('inferred:proposed, verified');
    } else if (refused instanceof Refusal) told.add(refused.message.replaceAll(id, 'NEW').replaceAll(old, 'OLD'));
    copy.vault.close();
    fs.rmSync(join(copy.home, '..'), { recursive: true, force: true });
  }
  expect([...told]).toEqual([
    'The yes to NEW is on record, but the disk is full: it is inferred for now. Read it before asking again. surety doctor can finish it.',
    'The yes to NEW is on record, and it is verified for now. OLD was not quarantined: the disk is full. surety review asks about it again.',
  ]);
});

test('the new one is edited in the moment in which it is verified: the old one stays', async () => {
  const edited = new (class extends Disk {
    protected override rename(from: string, to: string): void {
      super.rename(from, to);
      if (to === store.path('memories', id)) store.edit(id, (text) => text.replace('Thursdays', 'Sundays'));
    }
  })();
  await store.reopen({ disk: edited });
  const taking = takePlace(store.vault, store.load(id), store.load(old));
  await expect(taking).rejects.toThrow('was not quarantined: the other one changed at the same moment.');
  expect([store.standing(id), store.tier(old)]).toEqual(['inferred:changed', 'verified']);
  store.edit(id, (text) => text.replace('Sundays', 'Thursdays'));
  await store.reopen({ disk: new Disk() });
  await store.reconcile();
  expect(waiting()).toEqual([['conflicting', old]]);
});

describe('two that are both verified', () => {
  test('the one that corrects is edited while a person looks at the other: the other one stays', async () => {
    await store.decide('promote', id);
    const asked = caseOf(old);
    store.edit(id, (text) => text.replace('Thursdays', 'Sundays'));
    await expect(answer(asked, 'y')).rejects.toMatchObject({ code: 'changed-meanwhile' });
    expect(tiers()).toEqual(['inferred', 'verified']);
    expect(changedMeanwhile(asked.open)).toContain('One of the two changed');
  });

  /** Each was edited beside the other one and vouched for again. */
  async function eachAgainstTheOther() {
    await store.decide('promote', id);
    for (const [each, day] of [
      [old, 'Fridays'],
      [id, 'Sundays'],
      [old, 'Mondays'],
    ] as const) {
      store.edit(each, (text) => text.replace(/on \w+days,/, `on ${day},`));
      await takeInFiles(sessionOf(store), () => {});
      await store.decide('reaffirm', each);
      await noteContradictions(sessionOf(store), store.load(each));
    }
    await noteContradictions(sessionOf(store), store.load(id));
    expect(waiting()).toEqual([
      ['conflicting', old],
      ['conflicting', id],
    ]);
  }

  test('of two that each contradict the other, one yes is enough, and a second one does nothing', async () => {
    await eachAgainstTheOther();
    const [first, second] = [caseOf(old), caseOf(id)];
    await answer(first, 'y');
    await expect(answer(second, 'y')).rejects.toMatchObject({ code: 'changed-meanwhile' });
    expect(tiers()).toEqual(['verified', 'quarantined']);
    expect(waiting()).toEqual([]);
  });

  test('keeping both of them settles it for both', async () => {
    await eachAgainstTheOther();
    await answer(caseOf(old), 'n');
    expect(waiting()).toEqual([]);
  });
});

test('a request to quarantine a conflicting one asks that, and not which one to keep', async () => {
  await queue(sessionOf(store), 'demote', store.load(id), undefined);
  const { open, choices } = caseOf(id);
  expect(open).toMatchObject({ category: 'requests', verb: 'demote', rival: undefined });
  expect(questionAbove(open)).toBe('Should this go into quarantine?');
  expect(choices.map(({ key }) => key)).toEqual(['y', 'n', 'e', 's', 'q']);
});

test('two that were both verified are asked about once, and keeping both settles it', async () => {
  await store.decide('promote', id);
  expect(waiting()).toEqual([['conflicting', old]]);
  const asked = caseOf(old);
  expect(asked.open).toMatchObject({
    correctedBy: id,
    verb: 'demote',
    against: { heading: expect.stringContaining(id) },
  });
  await answer(asked, 'n');
  expect(waiting()).toEqual([]);
  expect(tiers()).toEqual(['verified', 'verified']);
  await store.reopen();
  expect(waiting()).toEqual([]);
});

test('one that contradicts two: each pair is decided by an answer to a sheet that showed it', async () => {
  const second = await store.add('Shop deploys', {
    description: 'Deploy day',
    body: 'We deploy the shop on Fridays, after the standup.',
  });
  const third = await propose('New deploy day', { ...NEW, body: 'We deploy the shop on Mondays, after the standup.' });
  const rivals = [...store.vault.conflicts.rivalsOf(store.load(third))];
  expect(rivals.toSorted()).toEqual([old, second].toSorted());
  const [shown = '', next = ''] = rivals;
  // Keeping both is about the two on the sheet: the other one was not there.
  await answer(caseOf(third), 'b');
  expect([...store.vault.conflicts.rivalsOf(store.load(third))]).toEqual([next]);
  expect(waiting()).toContainEqual(['conflicting', third]);
  const { outcome } = await answer(caseOf(third), 'a');
  expect(outcome).toMatchObject({ kind: 'done', verb: 'adopt' });
  expect([store.tier(third), store.tier(shown), store.tier(next)]).toEqual(['verified', 'verified', 'quarantined']);
});

test('a text with many rare words of its own is compared all the same', async () => {
  const rare =
    'Incidentally, extraordinarily internationalized administrators unquestionably misunderstood counterproductive characteristics notwithstanding telecommunications responsibilities, misinterpretations disproportionately overenthusiastic.';
  const long = await propose('Deploys', { ...NEW, body: `${NEW.body.replace('Thurs', 'Sun')} ${rare}` });
  expect(store.vault.conflicts.of(store.load(long))).toBe(old);
});

test('a text is compared with a verified one, however many proposals have the same words', async () => {
  for (let n = 0; n < 20; n++) {
    const body = `Whoever deploys the shop on a day after the standup writes line ${n} of the log.`;
    await store.propose(`Deploying the shop, note ${n}`, { description: 'About the deploy day', body });
  }
  const last = await propose('Shop deploying', { ...NEW, body: NEW.body.replace('Thurs', 'Sun') });
  expect(store.vault.conflicts.of(store.load(last))).toBe(old);
});

test('where seventy memories with the same words were there before the verified one, a person sees both all the same', async () => {
  for (let n = 0; n < 70; n++) {
    const body = `Whoever paints the fence of the garden waits for the dry days of year ${n}.`;
    await store.propose(`Painting the fence, note ${n}`, { description: 'About the fence of the garden', body });
  }
  const fence = { description: 'The fence of the garden', body: 'We paint the fence of the garden on Tuesdays.' };
  const verified = await store.add('Painting day', fence);
  const last = await propose('Fence painting', { ...fence, body: fence.body.replace('Tuesdays', 'Sundays') });
  expect(caseOf(last).open.rival?.id).toBe(verified);
});

test('the list is lost: after a yes in place of one, the other that it contradicts is still asked about', async () => {
  const second = await store.add('Shop deploys', {
    description: 'Deploy day',
    body: 'We deploy the shop on Fridays, after the standup.',
  });
  fs.rmSync(join(store.places.state, 'conflicts.json'));
  const asked = caseOf(id);
  const next = [old, second].find((each) => each !== asked.open.rival?.id);
  await answer(asked, 'y');
  expect(waiting()).toEqual([['conflicting', next]]);
});

test('the list is lost: keeping one of two that it contradicts leaves the other to be asked about', async () => {
  const second = await store.add('Shop deploys', {
    description: 'Deploy day',
    body: 'We deploy the shop on Fridays, after the standup.',
  });
  fs.rmSync(join(store.places.state, 'conflicts.json'));
  const asked = caseOf(id);
  const next = [old, second].find((each) => each !== asked.open.rival?.id);
  await answer(asked, 'b');
  expect(caseOf(id).open.rival?.id).toBe(next);
  await answer(caseOf(id), 'b');
  expect(caseOf(id).open.rival).toBeUndefined();
});

test('a flood of conflicts frees no earlier text from its own', async () => {
  const { conflicts } = store.vault;
  const [before, rival] = [store.load(id), store.load(old)];
  const flood = (n: number) => ({
    id: `user_flood_${n}`,
    digest: '0'.repeat(64),
    with: old,
    withDigest: rival.digest ?? '',
  });
  const dead = (n: number) => ({ ...flood(n), withDigest: '1'.repeat(64) });
  const one = (n: number) => ({ ...flood(0), digest: `${n}`.padStart(64, '0') });
  await store.vault.exclusively(() => conflicts.add(Array.from({ length: 3_000 }, (_, n) => dead(n))));
  expect(conflicts.of(before)).toBe(old);
  await store.vault.exclusively(() => conflicts.add(Array.from({ length: 1_990 }, (_, n) => one(n))));
  await store.vault.exclusively(() => conflicts.add(Array.from({ length: 9 }, (_, n) => flood(n))));
  expect(conflicts.of(before)).toBe(old);
});

test('a vouched text that is changed so that it contradicts another: its change is settled before one is chosen', async () => {
  const changed = await store.add('Shop window', { description: 'The window', body: 'The window is cleaned by Ann.' });
  store.edit(changed, (text) => text.replace('The window is cleaned by Ann.', NEW.body.replace('Thurs', 'Fri')));
  store.edit(changed, (text) => text.replace('description: The window', 'description: The deploy day of the shop'));
  await takeInFiles(sessionOf(store), () => {});
  expect(store.vault.conflicts.of(store.load(changed))).toBe(old);
  const asked = caseOf(changed);
  expect(asked.open).toMatchObject({ category: 'changed', verb: 'reaffirm', rival: undefined });
  expect(asked.choices.map(({ key, means }) => `${key} ${means}`)).toEqual([
    'y yes, it still holds',
    'n no, quarantine it',
    'p put the old text back',
    's skip',
    'q stop here',
  ]);
  await answer(asked, 'y');
  expect(caseOf(old).open).toMatchObject({ category: 'conflicting', correctedBy: changed });
});

test('keeping both is the answer to a request about it, so nobody is asked again', async () => {
  const session = sessionOf(store);
  await queue(session, 'promote', store.load(id), undefined);
  const asked = caseOf(id);
  expect(asked.open.category).toBe('requests');
  await answer(asked, 'b');
  expect(requestsOf(store.vault).list().requests).toEqual([]);
  expect(waiting()).toEqual([['ready', id]]);
});

test('an erased memory leaves no hash and no path in the lists of this machine', async () => {
  const { digest } = store.load(id);
  const lost = [{ path: 'src/gone.ts', state: 'gone' }] as const;
  await store.vault.exclusively(() => new SettledAnchors(store.vault).add({ id, digest }, lost));
  const found = erasable(store.vault, id as MemoryId, requestsOf(store.vault));
  const consent = witnessed('terminal', shownForErasing(found));
  expect(await erase(store.vault, found, requestsOf(store.vault), consent)).toEqual({ left: [] });
  for (const list of ['conflicts.json', 'anchors.json']) {
    const kept = fs.readFileSync(join(store.places.state, list), 'utf8');
    for (const trace of [id, digest, 'src/gone.ts']) expect(kept, list).not.toContain(trace);
  }
});

test('after a yes, the other one that it contradicts is asked about next', async () => {
  const second = await store.add('Shop deploys', {
    description: 'Deploy day',
    body: 'We deploy the shop on Fridays, after the standup.',
  });
  const third = await propose('New deploy day', { ...NEW, body: 'We deploy the shop on Mondays, after the standup.' });
  const asked = caseOf(third);
  const next = [old, second].find((each) => each !== asked.open.rival?.id);
  const adopting = asked.choices.find(({ key }) => key === 'a');
  expect(adopting?.next).toMatchObject({ id: next, correctedBy: third });
  await answer(asked, 'a');
  expect(waiting()).toContainEqual(['conflicting', next]);
});
