import { expect } from 'vitest';
import { thisMachine } from '../../../src/store/places/host.ts';
import { bareRemote, Machine } from '../../../testkit/fleet.ts';
import { temporaryFolder } from '../../../testkit/store.ts';
import { storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

const WINDOW = { columns: 80, rows: 24 };

terminalTest('surety alone at a terminal shows the status and the next step, and ends', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('night build', { body: 'The build runs at night.' });
  const waits = await new TestTerminal(store.home, [], WINDOW).end();
  expect(waits.code).toBe(0);
  expect(waits.shown).toContain('memories    0 verified, 1 inferred, 0 quarantined');
  expect(waits.shown).toContain('Next: surety review, which goes through the one that waits for you.');
  expect(waits.shown.split('\n').length).toBeLessThan(24);
  store.now = Date.now();
  await store.decide('promote', 'user_night_build');
  const done = await new TestTerminal(store.home, ['--root', store.places.root], WINDOW).end();
  expect(done).toMatchObject({ code: 0, shown: expect.stringContaining('Nothing to do.') });
});

terminalTest('where only a machine waits for trust, trusting it is the next step', async () => {
  const remote = bareRemote();
  const here = await Machine.open('here', remote, { machine: thisMachine() });
  const laptop = await Machine.open('laptop', remote);
  for (const { store } of [here, laptop]) store.now = Date.now();
  await laptop.store.add('what a person vouched for there');
  for (const each of [laptop, here]) await each.sync();
  const { shown } = await new TestTerminal(here.store.home, [], WINDOW).end();
  expect(shown).toContain('Next: surety machines, which lists whose word counts here');
  expect(shown).not.toContain('Nothing to do.');
});

terminalTest('where there is no store it says so and what makes one', async () => {
  const { code, shown } = await new TestTerminal(temporaryFolder(), [], WINDOW).end();
  expect(code).toBe(0);
  expect(shown.replaceAll('\n', ' ')).toContain('surety init');
});

terminalTest('serve at a terminal still serves', async () => {
  const store = await storeTenDaysAgo();
  const terminal = new TestTerminal(store.home, ['serve'], WINDOW);
  await terminal.until('waits on stdin for a client');
  terminal.press('\x03');
  await terminal.exit;
});
