import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeSyncLock } from '../../../src/store/sync/sync-lock.ts';
import { BODY, git, Intruder, Machine, memoryFile, PreparedPair, TOKEN } from '../../../testkit/fleet.ts';

const inRemote = (remote: string) => git(remote, 'ls-tree', '-r', '--name-only', 'main').split('\n');

const connected = new PreparedPair(async () => undefined);
const twoMachines = () => connected.restore();

// The vectors T1–T11 of the system this one follows.

test('T1: nothing changed on either side: 0, and nothing happens', async () => {
  const { remote, a } = await twoMachines();
  await a.store.propose('the build');
  expect((await a.sync()).code).toBe(0);
  const head = git(remote, 'rev-parse', 'main');
  expect(await a.sync()).toMatchObject({ code: 0, sent: 0, received: 0, notices: [] });
  expect(git(remote, 'rev-parse', 'main')).toBe(head);
  expect(a.status()).toBe('');
});

test('T2: one ahead here: 0, and the remote has the file and the ledger', async () => {
  const { remote, a } = await twoMachines();
  const id = await a.store.propose('the build');
  expect(await a.sync()).toMatchObject({ code: 0, sent: 1, received: 0 });
  expect(inRemote(remote)).toEqual([
    '.gitattributes',
    '.gitignore',
    `ledger/${a.fingerprint}.jsonl`,
    `memories/${id}.md`,
    'store.json',
  ]);
  expect(git(remote, 'show', 'main:.gitattributes')).toBe('* -text');
  expect(git(remote, 'log', '--format=%B', 'main')).toMatch(
    new RegExp(`^surety sync from desk: 1 added\n\nadded memories/${id}.md\n\nSurety-Machine: desk [0-9a-f]{16}$`),
  );
  expect(a.status()).toBe('');
});

test('T3: one ahead in the remote: 0, and this store has the file', async () => {
  const { a, b } = await twoMachines();
  const id = await a.store.add('the build');
  await a.sync();
  const outcome = await b.sync();
  expect(outcome).toMatchObject({ code: 0, received: 1 });
  expect(b.store.text('memories', id)).toBe(a.store.text('memories', id));
  expect(b.store.standing(id)).toBe('inferred:disputed');
  expect(outcome.notices).toMatchObject([{ kind: 'machine', about: `desk (${a.fingerprint.slice(0, 16)})` }]);
  expect(b.status()).toBe('');
});

test('T4: a commit by hand that holds a token: 1, and nothing is pushed', async () => {
  const { remote, a } = await twoMachines();
  await a.store.propose('the build');
  await a.sync();
  const head = git(remote, 'rev-parse', 'main');
  a.store.write('memories', 'user_deploy', memoryFile('Deploy', `Deploy with ${TOKEN} in the header.`));
  a.git('add', '-A');
  a.git('commit', '--quiet', '-m', 'by hand');
  const would = await a.sync({ dry: true });
  expect({ code: would.code, kinds: would.notices.map(({ kind }) => kind) }).toEqual({
    code: 1,
    kinds: expect.arrayContaining(['not-pushed']),
  });
  expect(a.store.files('quarantine')).toEqual([]);
  const outcome = await a.sync();
  expect(outcome.code).toBe(1);
  expect(outcome.notices.map(({ kind }) => kind)).toContain('not-pushed');
  expect(JSON.stringify(outcome)).not.toContain(TOKEN);
  expect(git(remote, 'rev-parse', 'main')).toBe(head);
  expect(a.store.files('quarantine')).toEqual(['user_deploy.md']);
  // As docs/sync.md says: the folder stays as it is, the history goes on from the remote's.
  a.git('reset', '--quiet', '--soft', 'origin/main');
  expect((await a.sync()).code).toBe(0);
  expect(git(remote, 'log', '-p', '--all')).not.toContain(TOKEN);
  expect(a.status()).toBe('');
});

test('a commit by hand that holds a token, before a first sync: 1, and nothing is pushed until the history is begun again', async () => {
  const { remote, a } = await twoMachines();
  await a.store.propose('the build');
  a.store.write('memories', 'user_deploy', memoryFile('Deploy', `Deploy with ${TOKEN} in the header.`));
  a.git('add', '-A');
  a.git('commit', '--quiet', '-m', 'by hand');
  expect(await a.sync()).toMatchObject({ code: 1, sent: 0 });
  expect(git(remote, 'for-each-ref')).toBe('');
  // As docs/sync.md says of a remote without the branch.
  a.git('update-ref', '-d', 'HEAD');
  expect(await a.sync()).toMatchObject({ code: 0, sent: 1 });
  expect(git(remote, 'log', '-p', '--all')).not.toContain(TOKEN);
  expect(a.status()).toBe('');
});

test('a token in the folder: 1, it is quarantined and stays here, and everything else is synced', async () => {
  const { remote, a } = await twoMachines();
  const id = await a.store.propose('the build');
  a.store.write('memories', 'user_deploy', memoryFile('Deploy', `Deploy with ${TOKEN} in the header.`));
  const outcome = await a.sync();
  expect(outcome).toMatchObject({ code: 1, sent: 1, notices: [{ kind: 'stays', about: 'quarantine/user_deploy.md' }] });
  expect(inRemote(remote)).toContain(`memories/${id}.md`);
  expect(git(remote, 'log', '-p', '--all')).not.toContain(TOKEN);
  expect(a.status()).toBe('');
  // Told once; a timer does not fail every hour over it.
  expect(await a.sync()).toMatchObject({ code: 0, notices: [] });
  a.git('add', '-A');
  expect(a.status()).toBe('');
});

test('T5: a commit in the remote holds a token: 2, the file is in quarantine, and the push happens', async () => {
  const { remote, a, b } = await twoMachines();
  await a.store.propose('the build');
  await a.sync();
  const intruder = new Intruder(remote);
  intruder.write('memories/user_deploy.md', memoryFile('Deploy', `Deploy with ${TOKEN} in the header.`));
  intruder.push();
  const id = await b.store.propose('the door');
  const outcome = await b.sync();
  expect(outcome.code).toBe(2);
  expect(outcome.notices.map(({ kind, about }) => `${kind} ${about}`)).toContain('quarantined user_deploy');
  expect(JSON.stringify(outcome)).not.toContain(TOKEN);
  expect(b.store.files('quarantine')).toEqual(['user_deploy.md']);
  expect(inRemote(remote)).toContain(`memories/${id}.md`);
  expect(inRemote(remote).filter((path) => path.includes('deploy'))).toEqual([]);
  expect(b.status()).toBe('');
  expect((await b.sync()).code).toBe(0);
});

test('T6: another sync holds the lock: 5, and nothing is done', async () => {
  const { remote, a } = await twoMachines();
  await a.store.propose('the build');
  const leave = await takeSyncLock(a.store.places.guard, 0);
  expect(await a.sync({ waitMs: 50 })).toMatchObject({ code: 5 });
  expect(git(remote, 'branch', '--list')).toBe('');
  leave();
  expect((await a.sync({ waitMs: 50 })).code).toBe(0);
});

test('T7: a dry run says what would be done and changes no file, branch or remote', async () => {
  const { remote, a, b } = await twoMachines();
  await a.store.propose('the build');
  await a.sync();
  await b.sync();
  const id = await a.store.propose('the door');
  await a.sync();
  await b.store.propose('the window');
  const [files, head, theirs] = [b.files(), b.git('rev-parse', 'HEAD'), git(remote, 'rev-parse', 'main')];
  expect(await b.sync({ dry: true })).toMatchObject({ code: 0, sent: 1, received: 1 });
  expect(b.files()).toEqual(files);
  expect(b.git('rev-parse', 'HEAD')).toBe(head);
  expect(git(remote, 'rev-parse', 'main')).toBe(theirs);
  await b.sync();
  expect(b.store.files('memories')).toContain(`${id}.md`);
});

test('T9: pull-only: 0, and nothing is pushed', async () => {
  const { remote, a, b } = await twoMachines();
  const id = await a.store.propose('the build');
  await a.sync();
  await b.store.propose('the door');
  const theirs = git(remote, 'rev-parse', 'main');
  const outcome = await b.sync({ pullOnly: true });
  expect(outcome).toMatchObject({ code: 0, sent: 0, received: 1 });
  expect(outcome.said).toMatch(/^0 memories sent, 1 memory received\. All is well\./);
  expect(b.store.files('memories')).toContain(`${id}.md`);
  expect(git(remote, 'rev-parse', 'main')).toBe(theirs);
  expect(await b.sync()).toMatchObject({ sent: 1, received: 0 });
});

test('push-only counts what an earlier sync committed and could not push', async () => {
  const { remote, a } = await twoMachines();
  await a.sync();
  const id = await a.store.propose('the door');
  renameSync(remote, `${remote}.away`);
  expect((await a.sync()).code).toBe(6);
  renameSync(`${remote}.away`, remote);
  expect(await a.sync({ pushOnly: true, dry: true })).toMatchObject({ code: 0, sent: 1 });
  expect(await a.sync({ pushOnly: true })).toMatchObject({ code: 0, sent: 1 });
  expect(inRemote(remote)).toContain(`memories/${id}.md`);
  expect(await a.sync({ pushOnly: true })).toMatchObject({ code: 0, sent: 0 });
});

test('push-only to an empty remote counts all, and a dry run beside a commit that must not leave counts nothing', async () => {
  const { remote, a } = await twoMachines();
  const id = await a.store.propose('the door');
  await a.store.propose('the build');
  expect(await a.sync({ pushOnly: true, dry: true })).toMatchObject({ code: 0, sent: 2 });
  expect(await a.sync({ pushOnly: true })).toMatchObject({ code: 0, sent: 2 });
  a.store.edit(id, (text) => `${text}The token is ghp_x7Kq2ZpL9vRtB4mNwY8sHcJ3dFgA6eUoT1iX here.\n`);
  a.git('commit', '--quiet', '--all', '--message', 'by hand');
  for (const pushOnly of [true, false])
    expect(await a.sync({ pushOnly, dry: true })).toMatchObject({ code: 1, sent: 0 });
  expect(inRemote(remote)).toContain(`memories/${id}.md`);
});

test('T10: push-only: 0, and nothing is taken in; 4 where the remote has moved on', async () => {
  const { remote, a, b } = await twoMachines();
  await a.sync();
  await b.sync();
  const id = await b.store.propose('the door');
  expect((await b.sync({ pushOnly: true })).code).toBe(0);
  expect(inRemote(remote)).toContain(`memories/${id}.md`);
  const other = await a.store.propose('the build');
  const refused = await a.sync({ pushOnly: true });
  expect(refused).toMatchObject({ code: 4, sent: 0 });
  expect(refused.said).toContain('Run surety sync without --push-only');
  expect(a.store.files('memories')).toEqual([`${other}.md`]);
  expect(a.status()).toBe('');
  expect((await a.sync()).code).toBe(0);
  expect(a.store.files('memories')).toEqual([`${other}.md`, `${id}.md`].sort());
});

test('T11: a store without a repository, or without a remote: 6, with what to do', async () => {
  const { a } = await twoMachines();
  a.git('remote', 'remove', 'origin');
  const none = await a.sync();
  expect(none).toMatchObject({ code: 6, said: expect.stringContaining('surety init --remote') });
  rmSync(join(a.root, '.git'), { recursive: true });
  const missing = await a.sync();
  expect(missing).toMatchObject({ code: 6, said: expect.stringContaining('surety init --remote') });
});

// M1–M8: more than one machine.

test('M1: two machines add different memories, and both end with both', async () => {
  const { a, b } = await twoMachines();
  const [one, two] = [await a.store.propose('the build'), await b.store.propose('the door')];
  for (const machine of [a, b, a]) expect((await machine.sync()).code).toBe(0);
  for (const machine of [a, b]) expect(machine.names()).toEqual([`memories/${one}.md`, `memories/${two}.md`]);
  await b.sync();
  expect(a.files()).toEqual(b.files());
  expect(a.git('rev-parse', 'HEAD')).toBe(b.git('rev-parse', 'HEAD'));
});

/** Two machines that changed one text before either knew of the other's change. */
async function twoChanges() {
  const { a, b } = await twoMachines();
  const id = await a.store.propose('the build');
  await a.sync();
  await b.sync();
  a.store.edit(id, (text) => text.replace('two cores', 'six cores'));
  b.store.edit(id, (text) => text.replace('two cores', 'nine cores'));
  return { a, b, id };
}

test('M2: two machines change the same text: 3, a clean folder, one’s own stays, the other is parked with its reason', async () => {
  const { a, b, id } = await twoChanges();
  await a.sync();
  const outcome = await b.sync();
  expect(outcome).toMatchObject({ code: 3, notices: [{ kind: 'conflict', about: id }] });
  expect(b.store.text('memories', id)).toContain('nine cores');
  expect(b.store.text('quarantine', id)).toContain('six cores');
  expect(b.store.text('quarantine', id)).toContain('quarantine-reason: sync conflict with desk');
  expect(b.store.ledgerLines().at(-1)).toContain('"reason":"sync conflict with desk"');
  expect(b.store.tier(id)).toBe('inferred');
  expect(b.status()).toBe('');
  const other = await a.sync();
  expect(other).toMatchObject({ code: 3, notices: [{ kind: 'conflict', about: id }] });
  expect(other.notices[0]?.what).toBe(
    `has another text now, from laptop; the one that was here is in quarantine; surety show quarantine/${id} shows it`,
  );
  expect(other.said).toContain('Another machine put another text in the place of one that was here');
  await b.sync();
  expect(a.files()).toEqual(b.files());
  expect(a.store.tier(id)).toBe('inferred');
  expect((await a.sync()).code).toBe(0);
});

test('M2: where a person puts the other text in place later, the notice names the file that has the text', async () => {
  const { a, b, id } = await twoChanges();
  for (const machine of [a, b, a]) await machine.sync();
  // The name without ~2 belongs to the parked text until that one is restored.
  await b.store.decide('demote', id);
  await b.store.decide('restore', id);
  expect(b.store.text('memories', id)).toContain('six cores');
  await b.sync();
  const outcome = await a.sync();
  expect(a.store.text('quarantine', `${id}~2`)).toContain('nine cores');
  expect(outcome.notices.map(({ what }) => what)).toContain(
    `has another text now, from laptop; the one that was here is in quarantine; surety show quarantine/${id}~2 shows it`,
  );
  expect(outcome.said).not.toContain('on two machines at once');
});

test('M3: a machine that goes round the checks is found out by the next one', async () => {
  const { remote, a, b } = await twoMachines();
  await a.sync();
  const intruder = new Intruder(remote);
  const key = ['AKIA', 'Q7ZP4MWX2KJD9RTB'].join('');
  intruder.write('memories/user_key.md', memoryFile('Key', `The key is ${key} and it is used for builds.`));
  intruder.write('memories/user_tier.md', memoryFile('Tier', BODY, { 'trust-level': 'untrusted' }));
  intruder.push();
  const outcome = await b.sync();
  expect(outcome.code).toBe(2);
  expect(b.store.files('memories')).toEqual([]);
  expect(b.store.files('quarantine')).toEqual(['user_key.md', 'user_tier.md']);
});

test('M4: a remote that is out of reach: 6 and no lock left behind; when it is back everything arrives', async () => {
  const { remote, a } = await twoMachines();
  await a.store.propose('the build');
  await a.sync();
  renameSync(remote, `${remote}.away`);
  const ids = [await a.store.propose('the door'), await a.store.propose('the window')];
  const outcome = await a.sync();
  expect(outcome).toMatchObject({ code: 6, said: expect.stringContaining('could not be reached') });
  expect(a.status()).toContain('');
  renameSync(`${remote}.away`, remote);
  expect((await a.sync()).code).toBe(0);
  for (const id of ids) expect(inRemote(remote)).toContain(`memories/${id}.md`);
});

test('M5: of two syncs at once one waits or is told so, and later all is there', async () => {
  const { a } = await twoMachines();
  await a.store.propose('the build');
  const codes = await Promise.all([a.sync({ waitMs: 0 }), a.sync({ waitMs: 0 })]);
  expect(codes.map(({ code }) => code).sort()).toEqual([0, 5]);
  expect((await a.sync()).code).toBe(0);
});

test('M6: clocks a lifetime apart make no difference to where both end', async () => {
  const { a, b } = await twoMachines();
  a.store.now = Date.parse('2099-01-01T00:00:00Z');
  b.store.now = Date.parse('2000-01-01T00:00:00Z');
  const id = await a.store.propose('the build');
  await a.sync();
  await b.sync();
  a.store.edit(id, (text) => text.replace('two cores', 'six cores'));
  await b.store.propose('the door');
  for (const machine of [a, b, a, b, a, b]) await machine.sync();
  expect(a.git('rev-parse', 'HEAD')).toBe(b.git('rev-parse', 'HEAD'));
  expect(a.files()).toEqual(b.files());
});

test('M7: two machines that find the same bad file end alike', async () => {
  const { remote, a, b } = await twoMachines();
  await a.sync();
  await b.sync();
  const intruder = new Intruder(remote);
  intruder.write('memories/user_short.md', memoryFile('Short', 'No'));
  intruder.push();
  expect((await a.sync({ pullOnly: true })).code).toBe(2);
  expect((await b.sync({ pullOnly: true })).code).toBe(2);
  for (const machine of [a, b, a, b]) expect((await machine.sync()).code).toBe(0);
  expect(a.files()).toEqual(b.files());
  expect(a.names()).toEqual(['quarantine/user_short.md']);
});

test('M8: without the owner’s addresses nothing is quarantined, and their own address leaves', async () => {
  const { a, b } = await twoMachines();
  const id = await a.store.propose('mail', { body: 'Reports go to somebody@company.dev every Friday morning.' });
  expect((await a.sync()).code).toBe(0);
  expect((await b.sync()).code).toBe(0);
  expect(b.names()).toEqual([`memories/${id}.md`]);
});

test('a memory with personal data stays here, and one that is out already is not taken back', async () => {
  const { remote, a, b } = await twoMachines();
  const id = await a.store.propose('the host', {
    body: 'The build host has the address 10.20.30.40 inside the office.',
  });
  expect(await a.sync()).toMatchObject({ code: 1, notices: [{ kind: 'stays', about: `memories/${id}.md` }] });
  expect(git(remote, 'log', '-p', '--all')).not.toContain('10.20.30.40');
  expect(a.status()).toBe('');
  const intruder = new Intruder(remote);
  intruder.write(
    'memories/user_router.md',
    memoryFile('Router', 'The router has the address 10.20.30.1 in the office.'),
  );
  intruder.push();
  expect((await b.sync()).code).toBe(0);
  expect(b.names()).toEqual(['memories/user_router.md']);
  await b.store.decide('demote', 'user_router', 'gone');
  expect((await b.sync()).code).toBe(0);
  expect(inRemote(remote)).toContain('quarantine/user_router.md');
  await a.sync();
  expect(a.names()).toEqual([`memories/${id}.md`, 'quarantine/user_router.md']);
  expect(a.status()).toBe('');
});

test('the store is found again by a second machine that had one of its own', async () => {
  const { remote, a } = await twoMachines();
  const id = await a.store.propose('the build');
  await a.sync();
  const c = await Machine.open('third', remote);
  const own = await c.store.propose('the door');
  await c.sync();
  expect(c.names()).toEqual([`memories/${id}.md`, `memories/${own}.md`]);
  expect(c.git('log', '--format=%P', '--max-parents=0')).toBe(a.git('log', '--format=%P', '--max-parents=0'));
});
