import { expect, test } from 'vitest';
import { statusOf } from '../../../src/actions/report/status.ts';
import { shownForErasing } from '../../../src/actions/review/shown.ts';
import { lastSync, syncNews } from '../../../src/actions/sync/sync-notices.ts';
import { erase, toErase } from '../../../src/actions/upkeep/erase.ts';
import type { MemoryId } from '../../../src/core/memory/ids.ts';
import { witnessed } from '../../../src/core/trust/consent.ts';
import { type Machine, PreparedPair } from '../../../testkit/fleet.ts';

const ABOUT = ['the build', 'the door', 'the window', 'the roof'];

/** What a person vouched for at the desk, and a laptop that the desk does not trust. */
const prepared = new PreparedPair(async (desk, laptop) => {
  const ids: string[] = [];
  for (const about of ABOUT) ids.push(await desk.store.add(about));
  for (const machine of [desk, laptop, desk]) await machine.sync();
  return ids as [string, string, string, string];
});

const toldAt = ({ session }: Machine) =>
  lastSync(session)?.notices.flatMap(({ kind, about }) => (kind === 'lowered' ? about : []));

async function erased({ session }: Machine, id: string): Promise<void> {
  const found = toErase(session, id as MemoryId);
  await erase(session, found, witnessed('page', shownForErasing(found)));
}

test('what a machine that is not trusted demotes, erases or edits is named with that machine, and exits with 3', async () => {
  const { a: desk, b: laptop, made } = await prepared.restore();
  const [demoted, gone, edited, kept] = made;
  await laptop.store.decide('demote', demoted, 'wrong');
  await erased(laptop, gone);
  laptop.store.edit(edited, (text) => text.replace('two cores', 'forty cores'));
  await laptop.sync();

  const { code, said, notices } = await desk.sync();
  expect(code).toBe(3);
  expect(said).toContain('3 memories that were verified here are not any more; the notices of them say why.');
  const by = `laptop (${laptop.fingerprint.slice(0, 16)}), whose word does not count here`;
  const words = Object.fromEntries(notices.map(({ kind, about, what }) => [`${kind} ${about}`, what]));
  expect(words).toEqual({
    [`lowered ${demoted}`]: `was verified here and was quarantined by ${by}; surety show ${demoted} tells more, and surety restore ${demoted} brings it back`,
    [`lowered ${gone}`]: `was verified here and was taken out by ${by}; if it should stay, write it again with surety remember`,
    [`lowered ${edited}`]:
      'was verified here and has another text now, from laptop; surety review shows both and puts the verified one back',
  });
  expect(desk.store.standing(kept)).toBe('verified:vouched');

  expect(
    statusOf({ ...desk.session, notices: [] }).sync?.notices.filter(({ kind }) => kind === 'lowered'),
  ).toHaveLength(3);
  // A model is told which memory, and no name that a machine gave itself.
  const { news } = syncNews(desk.session);
  expect(news.map(({ about, what }) => `${about} ${what}`)).toContain(
    `${demoted} a memory that was verified here is not any more`,
  );
  expect(JSON.stringify(news)).not.toContain('laptop');

  // It is told once, and not any more once the memory is verified again.
  expect(await desk.sync()).toMatchObject({ code: 0, notices: [] });
  await desk.store.decide('restore', demoted);
  expect(toldAt(desk)?.toSorted()).toEqual([gone, edited]);
});

test('what a person decides on a machine whose word counts here is no news, and what is missing is told as such', async () => {
  const { a: desk, b: laptop, made } = await prepared.restore();
  const [demoted, gone, removed] = made;
  laptop.trust(desk);
  desk.trust(laptop);
  await laptop.store.decide('demote', demoted, 'wrong');
  await erased(laptop, gone);
  laptop.store.remove(removed);
  await laptop.sync();
  const outcome = await desk.sync();
  expect(outcome).toMatchObject({ code: 0, notices: [] });
  expect(outcome.said).toContain('The ledger still has 1 memory that is gone.');
  for (const id of [demoted, gone]) expect(desk.store.vault.load(id)?.standing.tier).not.toBe('verified');
});

test('of many, twenty are named and the rest are counted', async () => {
  const { a: desk, b: laptop } = await prepared.restore();
  const ids: string[] = [];
  for (let n = 0; n < 22; n++) ids.push(await desk.store.add(`thing ${n}`));
  for (const machine of [desk, laptop]) await machine.sync();
  for (const id of ids) laptop.store.edit(id, (text) => text.replace('two cores', 'forty cores'));
  await laptop.sync();
  const { code, said, notices } = await desk.sync({ pullOnly: true });
  expect(code).toBe(3);
  expect(said).toContain('22 memories that were verified here');
  expect(notices).toHaveLength(21);
  expect(notices.at(-1)).toMatchObject({ kind: 'lowered', about: '2 more' });
  expect(toldAt(desk)).toHaveLength(21);
});
