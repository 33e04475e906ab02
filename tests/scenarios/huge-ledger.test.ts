import { closeSync, ftruncateSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LEDGER_LIMITS } from '../../src/store/ledger/ledger-lines.ts';
import { thisMachine } from '../../src/store/places/host.ts';
import { CLIENTS, makeHome } from '../../testkit/clients.ts';
import { bareRemote, git, Intruder, Machine } from '../../testkit/fleet.ts';
import { piped } from '../../testkit/piped.ts';
import { TestStore } from '../../testkit/store.ts';

/** The most that fits into one string of V8; nearly nothing of it is on the disk. */
const HUGE = 2 ** 29 - 1;
const STRANGER = 'ab'.repeat(32);

/** A file of zeros; `lines` are put at its beginning, and a line feed at its end. */
function plant(path: string, { lines = '', size = HUGE } = {}): void {
  const fd = openSync(path, 'w');
  writeSync(fd, lines, 0);
  ftruncateSync(fd, size - 1);
  writeSync(fd, '\n', size - 1);
  closeSync(fd);
  expect(statSync(path).size).toBe(size);
}

const GIT = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
for (const role of ['AUTHOR', 'COMMITTER'])
  Object.assign(GIT, { [`GIT_${role}_NAME`]: 'x', [`GIT_${role}_EMAIL`]: 'x@example.com' });

async function storeWithOne() {
  const store = await TestStore.open({ machine: thisMachine() });
  const id = await store.verified('the build');
  return { store, id };
}

test('a huge file among the ledgers is set aside and told; every other ledger counts as before', async () => {
  const { store, id } = await storeWithOne();
  plant(join(store.places.ledger, `${STRANGER}.jsonl`));
  expect(store.tier(id)).toBe('verified');
  expect(store.report(STRANGER)).toMatchObject({ trouble: 'too-large', raises: false, entries: 0 });
  await store.reconcile();
  await store.propose('something new');
  const status = await piped(store.home, ['status']);
  expect(status).toMatchObject({ code: 0 });
  expect(status.out).toContain('1 verified');
  expect(status.out).toContain('in trouble (too-large), so it raises nothing');
  const doctor = await piped(store.home, ['doctor']);
  expect(doctor.err).not.toContain('please report');
  expect(doctor.out).toContain('more of it than is read');
  const log = await piped(store.home, ['log']);
  expect(log).toMatchObject({ code: 0 });
});

test('what a ledger lowered before it became huge is lowered still, and it raises nothing', async () => {
  const { store, id } = await storeWithOne();
  const lowered = await store.verified('the release');
  await store.decide('demote', lowered, 'no longer true');
  const lines = store.ledgerLines().map((line) => `${line}\n`);
  plant(store.ledgerPath, { lines: lines.join('') });
  await store.reopen();
  expect(store.report()).toMatchObject({ trouble: 'too-large', raises: false });
  expect(store.report().entries).toBeGreaterThan(3);
  expect(store.tier(lowered)).toBe('quarantined');
  expect(store.tier(id)).toBe('inferred');
  await expect(store.propose('something new')).rejects.toMatchObject({ code: 'ledger-trouble' });
  const doctor = await piped(store.home, ['doctor']);
  expect(doctor.err).not.toContain('please report');
});

test('unknown ledgers take so much memory together and no more, whatever their number', async () => {
  const { store, id } = await storeWithOne();
  const line = `${store.ledgerLines()[0]}\n`;
  const names = ['a', 'b', 'c'].map((letter) => letter.repeat(64));
  for (const name of names) {
    const fd = openSync(join(store.places.ledger, `${name}.jsonl`), 'w');
    writeSync(fd, line, 0);
    ftruncateSync(fd, 2 ** 27);
    closeSync(fd);
  }
  expect(store.tier(id)).toBe('verified');
  expect(names.map((name) => store.report(name).trouble)).toEqual(['wrong-key', 'wrong-key', 'too-large']);
});

test.each(CLIENTS)('$client: a server opens, searches and proposes beside a huge ledger', async ({ connect }) => {
  const home = makeHome();
  try {
    const first = await connect({ home });
    await first.callTool('propose_memory', {
      type: 'user',
      name: 'Ports',
      description: 'Which port',
      body: 'The server listens on port 4711 at night.',
    });
    await first.close();
    const ledger = join(home.folder, '.surety', 'ledger');
    expect(readdirSync(ledger)).toHaveLength(1);
    plant(join(ledger, `${STRANGER}.jsonl`));
    const second = await connect({ home });
    expect(JSON.stringify(await second.callTool('search_memories', { query: 'port' }))).toContain('user_ports');
    await second.close();
  } finally {
    home.remove();
  }
});

test('sync leaves a huge ledger out, does the rest, and ends with a code that means failure until it is gone', async () => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote, { machine: thisMachine() });
  const id = await desk.store.propose('the build');
  const huge = join(desk.root, 'ledger', `${STRANGER}.jsonl`);
  plant(huge);
  for (const sent of [1, 0]) {
    const synced = await piped(desk.store.home, ['sync', '--json'], GIT);
    expect(synced.code).toBe(6);
    expect(JSON.parse(synced.out)).toMatchObject({ code: 6, sent });
    expect(JSON.parse(synced.out).said).toContain('Run surety doctor');
  }
  expect(git(remote, 'ls-tree', '-r', '--name-only', 'HEAD')).toContain(`memories/${id}.md`);
  expect(git(remote, 'ls-tree', '-r', '--name-only', 'HEAD')).not.toContain(STRANGER);
  rmSync(huge);
  expect(await piped(desk.store.home, ['sync'], GIT)).toMatchObject({ code: 0 });
});

test('a huge ledger in the remote does not come in, and goes from there', async () => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote, { machine: thisMachine() });
  await desk.store.propose('the build');
  await desk.sync();
  const intruder = new Intruder(remote);
  for (const key of ['core.compression', 'pack.compression']) git(intruder.folder, 'config', key, '1');
  // One byte too many is enough here: git hashes and packs each byte several times on its way.
  plant(join(intruder.folder, 'ledger', `${STRANGER}.jsonl`), { size: LEDGER_LIMITS.bytes + 1 });
  intruder.push();
  const synced = await piped(desk.store.home, ['sync', '--json'], GIT);
  expect(JSON.parse(synced.out).notices.map(({ kind }: { kind: string }) => kind)).toContain('ledger');
  expect(synced.code).toBe(2);
  expect(readdirSync(join(desk.root, 'ledger'))).toEqual([`${desk.fingerprint}.jsonl`]);
  expect(git(remote, 'ls-tree', '-r', '--name-only', 'HEAD')).not.toContain(STRANGER);
  expect(await piped(desk.store.home, ['sync'], GIT)).toMatchObject({ code: 0 });
});
