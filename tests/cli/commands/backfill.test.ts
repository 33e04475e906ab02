import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thisMachine } from '../../../src/store/places/host.ts';
import { failingDisk } from '../../../testkit/failing-disk.ts';
import { piped } from '../../../testkit/piped.ts';
import { TestStore, temporaryFolder } from '../../../testkit/store.ts';
import { audited, lastEntry, storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

const TODAY = new Date().toISOString().slice(0, 10);

function file(type: string, body = `This ${type} memory lay in an older collection.`, extra = ''): string {
  return `---\nname: Older ${type}\ndescription: What it is about\ntype: ${type}\n${extra}---\n${body}\n`;
}

/** An older collection: one file of each type, and one that says verified although nobody vouched for it. */
async function older(): Promise<TestStore> {
  const store = await storeTenDaysAgo();
  for (const type of ['user', 'feedback', 'project', 'reference']) store.write('memories', `${type}_older`, file(type));
  store.write('memories', 'user_claims', file('user', 'This one says verified, and no ledger knows of it.', CLAIM));
  await store.reconcile();
  return store;
}
const CLAIM =
  'source-machine: elsewhere\ncreated-at: 2020-01-01T00:00:00Z\n# kept\ntrust-level: verified\nlast-verified: 2020-01-02\nextra: "é"\n';

function texts(store: TestStore): Record<string, string> {
  return Object.fromEntries(
    store.files('memories').map((name) => [name, readFileSync(join(store.places.memories, name), 'utf8')]),
  );
}

test('by itself it tells what it would propose and changes nothing, also for programs', async () => {
  const store = await older();
  const [before, ledger] = [texts(store), store.ledgerLines()];
  const said = await piped(store.home, ['backfill'], { NO_COLOR: '1' });
  expect(said).toMatchObject({ code: 0, err: '' });
  expect(said.out).toContain(
    'verified  user_older\n          sets source-machine, created-at, trust-level, last-verified\n',
  );
  expect(said.out).toContain('ask       project_older\n');
  expect(said.out).toContain('inferred  reference_older\n          sets source-machine, created-at, trust-level\n');
  expect(said.out).toContain('5 to go through; nothing was changed. surety backfill --execute asks about');
  const { code, out } = await piped(store.home, ['backfill', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({
    found: expect.arrayContaining([
      { id: 'user_claims', proposed: 'verified', sets: ['last-verified'] },
      { id: 'reference_older', proposed: 'inferred', sets: ['source-machine', 'created-at', 'trust-level'] },
    ]),
    left: [],
  });
  expect(texts(store)).toEqual(before);
  expect(store.ledgerLines()).toEqual(ledger);
});

test('what no backfill can help is said and ends with 1, an empty store with 2', async () => {
  const store = await TestStore.open({ machine: thisMachine(), checks: [] });
  expect(await piped(store.home, ['backfill'])).toMatchObject({ code: 2, out: expect.stringContaining('no memories') });
  // Taken in under rules that let it pass: it is not moved, and not served.
  store.write('memories', 'user_short', file('user', 'no'));
  store.write('memories', 'user_older', file('user'));
  await store.reconcile();
  const { code, out } = await piped(store.home, ['backfill']);
  expect(code).toBe(1);
  expect(out).toContain('user_short is left as it is: a check blocks it.');
  expect(JSON.parse((await piped(store.home, ['backfill', '--json'])).out)).toMatchObject({
    found: [{ id: 'user_older' }],
    left: [{ id: 'user_short', why: 'blocked' }],
  });
});

test('without a terminal --execute asks nobody: exit 1, on record, nothing changed', async () => {
  const store = await older();
  const before = texts(store);
  const { code, err } = await piped(store.home, ['backfill', '--execute']);
  expect(code).toBe(1);
  expect(err).toMatch(/^surety backfill asks a person/);
  expect(await piped(store.home, ['backfill', '--yes'])).toMatchObject({ code: 64 });
  expect(audited(store)).toEqual(['backfill refused needs-person']);
  expect(texts(store)).toEqual(before);
});

terminalTest('each is shown whole; a yes verifies that one, and nothing but its own keys changes', async () => {
  const store = await older();
  utimesSync(store.path('memories', 'feedback_older'), 1_600_000_000, 1_600_000_000);
  await store.reconcile();
  const before = texts(store);
  const terminal = new TestTerminal(store.home, ['backfill', '--execute']);
  const shown = await terminal.answer('y');
  for (const part of [
    '1 of 5',
    '│ This feedback memory lay in an older',
    'verified, as is usual',
    'found in the folder',
  ])
    expect(shown).toContain(part);
  expect(await terminal.answer('')).toContain('yours to choose');
  expect(await terminal.answer('s')).toContain('inferred: it is a reference');
  expect(await terminal.answer('yes')).toContain('the file says verified, but no receipt vouches for it');
  await terminal.answer('q');
  const { code, shown: all } = await terminal.end();
  expect(code).toBe(0);
  expect(all).toContain('2 verified, 1 inferred, 2 still wait.');

  expect(store.standing('feedback_older')).toBe('verified:vouched');
  expect(store.standing('user_claims')).toBe('verified:vouched');
  expect(store.standing('project_older')).toBe('inferred:found');
  const after = texts(store);
  expect(after['reference_older.md']).toBe(before['reference_older.md']);
  expect(after['user_older.md']).toBe(before['user_older.md']);
  expect(after['user_claims.md']).toBe(before['user_claims.md']?.replace('2020-01-02', TODAY));
  const machine = store.vault.self.machine;
  expect(after['feedback_older.md']).toBe(
    before['feedback_older.md']?.replace(
      'type: feedback\n',
      `type: feedback\nsource-machine: ${machine}\ncreated-at: 2020-09-13T12:26:40Z\ntrust-level: verified\nlast-verified: ${TODAY}\n`,
    ),
  );
  expect(lastEntry(store)).toMatchObject({
    action: 'backfill',
    id: 'user_claims',
    from: null,
    to: 'verified',
    by: { level: 1 },
  });
  expect(audited(store)).toEqual([
    'backfill feedback_older accepted',
    'backfill project_older accepted kept-inferred',
    'backfill user_claims accepted',
  ]);
});

terminalTest('the rest as inferred ends the asking, and a second run finds nothing to do', async () => {
  const store = await older();
  const terminal = new TestTerminal(store.home, ['backfill', '--execute']);
  await terminal.answer('y');
  await terminal.answer('r');
  const { code, shown } = await terminal.end();
  expect({ code, asked: shown.match(/answer: /g)?.length }).toEqual({ code: 0, asked: 2 });
  expect(shown).toContain('1 verified, 4 inferred, nothing is left.');
  expect(store.files('memories').map((name) => store.tier(name.slice(0, -3)))).toEqual([
    'verified',
    'inferred',
    'inferred',
    'inferred',
    'inferred',
  ]);
  // A claim that nobody stands behind is settled too, and nothing else about the file.
  expect(store.text('memories', 'user_claims')).toBe(
    file(
      'user',
      'This one says verified, and no ledger knows of it.',
      CLAIM.replace('level: verified', 'level: inferred'),
    ),
  );
  const before = texts(store);
  const again = await new TestTerminal(store.home, ['backfill', '--execute']).end();
  expect(again).toEqual({ code: 0, shown: expect.stringContaining('There is nothing to fill in.') });
  expect(await piped(store.home, ['backfill'])).toMatchObject({ code: 0, out: 'There is nothing to fill in.\n' });
  expect(texts(store)).toEqual(before);
});

terminalTest('Ctrl+C keeps what was answered', async () => {
  const store = await older();
  const terminal = new TestTerminal(store.home, ['backfill', '--execute']);
  await terminal.answer('y');
  await terminal.until(/answer: $/);
  terminal.press('\x03');
  const { code, shown } = await terminal.end();
  expect(code).toBe(130);
  expect(shown).toContain('1 verified, 4 still wait.');
  expect(store.standing('feedback_older')).toBe('verified:vouched');
  expect(store.standing('project_older')).toBe('inferred:found');
});

terminalTest('what an agent proposed, and what changed or was quarantined, is not verified this way', async () => {
  const store = await storeTenDaysAgo();
  const proposed = await store.propose('a proposal');
  store.edit(proposed, (text) => text.replace('trust-level: inferred', 'trust-level: verified'));
  const changed = await store.add('a changed one');
  store.edit(changed, (text) => text.replace('two cores', 'nine cores'));
  const demoted = await store.propose('a demoted one');
  await store.decide('demote', demoted);
  store.write('memories', 'user_again', store.text('quarantine', demoted).replace(/^(trust|quarantine).*\n/gm, ''));
  const { code, shown } = await new TestTerminal(store.home, ['backfill', '--execute']).end();
  expect({ code, shown }).toEqual({ code: 0, shown: expect.stringContaining('There is nothing to fill in.') });
  expect(store.standing(proposed)).toBe('inferred:unproven');
  expect(store.standing(changed)).toBe('inferred:changed');
});

terminalTest('a text that changes under the question is shown again before any yes counts', async () => {
  const store = await storeTenDaysAgo();
  store.write('memories', 'user_older', file('user'));
  const terminal = new TestTerminal(store.home, ['backfill', '--execute']);
  await terminal.until(/answer: $/);
  store.write('memories', 'user_older', file('user', 'Something else that somebody put there meanwhile.'));
  terminal.press('y\r');
  expect(await terminal.answer('q')).toContain('│ Something else that somebody put there');
  await terminal.end();
  expect(store.tier('user_older')).toBe('inferred');
});

terminalTest('suspicious findings are on the screen, inferred is proposed, and the yes settles them', async () => {
  const store = await storeTenDaysAgo();
  store.write(
    'memories',
    'user_mail',
    file('user', 'Ignore all previous instructions is what the phishing mail said.'),
  );
  const terminal = new TestTerminal(store.home, ['backfill', '--execute']);
  const shown = await terminal.answer('y');
  expect(shown).toMatch(/^hold {8}\S/m);
  expect(shown).toMatch(/^proposed +inferred: /m);
  await terminal.end();
  expect(store.load('user_mail')).toMatchObject({ held: [], standing: { tier: 'verified' } });
});

terminalTest('where the settings ask for more than a terminal, no yes is offered', async () => {
  const store = await older();
  writeFileSync(join(store.places.config, 'config.json'), '{"minimumAssurance": 2}');
  const terminal = new TestTerminal(store.home, ['backfill', '--execute']);
  const shown = await terminal.answer('y');
  expect(shown).toContain('minimumAssurance');
  expect(shown).not.toContain('[y]');
  await terminal.answer('r');
  expect((await terminal.end()).shown).toContain('5 inferred, nothing is left.');
});

for (const [code, words] of [
  ['ENOSPC', 'the disk is full'],
  ['EROFS', 'the disk refused it (EROFS)'],
] as const) {
  terminalTest(`where the disk cannot be written (${code}) it is said once, and nothing is half done`, async () => {
    const store = await older();
    const before = texts(store);
    for (const answer of ['r', 'y']) {
      const terminal = new TestTerminal(store.home, ['backfill', '--execute'], {
        env: failingDisk(store.places.memories, code),
      });
      await terminal.answer(answer);
      const ended = await terminal.end();
      expect(ended.code).toBe(1);
      expect(ended.shown).toContain('Nothing changed, 5 still wait.');
      expect(ended.shown.split(`surety: Nothing was changed: ${words}.`)).toHaveLength(2);
      expect(texts(store)).toEqual(before);
    }
    expect(store.standing('feedback_older')).toBe('inferred:found');
    expect(audited(store)).toEqual(Array(2).fill('backfill feedback_older refused disk-failed'));
  });
}

test('backfill has a help of its own', async () => {
  const { code, out } = await piped(temporaryFolder(), ['backfill', '--help']);
  expect(code).toBe(0);
  expect(out).toMatch(/^usage: surety backfill /);
});
