import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Refusal } from '../../../src/core/refusal.ts';
import { Lock } from '../../../src/store/disk/lock.ts';
import { reconcile } from '../../../src/store/reconcile/reconcile.ts';
import { insideOf } from '../../../src/store/vault/inside-of-vault.ts';
import { decide, LATER, ledgerEntries, openAt } from '../../../testkit/child.ts';
import { Child, endChildren } from '../../../testkit/child-process.ts';
import { EVERYTHING, FaultyDisk } from '../../../testkit/faults.ts';
import { add, newMemory, propose } from '../../../testkit/sample.ts';
import { AGENT, temporaryFolder } from '../../../testkit/store.ts';

vi.setConfig({ testTimeout: 180_000 });
afterEach(endChildren);

function guardFolder(): { folder: string; file: string; queue: string; guard: string } {
  const home = temporaryFolder();
  const folder = join(home, 'guard');
  const file = join(home, 'counter');
  fs.mkdirSync(folder);
  fs.writeFileSync(file, '0');
  return { folder, file, queue: join(folder, 'queue'), guard: join(folder, 'guard.db') };
}

function setAge(path: string, seconds: number): void {
  const then = new Date(Date.now() - seconds * 1000);
  try {
    fs.utimesSync(path, then, then);
  } catch {
    // Nobody holds a ticket at this moment.
  }
}

/** Several processes counting at once, with something done to the lock all the while. */
async function countTogether(
  { folder, file }: { folder: string; file: string },
  options: { processes: number; times: number; wait?: number },
  meddle?: () => void,
): Promise<{ alone: boolean; refused?: string }[]> {
  const { processes, ...rest } = options;
  const children = Array.from({ length: processes }, () => new Child({ do: 'count', folder, file, ...rest }));
  await Promise.all(children.map((child) => child.word(0)));
  const meddling = meddle && setInterval(meddle, 10);
  for (const child of children) child.go();
  try {
    const said = await Promise.all(children.map((child) => child.all<{ alone: boolean }>()));
    return said.flatMap((words) => words.slice(1));
  } finally {
    clearInterval(meddling);
  }
}

function tree(folder: string): Record<string, string> {
  const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(paths.map((path) => [path, fs.readFileSync(path, 'hex')]));
}

/** A turn's ticket is given back just after its work is done, and a removal that meets it on its way out stops half-way. */
async function remove(guard: string): Promise<void> {
  await expect.poll(() => fs.existsSync(join(guard, 'queue'))).toBe(false);
  fs.rmSync(guard, { recursive: true });
}

const refusalOf = (work: Promise<unknown>): Promise<Refusal> =>
  work.then(
    () => Promise.reject(new Error('it was not refused')),
    (error: unknown) => (error instanceof Refusal ? error : Promise.reject(error)),
  );

describe('one writer at a time', () => {
  test('over four processes', async () => {
    const place = guardFolder();
    const counts = await countTogether(place, { processes: 4, times: 50 });
    expect(counts.filter((count) => count.alone !== true)).toEqual([]);
    expect(fs.readFileSync(place.file, 'utf8')).toBe('200');
    expect(fs.existsSync(place.queue)).toBe(false);
  });

  test('while every queue ticket looks abandoned and several processes take it over', async () => {
    const place = guardFolder();
    fs.writeFileSync(place.queue, '');
    setAge(place.queue, 90);
    const counts = await countTogether(place, { processes: 4, times: 50, wait: 60_000 }, () => setAge(place.queue, 90));
    expect(counts.filter((count) => count.alone !== true)).toEqual([]);
    expect(fs.readFileSync(place.file, 'utf8')).toBe('200');
  });

  test('while the guard is deleted and replaced under them', async () => {
    const place = guardFolder();
    let turn = 0;
    const counts = await countTogether(place, { processes: 4, times: 50 }, () => {
      const other = join(place.folder, 'other');
      if (turn++ % 2 === 0) fs.rmSync(place.guard, { force: true });
      else {
        fs.writeFileSync(other, '');
        fs.renameSync(other, place.guard);
      }
    });
    expect(counts.filter((count) => count.alone !== true)).toEqual([]);
    expect(fs.readFileSync(place.file, 'utf8')).toBe('200');
    expect(turn).toBeGreaterThan(2);
  });

  test('over two locks of one process', async () => {
    const { folder } = guardFolder();
    const locks = [new Lock(folder), new Lock(folder)];
    let inside = 0;
    let most = 0;
    const work = () => {
      most = Math.max(most, ++inside);
      inside--;
    };
    await Promise.all(Array.from({ length: 40 }, (_, n) => locks[n % 2]?.hold(work)));
    expect(most).toBe(1);
    for (const lock of locks) lock.close();
  });
});

describe('a lock nobody holds any more', () => {
  test('left by a killed process delays the next writer by seconds at most', async () => {
    const { folder, queue } = guardFolder();
    const holder = new Child({ do: 'hold', folder, milliseconds: 120_000 });
    await holder.word(0);
    holder.kill();
    expect(await holder.ended).toBe('SIGKILL');
    expect(fs.existsSync(queue)).toBe(true);
    const lock = new Lock(folder);
    const begun = performance.now();
    await expect(lock.hold(() => 'written')).resolves.toBe('written');
    const waited = performance.now() - begun;
    process.stderr.write(`lock: taken over from a killed process after ${Math.round(waited)} ms\n`);
    expect(waited).toBeLessThan(15_000);
    lock.close();
  });

  test.each([
    ['as it is now', (queue: string) => fs.writeFileSync(queue, '')],
    ['as earlier versions made it', (queue: string) => fs.mkdirSync(queue)],
  ])('older than a minute is taken over at once, %s', async (_, leave) => {
    const { folder, queue } = guardFolder();
    leave(queue);
    setAge(queue, 61);
    const lock = new Lock(folder, 1000);
    await expect(lock.hold(() => 'written')).resolves.toBe('written');
    lock.close();
  });

  test('dated in the future, after the clock was set back, is taken over as well', async () => {
    const { folder, queue } = guardFolder();
    fs.writeFileSync(queue, '');
    setAge(queue, -3600);
    const lock = new Lock(folder);
    await expect(lock.hold(() => 'written')).resolves.toBe('written');
    lock.close();
  });

  test('together with its whole folder, as git clean removes it, is made again', async () => {
    const { folder } = guardFolder();
    const lock = new Lock(folder);
    await lock.hold(() => 'first');
    await remove(folder);
    await expect(lock.hold(() => 'second')).resolves.toBe('second');
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
    lock.close();
  });
});

describe('a lock that cannot be had', () => {
  test('because it is held longer than the wait: refused, worth trying again, nothing written', async () => {
    const home = temporaryFolder();
    const vault = await openAt(home, LATER, { lockWait: 300 });
    await add(vault, 'first');
    const holder = new Child({ do: 'hold', folder: vault.places.guard, milliseconds: 5000 });
    await holder.word(0);
    const before = tree(vault.places.root);
    const refusal = await refusalOf(propose(vault, 'second'));
    expect(refusal).toMatchObject({ code: 'lock-busy', retryable: true });
    const together = await Promise.all([1, 2, 3].map((n) => refusalOf(propose(vault, `waiting ${n}`))));
    expect(together.map((each) => each.code)).toEqual(['lock-busy', 'lock-busy', 'lock-busy']);
    expect(tree(vault.places.root)).toEqual(before);
    await holder.all();
    await expect(propose(vault, 'second')).resolves.toBe('user_second');
    vault.close();
  });

  test.each([
    ['a file lies in place of its folder', (guard: string) => fs.writeFileSync(guard, '')],
    [
      'its guard is not a database',
      (guard: string) => {
        fs.mkdirSync(guard);
        fs.writeFileSync(join(guard, 'guard.db'), 'not a database at all, and long enough to be looked at'.repeat(20));
      },
    ],
    [
      'its guard is a folder',
      (guard: string) => {
        fs.mkdirSync(join(guard, 'guard.db'), { recursive: true });
      },
    ],
    [
      'its queue is somebody’s file',
      (guard: string) => {
        fs.mkdirSync(guard);
        fs.writeFileSync(join(guard, 'queue'), 'mine');
        setAge(join(guard, 'queue'), 90);
      },
    ],
    [
      'its queue is a folder that holds something',
      (guard: string) => {
        fs.mkdirSync(join(guard, 'queue', 'something'), { recursive: true });
        setAge(join(guard, 'queue'), 90);
      },
    ],
  ])('because %s: refused, nothing written', async (_, spoil) => {
    const vault = await openAt(temporaryFolder(), LATER);
    const { guard, memories, ledger } = vault.places;
    await add(vault, 'first');
    await remove(guard);
    spoil(guard);
    insideOf(vault).lock.close();
    const before = [tree(memories), tree(ledger)];
    for (let n = 0; n < 2; n++) {
      const refusal = await refusalOf(vault.create('propose', newMemory('second'), AGENT));
      expect(refusal).toMatchObject({ code: 'disk-failed', retryable: true });
    }
    expect([tree(memories), tree(ledger)]).toEqual(before);
    fs.rmSync(guard, { recursive: true });
    fs.mkdirSync(guard);
    await expect(propose(vault, 'second')).resolves.toBe('user_second');
    vault.close();
  });

  test.skipIf(process.getuid?.() === 0)('because its folder may not be written: refused, nothing written', async () => {
    const { folder } = guardFolder();
    fs.chmodSync(folder, 0o500);
    const lock = new Lock(folder);
    await expect(lock.hold(() => 'written')).rejects.toMatchObject({ code: 'disk-failed' });
    fs.chmodSync(folder, 0o700);
  });

  test.each(['held', 'closed'])(
    'does not stop a demotion (%s): it is set aside and counts, and reconcile records it',
    async (how) => {
      const vault = await openAt(temporaryFolder(), LATER, { lockWait: 300 });
      const id = await add(vault, 'subject');
      const { guard } = vault.places;
      let holder: Child | undefined;
      if (how === 'held') {
        holder = new Child({ do: 'hold', folder: guard, milliseconds: 2500 });
        await holder.word(0);
      } else {
        await remove(guard);
        fs.writeFileSync(guard, '');
      }
      const entries = ledgerEntries(vault).length;
      const { loaded, recorded } = await decide(vault, 'demote', id);
      expect(recorded).toBe(true);
      expect(loaded.standing).toMatchObject({ tier: 'quarantined', reason: 'decided' });
      expect(loaded.place).toBe('quarantine');
      expect(ledgerEntries(vault)).toHaveLength(entries);
      expect(fs.existsSync(insideOf(vault).files.path({ place: 'memories', stem: id }))).toBe(false);

      await holder?.all();
      if (how === 'closed') {
        fs.rmSync(guard);
        fs.mkdirSync(guard);
      }
      await reconcile(vault);
      expect(vault.load(id)?.standing).toMatchObject({ tier: 'quarantined', reason: 'decided' });
      // Recorded, it stays so when somebody moves the file back by hand.
      fs.renameSync(
        insideOf(vault).files.path({ place: 'quarantine', stem: id }),
        insideOf(vault).files.path({ place: 'memories', stem: id }),
      );
      expect(vault.load(id)?.standing.tier).toBe('quarantined');
      vault.close();
    },
  );
});

test('a demotion that gets neither the lock nor its file moved is refused in words', async () => {
  const disk = new FaultyDisk();
  const vault = await openAt(temporaryFolder(), LATER, { disk });
  const id = await add(vault, 'subject');
  const { guard } = vault.places;
  await remove(guard);
  fs.writeFileSync(guard, '');
  disk.arm({ at: 1, moment: 'before', how: 'EROFS', lasting: EVERYTHING });
  expect(await refusalOf(decide(vault, 'demote', id))).toMatchObject({ code: 'disk-failed' });
  disk.arm();
  expect(vault.load(id)?.standing.tier).toBe('verified');
  vault.close();
});

describe('turns inside a process', () => {
  test('come in the order they were asked for, and one that throws neither blocks nor leaks', async () => {
    const { folder, queue } = guardFolder();
    const lock = new Lock(folder);
    const order: number[] = [];
    const results = await Promise.allSettled(
      Array.from({ length: 100 }, (_, n) =>
        lock.hold(() => {
          order.push(n);
          if (n % 10 === 0) throw new Error(`no ${n}`);
          return n;
        }),
      ),
    );
    expect(order).toEqual(Array.from({ length: 100 }, (_, n) => n));
    for (const [n, result] of results.entries()) {
      if (n % 10 === 0) expect(result).toMatchObject({ status: 'rejected', reason: new Error(`no ${n}`) });
      else expect(result).toEqual({ status: 'fulfilled', value: n });
    }
    await expect(lock.hold(() => 'after')).resolves.toBe('after');
    await expect.poll(() => fs.existsSync(queue)).toBe(false);
    lock.close();
  });

  test('asked for from within a turn come after it', async () => {
    const { folder } = guardFolder();
    const lock = new Lock(folder);
    const order: string[] = [];
    let inner: Promise<unknown> | undefined;
    await lock.hold(() => {
      inner = lock.hold(() => order.push('inner'));
      order.push('outer');
    });
    await inner;
    expect(order).toEqual(['outer', 'inner']);
    lock.close();
  });

  test('do not starve another process', async () => {
    const place = guardFolder();
    const lock = new Lock(place.folder);
    const other = new Child({ do: 'count', folder: place.folder, file: place.file, times: 5, wait: 60_000 });
    await other.word(0);
    other.go();
    let done = false;
    const ended = other.all<{ alone: boolean }>().then((words) => {
      done = true;
      return words;
    });
    // Always more waiting than one turn can take.
    const busy = async () => {
      while (!done) await lock.hold(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2));
    };
    await Promise.all(Array.from({ length: 50 }, busy));
    expect((await ended).slice(1)).toEqual(Array.from({ length: 5 }, () => ({ alone: true })));
    lock.close();
  });
});
