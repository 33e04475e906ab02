import { writeFileSync } from 'node:fs';
import { setImmediate as pause, setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fileWith } from '../../../src/core/checks/sample-file.ts';
import { noteCall, PausesForCalls } from '../../../src/store/reconcile/pauses-for-calls.ts';
import { updateIndex } from '../../../src/store/reconcile/reconcile.ts';
import { TestStore } from '../../../testkit/store.ts';

test('work that nobody waits for waits for calls, and not without an end', async () => {
  noteCall();
  let isOver = false;
  const waited = new PausesForCalls().letCallsGoFirst().then(() => {
    isOver = true;
  });
  await pause();
  await sleep(1);
  expect(isOver).toBe(false);
  const calls = setInterval(noteCall, 1);
  await waited;
  clearInterval(calls);
  expect(isOver).toBe(true);
});

test('under calls without an end it waits a bounded time in all', async () => {
  const pauses = new PausesForCalls();
  const calls = setInterval(noteCall, 1);
  for (let portion = 0; portion < 40; portion++) await pauses.letCallsGoFirst();
  noteCall();
  let isOver = false;
  const last = pauses.letCallsGoFirst().then(() => {
    isOver = true;
  });
  await pause();
  await pause();
  clearInterval(calls);
  expect(isOver).toBe(true);
  await last;
});

test('in a store that answers meanwhile, a call waits for sixteen files of a scan at most', async () => {
  const store = await TestStore.open();
  const files = 320;
  for (let n = 0; n < files; n++)
    writeFileSync(store.path('memories', `user_memory_${n}`), fileWith({ name: `No. ${n}` }));
  await updateIndex(store.vault);
  let [turns, isOver] = [0, false];
  const countTurns = async () => {
    for (; !isOver; turns++) await pause();
  };
  const counted = countTurns();
  await updateIndex(store.vault);
  isOver = true;
  await counted;
  expect(turns).toBeGreaterThanOrEqual(files / 16);
});
