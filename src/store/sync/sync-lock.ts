import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../core/refusal.ts';
import { codeOf } from '../disk/disk-errors.ts';
import { openSqlite } from '../disk/sqlite.ts';

/**
 * Lets one sync of a store run at a time. It is not the store's own lock, because a sync waits for the network and
 * writers of memories must not wait for it. It is SQLite's write lock, which the system frees when its holder dies.
 */
export async function takeSyncLock(guard: string, waitMs: number): Promise<() => void> {
  const deadline = performance.now() + waitMs;
  const db = openSqlite(join(guard, 'sync.db'), 0);
  for (;;) {
    try {
      db.exec('BEGIN IMMEDIATE');
      return () => db.close();
    } catch (error) {
      if (!codeOf(error).startsWith('SQLITE_BUSY')) {
        db.close();
        throw error;
      }
    }
    if (performance.now() >= deadline) {
      db.close();
      throw new Refusal('lock-busy', 'Another sync of this store is running. Nothing was done; try again later.');
    }
    await sleep(Math.min(100, Math.max(1, deadline - performance.now())));
  }
}
