import { setImmediate as pause, setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { letCallsGoFirst, noteCall } from '../../../src/store/reconcile/calls-first.ts';

test('work that nobody waits for waits for calls, and not without an end', async () => {
  noteCall();
  let isOver = false;
  const waited = letCallsGoFirst().then(() => {
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
