import { renameSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { decide } from '../../../src/actions/decide.ts';
import { auditOf } from '../../../src/actions/session.ts';
import { Child } from '../../../testkit/child-process.ts';
import { TestStore, yes } from '../../../testkit/store.ts';

/** Far from the two seconds that are promised and from the thirty it took once: this machine may be busy. */
const SOON = 8_000;

test('a demote does not wait for a process that was stopped while it held the lock', async () => {
  const store = await TestStore.open();
  const id = await store.verified('editor');
  const other = await TestStore.open({ home: store.home });
  const holder = new Child({ do: 'hold', folder: store.places.guard, milliseconds: 120_000 });
  await holder.word(0);
  holder.process.kill('SIGSTOP');
  onTestFinished(() => holder.kill());

  const session = { vault: store.vault, audit: auditOf(store.places, () => undefined), proposals: 0 };
  const seen = store.load(id);
  const began = performance.now();
  const { recorded } = await decide(session, 'demote', seen, yes('demote', seen), 'it is wrong');
  expect(performance.now() - began).toBeLessThan(SOON);
  expect(recorded).toBe(true);
  expect(store.files('quarantine')).toEqual([`${id}.md`]);

  // Not only by its folder: the file that somebody moves back stays what the person decided, in every process.
  renameSync(store.path('quarantine', id), store.path('memories', id));
  expect(store.standing(id)).toBe('quarantined:decided');
  expect(other.standing(id)).toBe('quarantined:decided');

  holder.kill();
  await holder.ended;
  await store.reconcile();
  expect(JSON.parse(store.ledgerLines().at(-1) ?? '')).toMatchObject({ action: 'demote', id, reason: 'it is wrong' });
  expect(store.trouble()).toBeUndefined();
  expect(store.standing(id)).toBe('quarantined:decided');
});
