import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { standingKey } from '../../../src/core/ledger/standing.ts';
import { Disk } from '../../../src/store/disk/disk.ts';
import { reconcile } from '../../../src/store/reconcile/reconcile.ts';
import { insideOf } from '../../../src/store/vault/inside-of-vault.ts';
import {
  decide,
  found,
  foundFile,
  indexed,
  LATER,
  ledgerEntries,
  openAt,
  stems,
  troubleOf,
} from '../../../testkit/child.ts';
import { Child, endChildren, orderAtOnce } from '../../../testkit/child-process.ts';
import { placesOf } from '../../../testkit/faults.ts';
import { add, propose, yes } from '../../../testkit/sample.ts';
import { temporaryFolder } from '../../../testkit/store.ts';

vi.setConfig({ testTimeout: 180_000 });
afterEach(endChildren);

/** Starts them, waits until each is ready, and lets all go at once. */
async function together(orders: readonly object[]): Promise<Child[]> {
  const children = orders.map((order) => new Child(order));
  await Promise.all(children.map((child) => child.word(0)));
  for (const child of children) child.go();
  return children;
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('proposals at once', () => {
  test('of four processes, sixty each: every acknowledged one is on disk, once in the ledger, in the index', async () => {
    const home = temporaryFolder();
    const children = await together(
      numbers(4).map((n) => ({ do: 'propose', home, count: 60, label: `process ${n}`, pipelined: n === 3 })),
    );
    const said = await Promise.all(children.map((child) => child.all<{ id?: string; refused?: string }>()));
    const words = said.flatMap((each) => each.slice(1));
    expect(words.filter((word) => word.id === undefined)).toEqual([]);
    const ids = words.map((word) => word.id ?? '');
    expect(new Set(ids).size).toBe(240);

    const vault = await openAt(home, LATER);
    expect(troubleOf(vault)).toBeNull();
    const entries = ledgerEntries(vault);
    // The first entry of all binds the ledger to its store.
    expect(entries.map((entry) => entry.seq)).toEqual(numbers(240).map((n) => n + 1));
    expect(entries.map((entry) => entry.id).sort()).toEqual([...ids].sort());
    expect(stems(vault, 'memories').sort()).toEqual([...ids].sort());
    expect(indexed(vault, 'memories')).toEqual([...ids].sort());
    for (const id of ids) expect(standingKey(found(vault, id).standing)).toBe('inferred:proposed');
    expect((await reconcile(vault)).notices).toEqual([]);
    expect(fs.readdirSync(vault.places.memories).filter((name) => name.startsWith('.'))).toEqual([]);
    vault.close();
  });

  test('200 pipelined in one process: 200 of 200', async () => {
    const vault = await openAt(temporaryFolder(), LATER);
    const ids = await Promise.all(numbers(200).map((n) => propose(vault, `pipelined ${n}`)));
    expect(new Set(ids).size).toBe(200);
    expect(ledgerEntries(vault).map((entry) => entry.id)).toEqual(ids);
    expect(indexed(vault, 'memories')).toEqual([...ids].sort());
    expect(troubleOf(vault)).toBeNull();
    vault.close();
  });

  test('of the same text by four processes: one memory', async () => {
    const home = temporaryFolder();
    const children = await together(numbers(4).map(() => ({ do: 'propose', home, count: 10, label: 'the same' })));
    const said = await Promise.all(children.map((child) => child.all<{ id: string }>()));
    for (const words of said) expect(words.slice(1)).toEqual(said[0]?.slice(1));
    const vault = await openAt(home, LATER);
    expect(stems(vault, 'memories')).toHaveLength(10);
    expect(ledgerEntries(vault)).toHaveLength(10);
    vault.close();
  });
});

describe('two processes deciding on the same memory at once', () => {
  test.each([
    ['promote', 'demote', 'inferred'],
    ['demote', 'demote', 'inferred'],
    ['promote', 'promote', 'inferred'],
    ['demote', 'reaffirm', 'verified'],
    ['reaffirm', 'reaffirm', 'verified'],
    ['restore', 'restore', 'quarantined'],
  ] as const)('%s and %s: one of them, and the other is told', async (first, second, tier) => {
    for (let round = 0; round < 3; round++) {
      const home = temporaryFolder();
      // Proposed a week before the decision.
      const past = await openAt(home, LATER - 8 * 86_400_000);
      const id = tier === 'inferred' ? await propose(past, 'subject') : await add(past, 'subject');
      if (tier === 'quarantined') await decide(past, 'demote', id);
      past.close();
      const children = await together([first, second].map((verb) => ({ do: 'decide', home, id, verb })));
      const said = await Promise.all(children.map((child) => child.all<{ outcome: string; recorded: boolean }>()));
      const outcomes = said.map((words) => words[1] as { outcome: string; recorded: boolean });
      const won = outcomes.filter(({ outcome }) => outcome.includes(':'));
      const lost = outcomes.filter(({ outcome }) => !outcome.includes(':'));

      const vault = await openAt(home, LATER);
      const standing = standingKey(found(vault, id).standing);
      const decisions = ledgerEntries(vault).filter((entry) => entry.id === id && entry.by.actor === 'operator');
      expect(troubleOf(vault)).toBeNull();
      expect(won.length).toBeGreaterThanOrEqual(1);
      for (const { outcome } of lost) expect(['changed-meanwhile', 'not-allowed']).toContain(outcome);
      // A second reaffirmation of the same words on the same day changes no byte, so both may count.
      if (first !== 'reaffirm') expect(won).toHaveLength(1);
      expect(won.every(({ recorded }) => recorded)).toBe(true);
      expect(won.map(({ outcome }) => outcome)).toContain(standing);
      const births = tier === 'inferred' ? 0 : 1;
      expect(decisions).toHaveLength(births + (tier === 'quarantined' ? 1 : 0) + won.length);
      if (decisions.at(-1)?.to === 'quarantined') expect(standing).toBe('quarantined:decided');
      expect(stems(vault, 'memories').length + stems(vault, 'quarantine').length).toBe(1);
      vault.close();
    }
  });
});

test('two processes opening a new store at once get one key', async () => {
  for (let round = 0; round < 3; round++) {
    const home = temporaryFolder();
    const children = await together(numbers(3).map(() => ({ do: 'open', home })));
    const said = await Promise.all(children.map((child) => child.all<string>()));
    expect(new Set(said.map((words) => words[1])).size).toBe(1);
    const vault = await openAt(home, LATER);
    expect(vault.self.fingerprint).toBe(said[0]?.[1]);
    expect(fs.readdirSync(vault.places.ledger)).toEqual([`${said[0]?.[1]}.jsonl`]);
    expect(
      ledgerEntries(vault)
        .map((entry) => entry.id)
        .sort(),
    ).toEqual(said.map((words) => words[2]).sort());
    expect(troubleOf(vault)).toBeNull();
    vault.close();
  }
});

describe('looking over the folders', () => {
  test('by two processes at once, at 200 new files: each is written down as seen, and nothing is lost', async () => {
    const home = temporaryFolder();
    const first = await openAt(home, LATER);
    await add(first, 'bystander');
    first.close();
    const { memories } = placesOf(home);
    const ids = numbers(200).map((n) => `user_found_${n}`);
    for (const [n, id] of ids.entries()) fs.writeFileSync(join(memories, `${id}.md`), foundFile(`found ${n}`));

    const children = await together(numbers(2).map(() => ({ do: 'reconcile', home })));
    const said = await Promise.all(children.map((child) => child.all<{ files: number; notices: string[] }>()));
    for (const [, word] of said) {
      expect(word?.files).toBe(201);
      expect(word?.notices.filter((kind) => kind !== 'added')).toEqual([]);
    }
    const vault = await openAt(home, LATER);
    expect(troubleOf(vault)).toBeNull();
    const seen = ledgerEntries(vault).filter((entry) => entry.action === 'seen');
    expect(new Set(seen.map((entry) => entry.id))).toEqual(new Set(ids));
    expect(seen).toHaveLength(200);
    for (const id of ids) expect(found(vault, id).firstSeen).toBeDefined();
    expect(standingKey(found(vault, 'user_bystander').standing)).toBe('verified:vouched');
    expect(indexed(vault, 'memories')).toHaveLength(201);
    vault.close();
  });

  test('does not drop what is proposed meanwhile from the index, nor call it gone', async () => {
    const home = temporaryFolder();
    const first = await openAt(home, LATER);
    await propose(first, 'first');
    first.close();
    /** Another process proposes just after the folder was listed. */
    class Interrupted extends Disk {
      armed = true;
      override *namesInPortions(folder: string, portion: number): Iterable<readonly string[]> {
        for (const names of super.namesInPortions(folder, portion)) {
          if (this.armed && folder.endsWith('memories')) {
            this.armed = false;
            orderAtOnce({ do: 'propose', home, count: 1, label: 'meanwhile' });
          }
          yield names;
        }
      }
    }
    const vault = await openAt(home, LATER, { disk: new Interrupted() });
    const { notices } = await reconcile(vault);
    expect(notices.map((notice) => notice.kind)).not.toContain('removed');
    expect(indexed(vault, 'memories')).toEqual(['user_first', 'user_meanwhile_0']);
    vault.close();
  });
});

describe('a memory that is restored while the folders are looked over', () => {
  /** Another process restores it after the ledger was read and before the folder is. */
  class Interrupted extends Disk {
    meanwhile: (() => void) | undefined;
    override namesInPortions(folder: string, portion: number): Iterable<readonly string[]> {
      if (folder.endsWith('memories')) this.meanwhile?.();
      this.meanwhile = undefined;
      return super.namesInPortions(folder, portion);
    }
  }

  test('stays restored', async () => {
    const home = temporaryFolder();
    const disk = new Interrupted();
    const vault = await openAt(home, LATER, { disk });
    const id = await add(vault, 'subject');
    await decide(vault, 'demote', id);
    await reconcile(vault);
    disk.meanwhile = () => orderAtOnce({ do: 'decide', home, id, verb: 'restore' });
    const { notices } = await reconcile(vault);
    expect(notices.map((notice) => notice.kind)).not.toContain('quarantined');
    expect(standingKey(found(vault, id).standing)).toBe('verified:vouched');
    expect(ledgerEntries(vault).at(-1)).toMatchObject({ action: 'restore', id });
    vault.close();
  });

  test('takes no other with it that says the same', async () => {
    const home = temporaryFolder();
    const disk = new Interrupted();
    const vault = await openAt(home, LATER, { disk });
    const id = await add(vault, 'subject');
    await decide(vault, 'demote', id);
    await reconcile(vault);
    const twin = 'user_twin';
    fs.writeFileSync(insideOf(vault).files.path({ place: 'memories', stem: twin }), foundFile('subject'));
    disk.meanwhile = () => orderAtOnce({ do: 'decide', home, id, verb: 'restore' });
    await reconcile(vault);
    expect(standingKey(found(vault, twin).standing)).toBe('inferred:found');
    vault.close();
  });
});

describe('a reader beside a writer', () => {
  test('sees one of the two standings and a whole ledger, a hundred times over', async () => {
    const home = temporaryFolder();
    const vault = await openAt(home, LATER);
    const id = await add(vault, 'subject');
    vault.close();
    const reader = new Child({ do: 'poll', home, id });
    await reader.word(0);
    const [writer] = await together([{ do: 'cycle', home, id, times: 100 }]);
    await writer?.all();
    reader.stop();
    const [, seen] = await reader.all<Record<string, number>>();
    process.stderr.write(`concurrency: a reader saw ${JSON.stringify(seen)}\n`);
    const allowed = ['verified:vouched whole', 'quarantined:decided whole', 'quarantined:folder whole'];
    expect(Object.keys(seen ?? {}).filter((what) => !allowed.includes(what))).toEqual([]);
    expect(Object.values(seen ?? {}).reduce((a, b) => a + b, 0)).toBeGreaterThan(100);
  });

  test('finds a memory that is restored between its two looks', async () => {
    const home = temporaryFolder();
    /** Moves the file after the first folder was looked into. */
    class Moving extends Disk {
      from: string | undefined;
      to = '';
      override read(path: string, atMost: number) {
        const entry = super.read(path, atMost);
        if (this.from !== undefined && path === this.to) {
          fs.renameSync(this.from, this.to);
          this.from = undefined;
        }
        return entry;
      }
    }
    const disk = new Moving();
    const vault = await openAt(home, LATER, { disk });
    const id = await add(vault, 'subject');
    await decide(vault, 'demote', id);
    disk.to = insideOf(vault).files.path({ place: 'memories', stem: id });
    disk.from = insideOf(vault).files.path({ place: 'quarantine', stem: id });
    expect(vault.load(id)?.standing.tier).toBe('quarantined');
    vault.close();
  });
});

test('a demotion that could not wait for the lock is not undone by the promotion it met', async () => {
  const home = temporaryFolder();
  const past = await openAt(home, LATER - 8 * 86_400_000);
  const id = await propose(past, 'subject');
  past.close();
  const other = await openAt(home, LATER);
  const seen = found(other, id);
  /** Between the entry and the file of a promotion, a process that was refused the lock moves the file. */
  class Interrupted extends Disk {
    meanwhile: (() => void) | undefined;
    override append(path: string, text: string | Buffer): void {
      super.append(path, text);
      this.meanwhile?.();
      this.meanwhile = undefined;
    }
  }
  const disk = new Interrupted();
  const vault = await openAt(home, LATER, { disk });
  disk.meanwhile = () => {
    insideOf(other).files.putAway(seen);
  };
  const subject = found(vault, id);
  const promotion = vault.decide('promote', subject, yes('promote', subject));
  await expect(promotion).rejects.toMatchObject({
    code: 'unfinished',
    message: expect.stringContaining('quarantined'),
  });
  await reconcile(vault);
  expect(found(vault, id).standing.tier).toBe('quarantined');
  other.close();
  vault.close();
});

describe('a file that changes between the receipt of a promotion and its own turn', () => {
  class Interrupted extends Disk {
    meanwhile: (() => void) | undefined;
    override append(path: string, text: string | Buffer): void {
      super.append(path, text);
      this.meanwhile?.();
      this.meanwhile = undefined;
    }
  }

  test.each([
    ['is marked verified by hand', (text: string) => text.replace('inferred', 'verified'), 'verified:vouched'],
    ['is edited', (text: string) => text.replace('two cores', 'three cores'), 'inferred:changed'],
    [
      'says something of no account',
      (text: string) => text.replace('---\n', '---\nnote: mine\n'),
      'inferred:unfinished',
    ],
  ])('%s: nobody is told that nothing changed', async (_, change, standing) => {
    const home = temporaryFolder();
    const past = await openAt(home, LATER - 8 * 86_400_000);
    const id = await propose(past, 'subject');
    past.close();
    const disk = new Interrupted();
    const vault = await openAt(home, LATER, { disk });
    const path = insideOf(vault).files.path({ place: 'memories', stem: id });
    disk.meanwhile = () => fs.writeFileSync(path, change(fs.readFileSync(path, 'utf8')));
    const outcome = await decide(vault, 'promote', id).then(
      ({ loaded }) => standingKey(loaded.standing),
      (error: unknown) => error,
    );
    expect(standingKey(found(vault, id).standing)).toBe(standing);
    if (standing === 'verified:vouched') expect(outcome).toBe(standing);
    else
      expect(outcome).toMatchObject({ code: 'unfinished', message: expect.stringMatching(/on record.*is inferred/) });
    vault.close();
  });

  test('is taken away right after it was written: the reply says so', async () => {
    const home = temporaryFolder();
    const past = await openAt(home, LATER - 8 * 86_400_000);
    const id = await propose(past, 'subject');
    past.close();
    class Taken extends Disk {
      taking = '';
      override putInPlace(temporary: string, path: string): void {
        super.putInPlace(temporary, path);
        if (path === this.taking) fs.unlinkSync(path);
      }
    }
    const disk = new Taken();
    const vault = await openAt(home, LATER, { disk });
    disk.taking = insideOf(vault).files.path({ place: 'memories', stem: id });
    const gone = { code: 'unfinished', message: expect.stringMatching(/on record.*its file is gone/) };
    await expect(decide(vault, 'promote', id)).rejects.toMatchObject(gone);
    expect(ledgerEntries(vault).at(-1)).toMatchObject({ action: 'promote', id });
    vault.close();
  });
});

describe('a lock that is removed under its holder', () => {
  /** Another process, which finds no lock, writes to the ledger in the middle of a turn. */
  class Interrupted extends Disk {
    meanwhile: { at: Moment; act: () => void } | undefined;
    #appending = false;
    override prepare(path: string, bytes: Buffer | string): string {
      this.#interrupt('prepare');
      return super.prepare(path, bytes);
    }
    override append(path: string, text: string | Buffer, end?: number): void {
      this.#interrupt('append');
      this.#appending = true;
      super.append(path, text, end);
      this.#appending = false;
    }
    protected override write(fd: number, bytes: Buffer | string): void {
      if (this.#appending) this.#interrupt('write');
      super.write(fd, bytes);
    }
    protected override sync(fd: number): void {
      if (this.#appending) this.#interrupt('sync');
      super.sync(fd);
    }
    #interrupt(at: Moment): void {
      if (this.meanwhile?.at !== at) return;
      const { act } = this.meanwhile;
      this.meanwhile = undefined;
      act();
    }
  }
  type Moment = 'prepare' | 'append' | 'write' | 'sync';

  /** A memory that can be promoted, and a disk on which another process proposes one at this moment of it. */
  async function interruptedAt(at: Moment) {
    const home = temporaryFolder();
    const past = await openAt(home, LATER - 8 * 86_400_000);
    const id = await propose(past, 'subject');
    past.close();
    const disk = new Interrupted();
    const vault = await openAt(home, LATER, { disk });
    const act = () => {
      fs.rmSync(vault.places.guard, { recursive: true });
      orderAtOnce({ do: 'propose', home, count: 1, label: 'meanwhile' });
    };
    disk.meanwhile = { at, act };
    return { vault, id };
  }

  test.each(['prepare', 'append', 'write'] as const)('lets nobody write over the other’s entries (%s)', async (at) => {
    const { vault, id } = await interruptedAt(at);
    await expect(decide(vault, 'promote', id)).rejects.toMatchObject({ code: 'lock-busy' });
    expect(troubleOf(vault)).toBeNull();
    expect(ledgerEntries(vault).map((entry) => entry.id)).toEqual([id, 'user_meanwhile_0']);
    expect(standingKey(found(vault, id).standing)).toBe('inferred:proposed');
    await decide(vault, 'promote', id);
    expect(standingKey(found(vault, id).standing)).toBe('verified:vouched');
    vault.close();
  });

  test('and whoever was first stays, with the other’s entries behind (sync)', async () => {
    const { vault, id } = await interruptedAt('sync');
    await decide(vault, 'promote', id);
    expect(troubleOf(vault)).toBeNull();
    expect(ledgerEntries(vault).map((entry) => entry.id)).toEqual([id, id, 'user_meanwhile_0']);
    expect(standingKey(found(vault, id).standing)).toBe('verified:vouched');
    vault.close();
  });
});
