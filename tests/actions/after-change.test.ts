import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { decide, queue } from '../../src/actions/decide.ts';
import { adopt, draftAdoption, wordingOf } from '../../src/actions/review/adopt.ts';
import { Disk } from '../../src/store/disk/disk.ts';
import { sessionOf } from '../../testkit/review-page.ts';
import { yes, yesToRewording } from '../../testkit/sample.ts';
import { TestStore } from '../../testkit/store.ts';

/** A disk that refuses to write one file. */
class RefusingDisk extends Disk {
  refused: string | undefined;
  override replace(path: string, content: string | Buffer): void {
    if (basename(path) === this.refused) throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
    super.replace(path, content);
  }
}

async function storeOn(disk: Disk): Promise<TestStore> {
  const store = await TestStore.open();
  await store.reopen({ disk });
  return store;
}

test.each(['requests.jsonl', 'conflicts.json'])('a yes counts although %s cannot be written', async (name) => {
  const disk = new RefusingDisk();
  const store = await storeOn(disk);
  await store.verified('deploys', { body: 'The billing service is deployed to Frankfurt on Mondays.' });
  const id = await store.propose('deploys too', { body: 'The billing service is deployed to Dublin on Mondays.' });
  const session = sessionOf(store);
  await queue(session, 'promote', store.load(id), undefined);
  store.pass(8);
  disk.refused = name;
  const seen = store.load(id);
  expect(await decide(session, 'promote', seen, yes('promote', seen))).toMatchObject({ recorded: true });
  expect(store.standing(id)).toBe('verified:vouched');
});

test('a yes in other words counts although the request for it cannot be settled', async () => {
  const disk = new RefusingDisk();
  const store = await storeOn(disk);
  const id = await store.propose('deploys');
  const session = sessionOf(store);
  await queue(session, 'adopt', store.load(id), undefined);
  const seen = store.load(id);
  const wording = { ...wordingOf(seen), body: 'Four cores are enough for it, by now.' };
  const adoption = draftAdoption(session, seen, wording, 'page');
  const consent = yesToRewording(store.vault, seen, wording);
  disk.refused = 'requests.jsonl';
  expect(await adopt(session, adoption, consent)).toMatchObject({ id, standing: { tier: 'verified' } });
  expect(store.audit().at(-1)).toMatchObject({ id, outcome: 'accepted' });
});
