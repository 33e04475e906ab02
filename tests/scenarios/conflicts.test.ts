import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lookAt, openImport, take } from '../../src/actions/exchange/import.ts';
import { choicesFor } from '../../src/actions/review/answers.ts';
import { machineCalled, trustMachine } from '../../src/actions/review/machines.ts';
import { openCase } from '../../src/actions/review/review.ts';
import { shownForLedger } from '../../src/actions/review/shown.ts';
import { takeInFiles } from '../../src/actions/session.ts';
import { witnessed } from '../../src/core/trust/consent.ts';
import { CLIENTS, type Home, makeHome } from '../../testkit/clients.ts';
import { bareRemote, Machine } from '../../testkit/fleet.ts';
import { piped } from '../../testkit/piped.ts';
import { prepare, sharedEnv } from '../../testkit/prepared.ts';
import { pageOf, personAt, sessionOf, Visitor } from '../../testkit/review-page.ts';
import { takePlace } from '../../testkit/sample.ts';
import type { TestStore } from '../../testkit/store.ts';
import { TestTerminal, terminalTest } from '../../testkit/terminal.ts';

const OLD = {
  type: 'user' as const,
  name: 'Deploy day',
  description: 'When the shop is deployed',
  body: 'We deploy the shop on Tuesdays, after the standup.',
};
const NEW = {
  ...OLD,
  name: 'Deploying the shop',
  description: 'The day on which the shop is deployed',
  body: 'The shop is deployed on Thursdays, after the standup.',
};

let home: Home;
let store: TestStore;
let old: string;
beforeEach(async () => {
  home = makeHome();
  store = await prepare(home);
  old = await store.add('Deploy day', OLD);
});
afterEach(() => home.remove());

interface Hits {
  readonly hits: readonly { readonly id: string; readonly tier: string; readonly conflicts_with?: string }[];
}

async function proposed(): Promise<string> {
  const client = await CLIENTS[0]?.connect({ home, env: sharedEnv(home) });
  const structured = (await client?.callTool('propose_memory', NEW))?.structured;
  await client?.close();
  return (structured as { id: string }).id;
}

describe.each(CLIENTS)('$client', ({ connect }) => {
  test('a proposal that contradicts a verified memory is stored, named, held back and behind it in search', async () => {
    const client = await connect({ home, env: sharedEnv(home), person: () => ({ action: 'cancel' }) });
    const { structured } = await client.callTool('propose_memory', NEW);
    expect(structured).toMatchObject({ outcome: 'created', tier: 'inferred', conflicts: [old] });
    const { id } = structured as { id: string };
    const { hits } = (await client.callTool('search_memories', { query: NEW.body })).structured as unknown as Hits;
    expect(hits.map((hit) => [hit.id, hit.tier, hit.conflicts_with])).toEqual([
      [old, 'verified', undefined],
      [id, 'inferred', old],
    ]);
    const read = await client.callTool('read_memory', { id });
    expect(read.structured).toMatchObject({ tier: 'inferred', conflicts_with: old });
    const context = (await client.readResource('memory://context')).text;
    expect(context).toContain(`id="${old}"`);
    expect(context).not.toContain(`id="${id}"`);
    expect(context).toContain('1 in conflict with a verified one');
    const asked = await client.callTool('adopt', { id });
    expect(asked.structured).toMatchObject({
      outcome: 'queued',
      note: expect.stringContaining('contradicts a verified'),
    });
    expect([store.tier(id), store.tier(old)]).toEqual(['inferred', 'verified']);
    await client.close();
  });

  test('a proposal that agrees has no conflicts in its reply', async () => {
    const client = await connect({ home, env: sharedEnv(home) });
    const body = 'The shop is deployed on Tuesdays, when the standup is over.';
    const { structured } = await client.callTool('propose_memory', { ...NEW, body });
    expect(structured).not.toHaveProperty('conflicts');
    await client.close();
  });
});

test('a conflict ends when the verified text is verified no more, and when the new text is edited', async () => {
  const id = await proposed();
  await store.reopen();
  expect(store.vault.conflicts.of(store.load(id))).toBe(old);
  store.edit(id, (text) => text.replace('Thursdays', 'Tuesdays'));
  expect(store.vault.conflicts.of(store.load(id))).toBeUndefined();
  store.edit(id, (text) => text.replace('on Tuesdays', 'on Thursdays'));
  expect(store.vault.conflicts.of(store.load(id))).toBe(old);
  await store.decide('demote', old);
  expect(store.vault.conflicts.of(store.load(id))).toBeUndefined();
});

test('a list of conflicts that somebody wrote or removed counts as none, and a person sees both all the same', async () => {
  const id = await proposed();
  const path = join(store.places.state, 'conflicts.json');
  const signed = readFileSync(path, 'utf8');
  writeFileSync(path, signed.replace(old, `${old}x`));
  await store.reopen();
  expect(store.vault.conflicts.of(store.load(id))).toBeUndefined();
  writeFileSync(path, signed);
  expect(store.vault.conflicts.of(store.load(id))).toBe(old);
  rmSync(path);
  expect(store.vault.conflicts.of(store.load(id))).toBeUndefined();
  const item = { category: 'new', id, stem: id } as const;
  const open = openCase(sessionOf(store), item);
  expect(open?.rival?.id).toBe(old);
  const keep = open && choicesFor(open).find(({ key }) => key === 'b')?.effect;
  if (open === undefined || typeof keep !== 'function') throw new Error('keeping both is not offered');
  await keep(sessionOf(store), open, personAt(open));
  expect(openCase(sessionOf(store), item)?.rival).toBeUndefined();
});

/** A terminal wraps what it prints. */
const oneLine = (shown: string) => shown.replaceAll(/\s+/g, ' ');

terminalTest('keep the old one: the new one goes into quarantine', async () => {
  const id = await proposed();
  const terminal = new TestTerminal(home.folder, ['review', '--category', 'conflicting']);
  const shown = await terminal.until(/answer: $/);
  expect(shown).toContain('in conflict with a verified one');
  for (const both of ['Tuesdays', 'Thursdays', old, id]) expect(shown).toContain(both);
  terminal.press('n');
  await terminal.until(/any other key ends the review: $/);
  terminal.press(' ');
  expect((await terminal.end()).code).toBe(0);
  expect([store.tier(id), store.tier(old)]).toEqual(['quarantined', 'verified']);
});

terminalTest('take the new one in its place: one answer about both', async () => {
  const id = await proposed();
  const terminal = new TestTerminal(home.folder, ['review', '--category', 'conflicting']);
  const asked = oneLine(await terminal.until(/answer: $/));
  expect(asked).toContain(`${id} and ${old} seem to contradict each other. Which one do you keep?`);
  expect(asked).toContain(`these are my words: take this one, and quarantine ${old}`);
  terminal.press('a');
  await terminal.until(/any other key ends the review: $/);
  terminal.press(' ');
  const { code, shown } = await terminal.end();
  expect(code).toBe(0);
  expect(oneLine(shown)).toContain(`${id} is verified, as your own words. ${old} is quarantined.`);
  expect(oneLine(shown)).toContain('1 verified, as your own words, 1 quarantined, nothing is left.');
  expect([store.tier(id), store.tier(old)]).toEqual(['verified', 'quarantined']);
  const by = { channel: 'terminal', level: 1 };
  expect(store.entries().slice(-2)).toMatchObject([
    { action: 'adopt', id, replaces: old, by },
    { action: 'demote', id: old, by },
  ]);
});

terminalTest('taken back, the one answer about both leaves no trace', async () => {
  const id = await proposed();
  const before = store.ledgerLines();
  const terminal = new TestTerminal(home.folder, ['review', '--category', 'conflicting']);
  await terminal.until(/answer: $/);
  terminal.press('a');
  await terminal.until(/any other key ends the review: $/);
  terminal.press('u');
  await terminal.until(/answer: $/);
  terminal.press('q');
  await terminal.end();
  expect([store.tier(id), store.tier(old)]).toEqual(['inferred', 'verified']);
  expect(store.ledgerLines()).toEqual(before);
});

terminalTest(
  'the old one changes before the answer is carried out: nothing is done, and the terminal says why',
  async () => {
    const id = await proposed();
    const terminal = new TestTerminal(home.folder, ['review', '--category', 'conflicting']);
    await terminal.until(/answer: $/);
    terminal.press('a');
    await terminal.until(/any other key ends the review: $/);
    store.edit(old, (text) => text.replace('Tuesdays', 'Mondays'));
    terminal.press(' ');
    const { shown } = await terminal.end();
    expect(oneLine(shown)).toContain(
      `${id} or ${old} changed while you were looking at it, so nothing was done about ${id}.`,
    );
    expect(oneLine(shown)).toContain(`${id} is not in conflict with a verified memory any more`);
    expect([store.tier(id), store.tier(old)]).toEqual(['inferred', 'inferred']);
  },
);

terminalTest('keep both: nothing changes its tier, and nobody is asked again', async () => {
  const id = await proposed();
  const terminal = new TestTerminal(home.folder, ['review', '--category', 'conflicting']);
  await terminal.until(/answer: $/);
  terminal.press('b');
  await terminal.until(/any other key ends the review: $/);
  terminal.press(' ');
  expect((await terminal.end()).code).toBe(0);
  expect([store.tier(id), store.tier(old)]).toEqual(['inferred', 'verified']);
  await store.reopen();
  expect(store.vault.conflicts.of(store.load(id))).toBeUndefined();
  expect(store.audit().at(-1)).toMatchObject({ action: 'keep-both', id, outcome: 'accepted' });
  expect(openCase(sessionOf(store), { category: 'conflicting', id, stem: id })).toBeUndefined();
});

test('the page has both texts and the three choices', async () => {
  const id = await proposed();
  await store.reopen();
  const visitor = await Visitor.enter(await pageOf(store));
  const { text } = await visitor.get();
  for (const part of ['Thursdays', 'Tuesdays', old, id, 'Keep both', 'keep the old one', `quarantine ${old}`])
    expect(text.toLowerCase()).toContain(part.toLowerCase());
});

test('an import compares too, and audit names every pair', async () => {
  const source = join(home.folder, 'notes');
  mkdirSync(source);
  const text = `---\nname: ${NEW.name}\ndescription: ${NEW.description}\ntype: user\n---\n${NEW.body}\n`;
  writeFileSync(join(source, 'user_deploying_the_shop.md'), text);
  const session = sessionOf(store);
  for (const piece of openImport(session, source, undefined).pieces()) {
    const look = lookAt(session, piece);
    if (look.kind !== 'new') throw new Error(look.kind);
    const taken = await take(session, look.arrival);
    const id = taken.kind === 'here' ? taken.id : taken.loaded.id;
    expect(store.vault.conflicts.of(store.load(id))).toBe(old);
  }
  const report = JSON.parse((await piped(home.folder, ['audit', '--json'])).out);
  expect(report.contradictions).toEqual([{ ids: [old, 'user_deploying_the_shop'], why: 'value' }]);
  expect((await piped(home.folder, ['audit'])).out).toContain(`${old} and user_deploying_the_shop: they give another`);
});

const FILE = `---\nname: ${NEW.name}\ndescription: ${NEW.description}\ntype: user\n---\n${NEW.body}\n`;

test('a text that came as a file is compared like a proposal', async () => {
  store.write('memories', 'user_dropped', FILE);
  await takeInFiles(sessionOf(store), () => {});
  expect(store.vault.conflicts.of(store.load('user_dropped'))).toBe(old);
});

test('so is one that comes while a server runs, and one that is edited', async () => {
  const client = await CLIENTS[0]?.connect({ home, env: sharedEnv(home) });
  await client?.callTool('search_memories', { query: 'shop' });
  store.write('memories', 'user_dropped', FILE.replace('Thursdays, after', 'Tuesdays, after'));
  await store.reconcile();
  store.write('memories', 'user_dropped', FILE);
  await expect.poll(() => store.vault.conflicts.of(store.load('user_dropped')), { timeout: 20_000 }).toBe(old);
  await client?.close();
});

test('and one that another machine wrote and a sync brought', async () => {
  const remote = bareRemote();
  const [one, two] = [await Machine.open('one', remote), await Machine.open('two', remote)];
  const verified = await one.store.add('Deploy day', OLD);
  await one.sync();
  const id = (await two.store.vault.create('propose', NEW, { actor: 'agent', client: null })).loaded.id;
  await two.sync();
  await one.sync();
  expect(one.store.vault.conflicts.of(one.store.load(id))).toBe(verified);
});

test('a verified memory that comes is compared with what is here: by a sync, and when its machine is trusted', async () => {
  const remote = bareRemote();
  const [one, two] = [await Machine.open('one', remote), await Machine.open('two', remote)];
  const id = (await two.store.vault.create('propose', NEW, { actor: 'agent', client: null })).loaded.id;
  const first = await one.store.add('Deploy day', OLD);
  await one.sync();
  await two.sync();
  expect(two.store.vault.conflicts.of(two.store.load(id))).toBeUndefined();
  const there = machineCalled(two.session, one.fingerprint);
  const shown = shownForLedger('trust-machine', there, 'untrusted');
  await trustMachine(two.session, there, 'one', witnessed('page', shown));
  expect([...two.store.vault.conflicts.rivalsOf(two.store.load(id))]).toEqual([first]);
  const second = await one.store.add('Shop deploys', { ...OLD, body: OLD.body.replace('Tuesdays', 'Mondays') });
  await one.sync();
  await two.sync();
  expect([...two.store.vault.conflicts.rivalsOf(two.store.load(id))]).toEqual([first, second]);
});

describe('two machines answer otherwise about the same two memories, and then sync', () => {
  async function twoMachines() {
    const remote = bareRemote();
    const [one, two] = [await Machine.open('one', remote), await Machine.open('two', remote)];
    const verified = await one.store.add('Deploy day', OLD);
    const id = await two.store.propose('Deploying the shop', NEW);
    for (const each of [one, two, one]) await each.sync();
    one.trust(two);
    two.trust(one);
    for (const { store: each } of [one, two]) each.pass(8);
    await takePlace(one.store.vault, one.store.load(id), one.store.load(verified));
    await one.sync();
    return { one, two, id, verified };
  }

  test('one takes the new one, the other quarantines it: both go, and both are told', async () => {
    const { one, two, id, verified } = await twoMachines();
    await two.store.decide('demote', id);
    const kept = await two.sync();
    expect(kept).toMatchObject({ code: 3, notices: [{ kind: 'lowered', about: verified }] });
    const told = await one.sync();
    expect(told).toMatchObject({ code: 3, notices: [{ kind: 'lowered', about: id }] });
    for (const { store: each } of [one, two])
      expect([each.tier(id), each.tier(verified)]).toEqual(['quarantined', 'quarantined']);
  });

  test('one takes the new one, the other vouches for the old one again: the old one goes, and the second is told', async () => {
    const { one, two, id, verified } = await twoMachines();
    await two.store.decide('reaffirm', verified);
    const told = await two.sync();
    expect(told).toMatchObject({ code: 3, notices: [{ kind: 'lowered', about: verified }] });
    await one.sync();
    for (const { store: each } of [one, two])
      expect([each.tier(id), each.tier(verified)]).toEqual(['verified', 'quarantined']);
  });

  test('the yes to the new one arrives alone: both are verified there until the other entry comes', async () => {
    const { one, two, id, verified } = await twoMachines();
    const ledger = join('ledger', `${one.fingerprint}.jsonl`);
    const lines = readFileSync(join(one.root, ledger), 'utf8').trimEnd().split('\n');
    writeFileSync(join(two.root, ledger), `${lines.slice(0, -1).join('\n')}\n`);
    copyFileSync(one.store.path('memories', id), two.store.path('memories', id));
    await two.store.reconcile();
    expect([two.store.tier(id), two.store.tier(verified)]).toEqual(['verified', 'verified']);
    writeFileSync(join(two.root, ledger), `${lines.join('\n')}\n`);
    await two.store.reconcile();
    expect([two.store.tier(id), two.store.tier(verified)]).toEqual(['verified', 'quarantined']);
  });
});
