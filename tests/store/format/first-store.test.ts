import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { itemsToReview } from '../../../src/actions/review/review.ts';
import { Disk } from '../../../src/store/disk/disk.ts';
import { machineKey } from '../../../src/store/ledger/machine-key.ts';
import { sessionOf } from '../../../testkit/review-page.ts';
import { DAY, placesIn, START, TestStore, temporaryFolder } from '../../../testkit/store.ts';

// The bytes of a store that the first Surety with a store wrote, before there were anchors, segments or a store's id:
// three texts were proposed, observed for a week and promoted, one of them was demoted, and one was proposed last.

const FILES: Record<string, string> = JSON.parse(readFileSync(join(import.meta.dirname, 'first-store.json'), 'utf8'));
const DEPLOYING = 'project_deploying';

let store: TestStore;
beforeEach(async () => {
  const home = temporaryFolder();
  const places = placesIn(home);
  for (const [name, text] of Object.entries(FILES)) {
    const path = name.startsWith('state/') ? join(places.state, name.slice('state/'.length)) : join(home, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode: 0o600 });
  }
  // Signed for the folder that the store was in, so it is signed for the one that it is in now.
  const key = machineKey(places.config, new Disk(), { name: 'here', identity: 'machine-one' });
  const { payload } = JSON.parse(FILES['state/heads.json'] ?? '') as { payload: string };
  writeFileSync(join(places.state, 'heads.json'), key.signed(JSON.parse(payload), `heads ${places.rootHash}`));
  store = await TestStore.open({ home });
  store.now = START + 9 * DAY;
});

const contents = () =>
  Object.keys(FILES)
    .filter((name) => name.startsWith('.surety/'))
    .map((name) => [name, readFileSync(join(store.home, name), 'utf8')]);

test('it opens unchanged: every byte stays, and every receipt counts', async () => {
  await store.reconcile();
  expect(
    ['project_deploying', 'project_reviews', 'project_old_rule', 'project_new_idea'].map((id) => store.standing(id)),
  ).toEqual(['verified:vouched', 'verified:vouched', 'quarantined:decided', 'inferred:proposed']);
  expect(contents()).toEqual(Object.entries(FILES).filter(([name]) => name.startsWith('.surety/')));
  expect(store.vault.reports().map(({ trouble }) => trouble)).toEqual([undefined]);
  expect(itemsToReview(sessionOf(store)).filter(({ category }) => category !== 'new')).toEqual([]);
});

test('a text without anchors has the digest that its old receipt was given for', () => {
  for (const id of [DEPLOYING, 'project_reviews']) {
    const { digest } = store.load(id);
    expect(store.vault.evidence.heads(id)).toMatchObject([{ action: 'promote', digest }]);
  }
});

test.each(['anchors: [[src/deploy.ts]]', 'anchors: [[src/deploy.ts, weekdaysOnly]]'])(
  'a file that gains %j by hand has changed, and without it is verified again',
  async (line) => {
    store.edit(DEPLOYING, (text) => text.replace('\n---\n', `\n${line}\n---\n`));
    await store.reconcile();
    expect(store.standing(DEPLOYING)).toMatch(/^inferred:changed/);
    expect(itemsToReview(sessionOf(store))).toContainEqual(
      expect.objectContaining({ category: 'changed', id: DEPLOYING }),
    );
    store.edit(DEPLOYING, (text) => text.replace(`${line}\n`, ''));
    await store.reconcile();
    expect(store.standing(DEPLOYING)).toBe('verified:vouched');
  },
);

test('an empty list of anchors is none, so the receipt still counts', async () => {
  store.edit(DEPLOYING, (text) => text.replace('\n---\n', '\nanchors: []\n---\n'));
  await store.reconcile();
  expect(store.standing(DEPLOYING)).toBe('verified:vouched');
});

test('what is decided now stands behind the old entries, and all of them count', async () => {
  const old = FILES[Object.keys(FILES).find((name) => name.startsWith('.surety/ledger/')) ?? ''] ?? '';
  await store.decide('reaffirm', DEPLOYING);
  const added = await store.add('anchored', { type: 'project', project: 'acme/shop', anchors: [['src/deploy.ts']] });
  await store.reopen();
  expect(store.ledgerLines().slice(0, old.trimEnd().split('\n').length)).toEqual(old.trimEnd().split('\n'));
  expect([DEPLOYING, 'project_reviews', added].map((id) => store.standing(id))).toEqual(
    Array(3).fill('verified:vouched'),
  );
});
