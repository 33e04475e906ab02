import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ReviewItem } from '../../src/actions/review/review.ts';
import { CLIENTS, makeHome } from '../../testkit/clients.ts';
import { overviewOf } from '../../testkit/overview-page.ts';
import { piped } from '../../testkit/piped.ts';
import { prepare, sharedEnv } from '../../testkit/prepared.ts';
import { pageOf, Visitor } from '../../testkit/review-page.ts';
import { runHook } from '../../testkit/run-hook.ts';
import type { TestStore } from '../../testkit/store.ts';
import { lastEntry, storeTenDaysAgo, TestTerminal, terminalTest } from '../../testkit/terminal.ts';

/** A store of one verified and one inferred memory that git has as they are. */
async function storeOfTwo(): Promise<{ store: TestStore; verified: string; inferred: string }> {
  const store = await storeTenDaysAgo();
  const verified = await store.add('good rule');
  const inferred = await store.propose('a guess');
  await store.reconcile();
  return { store, verified, inferred };
}

function committed(store: TestStore): void {
  const who = ['-c', 'user.name=Somebody', '-c', 'user.email=somebody@example.org', '-c', 'commit.gpgsign=false'];
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', store.places.root, ...who, ...args], { stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('add', 'memories', 'ledger');
  git('commit', '-qm', 'both');
}

async function findings(home: string): Promise<{ code: number; about: string[] | undefined }> {
  const { code, out } = await piped(home, ['doctor', '--json']);
  const all = (JSON.parse(out) as { findings: { code: string; about: string[] }[] }).findings;
  return { code, about: all.find((each) => each.code === 'memories-missing')?.about };
}

function removeAll(store: TestStore): void {
  for (const name of store.files('memories')) rmSync(`${store.places.memories}/${name}`);
}

const LINE = /^surety: The files of 2 memories are missing or damaged\. surety doctor puts back what it can/m;

test.each([
  ['its files', removeAll],
  ['the folder', (store: TestStore) => rmSync(store.places.memories, { recursive: true })],
])('memories removed with %s are told everywhere', async (_, remove) => {
  const { store, verified, inferred } = await storeOfTwo();
  const { home } = store;
  expect(await findings(home)).toEqual({ code: 0, about: undefined });
  remove(store);

  // A server makes the folder again, and says what was in it.
  await store.reopen();
  await store.reconcile();
  expect(store.vault.missing.all().map(({ id, tier }) => [id, tier])).toEqual([
    [inferred, 'inferred'],
    [verified, 'verified'],
  ]);

  const list = await piped(home, ['list']);
  expect(list.out + list.err).toMatch(LINE);
  expect(list.out + list.err).not.toContain('no memories yet');
  const status = await piped(home, ['status']);
  expect(status.out.replaceAll(/\s+/g, ' ')).toContain('The files of 2 memories are missing or damaged.');
  expect(JSON.parse((await piped(home, ['status', '--json'])).out).waiting.missing).toBe(2);
  const { code, about } = await findings(home);
  expect(code).toBe(3);
  expect(about).toEqual([`${inferred} (inferred)`, `${verified} (verified)`]);

  const { answer } = await runHook(home, 'session-start', { hook_event_name: 'SessionStart', source: 'startup' });
  expect(answer?.systemMessage).toContain('2 missing: the file is gone or damaged');
  expect(answer?.hookSpecificOutput?.additionalContext).toContain('The files of 2 memories are missing or damaged.');
});

terminalTest('at a terminal list says once, at its end, that memories are missing', async () => {
  const { store } = await storeOfTwo();
  removeAll(store);
  const { shown } = await new TestTerminal(store.home, ['list']).end();
  expect(shown.match(/missing or damaged/g)).toHaveLength(1);
  expect(shown.trimEnd()).toMatch(/in a\s+terminal of yours\.$/);
  const narrowed = await new TestTerminal(store.home, ['list', '--type', 'user']).end();
  expect(narrowed.shown.match(/missing or damaged/g)).toHaveLength(1);
});

test('review_queue names what is missing', async () => {
  const home = makeHome();
  onTestFinished(() => home.remove());
  const store = await prepare(home);
  const id = await store.verified('good rule');
  store.remove(id);
  const [any] = CLIENTS;
  if (any === undefined) throw new Error('no client');
  const session = await any.connect({ home, env: sharedEnv(home) });
  await expect
    .poll(async () => (await session.callTool('review_queue', {})).structured)
    .toMatchObject({ counts: { missing: 1 }, waiting: [{ category: 'missing', id, tier: 'verified' }] });
  await session.close();
});

terminalTest('one yes in doctor puts all back: verified ones from the kept copy, inferred ones from git', async () => {
  const { store, verified, inferred } = await storeOfTwo();
  committed(store);
  const before = [verified, inferred].map((id) => store.text('memories', id));
  rmSync(store.places.memories, { recursive: true });
  const terminal = new TestTerminal(store.home, ['doctor']);
  // The folder first, which is another question.
  for (let asked = ''; !asked.includes('Put all of these back'); ) asked = await terminal.answer('y');
  const { code } = await terminal.end();
  expect(code).toBe(0);
  expect([verified, inferred].map((id) => store.text('memories', id))).toEqual(before);
  await store.reopen();
  expect(store.standing(verified)).toBe('verified:vouched');
  expect(store.standing(inferred)).toBe('inferred:proposed');
  expect(store.audit()).toContainEqual(
    expect.objectContaining({ action: 'doctor-put-back-missing', outcome: 'accepted' }),
  );
});

terminalTest('a review shows the text that would come back, and where it comes from', async () => {
  const { store, verified, inferred } = await storeOfTwo();
  committed(store);
  removeAll(store);
  const terminal = new TestTerminal(store.home, ['review', '--category', 'missing']);
  const first = await terminal.answer('s');
  const second = await terminal.answer('y');
  const [guess = '', rule = ''] = first.includes(inferred) ? [first, second] : [second, first];
  expect(guess).toContain('two cores');
  expect(guess).toContain('the store’s git history');
  expect(guess).not.toContain('frontmatter delimiter');
  expect(rule).toContain('this machine’s copy of it');
  await terminal.end();
  expect(store.files('memories')).toEqual([`${first.includes(inferred) ? verified : inferred}.md`]);
});

terminalTest('a missing memory whose text is nowhere is not offered to be put back', async () => {
  const { store, inferred } = await storeOfTwo();
  store.remove(inferred);
  const terminal = new TestTerminal(store.home, ['review', '--category', 'missing']);
  const asked = await terminal.answer('n');
  expect(asked).toContain('Was it meant to go?');
  expect(asked.replaceAll(/\s+/g, ' ')).toContain('neither this machine nor the store’s git history has it');
  expect(asked).not.toMatch(/put it back|\(blank\)|frontmatter delimiter/);
  await terminal.end();
  expect(lastEntry(store)).toMatchObject({ action: 'demote', id: inferred });
});

terminalTest('of a verified memory whose text is nowhere, nothing says that its text changed', async () => {
  const { store, verified } = await storeOfTwo();
  rmSync(join(store.places.state, 'vouched'), { recursive: true });
  store.remove(verified);
  await store.reconcile();
  const terminal = new TestTerminal(store.home, ['review', '--category', 'missing']);
  expect(await terminal.until(/answer: $/)).not.toContain('the text changed');
  terminal.press('q');
  await terminal.end();
  for (const open of [
    async () => (await Visitor.enter(await overviewOf(store))).get(`sheet/${verified}`),
    async () => (await Visitor.enter(await pageOf(store, { items: [missing(verified)] }))).get(),
  ]) {
    const { text: shown } = await open();
    expect(shown).toContain('There is no text to show');
    expect(shown).not.toContain('the text changed');
  }
});

test('the page shows it too, and offers no yes to a text that is nowhere', async () => {
  const { store, inferred } = await storeOfTwo();
  const lost = await store.propose('another guess', { body: 'Nobody has this text any more.' });
  const text = store.text('memories', lost);
  store.remove(lost);
  committed(store);
  store.write('memories', lost, text);
  for (const id of [inferred, lost]) store.remove(id);
  await store.reconcile();
  for (const open of [
    async () => (await Visitor.enter(await overviewOf(store))).get(`sheet/${lost}`),
    async () => (await Visitor.enter(await pageOf(store, { items: [missing(lost)] }))).get(),
  ]) {
    const { text: shown } = await open();
    expect(shown).toContain('There is no text to show');
    expect(shown).toContain('neither this machine nor the store’s git history has it');
    expect(shown).not.toContain('value="y"');
    expect(shown).toContain('value="n"');
    expect(shown).not.toContain('The checks found nothing');
  }
  for (const open of [
    async () => (await Visitor.enter(await overviewOf(store))).get(`sheet/${inferred}`),
    async () => (await Visitor.enter(await pageOf(store, { items: [missing(inferred)] }))).get(),
  ]) {
    const { text: shown } = await open();
    expect(shown).toContain('two cores');
    expect(shown).toContain('the store’s git history');
    expect(shown).toContain('value="y"');
  }
});

function missing(id: string): ReviewItem {
  return { category: 'missing', id, stem: id };
}

test('of an inferred memory git’s text is taken only if it is the one that was seen last', async () => {
  const { store, inferred } = await storeOfTwo();
  committed(store);
  store.edit(inferred, (text) => text.replace('two cores', 'three cores'));
  await store.reconcile();
  store.remove(inferred);
  await store.reconcile();
  const { putBackAll } = await import('../../src/actions/put-back-from-copies.ts');
  expect(await putBackAll(store.vault)).toEqual([]);
  expect(store.vault.missing.all()).toHaveLength(1);
});

test.each([
  ['a NUL in it', (text: string) => text.replace('\n---\n', '\n---\n\0')],
  ['nothing in it', () => ''],
  ['no frontmatter', (text: string) => text.slice(20)],
])('a verified file with %s is not served, and its text can be put back', async (_, damage) => {
  const { store, verified } = await storeOfTwo();
  const before = store.text('memories', verified);
  store.edit(verified, damage);
  await store.reconcile();
  expect(store.vault.missing.all()).toMatchObject([{ id: verified, tier: 'verified', damaged: true }]);
  expect(store.files('memories')).toContain(`${verified}.md`);
  expect(await findings(store.home)).toEqual({ code: 3, about: [`${verified} (verified, its file is damaged)`] });
  expect((await piped(store.home, ['search', 'good rule'])).out).not.toContain(verified);

  const { putBackAll } = await import('../../src/actions/put-back-from-copies.ts');
  expect(await putBackAll(store.vault)).toEqual([verified]);
  expect(store.text('memories', verified)).toBe(before);
  await store.reconcile();
  expect(store.standing(verified)).toBe('verified:vouched');
  expect(store.vault.missing.all()).toEqual([]);
});

terminalTest('a review asks about each: back again, or an ordinary demote because it was meant', async () => {
  const { store, verified } = await storeOfTwo();
  const other = await store.add('other rule');
  store.remove(verified);
  store.remove(other);
  const terminal = new TestTerminal(store.home, ['review', '--category', 'missing']);
  expect(await terminal.answer('y')).toContain(`The file of ${verified} is missing or damaged. Put it back?`);
  expect(await terminal.answer('n')).toContain(`The file of ${other} is missing or damaged. Put it back?`);
  expect((await terminal.end()).code).toBe(0);
  await store.reopen();
  expect(store.standing(verified)).toBe('verified:vouched');
  expect(lastEntry(store)).toMatchObject({ action: 'demote', id: other, to: 'quarantined' });
  await store.reconcile();
  expect(store.vault.missing.all()).toEqual([]);
  // What comes back by itself stays what the person decided.
  writeFileSync(store.path('memories', other), '---\nname: x\n---\n');
  expect(store.tier(other)).toBe('quarantined');
});

test('a file that was renamed is not quarantined with the id it had', async () => {
  const { store, inferred } = await storeOfTwo();
  store.write('memories', 'user_another_name', store.text('memories', inferred));
  store.remove(inferred);
  await store.reconcile();
  const seen = store.vault.missing.load(inferred);
  if (seen === undefined) throw new Error('not missing');
  const { yes } = await import('../../testkit/store.ts');
  await store.vault.demoteMissing(seen, yes('demote', seen), 'renamed');
  expect(store.vault.missing.all()).toEqual([]);
  expect(store.tier('user_another_name')).toBe('inferred');
});

test('another text of it in quarantine does not hide that the file of a memory is gone', async () => {
  const { store, verified, inferred } = await storeOfTwo();
  for (const id of [verified, inferred])
    store.write('quarantine', `${id}~2`, store.text('memories', id).replace('two cores', 'six cores'));
  await store.reconcile();
  removeAll(store);
  for (const _ of ['this scan', 'the next one']) {
    await store.reconcile();
    expect(store.vault.missing.all().map(({ id, tier }) => [id, tier])).toEqual([
      [inferred, 'inferred'],
      [verified, 'verified'],
    ]);
  }
});

test('what was demoted, archived or erased is not missing', async () => {
  const { store, verified } = await storeOfTwo();
  await store.decide('demote', verified, 'wrong');
  rmSync(store.path('quarantine', verified));
  await store.reconcile();
  expect(store.vault.missing.all()).toEqual([]);
});

test('of files that were found together, which one entry may tell of, each is missed', async () => {
  const { store, inferred } = await storeOfTwo();
  const names = ['user_one', 'user_two', 'user_three'];
  const text = store.text('memories', inferred);
  for (const name of names) store.write('memories', name, text.replace('two cores', `${name} cores`));
  await store.reconcile();
  for (const name of names) store.remove(name);
  await store.reconcile();
  expect(store.vault.missing.all().map(({ id }) => id)).toEqual(names.toSorted());
});

test('a text that is proposed again while its file is missing becomes no second memory', async () => {
  const { store, verified, inferred } = await storeOfTwo();
  const bodies = new Map([verified, inferred].map((id) => [id, store.text('memories', id).split('---\n\n')[1] ?? '']));
  removeAll(store);
  for (const isScanned of [false, true]) {
    if (isScanned) await store.reconcile();
    for (const [id, body] of bodies) {
      await expect(store.propose('under another name', { body })).rejects.toMatchObject({
        code: 'is-missing',
        message: expect.stringContaining(`as ${id}, and its file is missing`),
      });
    }
  }
  expect(store.files('memories')).toEqual([]);
  expect(await store.propose('something else', { body: 'A text that was never here, about other things.' })).toBe(
    'user_something_else',
  );
});

test('an erasure that no machine that counts has signed hides no removed file', async () => {
  const { store, verified, inferred } = await storeOfTwo();
  removeAll(store);
  const stranger = {
    ...{ v: 1, seq: 0, at: '2026-01-01T00:00:00Z', machine: 'x', settings: {}, rules: 'r' },
    ...{ by: { actor: 'operator', channel: 'terminal', level: 2, client: null }, action: 'erased', id: verified },
    ...{ from: null, to: null, digest: null, saying: null, reason: null },
    ...{ settled: [], replaces: null, after: [], prev: null },
  };
  writeFileSync(`${store.places.ledger}/${'ab'.repeat(32)}.jsonl`, `${JSON.stringify(stranger)}\n`);
  await store.reopen();
  await store.reconcile();
  expect(store.vault.evidence.of(verified).map(({ action }) => action)).toContain('erased');
  expect(store.vault.missing.all().map(({ id }) => id)).toEqual([inferred, verified]);
});
