import { execFile } from 'node:child_process';
import { cpSync, existsSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { failingDisk } from '../../testkit/failing-disk.ts';
import { BARE_ENV, MAIN, ROOT } from '../../testkit/program.ts';
import { type TestStore, temporaryFolder } from '../../testkit/store.ts';
import {
  audited,
  editor,
  lastEntry,
  piped,
  storeTenDaysAgo,
  TestTerminal,
  terminalTest,
  textsInEditor,
} from '../../testkit/terminal.ts';

terminalTest('where there is no store none is made: it is said what to do', async () => {
  const home = temporaryFolder();
  for (const args of [['review'], ['adopt', 'user_x'], ['archive'], ['erase', 'user_x']]) {
    const { code, shown } = await new TestTerminal(home, args).end();
    const words = shown.replaceAll(/\s+/g, ' ');
    expect({ code, words }).toMatchObject({ code: 1, words: expect.stringContaining('There is no store at') });
    expect(words).toContain('Run surety init');
  }
  expect(existsSync(join(home, '.surety'))).toBe(false);
});

test('a store whose folder was moved away is said to be gone, and nobody is told to create an empty one', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.add('the build');
  const { root } = store.places;
  renameSync(root, `${root}-moved`);
  const { code, err } = await piped(store.home, ['status']);
  expect(code).toBe(1);
  expect(err).toContain(
    'any more: this machine has used one there. If its folder was moved, move it back, or name the new place with --root or SURETY_ROOT;',
  );
  expect(err).not.toContain('Run surety init');
  expect(existsSync(root)).toBe(false);
  renameSync(`${root}-moved`, root);
  expect((await piped(store.home, ['list'])).out).toContain(id);
});

for (const [code, words] of [
  ['ENOSPC', 'the disk is full'],
  ['EROFS', 'the disk refused it (EROFS)'],
] as const) {
  terminalTest(`where the disk cannot be written (${code}) it is said, and nothing is half done`, async () => {
    const store = await storeTenDaysAgo();
    const id = await store.propose('build');
    const before = store.ledgerLines();
    const adopting = new TestTerminal(store.home, ['adopt', id], { env: failingDisk(store.places.memories, code) });
    await adopting.answer('y');
    expect(await adopting.end()).toMatchObject({ code: 1, shown: expect.stringContaining(words) });

    const erasing = new TestTerminal(store.home, ['erase', id], { env: failingDisk(store.places.ledger, code) });
    await erasing.reply(/leaves it: $/, id);
    expect(await erasing.end()).toMatchObject({ code: 1, shown: expect.stringContaining(words) });

    const env = { ...failingDisk(join(store.places.state, 'editing'), code), EDITOR: editor(store.home, 'exit 0') };
    const editing = new TestTerminal(store.home, ['review'], { env });
    await editing.answer('e');
    expect((await editing.end()).shown.replaceAll('\n', ' ')).toContain(words);

    expect(store.ledgerLines()).toEqual(before);
    expect(store.files('memories')).toEqual([`${id}.md`]);
    expect(textsInEditor(store)).toEqual([]);
    expect(audited(store)).toEqual([`adopt ${id} refused disk-failed`, `erase ${id} refused disk-failed`]);

    await store.decide('demote', id);
    const archiving = new TestTerminal(store.home, ['archive', id], { env: failingDisk(store.places.ledger, code) });
    await archiving.answer('y');
    expect(await archiving.end()).toMatchObject({ code: 1, shown: expect.stringContaining('1 could not be done') });
    expect(store.files('quarantine')).toEqual([`${id}.md`]);
  });
}

terminalTest('what a person wrote is asked about again where the disk is full', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('build');
  const full = failingDisk(store.places.memories, 'ENOSPC');
  const adding = new TestTerminal(store.home, ['remember', 'I prefer tabs.'], { env: full });
  await adding.answer('y');
  const again = await adding.answer('n');
  expect(again).toMatch(/Not done: Nothing was changed: the disk is full\..*│ I prefer tabs\.\n/s);
  expect(await adding.end()).toMatchObject({ code: 1, shown: expect.stringContaining('Nothing was stored.') });

  const env = { ...full, EDITOR: editor(store.home, 'sed -i "s/two cores/four cores/" "$1"') };
  const rewording = new TestTerminal(store.home, ['adopt', id], { env });
  await rewording.answer('e');
  await rewording.answer('y');
  expect(await rewording.answer('s')).toMatch(/Not done: Nothing was changed: the disk is full\..*four cores/s);
  expect((await rewording.end()).code).toBe(1);
  expect(store.files('memories')).toEqual([`${id}.md`]);
});

terminalTest('a yes that is on record is not asked for again where the disk is full', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('build');
  const full = failingDisk(store.places.memories, 'ENOSPC', 'rename');
  const env = { ...full, EDITOR: editor(store.home, 'sed -i "s/two cores/four cores/" "$1"') };
  const rewording = new TestTerminal(store.home, ['adopt', id], { env });
  await rewording.answer('e');
  await rewording.answer('y');
  const said = await rewording.until(/is on record, but the disk is full.*(?:opened next\.\n|answer: )$/s);
  expect(said).not.toContain('answer: ');
  expect((await rewording.end()).code).toBe(1);
  await store.reopen();
  await store.reconcile();
  expect(store.tier(id)).toBe('verified');
});

terminalTest('a quarantine that a full disk kept off the record is recorded with its reason', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('build');
  const room = join(store.home, 'room');
  const env = failingDisk(store.places.ledger, 'ENOSPC', 'write', room);
  const terminal = new TestTerminal(store.home, ['demote', '--reason', 'we have four', id], { env });
  await terminal.answer('y');
  await terminal.reply('Enter records it, q leaves it: ', '');
  const shown = await terminal.until('Enter records it, q leaves it: ');
  expect(shown).toContain('still waits for its record');
  writeFileSync(room, '');
  terminal.press('\r');
  expect(await terminal.end()).toMatchObject({ code: 0, shown: expect.stringContaining('It is on record.') });
  expect(lastEntry(store)).toMatchObject({ action: 'demote', id, reason: 'we have four', by: { actor: 'operator' } });
});

terminalTest('a review that is ended with Ctrl+C says that a quarantine’s reason is lost', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('build');
  const env = failingDisk(store.places.ledger, 'ENOSPC');
  const terminal = new TestTerminal(store.home, ['review'], { env });
  await terminal.answer('n');
  await terminal.until('any other key ends the review: ');
  terminal.press('\x03');
  const { code, shown } = await terminal.end();
  expect(code).toBe(130);
  expect(shown.replaceAll(/\s+/g, ' ')).toContain('That you quarantined it, and why, is not on record and is lost');
  expect(store.standing(id)).toBe('quarantined:folder');
});

terminalTest('a quarantine that is left without its record stays one', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('build');
  const env = failingDisk(store.places.ledger, 'ENOSPC');
  const terminal = new TestTerminal(store.home, ['review'], { env });
  await terminal.answer('n');
  await terminal.reply('any other key ends the review: ', '');
  await terminal.reply('Enter records it, q leaves it: ', 'q');
  expect((await terminal.end()).code).toBe(0);
  expect(store.standing(id)).toBe('quarantined:folder');
});

terminalTest('a yes that waits for another process says so, and is carried out', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('build');
  const terminal = new TestTerminal(store.home, ['promote', id]);
  await terminal.until(/answer: $/);
  const guard = new Database(join(store.places.guard, 'guard.db'));
  guard.exec('BEGIN IMMEDIATE');
  terminal.press('y\r');
  await terminal.until('waiting for the store; another process may be writing to it');
  guard.exec('ROLLBACK');
  guard.close();
  expect(await terminal.end()).toMatchObject({ code: 0, shown: expect.stringContaining(`${id} is verified.`) });
});

terminalTest('a notice at a terminal is broken between words, and is one line in a pipe', async () => {
  const store = await storeTenDaysAgo();
  writeFileSync(join(store.places.config, 'config.json'), '{"observationDays": "soon"}');
  const { err } = await piped(store.home, ['list']);
  expect(err).toMatch(/^surety: .{60,}\n$/);
  const { shown } = await new TestTerminal(store.home, ['list'], { columns: 40 }).end();
  const rows = shown.split('\n');
  expect(rows.filter((row) => row.length >= 40)).toEqual([]);
  expect(rows.join(' ')).toContain(err.trim());
});

const VI = ['/usr/bin/vi', '/bin/vi'].find(existsSync);
(VI === undefined ? test.skip : terminalTest)('a real editor has the window to itself, and gives it back', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('build');
  const terminal = new TestTerminal(store.home, ['review'], { env: { EDITOR: VI ?? '' } });
  await terminal.answer('e');
  await terminal.until('two cores');
  terminal.press(':%s/two cores/four cores/\r:wq\r');
  const shown = await terminal.answer('y');
  expect(shown).toContain('+ │ The operator said this about build: four cores are enough.');
  expect((await terminal.end()).code).toBe(0);
  expect(store.text('memories', 'user_build')).toContain('four cores');
  expect(textsInEditor(store)).toEqual([]);
});

test('where an update took the files of the running version away it is said, without a stack trace', async () => {
  const folder = temporaryFolder();
  cpSync(dirname(MAIN), folder, { recursive: true });
  // The first file is there, and what it loads is gone.
  for (const name of readdirSync(folder)) if (name.startsWith('program-')) rmSync(join(folder, name));
  const { code, err } = await new Promise<{ code: unknown; err: string }>((done) => {
    const args = [join(folder, basename(MAIN)), 'status'];
    execFile(process.execPath, args, { env: { ...BARE_ENV, HOME: temporaryFolder() } }, (error, _, err) =>
      done({ code: error?.code, err }),
    );
  });
  expect({ code, err }).toEqual({
    code: 1,
    err: 'surety: The files of this program were replaced while it ran, as an update does. Nothing was done besides what is said above. Run the command again; where that does not help, install the program again.\n',
  });
});

/** A person's answer to whether to adopt a memory, given after an update took the program's files away, with what is installed beside it. */
async function answeredAfterUpdate(store: TestStore, id: string, pressed: string) {
  const folder = temporaryFolder();
  const copy = join(folder, 'dist');
  cpSync(dirname(MAIN), copy, { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  // The shell gets node as $0, and the program that the tests share as $1.
  const wrap = ['/bin/sh', '-c', `shift; exec "$0" '${join(copy, basename(MAIN))}' "$@"`];
  const terminal = new TestTerminal(store.home, ['adopt', id], { wrap });
  await terminal.until(/answer: $/);
  rmSync(folder, { recursive: true });
  terminal.press(pressed);
  return terminal.end();
}

terminalTest('a yes counts where an update took the program’s files away while the person read', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('build');
  // The lock opens a database only now.
  const ended = await answeredAfterUpdate(store, id, 'y\r');
  expect(ended).toMatchObject({ code: 0, shown: expect.stringContaining('verified') });
  await store.reopen();
  expect(store.tier(id)).toBe('verified');
});

terminalTest('Ctrl+C is an interruption where an update took the program’s files away', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('build');
  const { code, shown } = await answeredAfterUpdate(store, id, '\u0003');
  expect(shown).toContain('Interrupted. Nothing was done besides what is said above.');
  expect(code).toBe(130);
});
