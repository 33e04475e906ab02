import { expect, test } from 'vitest';
import { timestamp } from '../../src/core/trust/clocks.ts';
import { thisMachine } from '../../src/store/places/host.ts';
import { bareRemote, Machine } from '../../testkit/fleet.ts';
import { piped } from '../../testkit/piped.ts';
import { DAY } from '../../testkit/store.ts';

test('a clock that was a day ahead once makes no later history false', async () => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote, { machine: thisMachine() });
  const laptop = await Machine.open('laptop', remote);
  const today = Date.now() - 60_000;
  for (const { store } of [desk, laptop]) store.now = today;
  const id = await desk.store.add('the editor');
  await desk.sync();
  await laptop.sync();
  laptop.trust(desk);
  laptop.store.now = today + DAY;
  const ahead = await laptop.store.add('the shell');
  laptop.store.now = today + 1000;
  await laptop.store.decide('demote', id);
  await laptop.sync();
  desk.store.now = today + 2000;
  await desk.sync();
  desk.trust(laptop);
  await desk.store.decide('restore', id);
  desk.store.vault.close();

  const { home } = desk.store;
  const lines = (await piped(home, ['log', id])).out.split('\n').filter((line) => /^\d{4}-/.test(line));
  expect(lines.map((line) => line.split('  ').slice(0, 2))).toEqual([
    [timestamp(today), 'add'],
    [timestamp(today), 'seen'],
    [timestamp(today + 1000), 'demote'],
    [timestamp(today + 2000), 'restore'],
  ]);
  const { entries } = JSON.parse((await piped(home, ['log', id, '--json'])).out);
  expect(entries[2]).toMatchObject({ at: timestamp(today + DAY), clock: timestamp(today + 1000) });

  const audit = (await piped(home, ['audit'])).out;
  expect(audit).toContain(`- ${ahead}: vouched for on ${timestamp(today + DAY).slice(0, 10)}, ahead of this clock;`);
  expect(audit).not.toContain('-1 days');
});
