import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../core/refusal.ts';
import { beginsToWrite, openSqlite } from '../disk/sqlite.ts';

/**
 * Lets one sync of a store run at a time. It is not the store's own lock, because a sync waits for the network and
 * writers of memories must not wait for it. It is SQLite's write lock, which the system frees when its holder dies.
 */
export async function takeSyncLock(guard: string, waitMs: number): Promise<() => void> {
  const deadline = performance.now() + waitMs;
  const db = openSqlite(join(guard, 'sync.db'), 0);
  try {
    while (!beginsToWrite(db)) {
      if (performance.now() >= deadline)
        throw new Refusal('lock-busy', 'Another sync of this store is running. Nothing was done; try again later.');
      await sleep(Math.min(100, Math.max(1, deadline - performance.now())));
    }
    return () => db.close();
  } catch (error) {
    db.close();
    throw error;
  }
}
