import { join } from 'node:path';
import { DAY_MS } from '../../core/trust/clocks.ts';
import type { Disk } from '../disk/disk.ts';
import { type Sqlite, withSqlite } from '../disk/sqlite.ts';

/** The counts are a table of their own, because earlier versions write the other one. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS uses (id TEXT PRIMARY KEY, day INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS counts (id TEXT PRIMARY KEY, times INTEGER NOT NULL) WITHOUT ROWID;`;
/** Uses are collected this long before they are written. */
const GATHER_MS = 3_000;
const FILE = 'uses.db';
/** At most 200 ms of waiting for another process, because nothing depends on these counts. */
const WAIT_MS = 200;

/** How often agents found or read each memory and on which day last, as far as this machine knows. */
interface KnownUsage {
  /** The first recorded day; undefined when nothing was recorded. */
  readonly since: number | undefined;
  readonly last: ReadonlyMap<string, number>;
  readonly times: ReadonlyMap<string, number>;
}

const NOTHING: KnownUsage = { since: undefined, last: new Map(), times: new Map() };

/**
 * Which memories agents find and read: only ids, days and counts. It lies in the cache, because nothing depends on it; a failed
 * write is dropped silently, and no agent waits for one.
 */
export class UsageDays {
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #now: () => number;
  readonly #gathered = new Map<string, { readonly day: number; readonly times: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(cacheFolder: string, disk: Disk, now: () => number) {
    this.#folder = cacheFolder;
    this.#disk = disk;
    this.#now = now;
  }

  note(ids: readonly string[]): void {
    const day = Math.floor(this.#now() / DAY_MS);
    for (const id of ids) this.#gathered.set(id, { day, times: (this.#gathered.get(id)?.times ?? 0) + 1 });
    if (this.#timer !== undefined || this.#gathered.size === 0) return;
    process.once('exit', this.writeDown);
    this.#timer = setTimeout(this.writeDown, GATHER_MS).unref();
  }

  /** Writes the collected uses; called by the timer and at exit. */
  readonly writeDown = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    process.off('exit', this.writeDown);
    const uses = [...this.#gathered];
    this.#gathered.clear();
    if (uses.length === 0) return;
    try {
      this.#disk.makeFolder(this.#folder);
      withSqlite(join(this.#folder, FILE), WAIT_MS, (db) => {
        db.pragma('synchronous = OFF');
        db.transaction(() => {
          db.exec(SCHEMA);
          const put = db.prepare(
            'INSERT INTO uses VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET day = max(day, excluded.day)',
          );
          const count = db.prepare(
            'INSERT INTO counts VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET times = times + excluded.times',
          );
          // The first recorded day has an empty id.
          db.prepare('INSERT OR IGNORE INTO uses VALUES (?, ?)').run('', uses[0]?.[1].day);
          for (const [id, { day, times }] of uses) {
            put.run(id, day);
            count.run(id, times);
          }
        }).immediate();
      });
    } catch {
      // Busy, full, damaged or not ours: not worth reporting to an agent that asked for something else.
    }
  };

  known(): KnownUsage {
    const path = join(this.#folder, FILE);
    if (!this.#disk.exists(path)) return NOTHING;
    try {
      return withSqlite(path, WAIT_MS, (db) => {
        const rows = db.prepare<[], { id: string; day: number }>('SELECT id, day FROM uses').all();
        const days = new Map(rows.map(({ id, day }) => [id, Number(day) * DAY_MS]));
        const since = days.get('');
        days.delete('');
        return { since, last: days, times: timesIn(db) };
      });
    } catch {
      return NOTHING;
    }
  }
}

/** None where only an earlier version, which does not count, has written. */
function timesIn(db: Sqlite): Map<string, number> {
  try {
    const rows = db.prepare<[], { id: string; times: number }>('SELECT id, times FROM counts').all();
    return new Map(rows.map(({ id, times }) => [id, Number(times)]));
  } catch {
    return new Map();
  }
}
