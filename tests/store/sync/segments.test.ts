import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shownForLedger } from '../../../src/actions/review/shown.ts';
import { cutText, joinTexts, nameOfSegment, segmentNamed } from '../../../src/core/ledger/segments.ts';
import { witnessed } from '../../../src/core/trust/consent.ts';
import { readableEntries } from '../../../src/store/ledger/readable-entries.ts';
import { repairLedger, repairsOf } from '../../../src/store/maintenance/repair-ledger.ts';
import { insideOf } from '../../../src/store/vault/inside-of-vault.ts';
import { bareRemote, git, Intruder, Machine } from '../../../testkit/fleet.ts';

/** The files of a ledger in a folder, by name and in order. */
function filesOf(folder: string, fingerprint: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => segmentNamed(name)?.fingerprint === fingerprint);
  names.sort((a, b) => (segmentNamed(a)?.first ?? 0) - (segmentNamed(b)?.first ?? 0));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

const ledgerOf = (machine: Machine, fingerprint: string) => filesOf(join(machine.root, 'ledger'), fingerprint);

function inRemote(remote: string, fingerprint: string): Record<string, string> {
  const names = git(remote, 'ls-tree', '--name-only', 'main', 'ledger/').split('\n');
  const files = names.flatMap((path) => {
    const segment = segmentNamed(path.slice('ledger/'.length));
    return segment?.fingerprint === fingerprint ? [[segment.first, path] as const] : [];
  });
  return Object.fromEntries(
    files.sort(([a], [b]) => a - b).map(([, path]) => [path.slice(7), `${git(remote, 'show', `main:${path}`)}\n`]),
  );
}

/** Puts a machine's own ledger into files that begin with these entries. */
function layOut(machine: Machine, firsts: readonly number[]): void {
  const { fingerprint } = machine;
  const before = ledgerOf(machine, fingerprint);
  for (const name of Object.keys(before)) rmSync(join(machine.root, 'ledger', name));
  for (const [first, text] of cutText(joinTexts(Object.values(before)), firsts))
    writeFileSync(join(machine.root, 'ledger', nameOfSegment({ fingerprint, first })), text);
}

/** Two machines of which the second trusts the first, whose ledger is in several files. */
async function trusting() {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote);
  const here = await Machine.open('here', remote);
  const id = await desk.store.verified('the build');
  const gone = await desk.store.verified('the old build');
  await desk.store.decide('demote', gone);
  layOut(desk, [2, 3]);
  expect((await desk.sync()).code).toBe(0);
  await here.sync();
  here.trust(desk);
  await here.sync();
  return { remote, desk, here, id, gone };
}

test('a ledger in several files goes to the other machine file by file, and its word counts there', async () => {
  const { remote, desk, here, id, gone } = await trusting();
  const files = ledgerOf(desk, desk.fingerprint);
  expect(Object.keys(files).map((name) => segmentNamed(name)?.first)).toEqual([0, 2, 3]);
  expect(ledgerOf(here, desk.fingerprint)).toEqual(files);
  expect(inRemote(remote, desk.fingerprint)).toEqual(files);
  expect([here.store.standing(id), here.store.tier(gone)]).toEqual(['verified:vouched', 'quarantined']);
  // What is added goes into the last file, and nothing else is sent of the ledger.
  const before = git(remote, 'rev-parse', 'main');
  await desk.sync();
  const later = await desk.store.verified('what came later');
  await desk.sync();
  const changed = git(remote, 'diff', '--name-only', before, 'main', '--', 'ledger').split('\n');
  expect(changed).toEqual([`ledger/${nameOfSegment({ fingerprint: desk.fingerprint, first: 3 })}`]);
  expect((await here.sync()).code).toBe(0);
  expect(here.store.standing(later)).toBe('verified:vouched');
  expect(here.status()).toBe('');
});

test('files that their machine joined are joined everywhere, and others than it leave them as they are', async () => {
  const { remote, desk, here, id } = await trusting();
  layOut(desk, [3]);
  expect((await desk.sync()).code).toBe(0);
  const joined = ledgerOf(desk, desk.fingerprint);
  expect(Object.keys(joined).map((name) => segmentNamed(name)?.first)).toEqual([0, 3]);
  expect(await here.sync()).toMatchObject({ code: 0, notices: [] });
  expect(ledgerOf(here, desk.fingerprint)).toEqual(joined);
  expect(inRemote(remote, desk.fingerprint)).toEqual(joined);
  // The other machine has it in one file: the owner's files stay.
  const one = nameOfSegment({ fingerprint: desk.fingerprint, first: 0 });
  for (const name of Object.keys(joined)) rmSync(join(here.root, 'ledger', name));
  writeFileSync(join(here.root, 'ledger', one), Object.values(joined).join(''));
  await here.sync();
  await desk.store.propose('something more');
  expect((await desk.sync()).notices).toEqual([]);
  expect(Object.keys(ledgerOf(desk, desk.fingerprint))).toEqual(Object.keys(joined));
  await here.sync();
  expect(ledgerOf(here, desk.fingerprint)).toEqual(ledgerOf(desk, desk.fingerprint));
  expect(here.store.standing(id)).toBe('verified:vouched');
});

test.each<[string, (files: string[]) => void]>([
  ['without its first file', ([first = '']) => rmSync(first)],
  ['without one in the middle', ([, second = '']) => rmSync(second)],
  ['without its last', ([, , third = '']) => rmSync(third)],
  ['without any', (files) => files.forEach((file) => void rmSync(file))],
  ['with a changed byte in a full one', ([first = '']) => tamper(first)],
])('a ledger %s, here or in the remote, is whole again after a sync', async (_, damage) => {
  const { remote, desk, here, id, gone } = await trusting();
  const files = ledgerOf(desk, desk.fingerprint);
  const names = Object.keys(files);
  damage(names.map((name) => join(here.root, 'ledger', name)));
  await here.sync();
  expect(ledgerOf(here, desk.fingerprint)).toEqual(files);
  const intruder = new Intruder(remote);
  damage(names.map((name) => join(intruder.folder, 'ledger', name)));
  intruder.push();
  const outcome = await here.sync();
  expect(outcome.notices).toMatchObject([{ kind: 'ledger', about: desk.fingerprint.slice(0, 16) }]);
  expect(ledgerOf(here, desk.fingerprint)).toEqual(files);
  expect(inRemote(remote, desk.fingerprint)).toEqual(files);
  expect([here.store.standing(id), here.store.tier(gone)]).toEqual(['verified:vouched', 'quarantined']);
  expect(here.status()).toBe('');
});

function tamper(path: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').replace('"level":0', '"level":3'));
}

test('this machine’s ledger of several files is put back from its copy, and read by the history', async () => {
  const { desk, id } = await trusting();
  const { store } = desk;
  const before = ledgerOf(desk, desk.fingerprint);
  const [, , last = ''] = Object.keys(before);
  rmSync(join(desk.root, 'ledger', last));
  const report = store.report();
  expect(report.trouble).toBe('shorter');
  const [repair] = repairsOf(store.vault, report);
  expect(repair?.kind).toBe('put-back');
  if (repair === undefined) throw new Error('no repair');
  const shown = shownForLedger('put-back-ledger', { ...report, head: repair.head }, repair.trouble);
  await repairLedger(store.vault, repair, witnessed('page', shown));
  const after = joinTexts(Object.values(ledgerOf(desk, desk.fingerprint)));
  expect(after.startsWith(joinTexts(Object.values(before)))).toBe(true);
  expect([store.trouble(), store.standing(id)]).toEqual([undefined, 'verified:vouched']);
  const { places, disk } = insideOf(store.vault);
  const lines = readableEntries(places, disk, store.vault.reports(), (entry) => entry.id === id);
  expect(lines.map(({ entry }) => entry.action)).toEqual(['propose', 'promote']);
});

test('a ledger whose unfinished last line was committed by hand goes on with the next sync', async () => {
  const remote = bareRemote();
  const [desk, laptop] = [await Machine.open('desk', remote), await Machine.open('laptop', remote)];
  await desk.store.propose('the build');
  for (const machine of [desk, laptop]) await machine.sync();
  // A kill in the middle of a write leaves half a line.
  appendFileSync(join(laptop.root, 'ledger', `${desk.fingerprint}.jsonl`), '{"v":2,"se');
  laptop.git('add', '-A');
  laptop.git('commit', '--quiet', '-m', 'by hand');
  await desk.store.propose('the door');
  await desk.sync();
  expect(await laptop.sync()).toMatchObject({ code: 0, received: 1 });
  await desk.sync();
  expect(laptop.files()).toEqual(desk.files());
});
