import { setImmediate as pause, setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { noteCall, PausesForCalls } from '../../../src/store/reconcile/pauses-for-calls.ts';

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
