import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { requestsOf } from '../../../src/store/records/request-queue.ts';
import { TestStore } from '../../../testkit/store.ts';
import {
  audited,
  filesWith,
  piped,
  plain,
  storeTenDaysAgo,
  TestTerminal,
  terminalTest,
} from '../../../testkit/terminal.ts';

const PROMPT = /anything else leaves it: $/;
const WORD = 'zanzibarquokka';
const BODY = `Nobody is to know of the ${WORD}, because it is a surprise.`;

async function ask(store: TestStore, id: string): Promise<void> {
  const requests = requestsOf(store.vault);
  const { digest } = store.load(id);
  const client = { name: 'some-client', version: '1.0' };
  const askedAt = new Date().toISOString();
  await store.vault.exclusively(() => requests.add({ id, verb: 'demote', digest, askedAt, client, reason: WORD }));
}

terminalTest('the id typed by the person removes the file and every copy, and nothing else', async () => {
  const store = await storeTenDaysAgo();
  const [id, other] = [await store.add('surprise', { body: BODY }), await store.add('other')];
  store.edit(id, (text) => text.replace('Nobody', 'No one'));
  await store.decide('reaffirm', id);
  await ask(store, id);
  await store.reconcile();
  expect(filesWith(store.home, WORD).length).toBeGreaterThan(3);
  const terminal = new TestTerminal(store.home, ['erase', id]);
  const shown = await terminal.reply(PROMPT, id);
  for (const part of [WORD, `memories/${id}.md`, '2 copies of what was vouched for', 'the request that waits']) {
    expect(shown).toContain(part);
  }
  expect(await terminal.end()).toMatchObject({ code: 0, shown: expect.stringContaining(`${id} is erased`) });
  expect(terminal.screen).not.toContain('there is no search index');
  expect(filesWith(store.home, WORD)).toEqual([]);
  expect(store.vault.load(id)).toBeUndefined();
  expect(store.standing(other)).toBe('verified:vouched');
  const [lowered, erased] = store
    .ledgerLines()
    .slice(-2)
    .map((line) => JSON.parse(line));
  expect(lowered).toMatchObject({
    action: 'demote',
    id,
    from: 'verified',
    to: 'quarantined',
    digest: null,
    saying: null,
  });
  expect(erased).toMatchObject({ action: 'erased', id, to: null, digest: null, by: { channel: 'terminal', level: 1 } });
  expect(audited(store)).toEqual([`erase ${id} accepted`]);
  expect((await piped(store.home, ['search', 'cores'])).out).toContain(other);
  await store.reopen();
  expect((await store.reconcile()).notices).toEqual([]);
});

terminalTest('anything but the id leaves everything as it is: exit 1, and that is on record', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.add('surprise', { body: BODY });
  const before = store.ledgerLines();
  for (const typed of ['y', '', 'yes', `${id}_2`]) {
    const terminal = new TestTerminal(store.home, ['erase', id]);
    await terminal.reply(PROMPT, typed);
    expect((await terminal.end()).code).toBe(1);
  }
  const interrupted = new TestTerminal(store.home, ['erase', id]);
  await interrupted.until(PROMPT);
  interrupted.press(`${id}\x03`);
  expect((await interrupted.end()).code).toBe(130);
  expect(store.ledgerLines()).toEqual(before);
  expect(store.standing(id)).toBe('verified:vouched');
  expect(new Set(audited(store))).toEqual(new Set([`erase ${id} unchanged left`]));
});

terminalTest('a file that comes back is quarantined, whatever it says, and its id is not given again', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.add('surprise', { body: BODY });
  const text = store.text('memories', id);
  const terminal = new TestTerminal(store.home, ['erase', id]);
  await terminal.reply(PROMPT, id);
  await terminal.end();
  expect((await piped(store.home, ['doctor'])).out).not.toContain('erased-and-here');
  store.write('memories', id, text);
  expect(store.standing(id)).toBe('quarantined:decided');
  expect((await piped(store.home, ['doctor'])).out).toContain('erased-and-here');
  rmSync(store.path('memories', id));
  expect(await store.propose('surprise', { body: 'Another text with the same name as it had.' })).toBe(`${id}_2`);
});

terminalTest('what lies in quarantine and in the archive under its id goes too', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.add('surprise', { body: BODY });
  await store.decide('demote', id, 'no');
  const text = store.text('quarantine', id);
  store.write('quarantine', `${id}~2`, text.replace('surprise', 'second'));
  mkdirSync(join(store.places.archive, '2026-01'), { recursive: true });
  writeFileSync(join(store.places.archive, '2026-01', `${id}.md`), text);
  writeFileSync(join(store.places.quarantine, '.tmp-0123456789abcdef'), text);
  // Left by a process that was killed while it copied what another machine vouched for.
  writeFileSync(join(store.places.state, 'vouched', `${'0'.repeat(64)}.new`), text);
  store.write('quarantine', `${id}_2`, text.replace(WORD, 'else'));
  const terminal = new TestTerminal(store.home, ['erase', id]);
  const shown = await terminal.reply(PROMPT, id);
  for (const path of [`quarantine/${id}.md`, `quarantine/${id}~2.md`, `archive/2026-01/${id}.md`]) {
    expect(shown).toContain(path);
  }
  expect((await terminal.end()).code).toBe(0);
  expect(filesWith(store.home, WORD)).toEqual([]);
  expect(store.files('quarantine')).toEqual([`${id}_2.md`]);
});

terminalTest('what the disk keeps is named, and a second run takes the rest', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.add('surprise', { body: BODY });
  const stubborn = join(store.places.quarantine, `${id}~2.md`);
  mkdirSync(stubborn);
  const terminal = new TestTerminal(store.home, ['erase', id]);
  await terminal.reply(PROMPT, id);
  const { code, shown } = await terminal.end();
  expect(code).toBe(1);
  // Where a line is broken depends on the length of the path.
  expect(shown.replaceAll(/\s/g, '')).toContain(`Notremoved:${stubborn}`);
  expect(filesWith(store.home, WORD)).toEqual([]);
  rmSync(stubborn, { recursive: true });
  const entries = store.ledgerLines().length;
  const again = new TestTerminal(store.home, ['erase', id]);
  expect(await again.reply(PROMPT, id)).toContain('Nothing of');
  expect((await again.end()).code).toBe(0);
  expect(store.ledgerLines()).toHaveLength(entries);
});

terminalTest('a memory that changes while it is shown is shown again', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.add('surprise', { body: BODY });
  const terminal = new TestTerminal(store.home, ['erase', id]);
  await terminal.until(PROMPT);
  store.edit(id, (text) => text.replace('surprise', 'necessity'));
  terminal.press(`${id}\r`);
  const again = await terminal.reply(PROMPT, 'no');
  expect(again).toContain('It changed while you were looking at it');
  expect(again).toContain('necessity');
  expect((await terminal.end()).code).toBe(1);
  expect(store.files('memories')).toEqual([`${id}.md`]);
});

function git(store: TestStore, ...args: string[]): void {
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
  execFileSync('git', ['-C', store.places.root, ...who, ...args], { stdio: 'ignore' });
}

terminalTest('where other machines have written, it says that their copies stay', async () => {
  const store = await storeTenDaysAgo();
  const [first, second] = [await store.add('surprise', { body: BODY }), await store.add('door')];
  const erase = async (id: string) => {
    const terminal = new TestTerminal(store.home, ['erase', id]);
    await terminal.reply(PROMPT, id);
    return (await terminal.end()).shown.replaceAll(/\s+/g, ' ');
  };
  expect(await erase(first)).not.toContain('Other machines');
  const there = await TestStore.open({ machine: { name: 'desk', identity: 'another-machine' } });
  await there.propose('the build');
  for (const name of readdirSync(there.places.ledger))
    copyFileSync(join(there.places.ledger, name), join(store.places.ledger, name));
  expect(await erase(second)).toContain(`their copies stay until surety erase ${second} is run on each of them`);
});

terminalTest('the history that git keeps is named, with how to go on', async () => {
  const store = await storeTenDaysAgo();
  const [id, fresh] = [
    await store.add('surprise', { body: BODY }),
    await store.add('fresh', { body: `${BODY} Again.` }),
  ];
  git(store, 'init', '-q');
  git(store, 'add', `memories/${id}.md`);
  git(store, 'commit', '-qm', 'one');
  git(store, 'checkout', '-qb', 'side');
  await store.decide('demote', id);
  git(store, 'add', '-A', 'quarantine', `memories/${id}.md`);
  git(store, 'commit', '-qm', 'two');
  git(store, 'config', 'core.fsmonitor', `touch ${store.home}/owned`);
  git(store, 'config', 'core.pager', `touch ${store.home}/owned`);
  const terminal = new TestTerminal(store.home, ['erase', id], { env: { GIT_DIR: '/nowhere' } });
  await terminal.reply(PROMPT, id);
  const { code } = await terminal.end();
  const told = plain(terminal.screen).replaceAll('\n', ' ');
  expect(code).toBe(0);
  expect(told).toContain('has it in 2 commits');
  expect(told).toContain(`git rm -q --cached --ignore-unmatch -- 'memories/${id}.md' 'quarantine/${id}.md'`);
  expect(readdirSync(store.home)).not.toContain('owned');
  const other = new TestTerminal(store.home, ['erase', fresh]);
  await other.reply(PROMPT, fresh);
  expect((await other.end()).shown.replaceAll('\n', ' ')).toContain('No commit of the git repository');
});

terminalTest('while the ledger is in trouble nothing is erased, and nobody is asked', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.add('surprise', { body: BODY });
  await store.add('other');
  store.writeLedger(store.ledgerLines().slice(1));
  const { code, shown } = await new TestTerminal(store.home, ['erase', id]).end();
  expect({ code, shown }).toMatchObject({ code: 1, shown: expect.stringContaining('Nothing was changed.') });
  expect(shown).not.toContain('Type the id');
  expect(store.files('memories')).toContain(`${id}.md`);
});

terminalTest('a hostile text is shown without its escape sequences, in 40 columns too', async () => {
  const store = await storeTenDaysAgo();
  store.write(
    'memories',
    'user_raw',
    '---\nname: "x\\e[2Jy"\ndescription: d\ntype: user\n---\nLong enough \u001b[2J\u009b31m to be a memory.\n',
  );
  await store.reconcile();
  const terminal = new TestTerminal(store.home, ['erase', 'user_raw'], { columns: 40, env: { NO_COLOR: '1' } });
  expect(await terminal.reply(/anything\s*else leaves it: $/, 'user_raw')).toContain('⟨U+001B⟩');
  expect((await terminal.end()).code).toBe(0);
  expect(terminal.screen).not.toContain('\u001b[2J');
});

terminalTest('an id nobody has, and what is no id', async () => {
  const store = await storeTenDaysAgo();
  expect((await new TestTerminal(store.home, ['erase', 'user_nobody']).end()).code).toBe(1);
  expect((await new TestTerminal(store.home, ['erase', '../key']).end()).code).toBe(64);
  expect((await new TestTerminal(store.home, ['erase']).end()).code).toBe(64);
});

test('without a terminal, and in an agent’s shell, nothing is erased', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.add('surprise', { body: BODY });
  expect(await piped(store.home, ['erase', id], `${id}\n`)).toMatchObject({ code: 1, out: '' });
  expect(store.standing(id)).toBe('verified:vouched');
  expect(audited(store)).toEqual(['erase refused needs-person']);
});

terminalTest(
  'folders that may still have the text are named: a repository set aside, records of a former place',
  async () => {
    const store = await storeTenDaysAgo();
    const [id, other] = [await store.add('surprise', { body: BODY }), await store.add('other')];
    await store.reconcile();
    const moved = join(store.home, 'moved');
    const aside = join(moved, '.git-damaged-20260101000000');
    renameSync(store.places.root, moved);
    mkdirSync(aside);
    // What other programs put beside this machine's records must not end the command after it has erased.
    writeFileSync(join(dirname(store.places.state), '.DS_Store'), '', { mode: 0o755 });
    const doctor = new TestTerminal(store.home, ['doctor', '--root', moved]);
    await doctor.answer('y');
    expect((await doctor.end()).code).toBe(0);
    const terminal = new TestTerminal(store.home, ['erase', '--root', moved, id], { columns: 400 });
    await terminal.reply(PROMPT, id);
    const { code, shown } = await terminal.end();
    expect(code).toBe(0);
    const told = shown.split('\n').flatMap((line) => /^ {2}(\/.*)$/.exec(line)?.[1] ?? []);
    expect(told.sort()).toEqual([aside, store.places.cache, store.places.state].sort());
    for (const folder of told) rmSync(folder, { recursive: true });
    expect(filesWith(store.home, WORD)).toEqual([]);
    const again = new TestTerminal(store.home, ['erase', '--root', moved, other]);
    await again.reply(PROMPT, other);
    expect((await again.end()).shown).not.toContain('may still have it');
  },
);

terminalTest('a copy of the search index that a killed process left goes too', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.add('surprise', { body: BODY });
  await store.reconcile();
  const [index = ''] = readdirSync(store.places.cache).filter((name) => /^index-.*\.db$/.test(name));
  copyFileSync(join(store.places.cache, index), join(store.places.cache, `${index}.new`));
  const terminal = new TestTerminal(store.home, ['erase', id]);
  await terminal.reply(PROMPT, id);
  expect((await terminal.end()).code).toBe(0);
  expect(readdirSync(store.places.cache).filter((name) => name.endsWith('.new'))).toEqual([]);
});
