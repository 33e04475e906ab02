import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { BODY, bareRemote, git, Machine, memoryFile } from '../../../testkit/fleet.ts';

const MEMORIES = Number(process.env.SURETY_SYNC_MEMORIES ?? 1_000);

test(`a machine joins a remote of ${MEMORIES} memories, and they sync on from there (SURETY_SYNC_MEMORIES for more)`, {
  timeout: 900_000 + MEMORIES * 30,
}, async () => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote);
  for (let n = 0; n < MEMORIES; n++)
    desk.store.write('memories', `user_note_${n}`, memoryFile(`Note ${n}`, `${BODY} It is number ${n}.`));
  expect(await desk.sync()).toMatchObject({ code: 0, sent: MEMORIES });
  const laptop = await Machine.open('laptop', remote);
  expect(await laptop.sync()).toMatchObject({ code: 0, received: MEMORIES });
  expect(laptop.names()).toEqual(desk.names());
  expect(laptop.status()).toBe('');
  const id = await laptop.store.propose('the build');
  laptop.store.edit('user_note_7', (text) => text.replace('number 7', 'number seven'));
  expect(await laptop.sync()).toMatchObject({ code: 0, sent: 2 });
  expect(await desk.sync()).toMatchObject({ code: 0, received: 2 });
  expect(desk.store.text('memories', 'user_note_7')).toContain('number seven');
  expect(desk.names()).toContain(`memories/${id}.md`);
  expect(desk.status()).toBe('');
});

/** How many bytes the store's repository takes, packed or not. */
function repositorySize(machine: Machine): number {
  const said = machine.git('count-objects', '-v');
  const kib = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(said)?.[1]);
  return (kib('size') + kib('size-pack')) << 10;
}

test('twenty lists of 10,000 memories, as twenty syncs leave them, take at most 50 KB each', async () => {
  const desk = await Machine.open('desk', bareRemote());
  await desk.store.propose('the build');
  await desk.sync();
  const before = repositorySize(desk);
  const blob = () => `100644 blob ${randomBytes(20).toString('hex')}`;
  const list = Array.from({ length: 10_000 }, (_, n) => `${blob()}\tuser_${n}.md`);
  for (let n = 0; n < 20; n++) {
    list[n * 7] = `${blob()}\tuser_${n * 7}.md`;
    execFileSync('git', ['-C', desk.root, 'mktree', '--missing'], { input: `${list.join('\n')}\n` });
  }
  await desk.store.propose('the door');
  expect(await desk.sync()).toMatchObject({ code: 0, sent: 1 });
  expect((repositorySize(desk) - before) / 20).toBeLessThan(50_000);
});

test('a repository that has grown is packed, and nothing in it is lost', async () => {
  const remote = bareRemote();
  const desk = await Machine.open('desk', remote);
  await desk.store.propose('the build');
  await desk.sync();
  // As loose copies of a long ledger take it up.
  const blob = execFileSync('git', ['-C', desk.root, 'hash-object', '-w', '--stdin'], {
    input: randomBytes(70 << 20),
    encoding: 'utf8',
  }).trim();
  await desk.store.propose('the door');
  expect((await desk.sync()).code).toBe(0);
  expect(desk.git('count-objects', '-v')).toMatch(/^count: 0$/m);
  expect(desk.git('cat-file', '-t', blob)).toBe('blob');
  expect(desk.git('rev-parse', 'HEAD')).toBe(git(remote, 'rev-parse', 'main'));
  expect(desk.status()).toBe('');
  await desk.store.propose('the roof');
  expect(await desk.sync()).toMatchObject({ code: 0, sent: 1 });
});
