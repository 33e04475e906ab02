import { execFileSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thisMachine } from '../../src/store/places/host.ts';
import { bareRemote, Machine } from '../../testkit/fleet.ts';
import { piped } from '../../testkit/piped.ts';
import { TestStore, temporaryFolder } from '../../testkit/store.ts';
import { TestTerminal, terminalTest } from '../../testkit/terminal.ts';

const words = (text: string) => text.replaceAll(/\s+/g, ' ');

/** A machine that was restored from a backup, while the remote and another machine have what it wrote since. */
async function restored() {
  const [remote, folder] = [bareRemote(), temporaryFolder()];
  const [home, backup] = [join(folder, 'home'), join(folder, 'backup')];
  const desk = await Machine.open('desk', remote, { home, machine: thisMachine() });
  const laptop = await Machine.open('laptop', remote);
  for (const { store } of [desk, laptop]) store.now = Date.now() - 60_000;
  const before = await desk.store.add('the editor');
  await desk.sync();
  await laptop.sync();
  laptop.trust(desk);
  desk.store.vault.close();
  // It keeps rights and times, as a backup does.
  execFileSync('cp', ['-a', home, backup]);
  await desk.store.reopen();
  const since = await desk.store.add('the shell');
  await desk.sync();
  await laptop.sync();
  desk.store.vault.close();
  rmSync(home, { recursive: true });
  renameSync(backup, home);
  return { home, laptop, ids: [before, since] as const };
}

test('sync after a restored backup says that this machine’s ledger is in trouble, each time, and so does status', async () => {
  const { home } = await restored();
  for (const time of ['first', 'second']) {
    const { code, out } = await piped(home, ['sync']);
    expect([time, code]).toEqual([time, 2]);
    expect(words(out)).toContain('This machine’s own ledger is in trouble, so what you vouched for here is advisory.');
    expect(words(out)).toContain('Run surety doctor');
    expect(out).not.toContain('All is well');
  }
  const { out } = await piped(home, ['status']);
  expect(words(out)).toContain('waiting this machine’s own ledger is in trouble');
  expect(words(out)).toContain('surety doctor settles it');
  const { notices } = JSON.parse((await piped(home, ['status', '--json'])).out).sync;
  expect(notices.map(({ kind }: { kind: string }) => kind)).toEqual(['machine', 'own-ledger']);
});

terminalTest('doctor asks first whether to accept it, and shows what the unknown entries vouch for', async () => {
  const { home, laptop, ids } = await restored();
  await piped(home, ['sync']);
  const terminal = new TestTerminal(home, ['doctor']);
  const shown = words(await terminal.answer('y'));
  expect(shown).toContain('If this machine was restored from a backup, accept the ledger as it is');
  expect(shown).toMatch(
    /unknown signed with this machine’s key, and not remembered here: user_the_shell: add, verified,/,
  );
  expect(shown).toMatch(/user_the_shell: add, verified, by a person \(page, level 3\) on \d{4}-\d\d-\d\d/);
  expect(shown).not.toContain('user_the_editor: add');
  expect(shown).toContain('2 memories become verified');
  expect(shown).toContain('Accept the ledger as it is now?');
  expect((await terminal.end()).code).toBe(0);

  const after = await piped(home, ['sync']);
  expect([after.code, words(after.out)]).toEqual([0, expect.stringContaining('All is well.')]);
  expect(JSON.parse((await piped(home, ['status', '--json'])).out)).toMatchObject({
    memories: { verified: 2 },
    sync: { notices: [{ kind: 'machine' }] },
  });
  const desk = await TestStore.open({ home, machine: thisMachine() });
  desk.now = Date.now();
  await desk.add('the prompt');
  desk.vault.close();
  await piped(home, ['sync']);
  laptop.store.now = Date.now();
  expect((await laptop.sync()).code).toBe(0);
  for (const id of [...ids, 'user_the_prompt']) expect([id, laptop.store.tier(id)]).toEqual([id, 'verified']);
});

terminalTest('after a no doctor offers to put the copy back, and says what that costs', async () => {
  const { home } = await restored();
  await piped(home, ['sync']);
  const terminal = new TestTerminal(home, ['doctor']);
  await terminal.answer('n');
  const shown = words(await terminal.answer('n'));
  expect(shown).toContain('Put this copy back in the place of the ledger?');
  expect(shown).toContain(
    'costs these no longer raise anything here. A machine that has them takes this ledger for a forked',
  );
  expect((await terminal.end()).code).toBe(3);
});
