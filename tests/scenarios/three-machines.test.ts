import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listMachines, whatTrustVerifies } from '../../src/actions/review/machines.ts';
import { bareRemote, Machine } from '../../testkit/fleet.ts';

const BODY = 'Two cores are enough for the whole build.';

/** Machines by the ids they gave the store before they knew of each other, the smallest first. */
async function machinesBySmallestId(remote: string): Promise<Machine[]> {
  const machines: [id: string, machine: Machine][] = [];
  for (const name of ['desk', 'laptop', 'tower']) {
    const machine = await Machine.open(name, remote);
    await machine.store.propose(`something of ${name}`);
    machines.push([readFileSync(join(machine.root, 'store.json'), 'utf8'), machine]);
  }
  return machines.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, machine]) => machine);
}

async function inTurn(...machines: Machine[]): Promise<void> {
  for (const machine of machines) await machine.sync();
}

function promised(at: Machine, other: Machine): { told: number | undefined; ids: string[] } {
  const told = listMachines(at.session).find(({ fingerprint }) => fingerprint === other.fingerprint)?.vouchesFor;
  return { told, ids: whatTrustVerifies(at.session, other).map(({ id }) => id) };
}

test('a third machine counts what it is told, whichever of two it trusts first', async () => {
  const [a, b, c] = (await machinesBySmallestId(bareRemote())) as [Machine, Machine, Machine];
  await inTurn(a, b, a);
  a.trust(b);
  b.trust(a);
  const ofA = await a.store.add('of a', { body: BODY });
  const ofB = await b.store.add('of b', { body: `${BODY} Four are better.` });
  await inTurn(a, b, a, c);

  expect(promised(c, b)).toEqual({ told: 1, ids: [ofB] });
  c.trust(b);
  expect(c.store.standing(ofB)).toBe('verified:vouched');
  expect(c.store.standing(ofA)).not.toBe('verified:vouched');

  expect(promised(c, a)).toEqual({ told: 1, ids: [ofA] });
  c.trust(a);
  expect(c.store.standing(ofA)).toBe('verified:vouched');
});

test('a machine’s word goes on counting after it has met a third one', async () => {
  const [first, a, b] = (await machinesBySmallestId(bareRemote())) as [Machine, Machine, Machine];
  await inTurn(a, b, a);
  a.trust(b);
  b.trust(a);
  await inTurn(a, b, a, first, a);

  a.trust(first);
  const ofA = await a.store.add('of a', { body: BODY });
  await inTurn(a, b);
  expect(b.store.standing(ofA)).toBe('verified:vouched');
});

test('a machine that only some others trust changes the id in the remote once, and not with every sync', async () => {
  const remote = bareRemote();
  const fleet = (await machinesBySmallestId(remote)) as [Machine, Machine, Machine];
  const [a, b, c] = fleet;
  await inTurn(c, b, a, c, b, a);
  b.trust(c);
  c.trust(b);
  a.trust(b);
  await inTurn(...fleet, ...fleet, ...fleet);
  const head = a.git('rev-parse', 'HEAD');
  await inTurn(...fleet);
  expect(fleet.map((each) => each.git('rev-parse', 'HEAD'))).toEqual([head, head, head]);
  expect(`${a.git('show', 'HEAD:store.json')}\n`).toBe(readFileSync(join(a.root, 'store.json'), 'utf8'));
});
