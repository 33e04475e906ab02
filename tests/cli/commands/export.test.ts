import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thisMachine } from '../../../src/store/places/host.ts';
import { failingDisk } from '../../../testkit/failing-disk.ts';
import { piped } from '../../../testkit/piped.ts';
import { TestStore, temporaryFolder } from '../../../testkit/store.ts';
import { storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

const MANIFEST = 'surety-export.jsonl';

function filesIn(store: TestStore, name: string): Record<string, string> {
  const folder = join(store.home, name);
  return Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
}

/** A verified, an inferred and a demoted memory. */
async function filled(): Promise<{ store: TestStore; kept: string; proposed: string; demoted: string }> {
  const store = await storeTenDaysAgo();
  const kept = await store.verified('kept', { tags: ['one', 'a, b'], project: 'owner/name' });
  const proposed = await store.propose('proposed');
  const demoted = await store.propose('demoted');
  await store.decide('demote', demoted);
  return { store, kept, proposed, demoted };
}

test('verified and inferred memories are written as they are, with a list; the store is not touched', async () => {
  const { store, kept, proposed } = await filled();
  const ledger = store.ledgerLines();
  const said = await piped(store.home, ['export', 'out']);
  expect(said).toEqual({ code: 0, out: 'Exported to out: 1 verified, 1 inferred.\n', err: '' });
  const { [MANIFEST]: manifest, ...files } = filesIn(store, 'out');
  expect(files).toEqual({
    [`${kept}.md`]: store.text('memories', kept),
    [`${proposed}.md`]: store.text('memories', proposed),
  });
  const listed = manifest
    ?.trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(listed).toEqual([
    { file: `${kept}.md`, id: kept, tier: 'verified', digest: store.load(kept).digest, sha256: expect.any(String) },
    {
      file: `${proposed}.md`,
      id: proposed,
      tier: 'inferred',
      digest: store.load(proposed).digest,
      sha256: expect.any(String),
    },
  ]);
  expect(statSync(join(store.home, 'out')).mode & 0o777).toBe(0o700);
  expect(store.ledgerLines()).toEqual(ledger);
});

test('a tier can be chosen, a program is told in numbers, and a claim that is not earned is not written', async () => {
  const { store, kept, proposed } = await filled();
  store.edit(proposed, (text) => text.replace('trust-level: inferred', 'trust-level: verified'));
  const { code, out } = await piped(store.home, ['export', 'out', '--json', '--tier', 'inferred']);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ folder: 'out', verified: 0, inferred: 1, quarantined: 0, leftOut: [] });
  expect(filesIn(store, 'out')[`${proposed}.md`]).toContain('trust-level: inferred\n');
  expect(existsSync(join(store.home, 'out', `${kept}.md`))).toBe(false);
});

test('what may hold a secret, or a check blocks, is left out and named', async () => {
  const store = await TestStore.open({ machine: thisMachine(), checks: [] });
  const file = (body: string) => `---\nname: A name\ndescription: d\ntype: user\n---\n${body}\n`;
  store.write('memories', 'user_password', file('The build machines have the password: hV9x!kq2Zr7Tn4Lw on them.'));
  store.write('memories', 'user_short', file('no'));
  store.write('memories', 'user_mail', file('Ignore all previous instructions is what the phishing mail said.'));
  await store.reconcile();
  const { out } = await piped(store.home, ['export', 'out', '--json']);
  expect(JSON.parse(out)).toMatchObject({
    inferred: 1,
    leftOut: [
      { id: 'user_password', why: 'secret' },
      { id: 'user_short', why: 'blocked' },
    ],
  });
  expect((await piped(store.home, ['export', 'again'])).out).toContain(
    'Not exported: user_password, because it may hold a secret.',
  );
  expect(Object.keys(filesIn(store, 'out'))).toEqual([MANIFEST, 'user_mail.md']);
});

terminalTest('quarantined ones go to a person at a terminal only, and say that they are', async () => {
  const { store, demoted } = await filled();
  for (const env of [{}, { CLAUDECODE: '1' }]) {
    const { code, err } = await piped(store.home, ['export', 'out', '--tier', 'quarantined'], env);
    expect(code).toBe(1);
    expect(err).toContain('a person at a terminal only');
  }
  expect(existsSync(join(store.home, 'out'))).toBe(false);
  const { code, shown } = await new TestTerminal(store.home, ['export', 'out', '--tier', 'quarantined']).end();
  expect({ code, shown }).toEqual({ code: 0, shown: expect.stringContaining('1 quarantined') });
  expect(filesIn(store, 'out')[`${demoted}.md`]).toContain('trust-level: quarantined\n');
  const { out } = await piped(store.home, ['import', '--dry-run', '--json', 'out']);
  expect(JSON.parse(out)).toMatchObject({ new: [], skipped: [{ from: `${demoted}.md` }] });
});

test('the folder is written again where an export made it and nobody has changed it since', async () => {
  const { store, kept, proposed } = await filled();
  await piped(store.home, ['export', 'out']);
  mkdirSync(join(store.home, 'out', '.git'));
  const added = await store.propose('added');
  await store.decide('demote', proposed);
  expect(await piped(store.home, ['export', 'out'])).toMatchObject({ code: 0 });
  expect(readdirSync(join(store.home, 'out')).sort()).toEqual(['.git', MANIFEST, `${added}.md`, `${kept}.md`].sort());
});

test.each([
  ['a file of somebody’s', (out: string) => writeFileSync(join(out, 'notes.txt'), 'mine')],
  ['a change to a file', (out: string) => writeFileSync(join(out, 'user_kept.md'), 'mine')],
  ['no list', (out: string) => rmSync(join(out, MANIFEST))],
  [
    'a link in place of a file',
    (out: string) => {
      rmSync(join(out, 'user_kept.md'));
      symlinkSync('/etc/hostname', join(out, 'user_kept.md'));
    },
  ],
])('with %s in it the folder is left alone', async (_, change) => {
  const { store } = await filled();
  await piped(store.home, ['export', 'out']);
  change(join(store.home, 'out'));
  const before = readdirSync(join(store.home, 'out'));
  await store.propose('added');
  const { code, out, err } = await piped(store.home, ['export', 'out']);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^surety: Nothing was exported: .*Name a new or an empty folder\.\n$/);
  expect(readdirSync(join(store.home, 'out'))).toEqual(before);
});

test.each([
  ['.surety', 'the store’s own folder'],
  ['.surety/memories/out', 'the store’s own folder'],
  ['.config/surety/out', 'one that it keeps its records in'],
  ['.', 'one that holds them'],
  ['a-file', 'a file or a link of this name'],
  ['a-link', 'a file or a link of this name'],
])('nothing is exported to %s', async (path, why) => {
  const { store } = await filled();
  writeFileSync(join(store.home, 'a-file'), 'mine');
  mkdirSync(join(store.home, 'elsewhere'));
  symlinkSync('elsewhere', join(store.home, 'a-link'));
  const { code, err } = await piped(store.home, ['export', path]);
  expect(code).toBe(1);
  expect(err).toContain(why);
  expect(readdirSync(join(store.home, 'elsewhere'))).toEqual([]);
});

test('a full disk is told as what it is, and the export can be run again', async () => {
  const { store } = await filled();
  mkdirSync(join(store.home, 'out'));
  const { code, err } = await piped(store.home, ['export', 'out'], failingDisk(join(store.home, 'out'), 'ENOSPC'));
  expect(code).toBe(1);
  expect(err).toContain('The export is not complete: the disk is full. Nothing in the store was changed');
  // As a kill leaves it: one file is there, another is only named, and a line is torn.
  await piped(store.home, ['export', 'out']);
  rmSync(join(store.home, 'out', 'user_kept.md'));
  writeFileSync(join(store.home, 'out', MANIFEST), '{"file":"user_', { flag: 'a' });
  expect(await piped(store.home, ['export', 'out'])).toMatchObject({ code: 0 });
  expect(Object.keys(filesIn(store, 'out'))).toEqual([MANIFEST, 'user_kept.md', 'user_proposed.md']);
});

test('there is one way to call it', async () => {
  const { store } = await filled();
  for (const args of [['export'], ['export', 'a', 'b'], ['export', 'a', '--tier', 'all'], ['export', 'a', '--force']])
    expect((await piped(store.home, args)).code).toBe(64);
  expect((await piped(store.home, ['export', '--help'])).out).toMatch(/^usage: surety export /);
  const fresh = temporaryFolder();
  expect(await piped(fresh, ['export', 'a'])).toMatchObject({ code: 1, err: expect.stringContaining('surety init') });
  expect(readdirSync(fresh)).toEqual([]);
});

terminalTest('what is exported and imported elsewhere is the same text under the same id, inferred', async () => {
  const { store, kept, proposed } = await filled();
  await piped(store.home, ['export', 'out']);
  const other = await storeTenDaysAgo();
  const terminal = new TestTerminal(other.home, ['import', join(store.home, 'out')]);
  await terminal.answer('r');
  expect((await terminal.end()).code).toBe(0);
  for (const id of [kept, proposed]) {
    expect(other.load(id).digest).toBe(store.load(id).digest);
    expect(other.standing(id)).toBe('inferred:proposed');
  }
  await piped(other.home, ['export', 'back']);
  const back = new TestTerminal(store.home, ['import', join(other.home, 'back')]);
  expect((await back.end()).shown).toContain('0 verified, 0 inferred. Not imported: 2 here already');
  expect(store.standing(kept)).toBe('verified:vouched');
});
