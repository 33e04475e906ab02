import { execFile } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { type Machine, PreparedPair } from '../../testkit/fleet.ts';
import { MAIN, ROOT } from '../../testkit/program.ts';
import { temporaryFolder } from '../../testkit/store.ts';
import { readFolder } from '../../torture/checker/file.ts';
import {
  differences,
  type Known,
  proposalsLost,
  type Seen,
  tiersAt,
  unasked,
  uncopied,
  yesesLost,
} from '../../torture/checker/machines.ts';

const run = promisify(execFile);

async function torture(main: string, ...args: string[]) {
  const ended = await run(process.execPath, [join(ROOT, 'torture/machines/run.ts'), '--json', '--main', main, ...args])
    .then(({ stdout }) => ({ code: 0, stdout }))
    .catch(({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }));
  return { code: ended.code, outcome: JSON.parse(ended.stdout) };
}

test('machines that sync, while a sync is killed, a clock is off and files change, lose nothing, raise nothing and end alike', async () => {
  const { code, outcome } = await torture(MAIN, '--machines', '2', '--events', '10', '--seed', '3');
  expect(outcome).toMatchObject({ seed: 3, harmed: false, trail: [] });
  expect(code).toBe(0);
  expect(outcome.counts.proposals).toBeGreaterThan(0);
  expect(outcome.counts['syncs that ended with 0']).toBeGreaterThan(4);
});

test('a program whose sync loses memories ends a run with 1, the seed and everything that happened', async () => {
  const lossy = join(temporaryFolder(), 'main.mjs');
  const lines = [
    `import { spawnSync } from 'node:child_process';`,
    `import { globSync, rmSync } from 'node:fs';`,
    `const { status } = spawnSync(process.execPath, [${JSON.stringify(MAIN)}, ...process.argv.slice(2)], { stdio: 'inherit' });`,
    `if (process.argv[2] === 'sync') for (const file of globSync(process.env.HOME + '/.surety/memories/*.md')) rmSync(file);`,
    `process.exitCode = status ?? 1;`,
  ];
  writeFileSync(lossy, lines.join('\n'));
  const { code, outcome } = await torture(lossy, '--machines', '2', '--events', '5', '--seed', '3');
  expect(code).toBe(1);
  expect(outcome).toMatchObject({ seed: 3, harmed: true });
  expect(outcome.harms['proposal lost']).toBeGreaterThan(0);
  expect(outcome.trail.join('\n')).toMatch(/^0\. /m);
});

const NOTHING: Known = { allowed: new Set(), vouched: [], proposed: new Map(), removed: new Set() };

function seen({ name, store, root, fingerprint }: Machine, trusted: readonly Machine[] = []): Seen {
  const others = new Set(trusted.map((each) => each.fingerprint));
  return { name, root, state: store.places.state, own: fingerprint, trusted: others };
}

/** Two machines that trust each other, with one text that a person vouched for at the desk. */
const prepared = new PreparedPair(async (desk, laptop) => {
  await laptop.store.propose('the door');
  const id = await desk.store.verified('the build', { body: 'Two cores are enough for the build (markm1x0a).' });
  for (const each of [desk, laptop, desk, laptop]) await each.sync();
  desk.trust(laptop);
  laptop.trust(desk);
  for (const each of [desk, laptop, desk]) await each.sync();
  return id;
});

async function pair() {
  const { a: desk, b: laptop, made: id } = await prepared.restore();
  const digest = readFolder(desk.root, 'memories').found.find((each) => each.id === id)?.digest ?? '';
  return { desk, laptop, id, digest, both: [seen(desk, [laptop]), seen(laptop, [desk])] as const };
}

test('what a trusted machine verifies is verified for the checker as for the store, and only while it is trusted', async () => {
  const { laptop, id, both } = await pair();
  expect(both.map((each) => tiersAt(each).get(`memories/${id}`))).toEqual(['verified', 'verified']);
  expect(laptop.store.tier(id)).toBe('verified');
  expect(tiersAt(seen(laptop)).get(`memories/${id}`)).toBe('inferred');
  // Whose word counts stands in its own ledger, so that has to be whole.
  const lines = laptop.store.ledgerLines();
  laptop.store.writeLedger(lines.slice(0, -1));
  await laptop.store.reopen();
  expect(laptop.store.tier(id)).toBe('inferred');
  expect(tiersAt(both[1]).get(`memories/${id}`)).toBe('inferred');
});

test('a receipt and a file that are verified without a person’s yes are noticed', async () => {
  const { id, digest, both } = await pair();
  for (const each of both) {
    expect(unasked(each, { ...NOTHING, allowed: new Set([`${id} ${digest}`]) })).toEqual([]);
    expect(unasked(each, NOTHING)).toHaveLength(2);
  }
});

test('a text with a yes that is in no file, no commit and no copy of its machine is noticed', async () => {
  const { desk, id, digest, both } = await pair();
  const known = { ...NOTHING, vouched: [{ id, digest, by: 'desk' }] };
  rmSync(join(desk.root, 'memories', `${id}.md`));
  rmSync(join(desk.store.places.state, 'vouched', digest));
  expect(yesesLost(both, known)).toEqual([]);
  rmSync(join(desk.root, '.git/refs'), { recursive: true });
  for (const file of globSync(join(desk.root, '.git/packed-refs'))) rmSync(file);
  desk.git('init', '--quiet');
  expect(yesesLost(both, known)).toHaveLength(1);
  expect(yesesLost(both, { ...known, removed: new Set([id]) })).toEqual([]);
  expect(yesesLost(both, { ...NOTHING, vouched: [{ id, digest, by: 'a machine that is gone' }] })).toEqual([]);
});

test('a proposal that is in no file of any machine is noticed', async () => {
  const { desk, laptop, id, both } = await pair();
  const known = { ...NOTHING, proposed: new Map([['markm1x0a', id]]) };
  rmSync(join(desk.root, 'memories', `${id}.md`));
  expect(proposalsLost(both, known)).toEqual([]);
  rmSync(join(laptop.root, 'memories', `${id}.md`));
  expect(proposalsLost(both, known)).toHaveLength(1);
});

test('a verified text of which a machine keeps no copy is noticed', async () => {
  const { laptop, digest, both } = await pair();
  expect(both.flatMap(uncopied)).toEqual([]);
  rmSync(join(laptop.store.places.state, 'vouched', digest));
  expect(both.flatMap(uncopied)).toHaveLength(1);
});

test('machines with other files, other texts or other tiers differ', async () => {
  const { laptop, id, both } = await pair();
  const [desk] = both;
  expect(differences(...both)).toEqual([]);
  expect(differences(desk, seen(laptop))).toMatchObject([{ id }]);
  const path = join(laptop.root, 'memories', `${id}.md`);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace('Two', 'Nine'));
  expect(differences(...both)).toMatchObject([{ id }]);
  rmSync(path);
  expect(differences(...both)).toMatchObject([{ id }]);
});
