import { lstatSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../disk/disk-errors.ts';
import { openSqlite, type Sqlite } from '../disk/sqlite.ts';
import { formatOf } from '../index/schema.ts';
import { insideOf } from '../vault/inside.ts';
import type { Vault } from '../vault/vault.ts';

const POLL_MS = 50;
/** How often a process that looks says that it is still at it. */
const RENEWED_MS = 1_000;
/** One that has said nothing for this long is stopped, and is not waited for. */
const STOPPED_MS = 10_000;
const TELL_AFTER_MS = 5_000;

/**
 * One look at the whole store for all processes of this machine that start at the same time: one looks, the others wait and
 * find what is in the index so far. SQLite's write lock says who looks, so the system frees it when that process dies, and
 * the next one takes over. A process whose wait saw a whole look begin and end has nothing left to look for.
 */
export async function lookOnce(vault: Vault, look: () => Promise<unknown>): Promise<void> {
  const turn = await takeTurn(vault);
  try {
    if (turn === 'looked') return;
    await look();
    turn?.done();
  } finally {
    if (turn !== 'looked') turn?.leave();
  }
}

interface Turn {
  /** Counts this look as a whole one. */
  done(): void;
  leave(): void;
}

/** Undefined where nobody can be asked to wait: the look is then taken without a turn, which costs time and nothing else. */
async function takeTurn(vault: Vault): Promise<Turn | 'looked' | undefined> {
  const { index, places, complain } = insideOf(vault);
  // An index in memory is filled by nobody else.
  if (index.bytes === null) return undefined;
  const path = join(places.cache, `look-${formatOf(vault.rules)}.db`);
  let db: Sqlite | undefined;
  try {
    db = openSqlite(path, 0);
    const before = looksIn(db);
    const [began, renewed] = [performance.now(), new Renewal(path)];
    for (let told = false; !begins(db); await sleep(POLL_MS)) {
      if (renewed.isOverdue()) throw Object.assign(new Error('whoever looks is stopped'), { code: 'ETIMEDOUT' });
      if (told || performance.now() - began < TELL_AFTER_MS) continue;
      told = true;
      complain('surety: another process is reading the memories; this one waits for it');
    }
    // The first one that ended may have begun before this process came; the second has not.
    if (looksIn(db) >= before + 2) {
      db.close();
      return 'looked';
    }
    return turnWith(db, path);
  } catch {
    db?.close();
    return undefined;
  }
}

function turnWith(db: Sqlite, path: string): Turn {
  const renew = () => {
    try {
      utimesSync(path, new Date(), new Date());
    } catch {
      // Somebody has deleted the cache: then nobody waits for this file.
    }
  };
  renew();
  const clock = setInterval(renew, RENEWED_MS).unref();
  return {
    done: () => {
      db.pragma(`user_version = ${looksIn(db) + 1}`);
      db.exec('COMMIT');
    },
    leave: () => {
      clearInterval(clock);
      db.close();
    },
  };
}

/** How many whole looks there were. */
function looksIn(db: Sqlite): number {
  return Number(db.pragma('user_version', { simple: true }));
}

function begins(db: Sqlite): boolean {
  try {
    db.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (codeOf(error).startsWith('SQLITE_BUSY')) return false;
    throw error;
  }
}

/** Whether whoever looks still says so, by this process's own clock. */
class Renewal {
  readonly #path: string;
  #modified: bigint | undefined;
  #since = performance.now();

  constructor(path: string) {
    this.#path = path;
  }

  isOverdue(): boolean {
    const modified = lstatSync(this.#path, { bigint: true, throwIfNoEntry: false })?.mtimeNs;
    if (modified !== this.#modified) {
      this.#modified = modified;
      this.#since = performance.now();
    }
    return performance.now() - this.#since > STOPPED_MS;
  }
}
