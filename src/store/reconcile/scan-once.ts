import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RenewedFile } from '../disk/renewed-file.ts';
import { beginsToWrite, openSqlite, type Sqlite } from '../disk/sqlite.ts';
import { formatOf } from '../index/schema.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';

const POLL_MS = 50;
/** How often the scanning process renews its file's time, to show that it still works. */
const RENEWED_MS = 1_000;
/**
 * A scanning process that has not renewed its file for 10 s counts as stopped, and other processes no longer wait for
 * it.
 */
const STOPPED_MS = 10_000;
const TELL_AFTER_MS = 5_000;

/**
 * Lets processes that start at the same time on this machine share one scan: one scans, the others wait and serve what
 * the index has so far. SQLite's write lock marks the scanning process. The system frees it when that process dies, and
 * the next one takes over. A process that has waited through the begin and end of a full scan need not scan itself. Returns whether
 * this process scanned.
 */
export async function scanOnce(vault: Vault, scan: () => Promise<unknown>): Promise<boolean> {
  const turn = await takeTurn(vault);
  try {
    if (turn === 'scanned') return false;
    await scan();
    turn?.done();
    return true;
  } finally {
    if (turn !== 'scanned') turn?.leave();
  }
}

interface Turn {
  /** Counts this scan as a full one. */
  done(): void;
  leave(): void;
}

/** Undefined if waiting is not possible. The caller then scans without a turn, which only costs time. */
async function takeTurn(vault: Vault): Promise<Turn | 'scanned' | undefined> {
  const { index, places, complain } = insideOf(vault);
  // No other process fills an index in memory.
  if (index.bytes === null) return undefined;
  // Earlier versions take turns with this one by a file of this name.
  const path = join(places.cache, `look-${formatOf(vault.rules)}.db`);
  let db: Sqlite | undefined;
  try {
    db = openSqlite(path, 0);
    const before = scansIn(db);
    const [began, renewed] = [performance.now(), new RenewedFile(path)];
    for (let isAnnounced = false; !beginsToWrite(db); await sleep(POLL_MS)) {
      if (renewed.isAbandoned(STOPPED_MS))
        throw Object.assign(new Error('the scanning process is stopped'), { code: 'ETIMEDOUT' });
      if (isAnnounced || performance.now() - began < TELL_AFTER_MS) continue;
      isAnnounced = true;
      complain('surety: another process is reading the memories; this one waits for it');
    }
    // The first scan to end may have begun before this process started waiting. The second began after that.
    if (scansIn(db) >= before + 2) {
      db.close();
      return 'scanned';
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
      // The cache was deleted, so no process waits for this file.
    }
  };
  renew();
  const clock = setInterval(renew, RENEWED_MS).unref();
  return {
    done: () => {
      db.pragma(`user_version = ${scansIn(db) + 1}`);
      db.exec('COMMIT');
    },
    leave: () => {
      clearInterval(clock);
      db.close();
    },
  };
}

/** The number of full scans so far. */
function scansIn(db: Sqlite): number {
  return Number(db.pragma('user_version', { simple: true }));
}
