import { expect } from 'vitest';
import { thisMachine } from '../../../src/store/places/host.ts';
import { BODY, bareRemote, Machine, memoryFile } from '../../../testkit/fleet.ts';
import { TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

const ID = 'user_style';

/** Two machines wrote a memory at once: this one's text is in place, and the other lies in quarantine under the same id. */
async function afterConflict() {
  const remote = bareRemote();
  const here = await Machine.open('here', remote, { machine: thisMachine() });
  const laptop = await Machine.open('laptop', remote);
  const write = ({ store }: Machine, what: string) =>
    store.write('memories', ID, memoryFile('Style', `${BODY} ${what}`));
  write(here, 'Both have this.');
  for (const each of [here, laptop]) await each.sync();
  write(here, 'Mine.');
  write(laptop, 'Theirs.');
  for (const each of [laptop, here]) await each.sync();
  expect(here.names()).toEqual([`memories/${ID}.md`, `quarantine/${ID}.md`]);
  return here;
}

terminalTest('the text that a conflict put into quarantine is shown and taken out at the terminal', async () => {
  const here = await afterConflict();
  const ends = async (...args: string[]) =>
    (await new TestTerminal(here.store.home, args).end()).shown.replaceAll(/\s+/g, ' ');
  const inPlace = await ends('show', ID);
  expect(inPlace).toContain('Mine.');
  expect(inPlace).toContain(`another text of it lies in quarantine: surety show quarantine/${ID} shows it`);
  expect(await ends('list', '--quarantined')).toContain(` quarantine/${ID} `);
  expect(await ends('show', `quarantine/${ID}`)).toContain('Theirs.');
  // The refusal says what makes room for it.
  expect(await ends('restore', ID)).toContain(`Another text has the place of ${ID}. To have this one instead`);
  const demoting = new TestTerminal(here.store.home, ['demote', ID]);
  expect(await demoting.answer('y')).toContain('Mine.');
  expect((await demoting.end()).code).toBe(0);
  const restoring = new TestTerminal(here.store.home, ['restore', ID]);
  expect(await restoring.answer('y')).toContain('Theirs.');
  expect((await restoring.end()).code).toBe(0);
  await here.store.reopen();
  expect(here.store.tier(ID)).toBe('verified');
  expect(here.store.text('memories', ID)).toContain('Theirs.');
});
