import { expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../testkit/authenticator.ts';
import { overviewOf } from '../../testkit/overview-page.ts';
import { enrol } from '../../testkit/passkeys.ts';
import { pageOf, Visitor, waitingFor } from '../../testkit/review-page.ts';
import { TestStore } from '../../testkit/store.ts';

const OFFER = 'surety passkey add</code> enrols one';

/** Answers the only memory that waits on the review page, and returns the last page, loaded twice. */
async function answeredOnReview(store: TestStore, key: string): Promise<string[]> {
  const visitor = await Visitor.enter(await pageOf(store));
  await visitor.post({ token: await visitor.token(), key });
  return [(await visitor.get()).text, (await visitor.get()).text];
}

test('the review page offers a passkey after the first yes, once', async () => {
  const store = await TestStore.open();
  await waitingFor(store, 'ready');
  for (const shown of await answeredOnReview(store, 'y')) expect(shown).toContain(OFFER);
  await waitingFor(store, 'held');
  await store.propose('another one');
  store.pass(8);
  for (const shown of await answeredOnReview(store, 'y')) expect(shown).not.toContain(OFFER);
});

test('the review page offers none after a no, and none where one is enrolled', async () => {
  const store = await TestStore.open();
  await waitingFor(store, 'ready');
  for (const shown of await answeredOnReview(store, 'n')) expect(shown).not.toContain(OFFER);
  await enrol(store, new SoftwareAuthenticator());
  await store.propose('another one');
  store.pass(8);
  for (const shown of await answeredOnReview(store, 'y')) expect(shown).not.toContain(OFFER);
});

test('the overview offers a passkey above the list after the first yes, until it is seen, and never again', async () => {
  const store = await TestStore.open();
  const [id, other, third] = [await store.propose('one'), await store.propose('two'), await store.propose('three')];
  store.pass(8);
  const page = await overviewOf(store);
  const visitor = await Visitor.enter(page);
  const notices = async () => (await visitor.get('notices')).text;
  const answer = async (memory: string, key: string) =>
    visitor.post({ token: await visitor.token(`sheet/${memory}`), key });
  await answer(id, 'n');
  expect(await notices()).not.toContain(OFFER);
  await answer(other, 'y');
  // The next answer writes the one before.
  await answer(third, 'n');
  await expect.poll(notices).toContain(OFFER);
  const [, token = ''] = /data-seen="([0-9a-f]+)"/.exec(await notices()) ?? [];
  await visitor.post({ seen: '0'.repeat(32) }, {}, 'seen');
  expect(await notices()).toContain(OFFER);
  expect((await visitor.post({ seen: token }, {}, 'seen')).text).toBe('{"isSeen":true}');
  expect(await notices()).not.toContain(OFFER);
  await page.close();

  const again = await overviewOf(store);
  const later = await Visitor.enter(again);
  const fourth = await store.propose('four');
  store.pass(8);
  await expect.poll(() => later.token(`sheet/${fourth}`)).not.toBe('');
  await later.post({ token: await later.token(`sheet/${fourth}`), key: 'y' });
  await expect.poll(() => store.tier(fourth)).toBe('verified');
  expect((await later.get('notices')).text).not.toContain(OFFER);
});
