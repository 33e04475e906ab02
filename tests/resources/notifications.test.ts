import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Session as ServerSession } from '../../src/actions/session.ts';
import { watchStore } from '../../src/actions/watch-store.ts';
import { StoreWatch } from '../../src/store/reconcile/watch.ts';
import { insideOf } from '../../src/store/vault/inside-of-vault.ts';
import { CLIENTS, type Home, makeHome, type Session, type Told } from '../../testkit/clients.ts';
import { PATIENCE_MS } from '../../testkit/patience.ts';
import { prepare, sharedEnv } from '../../testkit/prepared.ts';
import { DAY, type TestStore } from '../../testkit/store.ts';

/** Simulates a file system that cannot be watched; servers are other processes and not affected. */
const system = vi.hoisted(() => ({ watches: true }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const watch = (...args: Parameters<typeof fs.watch>) => {
    if (!system.watches) throw Object.assign(new Error('no more watches'), { code: 'ENOSPC' });
    return fs.watch(...args);
  };
  return { ...fs, watch };
});

let home: Home;
let store: TestStore;
beforeEach(async () => {
  home = makeHome();
  store = await prepare(home);
  store.now = Date.now() - 60 * DAY;
});
afterEach(() => home.remove());

const LIST = 'notifications/resources/list_changed';
const STATIC = ['memory://context', 'memory://verified', 'memory://review', 'memory://status'];
/** Longer than debouncing, scanning and resting take together. */
const QUIET_MS = 1_500;

describe.each(CLIENTS)('$client', ({ connect }) => {
  let session: Session;
  let told: Told[];
  let unfollow: () => Promise<void>;
  const uris = () => new Set(told.map(({ uri }) => uri ?? LIST));

  /** A client that has used the store, follows these and has received nothing yet. */
  const following = async (...wanted: string[]) => {
    session = await connect({ home, env: sharedEnv(home) });
    told = [];
    session.onNotification((each) => told.push(each));
    await session.listResources();
    unfollow = await session.follow(wanted);
  };

  test('another process promotes and demotes: the client is notified of the list and what it follows, and nothing else', async () => {
    const id = await store.propose('Deploys');
    store.pass(8);
    await following(`memory://verified/${id}`, 'memory://verified', 'memory://context');
    const all = new Set([LIST, `memory://verified/${id}`, 'memory://verified', 'memory://context']);

    await store.decide('promote', id);
    await expect.poll(uris).toEqual(all);
    expect((await session.listResources()).map(({ uri }) => uri)).toContain(`memory://verified/${id}`);
    expect((await session.readResource(`memory://verified/${id}`)).text).toContain('two cores');

    await sleep(QUIET_MS);
    expect(uris()).toEqual(all);
    told.length = 0;
    await store.decide('demote', id, 'wrong');
    await expect.poll(uris).toEqual(all);
    await expect(session.readResource(`memory://verified/${id}`)).rejects.toThrow('quarantined');
    expect(uris()).toEqual(all);
    await session.close();
    expect(session.server.stderr).toBe('');
  });

  test('a verified file edited by hand is no longer verified, and the client is notified', async () => {
    const id = await store.verified('Deploys');
    await following(`memory://verified/${id}`, 'memory://review');
    store.edit(id, (text) => text.replace('two cores', 'nine cores'));
    await expect.poll(uris).toEqual(new Set([LIST, `memory://verified/${id}`, 'memory://review']));
    const refused = session.readResource(`memory://verified/${id}`);
    await expect(refused).rejects.toThrow('inferred');
    await expect(refused).rejects.not.toThrow('cores');

    told.length = 0;
    await sleep(QUIET_MS);
    store.edit(id, (text) => text.replace('nine cores', 'two cores'));
    await expect.poll(uris).toContain(`memory://verified/${id}`);
    await session.close();
  });

  test('an invisible change is not notified, and a call of this process is notified like any other', async () => {
    await store.verified('Deploys');
    await following('memory://verified', 'memory://context');
    store.write('memories', 'MEMORY', 'not a memory');
    store.write('memories', 'notes.txt', 'neither is this');
    await sleep(QUIET_MS + 2_500); // the poll has run too
    expect(told).toEqual([]);

    await session.callTool('propose_memory', {
      type: 'user',
      name: 'Editor',
      description: 'Which editor is used',
      body: 'The operator writes everything in a plain editor.',
    });
    await expect.poll(uris).toEqual(new Set(['memory://context']));

    await unfollow();
    told.length = 0;
    await store.propose('Shell');
    await sleep(QUIET_MS);
    expect(told).toEqual([]);
    await session.close();
  });

  test('a request that waits for the person shows in review, and only there', async () => {
    const id = await store.propose('Deploys');
    await following(...STATIC);
    expect(await session.callTool('promote', { id })).toMatchObject({ structured: { outcome: 'queued' } });
    await expect.poll(uris).toEqual(new Set(['memory://review']));
    await session.close();
  });

  test('many changes at once give one notification', async () => {
    await store.verified('Deploys');
    await following(...STATIC);
    for (const i of Array.from({ length: 20 }).keys()) {
      store.write(
        'memories',
        `user_pulled_${i}`,
        `---\nname: Pulled ${i}\ndescription: came with a pull\ntype: user\n---\nThis body came with a git pull, number ${i}.\n`,
      );
    }
    const changed = ['memory://context', 'memory://review', 'memory://status'];
    await expect.poll(uris).toEqual(new Set(changed));
    await sleep(QUIET_MS);
    // The ledger's own first-sight entries cause a second one of each.
    expect(told.length).toBeLessThanOrEqual(2 * changed.length + 1);
    await session.close();
  });

  test('nothing is opened or watched for a client that only connects, and the process ends with its client', async () => {
    const fresh = makeHome();
    try {
      const idle = await connect({ home: fresh });
      await idle.listTools();
      await idle.listPrompts();
      expect(existsSync(`${fresh.folder}/.surety`)).toBe(false);
      expect(await idle.close()).toMatchObject({ code: 0, signal: null });
      const used = await connect({ home: fresh });
      await used.follow(['memory://status']);
      expect(existsSync(`${fresh.folder}/.surety`)).toBe(true);
      // A server that outlives its input would keep this waiting until the test's time is over.
      expect(await used.close()).toMatchObject({ code: 0, signal: null });
    } finally {
      fresh.remove();
    }
  });
});

test('a handshake client cannot follow what is not a resource', async () => {
  const [, legacy] = CLIENTS;
  const session = await legacy?.connect({ home, env: sharedEnv(home) });
  if (session === undefined) throw new Error('no client');
  await expect(session.follow(['memory://nothing'])).rejects.toMatchObject({ code: -32602 });
  await expect(session.follow(['file:///etc/passwd'])).rejects.toMatchObject({ code: -32602 });
  await session.close();
});

describe('a watch that begins with the first scan', () => {
  /** Whether a full scan ran: it makes the index row again that was taken away. */
  const scansAgain = async (first: Promise<boolean>) => {
    const id = await store.propose('Deploys');
    const { index } = insideOf(store.vault);
    let scans = 0;
    const watching = watchStore(
      { vault: store.vault } as ServerSession,
      async () => {
        scans += 1;
      },
      first,
    );
    try {
      index.drop('memories', id);
      await store.propose('Reviews');
      await vi.waitFor(() => expect(scans).toBeGreaterThan(0), PATIENCE_MS);
      return index.get('memories', id) !== undefined;
    } finally {
      watching.stop();
    }
  };

  test('does not scan every file a second time', async () => {
    expect(await scansAgain(Promise.resolve(true))).toBe(false);
  });

  test('scans every file if the first scan did not', async () => {
    expect(await scansAgain(Promise.resolve(false))).toBe(true);
  });

  test('notices what changes while the first scan runs', async () => {
    const edited = await store.propose('Old words');
    const digest = () => insideOf(store.vault).index.get('memories', edited)?.digest;
    const before = digest();
    const first = sleep(300, true);
    setTimeout(() => store.edit(edited, (text) => text.replace('two cores', 'nine cores')), 100);
    expect(await scansAgain(first)).toBe(true);
    expect(digest()).not.toBe(before);
  });
});

describe('where the system cannot watch', () => {
  beforeEach(() => {
    system.watches = false;
  });
  afterEach(() => {
    system.watches = true;
  });

  test('the times of folders and ledgers show what was written', async () => {
    const stirred = vi.fn();
    const watch = new StoreWatch(store.places, stirred, undefined, 30);
    const silence = async () => {
      watch.taken();
      await sleep(100);
      stirred.mockClear();
    };
    try {
      await silence();
      await sleep(100);
      expect(stirred).not.toHaveBeenCalled();
      expect(watch.isBlind).toBe(true);
      store.write('memories', 'user_new', 'whatever');
      await vi.waitFor(() => expect(stirred).toHaveBeenCalled(), PATIENCE_MS);
      await silence();
      writeFileSync(store.ledgerPath, 'longer', { flag: 'a' });
      await vi.waitFor(() => expect(stirred).toHaveBeenCalled(), PATIENCE_MS);
      await silence();
      rmSync(store.places.quarantine, { recursive: true });
      await vi.waitFor(() => expect(stirred).toHaveBeenCalled(), PATIENCE_MS);
    } finally {
      watch.stop();
    }
  });

  test('an edit in place, which changes no folder, is still found within seconds', async () => {
    const id = await store.verified('Deploys');
    const seen: string[] = [];
    const session = { vault: store.vault } as ServerSession;
    const watching = watchStore(
      session,
      async () => void seen.push(insideOf(store.vault).index.get('memories', id)?.digest ?? ''),
    );
    try {
      await vi.waitFor(() => expect(seen).toHaveLength(1), PATIENCE_MS);
      const folder = statSync(store.places.memories).mtimeMs;
      store.edit(id, (text) => text.replace('two cores', 'nine cores'));
      expect(statSync(store.places.memories).mtimeMs).toBe(folder);
      await vi.waitFor(() => expect(new Set(seen).size).toBe(2), PATIENCE_MS);
    } finally {
      watching.stop();
    }
  });

  test('a failing scan is reported once and tried again', async () => {
    let fails = 0;
    const watching = watchStore({ vault: store.vault } as ServerSession, async () => {
      fails += 1;
      throw new Error('as it happens');
    });
    try {
      await vi.waitFor(() => expect(fails).toBe(2), PATIENCE_MS);
      expect(store.complaints.filter((line) => line.includes('could not be looked at again'))).toHaveLength(1);
    } finally {
      watching.stop();
    }
  });
});
